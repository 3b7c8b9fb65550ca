from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from tournament.core.pdf.lists import ListColumn, PrintedList, write_list

COLUMNS = (
    ListColumn("Table", 1, bold=True),
    ListColumn("Round", 1.6),
    ListColumn("No.", 0.7, align="right"),
    ListColumn("Name", 4, bold=True),
    ListColumn("No.", 0.7, align="right"),
    ListColumn("Against", 4, bold=True),
)
AT_TABLES = (*COLUMNS[:4], ListColumn("With", 5))
"""Where more than two sit together."""


@dataclass(frozen=True, slots=True)
class PrintedPairing:
    """`players` are number and name of everybody who sits there."""

    table: int | None
    round: str
    players: tuple[tuple[int, str], ...]


def write_pairings(
    target: IO[bytes], title: str, subtitle: str, pairings: Sequence[PrintedPairing], *, paper: str = "letter"
) -> int:
    """By name: every pairing stands once under each of its names, so that players find their own."""
    pairs = all(len(pairing.players) == 2 for pairing in pairings)
    rows = [
        (str(pairing.table or "–"), pairing.round, str(me[0]), me[1], *_beside(pairing, me, pairs=pairs))
        for pairing in pairings
        for me in pairing.players
    ]
    rows.sort(key=lambda row: (row[3].casefold(), row[1]))
    columns = COLUMNS if pairs else AT_TABLES
    return write_list(target, PrintedList(title, subtitle, columns, rows), paper=paper)


def _beside(pairing: PrintedPairing, me: tuple[int, str], *, pairs: bool) -> tuple[str, ...]:
    others = [player for player in pairing.players if player != me]
    if pairs:
        number, name = others[0]
        return str(number), name
    return (", ".join(f"{number} {name}" for number, name in others),)
