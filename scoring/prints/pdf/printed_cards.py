"""The record of each card in a printed file, sealed with the file, so that a later check can find changes.

A stamp such as “superseded” is correct on the day of printing. The facts behind it are stored without wording.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, Protocol

from scoring.posting.selectors.statements import CountedCard
from scoring.posting.tables.statements import said_of
from scoring.seals.pdf.signed_files import UNREADABLE


class Printed(StrEnum):
    """The status of a card when it was printed.

    `UNSIGNED`: not everybody had signed it. `CLOSED`: nobody has to sign it. `NO_SEAL`: it was signed before seals were
    introduced. `UNKNOWN`: a page of an older file, which has no data about cards that are not attached.
    """

    SEALED = "sealed"
    UNSIGNED = "unsigned"
    CLOSED = "closed"
    NO_SEAL = "no-seal"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedCard:
    """One card of a printed file.

    `name` is that of its attachment, or "" if it was not sealed and is not attached. `pages` count from 1. `line` is
    the text at its head, and `stamp` the red text above the sheet. `about` has the facts of the stamp (`facts_of`).
    `corrected`: it was printed as superseded by a correction.
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
    """A file that was read: the number of its pages, and its attachments."""

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
    """A stamp that is out of date: its text, and what is on record."""

    said: str
    now: str


def facts_of(statement: CountedCard | None) -> dict[str, Any]:
    """Return the facts behind a stamp, or {} if the card counts as it is."""
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
    """Return the stamp if it is out of date, or None. `about`, `now` and `corrected` come from the record."""
    if not printed.is_stamped or (_by_now(printed.about) == about and (corrected or not printed.corrected)):
        return None
    return OldStamp(printed.stamp or printed.line, now)


def _by_now(about: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a stamp in today's terms. Older files have “waits” for a card that was decided later."""
    return {**about, "counts": "decided"} if about.get("counts") == "waits" and about.get("by") else about


def read_printed(file: ReadPages) -> tuple[PrintedCard, ...]:
    """Return the cards of a file. For an older file, return only the pages without an attached card."""
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
