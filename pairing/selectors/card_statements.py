"""What the signed cards of matches say and what that counts for; asked above, where the cards are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings
from django.utils.module_loading import import_string

from pairing.models import Match
from tournament.models import Event


class CardCounts(StrEnum):
    """What a signed card counts for now: its statement holds, a decision took its place, or nobody decided yet."""

    STANDS = "stands"
    SUPERSEDED = "superseded"
    DISAGREES = "disagrees"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardStatement:
    """A signed card of a match: `title` is what it says (“Ada 91 – 0 Alan”), `said` what that counts for, in words.

    `said` is empty where its statement holds. `address` is the card's page.
    """

    card: int
    match: str
    game: int
    title: str
    counts: CardCounts
    said: tuple[str, ...] = ()
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPoints:
    """What the signed cards of a match come to: who has won by them (None: nobody yet), and the points of both."""

    winner: int | None
    points: Mapping[int, int]


def load_statements(event: Event, matches: Collection[int] | None = None) -> list[CardStatement]:
    """Those of all signed cards of an event, or of these matches, in the order of the matches."""
    ask: Callable[[Event, Collection[int] | None], list[CardStatement]] = import_string(settings.CARD_STATEMENTS)
    return ask(event, matches)


def load_points(match: Match) -> CardPoints | None:
    """None: no card of the match is signed by all."""
    ask: Callable[[Match], CardPoints | None] = import_string(settings.CARD_POINTS)
    return ask(match)
