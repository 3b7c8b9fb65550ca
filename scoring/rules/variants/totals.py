"""A card of which only the totals are known, and the line that stands for its hands on a sheet.

The hands are only on the paper. The totals are a line of their own, before all others. This line is not a hand and has
no number. The signed content has it beside the lines, not among them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tournament.said import worded

TOTALS: Final = "totals"
"""The field of a recorded line that holds the totals, and the name of that line in a tally."""

WORDS: Final = worded("Totals from the paper card")


@dataclass(frozen=True, slots=True)
class TotalsLine:
    """The totals of both sides on the paper card, by side, in points."""

    totals: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return the line in its recorded form.

        >>> TotalsLine({"A": 163, "B": 98}).as_json()
        {'totals': {'A': 163, 'B': 98}}
        """
        return {TOTALS: dict(self.totals)}


def says_totals(line: Any) -> bool:
    """Return whether a recorded line has the totals of a paper card instead of a hand.

    >>> says_totals({"totals": {"A": 163, "B": 98}}), says_totals({"outcome": "stock"}), says_totals(None)
    (True, False, False)
    """
    return isinstance(line, Mapping) and set(line) == {TOTALS}


def only_hands(lines: Sequence[Any]) -> list[Any]:
    """Return the lines of a sheet without the totals of its paper card."""
    return [line for line in lines if not isinstance(line, TotalsLine)]


def as_case(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return recorded lines as the fields of a sheet: `lines`, and `totals` if the first line is a paper card's totals.

    >>> as_case([{"totals": {"A": 40, "B": 30}}, {"outcome": "stock"}])
    {'lines': [{'outcome': 'stock'}], 'totals': {'A': 40, 'B': 30}}
    """
    if lines and says_totals(lines[0]):
        return {"lines": list(lines[1:]), TOTALS: dict(lines[0][TOTALS])}
    return {"lines": list(lines)}
