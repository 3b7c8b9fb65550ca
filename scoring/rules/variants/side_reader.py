"""Reading what a line says by side: a side's name, whole numbers under the sides' names."""

from collections.abc import Callable
from functools import partial
from typing import Any

from scoring.rules.book.options import Numbers
from scoring.rules.hand.hand_reader import SideNames
from tournament.cases import Problems, join, read_integer, read_object, shortened
from tournament.said import worded

Reader = Callable[[Any, str, Problems], dict[str, int] | None]


class SideReader(SideNames):
    """Reads for one sheet."""

    def numbers(self, within: Numbers, *, each: bool = True) -> Reader:
        """A reader of `{side: number}`; with `each` every side has one.

        Problems: `bad-value`, `unknown-side`, `missing-field`.
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
