"""What each card of a file was when it was printed: sealed with the file, so that a later check can tell what changed.

A stamp ("superseded") is right on the day it is printed. What it is about is kept as facts, in no language.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, Protocol

from scoring.posting.selectors.statements import CountedCard
from scoring.posting.tables.statements import said_of
from scoring.seals.pdf.signed_files import UNREADABLE


class Printed(StrEnum):
    """How a card stood when it was printed.

    `UNSIGNED`: not everybody had signed it. `CLOSED`: nobody signs it. `NO_SEAL`: signed before seals were kept.
    `UNKNOWN`: a page of an older file, which says nothing of the cards that are not attached.
    """

    SEALED = "sealed"
    UNSIGNED = "unsigned"
    CLOSED = "closed"
    NO_SEAL = "no-seal"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedCard:
    """One card of a file. `name` of its attachment; empty: it was not sealed, so it is not attached.

    `pages` from 1. `line` stands at its head, `stamp` in red above the sheet. `about`: the facts of the stamp, by
    `facts_of`. `corrected`: it was printed as superseded by a correction.
    """

    kind: str
    pages: tuple[int, ...]
    name: str = ""
    token: str = ""
    digest: str = ""
    match: str = ""
    game: int = 0
    title: str = ""
    line: str = ""
    stamp: str = ""
    about: dict[str, Any] = field(default_factory=dict)
    corrected: bool = False

    @property
    def is_stamped(self) -> bool:
        return bool(self.about) or self.corrected

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "kind": str(self.kind), "pages": list(self.pages)}


class ReadPages(Protocol):
    """A file as it was read: how many pages it has, and what is attached."""

    @property
    def pages(self) -> int: ...
    @property
    def cards(self) -> dict[str, dict[str, Any]]: ...
    @property
    def rulings(self) -> dict[str, dict[str, Any]]: ...
    @property
    def seal(self) -> dict[str, Any] | None: ...


@dataclass(frozen=True, slots=True)
class OldStamp:
    """A stamp that holds no more: what it said, and what is on record now."""

    said: str
    now: str


def facts_of(statement: CountedCard | None) -> dict[str, Any]:
    """What a stamp is about: empty where the card counts as it is."""
    if statement is None or said_of(statement) is None:
        return {}
    by = statement.by
    row = statement.stands if not statement.gone and statement.now is None else None
    return {
        "counts": str(statement.counts),
        "by": {"at": by.at.isoformat(), "by": by.by, "reason": by.reason} if by is not None else None,
        "stands": None
        if row is None
        else {
            "at": row.at.isoformat(),
            "winner": row.winner,
            "credits": {str(number): list(credit) for number, credit in row.credits.items()},
            "points": {str(number): points for number, points in row.points.items()},
        },
        "now": list(statement.now) if statement.now is not None else None,
        "gone": statement.gone,
    }


def old_stamp(printed: PrintedCard, about: dict[str, Any], now: str, *, corrected: bool) -> OldStamp | None:
    """None: there is no stamp, or it still holds. `about`, `now` and `corrected` are those of the record."""
    if not printed.is_stamped or (_by_now(printed.about) == about and (corrected or not printed.corrected)):
        return None
    return OldStamp(printed.stamp or printed.line, now)


def _by_now(about: dict[str, Any]) -> dict[str, Any]:
    """Files of before had no word of its own for a changed card that was decided since."""
    return {**about, "counts": "decided"} if about.get("counts") == "waits" and about.get("by") else about


def read_printed(file: ReadPages) -> tuple[PrintedCard, ...]:
    """Of an older file only the pages on which no attached card stands."""
    try:
        if file.seal is not None and "printed" in file.seal:
            return tuple(_read(one) for one in file.seal["printed"])
        return tuple(_not_covered(file))
    except UNREADABLE:
        return ()


def _read(one: dict[str, Any]) -> PrintedCard:
    known = {each.name for each in fields(PrintedCard)}
    found = PrintedCard(**{name: value for name, value in one.items() if name in known})
    return PrintedCard(**{**asdict(found), "pages": tuple(int(page) for page in found.pages)})


def _not_covered(file: ReadPages) -> Iterator[PrintedCard]:
    if not file.cards or file.rulings:
        return
    covered = {int(page) for envelope in file.cards.values() for page in envelope["pages"]}
    for number in range(1, file.pages + 1):
        if number not in covered:
            yield PrintedCard(kind=Printed.UNKNOWN, pages=(number,))
