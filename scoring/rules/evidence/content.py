"""Exactly what is on a score card, as bytes and as a digest: what a signature covers.

The content is written as JSON in the canonical form of RFC 8785 and hashed with SHA-256, so that anybody can
compute the digest again from the card's published content. Anything that changes a letter of it changes the digest.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import rfc8785

from scoring.rules.sheet.case import write_sheet
from scoring.rules.sheet.sheets import Sheet, tally
from scoring.rules.variants.totals import TOTALS

FORMAT: Final = "gin-score-card/1"
"""Named in the content itself: a card signed under it is checked under it, no matter what comes later."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays a side of the sheet: entrant number and name as the card shows them; a team has no number (None)."""

    side: str
    number: int | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlace:
    """Where in the tournament the game was played. `game` counts from 1 in its match; `table` may not be set."""

    event: str
    match: str
    game: int
    table: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardContent:
    """What the signers see. `rule_sheet_version` is the event's; `keeper` the side that keeps score, once cut for.

    A card entered by its totals has them under `totals`, beside its lines: no hand stands for them, and a card with
    hands has no such field. `drawn` are the sides by the places that were drawn for at the table, there only where the
    card says so. `closed` is there only where the game was not played to its end (`closing_as_json`); `revision` counts
    the changes after the first signature, and is there only where there are any: what was signed once does not come
    back to life when the card is brought back to it.

    Raises:
        ValueError: the seats are not the sheet's sides in order, or the keeper is none of them.
    """

    place: GamePlace
    sheet: Sheet
    rule_sheet_version: int
    seats: tuple[Seat, ...]
    keeper: str | None = None
    closed: Mapping[str, Any] | None = None
    revision: int = 0
    drawn: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if tuple(seat.side for seat in self.seats) != self.sheet.sides:
            raise ValueError("there is one seat for each side of the sheet, in its order")
        if self.keeper is not None and self.keeper not in self.sheet.sides:
            raise ValueError("the keeper is one of the sides")
        if not set(self.drawn) <= set(self.sheet.sides):
            raise ValueError("the sides of the card drew, and nobody else")

    def as_json(self) -> dict[str, Any]:
        """The content as it is published beside its digest."""
        sheet = write_sheet(self.sheet)
        counted = tally(self.sheet).as_json()
        del counted["lines"]
        content: dict[str, Any] = {
            "format": FORMAT,
            "event": self.place.event,
            "match": self.place.match,
            "game": self.place.game,
            "table": self.place.table,
            "rules": {
                "name": sheet["rules"],
                "edition": self.sheet.variant.edition,
                "version": self.rule_sheet_version,
                "options": sheet["options"],
            },
            "sides": [{"side": s.side, "number": s.number, "name": s.name} for s in self.seats],
            "keeper": self.keeper,
            "lines": sheet["lines"],
            "result": counted,
        }
        if TOTALS in sheet:
            content[TOTALS] = sheet[TOTALS]
        if self.drawn:
            content["drawn"] = list(self.drawn)
        if self.closed is not None:
            content["closed"] = dict(self.closed)
        return {**content, "revision": self.revision} if self.revision else content


def canonical_bytes(content: CardContent) -> bytes:
    """The content in the canonical form of RFC 8785: the same card gives the same bytes everywhere."""
    return rfc8785.dumps(content.as_json())


def digest(content: CardContent) -> str:
    """SHA-256 of the canonical content, as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(canonical_bytes(content)).hexdigest()
