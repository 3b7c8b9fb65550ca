"""The exact content of a score card, as bytes and as a digest. A signature covers this content.

The content is written as canonical JSON (RFC 8785) and hashed with SHA-256. Anyone can compute the digest again from
the published content of the card. A change of any character changes the digest.
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
"""The format named in the content itself. A card signed under a format is always checked under that format."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A side of the sheet with the entrant's number and name as the card prints them. A team has no number (None)."""

    side: str
    number: int | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlace:
    """The place of a game in the tournament. `game` counts from 1 in its match, and `table` is optional."""

    event: str
    match: str
    game: int
    table: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardContent:
    """The content of a card as its signers see it.

    `rule_sheet_version` is that of the event. `keeper` is the side that keeps score, once it has been cut for.

    A card entered by its totals has the field `totals` besides its lines. A card with hands has no such field. `drawn`
    lists the sides by the seats drawn at the table, on cards that have such a draw. `closed` is there only if the game
    was not played to its end (`closing_as_json`). `revision` counts the changes after the first signature, and is left
    out if it is 0. It keeps an old signature invalid even if the card returns to its old content.

    Raises:
        ValueError: the seats are not the sheet's sides in order, or the keeper or a drawn side is not one of them.
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
        """Return the content as it is published beside its digest."""
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
    """Return the content in the canonical form of RFC 8785. The same card gives the same bytes everywhere."""
    return rfc8785.dumps(content.as_json())


def digest(content: CardContent) -> str:
    """Return the SHA-256 of the canonical content, as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(canonical_bytes(content)).hexdigest()
