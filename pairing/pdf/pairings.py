from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from tournament.pdf.lists import ListColumn, PrintedList, write_list

COLUMNS = (
    ListColumn("Table", 1, bold=True),
    ListColumn("Round", 1.6),
    ListColumn("No.", 0.7, align="right"),
    ListColumn("Name", 4, bold=True),
    ListColumn("No.", 0.7, align="right"),
    ListColumn("Against", 4, bold=True),
)


@dataclass(frozen=True, slots=True)
class PrintedPairing:
    table: int | None
    round: str
    one: tuple[int, str]
    other: tuple[int, str]


def write_pairings(
    target: IO[bytes], title: str, subtitle: str, pairings: Sequence[PrintedPairing], *, paper: str = "letter"
) -> int:
    """By name: every pairing stands twice, once under each of its two names, so that a player finds his own."""
    rows = [
        (str(pairing.table or "–"), pairing.round, str(me[0]), me[1], str(you[0]), you[1])
        for pairing in pairings
        for me, you in ((pairing.one, pairing.other), (pairing.other, pairing.one))
    ]
    rows.sort(key=lambda row: (row[3].casefold(), row[1]))
    return write_list(target, PrintedList(title, subtitle, COLUMNS, rows), paper=paper)
