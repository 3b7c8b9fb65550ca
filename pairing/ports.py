"""The questions that the pairing app asks about score cards. `scoring/for_pairing.py` answers them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from pairing.draws.results import StatusKind
from pairing.models import Match
from tournament.core.services.record import Write
from tournament.models import Entrant, Event
from tournament.money.selectors.prizes import FinishIssue
from tournament.ports import Port


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSummary:
    """A card in short, for a page: its score, its status, and the words for it.

    `title` is its score (“Ada 91 – 0 Alan”). `address` is its page, and `match_address` the page of its match. `words`
    begin with a title such as “Superseded.” and say when, by whom and why, and what counts instead. They are empty if
    the card counts as signed. `ruling` is the ruling that superseded it, if one did. `is_locked` means that the card
    cannot be changed any more.
    """

    card: int
    match: str
    game: int
    title: str
    kind: StatusKind
    words: tuple[str, ...] = ()
    address: str = ""
    match_address: str = ""
    ruling: RulingStatement | None = None
    is_locked: bool = False

    @property
    def text(self) -> str:
        return " ".join(self.words)

    @property
    def is_settled(self) -> bool:
        """Whether the card does not count, and nobody has to do anything about it any more."""
        return self.kind in (StatusKind.SUPERSEDED, StatusKind.DECIDED, StatusKind.VOID)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPoints:
    """The points of a match by its cards at this moment.

    `winner` is None while nobody has won by the cards. `is_signed` is true if everybody has signed what is on the
    cards.
    """

    winner: int | None
    points: Mapping[int, int]
    is_signed: bool = True


class Cards(Protocol):
    """The questions about score cards that this app asks."""

    def open_ready_cards(self, write: Write, *, refuses_unfit: bool = False) -> object:
        """Open a card for each match that is ready and has none.

        Call it inside an open write, after the matches became ready. It does nothing if the event is not in play.
        """

    def refuse_final_match(self, write: Write, match: Match) -> None:
        """Refuse a decision by the desk if the match's card is final."""

    def load_card_summaries(
        self, event: Event, matches: Collection[int] | None, versions: Mapping[str, int] | None = None
    ) -> list[CardSummary]:
        """Return each card of these matches that everybody has signed at least once, in order.

        `matches` None asks for all matches of the event.
        """

    def load_rulings_of(self, results: Collection[int]) -> Mapping[int, RulingStatement]:
        """Map the results (by primary key) that a ruling wrote to that ruling. `said` is left empty."""

    def load_rulings_changed(self, event: Event) -> list[RulingStatement]:
        """Return the rulings in force whose hands, results or penalties were undone or corrected since."""

    def load_card_points(self, match: Match) -> CardPoints | None:
        """Return the points by the cards, or None if no card is signed by everybody and none has points."""

    def load_started_matches(self, event: Event, matches: Collection[str]) -> set[tuple[str, frozenset[int]]]:
        """Return the matches that have a line on a card, each with the entry numbers of its players."""

    def has_only_closed_cards(self, entrant: Entrant) -> bool:
        """Return whether the entrant has cards that count and all are posted, closed, or of a decided match."""

    def load_match_sizes(self, event: Event, matches: Iterable[tuple[str, str]]) -> dict[tuple[str, str], float]:
        """Return the length of these matches relative to the usual one. 2.0 is twice as long.

        A match is given as the kind of its stage (empty if the event has no stages) and its name.
        """

    def load_still_open(self, event: Event) -> list[FinishIssue]:
        """Return the open points about the cards of an event that is about to be finished."""


score_cards: Port[Cards] = Port("score cards")
