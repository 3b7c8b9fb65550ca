"""The cards of a match and the matches of an entrant for players, from the cache.

The query of the cards says which kinds of facts exist beside them. Most cards have no signature, call or dispute, so
those queries are skipped.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from django.db.models import Exists, Model, OuterRef, Prefetch, Q, QuerySet, prefetch_related_objects
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from pairing.draws.knockout.bracket import Part
from pairing.models import PLAY, MatchResult, match_topic
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.plans import load_plan, traits_of
from pairing.stages.selectors.tables import load_match_of_sides
from scoring.card_state.selectors.cards import (
    annotate_first_facts,
    cards_with_facts,
    load_card_facts,
    load_seats,
    prefetch_closings,
    prefetch_seats,
    replace_state,
)
from scoring.card_state.selectors.players import SeatedMatch, load_all_meetings, load_meetings_of, load_ready_meetings
from scoring.card_state.selectors.state import CardState, card_state_of, needs_no_winner, to_closing
from scoring.models import (
    Card,
    CardClosed,
    CardPosted,
    CardSeat,
    DirectorCall,
    Dispute,
    HandCheck,
    NewDeck,
    RuleSheet,
    Signature,
    UpCard,
)
from scoring.posting.selectors.results import count_games_with_penalties, count_games_won, load_lost_games
from scoring.rules.sheet.closing import ClosingRule, ClosingVerdict, judge_closing
from scoring.rules.sheet.sheets import takes_totals
from tournament.core.cached import cached, cached_bulk
from tournament.core.selectors.events import shared_entrants
from tournament.core.selectors.prepared import Prepared
from tournament.core.topics import own_topics
from tournament.models import Entrant, Event


def _exist(model: type[Model], at: str = "card", of: str = "pk", **said: object) -> Exists:
    return Exists(model._default_manager.filter(**{at: OuterRef(of)}, **said))


_OTHER_FACTS: Final = {
    "signatures": _exist(Signature),
    "postings": _exist(CardPosted),
    "closings": _exist(CardClosed),
    "up_cards": _exist(UpCard),
    "checks": _exist(HandCheck, at="line__card"),
    "new_decks": _exist(NewDeck, at="card__match", of="match"),
    "open_calls": _exist(DirectorCall, at="match", of="match", answered__isnull=True),
    "disputes": _exist(Dispute),
    "results": _exist(MatchResult, at="match", of="match"),
    "substitutes": _exist(CardSeat, entrant__members__replaces__isnull=False),
}
"""The kinds of facts that may exist beside the lines of a card. Most of them are rare."""


_RARE_FACTS: Final[dict[str, type[Model]]] = {"signatures": Signature, "postings": CardPosted}


@dataclass(frozen=True)
class MatchCards:
    """All cards of a match by game.

    `other_facts` has, for each card's key, the names in `_OTHER_FACTS` that exist for it.
    """

    cards: tuple[CardState, ...] = ()
    other_facts: Mapping[int, frozenset[str]] | None = None

    def find(self, token: str) -> CardState | None:
        return next((state for state in self.cards if state.card.token == token), None)

    def of_sides(self, key: str | None) -> list[CardState]:
        """Return the cards that `load_match_cards` returns for this key."""
        return [state for state in self.cards if key is None or state.card.sides_key in (key, "")]

    def may_have_facts(self, state: CardState, *names: str) -> bool:
        """Whether a card may have any of these facts. It is True for a card that is not among the loaded ones."""
        known = (self.other_facts or {}).get(state.card.pk)
        return known is None or any(name in known for name in names)

    def with_card(self, known: CardState) -> "MatchCards":
        """Return these cards with `known` added, if it was opened after they were loaded."""
        is_there = any(state.card.pk == known.card.pk for state in self.cards)
        return self if is_there else MatchCards(tuple(replace_state(self.cards, known)), self.other_facts)


def load_cached_match_cards(event: Event, match: int, versions: Mapping[str, int] | None) -> MatchCards:
    """Return the cards of one match from the cache. None for `versions` loads without a cache.

    If everybody asks at once, all open matches are loaded together.
    """
    if versions is None:
        return _load_one(event, match)

    def load_open() -> dict[int, MatchCards]:
        return _load(event, Q(~Exists(MatchResult.objects.filter(match=OuterRef("match")))))

    name, topics = (("cards", get_language()), match), [match_topic(match)]
    return cached_bulk(event.pk, topics, versions, name, lambda: _load_one(event, match), load_open)


def _load_one(event: Event, match: int) -> MatchCards:
    cards = _cards_of_match(event.pk, match)
    if len(cards) != 1:
        return _load(event, Q(match=match)).get(match, MatchCards())
    (card,) = cards
    card.match.event = event
    load_seats(card)
    load_card_facts(card, there={"lines", "cuts", *_facts_that_exist(card)})
    return MatchCards((card_state_of(card),), {card.pk: _facts_that_exist(card)})


def _load(event: Event, wanted: Q) -> dict[int, MatchCards]:
    """Load the cards of matches with five queries, and one more for each rare kind of fact that exists."""
    cards = list(_cards_with_flags().filter(wanted, match__event=event).prefetch_related(prefetch_seats()))
    other_facts = {card.pk: _facts_that_exist(card) for card in cards}
    for card in cards:
        card.match.event = event  # all cards share one event object; each row would come with its own
    prefetch_related_objects(
        cards, "lines", "cuts", "match__calls", *_prefetch_rare(set().union(*other_facts.values()))
    )
    found: dict[int, list[CardState]] = {}
    for card in cards:
        found.setdefault(card.match_id, []).append(card_state_of(card))
    return {match: MatchCards(tuple(states), other_facts) for match, states in found.items()}


@cache
def _cards_with_flags() -> QuerySet[Card]:
    rows = annotate_first_facts(Card.objects.select_related("match", "sheet"))
    return rows.annotate(**{f"has_{name}": there for name, there in _OTHER_FACTS.items()}).order_by("game", "pk")


_cards_of_match = Prepared(lambda event, match: _cards_with_flags().filter(match=match, match__event=event), values=2)


def _facts_that_exist(card: Card) -> frozenset[str]:
    return frozenset(name for name in _OTHER_FACTS if getattr(card, f"has_{name}"))


def _prefetch_rare(there: Collection[str]) -> "list[Prefetch[str]]":
    found = [
        Prefetch(name, model._default_manager.all() if name in there else model._default_manager.none())
        for name, model in _RARE_FACTS.items()
    ]
    return [*found, prefetch_closings() if "closings" in there else Prefetch("closings", CardClosed.objects.none())]


# --- The matches of one entrant --------------------------------------------------------------------------------------


def load_cached_meetings(entrant: Entrant, versions: Mapping[str, int] | None) -> list[SeatedMatch]:
    """Return `load_meetings_of` from the cache, by the versions of the topics. None loads without a cache.

    In a bracket a result names the entrants it moves. In other stages any result can move the entrant.
    """
    if versions is None:
        return load_meetings_of(entrant)
    event, name = entrant.event, ("meetings", entrant.pk)
    moved_by = () if is_bracket_event(event, versions) else PLAY

    def load_all() -> dict[int, list[SeatedMatch]]:
        return load_all_meetings(event, set(shared_entrants(event.pk, versions).values()))

    topics = [*own_topics(entrant), *moved_by]
    return cached_bulk(event.pk, topics, versions, name, lambda: load_meetings_of(entrant), load_all)


def is_bracket_event(event: Event, versions: Mapping[str, int]) -> bool:
    """Whether the rest of the event is a bracket, in which each result names every entrant that it moves."""

    def is_bracket() -> bool:
        if load_course(event).bracket is not None:
            return True
        return not load_plan(event).desk_stages and not traits_of(event).at_tables

    return cached(event.pk, (), "is bracket", is_bracket, versions=versions)


# --- Open games ------------------------------------------------------------------------------------------------------
# The open games of an event, and how the event's rule would end each if time were called.

Rule = CardClosed.Rule


_RULES_FOR_TOTALS: Final = (Rule.LEADER, Rule.LAST_HAND)
"""The rules that apply at a table with totals. For the others, the director decides that the totals count."""


_PART_NAMES: Final = {
    Part.WINNERS: gettext_lazy("Winners' bracket, round %(number)s"),
    Part.LOSERS: gettext_lazy("Losers' bracket, round %(number)s"),
    Part.FINAL: gettext_lazy("Final, match %(number)s"),
}


@dataclass(frozen=True)
class OpenGame:
    """The open card of a match in play, and the games won before in the match, by the letters of this card."""

    meeting: SeatedMatch
    state: CardState
    games: dict[str, int]

    @property
    def rule(self) -> str:
        return find_closing_rule(self.state)

    @property
    def proposed(self) -> ClosingVerdict:
        """The verdict of the closing, or the one that the event's rule would give."""
        if self.state.score.verdict is not None:
            return self.state.score.verdict
        fact = make_closing(self.state, self.rule, self.games)
        return judge_closing(self.state.named_sheet, to_closing(fact, self.state.by_letter))

    @property
    def seen(self) -> str:
        """A short form of the sheet, to notice changes between showing the page and closing the game."""
        return make_snapshot(self.state)

    @property
    def takes_totals(self) -> bool:
        """Whether totals can be typed from paper: the card is empty, and two play."""
        if not self.state.is_game or len(self.state.seats) != 2 or self.state.lines:
            return False
        return takes_totals(self.state.sheet.variant)

    @property
    def games_said(self) -> str:
        """The games won before: “1–0”, or "" if there are none."""
        return "–".join(map(str, self.games.values())) if any(self.games.values()) else ""

    @property
    def group(self) -> str:
        """The stage, the round of the bracket, or the round at tables, for grouping the list."""
        meeting = self.meeting
        if meeting.duel is not None:
            return meeting.match.stage.name
        if meeting.view is not None and meeting.view.match.part is not None:
            return _PART_NAMES[meeting.view.match.part] % {"number": meeting.match.round}
        return _("Round %(number)s") % {"number": meeting.match.round}


def load_open_games(event: Event, card: str = "") -> list[OpenGame]:
    """Load the open games in the order of the matches, with a constant number of queries.

    With `card` (a token) only that game is returned.
    """
    turning = load_course(event).turning
    ready = [SeatedMatch(load_match_of_sides(turning), ())] if turning else load_ready_meetings(event)
    meetings = {meeting.match.pk: meeting for meeting in ready}
    cards = cards_with_facts().filter(match__in=list(meetings))
    by_match: dict[int, list[CardState]] = {}
    for state in map(card_state_of, cards.order_by("match__round", "match__position", "game", "pk")):
        if state.card.sides_key == (meetings[state.card.match_id].key or state.card.sides_key):
            by_match.setdefault(state.card.match_id, []).append(state)
    several = {state.card.match for states in by_match.values() for state in states if state.games_to_win > 1}
    lost = load_lost_games(several) if several else {}
    found = []
    for pk, states in by_match.items():
        waiting = [state for state in states if not state.is_posted and not state.score.tally.complete]
        for state in waiting if turning else waiting[:1]:
            if card in ("", state.card.token):
                found.append(OpenGame(meetings[pk], state, count_games_before(states, state, lost.get(pk))))
    return found


def count_games_before(
    cards: Iterable[CardState], state: CardState, lost: Counter[int] | None = None
) -> dict[str, int]:
    """Return the games won in the match before this card, by the letters of its seats.

    `lost` has the games that each entrant lost by penalties.
    """
    won = count_games_won(list(cards))
    seats = {seat.entrant_id: seat.side for seat in state.seats if seat.entrant_id is not None}
    if lost and len(seats) == 2:
        one, other = seats
        won = count_games_with_penalties(won, lost, (one, other))
    return {side: won[entrant] for entrant, side in seats.items()}


def find_closing_rule(state: CardState) -> str:
    """Return the event's rule for this card. It is the director if totals count and the event's rule cannot apply."""
    rule = state.card.sheet.unfinished
    is_for_event = not state.is_game and state.card.match.seating_id is None
    if needs_no_winner(state.card) and (is_for_event or rule not in _RULES_FOR_TOTALS):
        return RuleSheet.Unfinished.DIRECTOR.value
    return rule


def make_closing(state: CardState, rule: str, games: dict[str, int], *, between_hands: bool = False) -> CardClosed:
    """Return an unsaved closing of the card as it is.

    The rule of the last hand waits for the hand in play, unless `between_hands`. An empty card without a scorekeeper
    does not wait: it is kept on paper, or nobody has played.
    """
    waits = rule == ClosingRule.LAST_HAND and not between_hands and (state.lines or state.keeper_id is not None)
    return CardClosed(
        card=state.card,
        cause=CardClosed.Cause.TIME,
        rule=rule,
        hands=len(state.lines) + 1 if waits else None,
        games=games if any(games.values()) else {},
    )


def make_snapshot(state: CardState) -> str:
    """Return the number of hands, the totals and the closing, to notice a hand that is recorded in the meantime."""
    closing = state.closing.pk if state.closing else 0
    return f"{len(state.lines)}:{state.score.figures}:{closing}"
