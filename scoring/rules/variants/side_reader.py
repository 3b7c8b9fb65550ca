"""Reading what a line says by side: a side's name, whole numbers under the sides' names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from scoring.rules.book.options import Numbers
from tournament.cases import Problems, described, join, read_integer, read_object, shortened

Reader = Callable[[Any, str, Problems], dict[str, int] | None]


class SideReader:
    """Reads for one sheet; `sides` empty: they could not be read, and any name is let pass."""

    def __init__(self, sides: tuple[str, ...]) -> None:
        self.sides = sides

    def read_side(self, value: Any, path: str, problems: Problems) -> str | None:
        """The name of one of the sides. Problems: `bad-value`, `unknown-side`."""
        if not isinstance(value, str):
            problems.bad(path, f"{described(value)} is not the name of a side.")
            return None
        return value if self._knows(value, path, problems) else None

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
                problems.add("missing-field", join(path, side), f"The number of {shortened(side)} is missing.")
        return numbers

    def _knows(self, name: str, path: str, problems: Problems) -> bool:
        if not self.sides or name in self.sides:
            return True
        message = f"{described(name)} is no side of this sheet: {', '.join(map(shortened, self.sides))}."
        problems.add("unknown-side", path, message)
        return False
