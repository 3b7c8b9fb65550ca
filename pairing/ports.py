"""The port through which this app gets information about score cards.

The port is implemented in `scoring/for_pairing.py`.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pairing.draws.results import CardStatusKind
from pairing.models import Match
from tournament.core.services.record import WriteTransaction
from tournament.models import Entrant, Event
from tournament.money.selectors.prizes import UnresolvedIssue
from tournament.ports import Port


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingStatement:
    """A ruling that changed results or hands.

    `title` names the ruling and its rule, and `address` is the URL of its public page. If a result, hand, or penalty
    from the ruling was later undone or corrected, `said` has a sentence about each such change. `said` is empty if
    there was no such change, or if the changes were not loaded.
    """

    number: int
    title: str
    said: tuple[str, ...] = ()
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSummary:
    """A short description of a score card. `title` is its score, such as “Ada 91 – 0 Alan”.

    `totals` are the points by entry number. `address` is the URL of the card, and `match_address` is the URL of its
    match. `words` are sentences about the card's status, such as “Superseded.” If `kind` is `NOTHING` or `STANDS`,
    `words` is empty. `ruling` is the ruling that superseded the card, if any. If `is_locked` is true, the card can no
    longer be changed.
    """

    card: int
    match: str
    game: int
    title: str
    kind: CardStatusKind
    totals: Mapping[int, int] = field(default_factory=dict)
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
        """Whether the card does not count, so that nobody has to sign or check it any longer.

        A card does not count if it was superseded or voided, or if the desk has decided the match.
        """
        return self.kind in (CardStatusKind.SUPERSEDED, CardStatusKind.DECIDED, CardStatusKind.VOID)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPoints:
    """The points of a match according to its current cards. `is_signed` is true if everybody has signed them."""

    winner: int | None
    points: Mapping[int, int]
    is_signed: bool = True


class ScoreCardService(Protocol):
    def open_ready_cards(self, write: WriteTransaction, *, refuses_unfit: bool = False) -> object:
        """Open a card for each ready match that has none, if the event is in progress.

        Call this inside a write transaction of the event (`writing`), which holds the event's lock.

        If the rules do not fit the number of players in a match, that match gets no card until the rules are changed.
        If `refuses_unfit` is true, a `Conflict` is raised instead.
        """

    def require_match_not_final(self, write: WriteTransaction, match: Match) -> None:
        """Raise an error if the match's card is final, because the desk can't decide such a match."""

    def load_card_summaries(
        self, event: Event, matches: Collection[int] | None, versions: Mapping[str, int] | None = None
    ) -> list[CardSummary]:
        """Return a summary of each signed card and its status.

        Blank cards and cards with the status `NOTHING` are left out. If `matches` is None, include all matches.

        `versions` maps the event's topics to their current versions. If it is given, cards come from the cache
        unless one of their topics has a newer version.
        """

    def load_ruling_statements(self, results: Collection[int]) -> Mapping[int, RulingStatement]:
        """Return the rulings that recorded these results, keyed by the result's primary key.

        The field `said` is left empty.
        """

    def load_changed_rulings(self, event: Event) -> list[RulingStatement]:
        """Return the rulings in force whose hands, results, or penalties were later undone or corrected."""

    def load_card_points(self, match: Match) -> CardPoints | None:
        """Return the combined points of a match's cards, signed or not.

        Return None if the match is not between two entrants, or if there are no points to show.
        """

    def load_started_matches(self, event: Event, matches: Collection[str]) -> set[tuple[str, frozenset[int]]]:
        """Return the matches whose score card has at least one line. Each comes with the entry numbers on that card."""

    def has_only_closed_cards(self, entrant: Entrant) -> bool:
        """Return whether each valid card of the entrant is posted or closed, or belongs to a decided match.

        Return False if the entrant has no valid card.
        """

    def load_relative_match_lengths(
        self, event: Event, matches: Iterable[tuple[str, str]]
    ) -> dict[tuple[str, str], float]:
        """Return the lengths of these matches relative to a usual match. For example, 2.0 is twice as long.

        Each match is given as a stage kind and a match name. The kind is empty in an event without stages.
        """

    def load_card_and_ruling_issues(self, event: Event) -> list[UnresolvedIssue]:
        """Return the issues about score cards and rulings that have to be settled before the event is finished."""


score_cards: Port[ScoreCardService] = Port("score cards")
