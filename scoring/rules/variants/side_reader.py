"""A reader for the parts of a line that are given by side: the name of a side, and whole numbers under sides' names."""

from collections.abc import Callable
from functools import partial
from typing import Any

from scoring.rules.book.options import Numbers
from scoring.rules.hand.hand_reader import SideNames
from tournament.cases import Problems, join, read_integer, read_object, shortened
from tournament.said import worded

Reader = Callable[[Any, str, Problems], dict[str, int] | None]


class SideReader(SideNames):
    def numbers(self, within: Numbers, *, each: bool = True) -> Reader:
        """Return a reader of `{side: number}`. With `each`, every side must have a number.

        It adds the problems `bad-value`, `unknown-side` and `missing-field`.
        """
        return partial(self._read_numbers, within=within, each=each)

    def _read_numbers(
        self, value: Any, path: str, problems: Problems, *, within: Numbers, each: bool
    ) -> dict[str, int] | None:
        given = read_object(value, path, problems)
        if given is None:
            return None
        numbers = {}
        for name, entry in given.items():
            where = join(path, shortened(name))
            if not self._knows(name, where, problems):
                continue
            number = read_integer(entry, where, problems, minimum=within.lowest, maximum=within.highest)
            if number is not None:
                numbers[name] = number
        for side in self.sides if each else ():
            if side not in given:
                problems.add(
                    "missing-field",
                    join(path, side),
                    worded("The number of %(side)s is missing.", side=shortened(side)),
                )
        return numbers
