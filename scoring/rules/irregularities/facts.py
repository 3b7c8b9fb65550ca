"""The facts of an irregularity, declared once for the form and for strict reading. None is a fact not yet known."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, cast

from scoring.rules.hand.cards import PlayingCard

MOST_COUNT: Final = 1_000
"""The largest count: more than any cards can count, and over every knock limit that an option can set."""


class FactKind(StrEnum):
    CARD = "card"
    CARD_A_SIDE = "card a side"
    CARDS_A_SIDE = "cards a side"
    CLAIMED_CARD = "claimed card"
    """A card that a side claims."""
    SIDE = "side"
    SIDES = "sides"
    NUMBER = "number"
    NUMBER_A_SIDE = "number a side"
    YES_NO = "yes or no"
    CODE = "code"
    LINE = "line"
    """A line of the score sheet, as `tally` takes it."""


@dataclass(frozen=True, slots=True)
class FactAsked:
    """A fact to be found out. `codes` are the codes of a choice with their words. `most` is the largest number."""

    name: str
    question: str
    kind: FactKind
    codes: tuple[tuple[str, str], ...] = ()
    most: int = MOST_COUNT


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a case by the names that its irregularity declares. Unknown facts are None or left out."""

    values: Mapping[str, Any]

    def card(self, name: str) -> PlayingCard | None:
        return cast("PlayingCard | None", self.values.get(name))

    def side(self, name: str) -> str | None:
        return cast("str | None", self.values.get(name))

    def number(self, name: str) -> int | None:
        return cast("int | None", self.values.get(name))

    def answer(self, name: str) -> bool | None:
        return cast("bool | None", self.values.get(name))

    def code(self, name: str) -> str | None:
        return cast("str | None", self.values.get(name))

    def line(self, name: str) -> Any | None:
        return self.values.get(name)

    def sides(self, name: str) -> tuple[str, ...]:
        return cast("tuple[str, ...]", self.values.get(name) or ())

    def card_by_side(self, name: str) -> Mapping[str, PlayingCard]:
        return cast("Mapping[str, PlayingCard]", self.values.get(name) or {})

    def cards_by_side(self, name: str) -> Mapping[str, tuple[PlayingCard, ...]]:
        return cast("Mapping[str, tuple[PlayingCard, ...]]", self.values.get(name) or {})

    def number_by_side(self, name: str) -> Mapping[str, int]:
        return cast("Mapping[str, int]", self.values.get(name) or {})
