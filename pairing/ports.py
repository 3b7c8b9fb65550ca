"""Ask about score cards. `scoring/for_pairing.py` has the answers."""

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

    `title` names the ruling and its rule, and `address` is the URL of its public page. `said` has a sentence for each
    later change to what the ruling did. It is empty while the whole ruling is in force.
    """

    number: int
    title: str
    said: tuple[str, ...] = ()
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSummary:
    """A card in short, for a page. `title` is its score (“Ada 91 – 0 Alan”).

    `address` is the URL of the card, and `match_address` that of its match. `words` are sentences: a status such as
    “Superseded.”, then when, by whom and why, and what counts instead. There are none if the card counts as signed.
    `ruling` is the ruling that superseded the card, if any. `is_locked` means that the card can no longer be changed.
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
        """Whether the card does not count and needs no more attention."""
        return self.kind in (StatusKind.SUPERSEDED, StatusKind.DECIDED, StatusKind.VOID)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPoints:
    """The points of a match by its present cards. `is_signed` means that everybody has signed them."""

    winner: int | None
    points: Mapping[int, int]
    is_signed: bool = True


class Cards(Protocol):
    def open_ready_cards(self, write: Write, *, refuses_unfit: bool = False) -> object:
        """Open a card for each ready match without one, inside an open write, if the event is in play."""

    def refuse_final_match(self, write: Write, match: Match) -> None:
        """Refuse a decision by the desk if the match's card is final."""

    def load_card_summaries(
        self, event: Event, matches: Collection[int] | None, versions: Mapping[str, int] | None = None
    ) -> list[CardSummary]:
        """Return each card of these matches, or of all matches, that everybody has signed at least once, in order."""

    def load_rulings_of(self, results: Collection[int]) -> Mapping[int, RulingStatement]:
        """Map results that a ruling wrote, by primary key, to the ruling, with an empty `said`."""

    def load_rulings_changed(self, event: Event) -> list[RulingStatement]:
        """Return the rulings in force whose hands, results, or penalties were undone or corrected later."""

    def load_card_points(self, match: Match) -> CardPoints | None:
        """Return the points by the cards, or None if no card is signed by everybody or has points."""

    def load_started_matches(self, event: Event, matches: Collection[str]) -> set[tuple[str, frozenset[int]]]:
        """Return the matches that have a line on a card, each with the entry numbers on the card."""

    def has_only_closed_cards(self, entrant: Entrant) -> bool:
        """Return whether the entrant has valid cards and all of them are posted, closed, or of a decided match."""

    def load_match_sizes(self, event: Event, matches: Iterable[tuple[str, str]]) -> dict[tuple[str, str], float]:
        """Return the lengths of these matches relative to the usual length. 2.0 is twice as long.

        A match is given as the kind of its stage (empty if the event has no stages) and its name.
        """

    def load_still_open(self, event: Event) -> list[FinishIssue]:
        """Return the open items about the cards of an event that is about to be finished."""


score_cards: Port[Cards] = Port("score cards")
