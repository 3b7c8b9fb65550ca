"""A card of which only the totals are known: what stands for its hands on a sheet, and how it is written.

The hands are on the paper and nowhere else. So the totals are one line of their own, the first; they are no hand, they
have no number, and the text that is signed has them beside its lines, not among them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tournament.said import worded

TOTALS: Final = "totals"
"""The field of a recorded line that holds them, and what that line is called in a tally."""

WORDS: Final = worded("Totals from the paper card")


@dataclass(frozen=True, slots=True)
class TotalsLine:
    """The totals of both sides as the paper has them, by side, in points."""

    totals: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """
        >>> TotalsLine({"A": 163, "B": 98}).as_json()
        {'totals': {'A': 163, 'B': 98}}
        """
        return {TOTALS: dict(self.totals)}


def says_totals(line: Any) -> bool:
    """Whether a recorded line is the totals of a paper card, and no hand.

    >>> says_totals({"totals": {"A": 163, "B": 98}}), says_totals({"outcome": "stock"}), says_totals(None)
    (True, False, False)
    """
    return isinstance(line, Mapping) and set(line) == {TOTALS}


def only_hands(lines: Sequence[Any]) -> list[Any]:
    """The lines of a sheet without the totals of its paper card."""
    return [line for line in lines if not isinstance(line, TotalsLine)]


def as_case(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Recorded lines as the fields `lines` and, where the first is a paper card's totals, `totals` of a sheet.

    >>> as_case([{"totals": {"A": 40, "B": 30}}, {"outcome": "stock"}])
    {'lines': [{'outcome': 'stock'}], 'totals': {'A': 40, 'B': 30}}
    """
    if lines and says_totals(lines[0]):
        return {"lines": list(lines[1:]), TOTALS: dict(lines[0][TOTALS])}
    return {"lines": list(lines)}
