"""What matches ask of their score cards. The app that has the cards answers (`scoring/for_pairing.py`)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from pairing.models import Match
from tournament.above import Above
from tournament.core.services.record import Write
from tournament.models import Entrant, Event
from tournament.money.selectors.open_points import OpenPoint


class CardCounts(StrEnum):
    """What a signed card counts for now: its statement holds, a decision took its place, or nobody decided yet.

    `WAITS`: it was changed since it was posted, and not everybody has signed that. `DECIDED`: so, and the desk has
    decided the match since.
    `VOID`: not everybody had signed it when its match was made void; another card is played.
    """

    STANDS = "stands"
    SUPERSEDED = "superseded"
    DISAGREES = "disagrees"
    WAITS = "waits"
    DECIDED = "decided"
    VOID = "void"


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
    """What the cards of a match come to as they stand now: who has won by them (None: nobody yet), the points of both.

    `is_signed`: everybody has signed what is on them now.
    """

    winner: int | None
    points: Mapping[int, int]
    is_signed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingStatement:
    """A ruling that wrote results or hands: `title` names it, with its rule; `address` is its public page.

    `said` is what became since of what it did, a sentence each; empty where all of it still stands.
    """

    number: int
    title: str
    said: tuple[str, ...] = ()
    address: str = ""


class Cards(Protocol):
    """What the score cards know of matches."""

    def open_ready_cards(self, write: Write, *, refuses_unfit: bool = False) -> object:
        """Inside an open write, after whatever makes matches ready: a card for each that has none.

        In an event that is not in play there are none to open.
        """

    def refuse_final_match(self, write: Write, match: Match) -> None:
        """Refuses the desk's word on a match whose card is final."""

    def load_card_statements(self, event: Event, matches: Collection[int] | None) -> list[CardStatement]:
        """Every card of these matches (None: of all) that all have signed once, in order, with what it counts for."""

    def load_rulings_of(self, results: Collection[int]) -> Mapping[int, RulingStatement]:
        """Which of these results (their primary keys) a ruling wrote, and which one; `said` is left empty."""

    def load_rulings_changed(self, event: Event) -> list[RulingStatement]:
        """The rulings that stand, and whose hands, results or penalties were undone or corrected since."""

    def load_points(self, match: Match) -> CardPoints | None:
        """None: no card of the match is signed by all, and none has points."""

    def load_begun(self, event: Event, matches: Collection[str]) -> set[tuple[str, frozenset[int]]]:
        """Of these matches those with a line on a card, each with the entry numbers of those who play on it."""

    def has_only_closed_cards(self, entrant: Entrant) -> bool:
        """Whether it has cards that count, and each is posted, closed, or of a match that is decided."""

    def load_match_sizes(self, event: Event, matches: Iterable[tuple[str, str]]) -> dict[tuple[str, str], float]:
        """How long they are by their points: 2.0 is twice as long as usual.

        A place of a match is the kind of its stage (empty: the event has none) and its name.
        """

    def load_still_open(self, event: Event) -> list[OpenPoint]:
        """What is still open about the cards of an event that is to be finished."""


score_cards: Above[Cards] = Above("score cards")
