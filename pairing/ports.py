"""The questions that the pairing app asks about score cards. `scoring/for_pairing.py` answers them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from pairing.models import Match
from tournament.core.services.record import Write
from tournament.models import Entrant, Event
from tournament.money.selectors.prizes import OpenPoint
from tournament.ports import Port


class CardCounts(StrEnum):
    """The weight of a signed card for the result of its match.

    `STANDS`: its statement holds.
    `SUPERSEDED`: a decision took its place.
    `DISAGREES`: it says something else than the result, and nobody has decided yet.
    `WAITS`: it was changed after it was posted, and not everybody has signed the change.
    `DECIDED`: like `WAITS`, but the desk has decided the match since.
    `VOID`: not everybody had signed it when its match was made void. Another card is played.
    """

    STANDS = "stands"
    SUPERSEDED = "superseded"
    DISAGREES = "disagrees"
    WAITS = "waits"
    DECIDED = "decided"
    VOID = "void"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardStatement:
    """A signed card of a match.

    `title` is its statement (“Ada 91 – 0 Alan”) and `address` is its page. `said` lists in words what the statement
    counts for. `said` is empty if the statement holds.
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
    """The points of a match by its cards at this moment.

    `winner` is None while nobody has won by the cards. `is_signed` is true if everybody has signed what is on the
    cards.
    """

    winner: int | None
    points: Mapping[int, int]
    is_signed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingStatement:
    """A ruling that wrote results or hands.

    `title` names it with its rule, and `address` is its public page. `said` lists later changes to what the ruling did,
    a sentence each. `said` is empty while all of the ruling is in force.
    """

    number: int
    title: str
    said: tuple[str, ...] = ()
    address: str = ""


class Cards(Protocol):
    """The questions about score cards that this app asks."""

    def open_ready_cards(self, write: Write, *, refuses_unfit: bool = False) -> object:
        """Open a card for each match that is ready and has none.

        Call it inside an open write, after the matches became ready. It does nothing if the event is not in play.
        """

    def refuse_final_match(self, write: Write, match: Match) -> None:
        """Refuse a decision by the desk if the match's card is final."""

    def load_card_statements(self, event: Event, matches: Collection[int] | None) -> list[CardStatement]:
        """Return each card of these matches that everybody has signed at least once, in order.

        `matches` None asks for all matches of the event.
        """

    def load_rulings_of(self, results: Collection[int]) -> Mapping[int, RulingStatement]:
        """Map the results (by primary key) that a ruling wrote to that ruling. `said` is left empty."""

    def load_rulings_changed(self, event: Event) -> list[RulingStatement]:
        """Return the rulings in force whose hands, results or penalties were undone or corrected since."""

    def load_points(self, match: Match) -> CardPoints | None:
        """Return the points by the cards, or None if no card is signed by everybody and none has points."""

    def load_begun(self, event: Event, matches: Collection[str]) -> set[tuple[str, frozenset[int]]]:
        """Return the matches that have a line on a card, each with the entry numbers of its players."""

    def has_only_closed_cards(self, entrant: Entrant) -> bool:
        """Return whether the entrant has cards that count and all are posted, closed, or of a decided match."""

    def load_match_sizes(self, event: Event, matches: Iterable[tuple[str, str]]) -> dict[tuple[str, str], float]:
        """Return the length of these matches relative to the usual one. 2.0 is twice as long.

        A match is given as the kind of its stage (empty if the event has no stages) and its name.
        """

    def load_still_open(self, event: Event) -> list[OpenPoint]:
        """Return the open points about the cards of an event that is about to be finished."""


score_cards: Port[Cards] = Port("score cards")
