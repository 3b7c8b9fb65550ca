"""The exact content of a score card as bytes, its digest, and the differences between two versions of a card.

A signature covers this content. The content is written as canonical JSON (RFC 8785) and hashed with SHA-256. Anyone can
recompute the digest from the published content of the card.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from scoring.rules.evidence.sealing import encode_canonical_json, sha256_hex
from scoring.rules.sheet.sheets import ScoreSheet, sheet_to_json, tally_sheet
from scoring.rules.variants.variant import TOTALS_KEY

CARD_CONTENT_FORMAT: Final = "gin-score-card/1"
"""The format name in each card's content. A card is always checked under the format in which it was signed."""


@dataclass(frozen=True, slots=True)
class SeatContent:
    """A side on the sheet, with the entrant's number and name as shown on the card. A team's number is None."""

    side: str
    number: int | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardContent:
    """The content of a card as its signers see it.

    `game` is the number of the game in its match, starting at 1. `rule_sheet_version` is the version of the event's
    rule sheet. `keeper` is the side that keeps score, or None if this is not decided yet.

    A card entered as final totals has the field `totals` in addition to its lines. `drawn` lists the sides in the order
    of their drawn seats, and is empty if no draw is recorded. `closed` is present only if the game was not played to
    its end (see `closing_as_json`). `revision` counts the changes after the first signature, and is left out while it
    is 0. The count keeps an old signature invalid even if the card is changed back.

    Raises:
        ValueError: the seats are not the sheet's sides in order, or the keeper or a drawn side is not one of them.
    """

    event: str
    match: str
    game: int
    sheet: ScoreSheet
    rule_sheet_version: int
    seats: tuple[SeatContent, ...]
    table: str | None = None
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
        sheet = sheet_to_json(self.sheet)
        counted = tally_sheet(self.sheet).as_json()
        del counted["lines"]
        content: dict[str, Any] = {
            "format": CARD_CONTENT_FORMAT,
            "event": self.event,
            "match": self.match,
            "game": self.game,
            "table": self.table,
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
        if TOTALS_KEY in sheet:
            content[TOTALS_KEY] = sheet[TOTALS_KEY]
        if self.drawn:
            content["drawn"] = list(self.drawn)
        if self.closed is not None:
            content["closed"] = dict(self.closed)
        return {**content, "revision": self.revision} if self.revision else content

    def as_bytes(self) -> bytes:
        return encode_canonical_json(self.as_json())

    def digest(self) -> str:
        return sha256_hex(self.as_bytes())


# --- Differences between versions ------------------------------------------------------------------------------------
# The contents can be two versions, or the signed content and the present one.


@dataclass(frozen=True, slots=True)
class VersionChange:
    """A difference between two contents of a card.

    `place` is a key of the content (`lines`, `totals`, `keeper` …). For a line, `number` is the line's number (from 1)
    in the old content, or in the new content if the line was added. `old_value` and `new_value` are the old and new
    values, or None.
    """

    place: str
    number: int | None
    old_value: Any
    new_value: Any


_PLAIN_FIELDS: Final = ("event", "match", "game", "table", "rules", "sides", "drawn", "keeper", "closed", "totals")


def compare_card_versions(was: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[VersionChange, ...]:
    """Return the differences between two contents: plain fields first, then lines, then the result.

    The field `revision` is ignored.

    >>> old = {"lines": [{"by": "A"}, {"by": "B"}], "keeper": "A", "revision": 1}
    >>> new = {**old, "lines": [{"by": "A"}], "revision": 2}
    >>> [(c.place, c.number, c.new_value) for c in compare_card_versions(old, new)]
    [('lines', 2, None)]
    """
    changes = [*_compare_names(_PLAIN_FIELDS, was, now), *_compare_lines(was.get("lines", []), now.get("lines", []))]
    before, after = was.get("result", {}), now.get("result", {})
    names = (before.keys() | after.keys()) - {change.place for change in changes}
    return (*changes, *_compare_names(sorted(names), before, after))


def _compare_names(names: Iterable[str], was: Mapping[str, Any], now: Mapping[str, Any]) -> list[VersionChange]:
    both = ((name, was.get(name), now.get(name)) for name in names)
    return [VersionChange(name, None, before, after) for name, before, after in both if before != after]


def _compare_lines(was: list[Any], now: list[Any]) -> list[VersionChange]:
    """Return the changes between two lists of lines.

    A line is not reported if it only moved because another line was inserted or deleted.
    """
    before, after = ([encode_canonical_json({"": line}) for line in lines] for lines in (was, now))
    found = []
    for kind, i, i_end, j, j_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        both = min(i_end - i, j_end - j)
        found += [VersionChange("lines", i + turn + 1, was[i + turn], now[j + turn]) for turn in range(both)]
        found += [VersionChange("lines", i + turn + 1, was[i + turn], None) for turn in range(both, i_end - i)]
        found += [VersionChange("lines", j + turn + 1, None, now[j + turn]) for turn in range(both, j_end - j)]
    return found
