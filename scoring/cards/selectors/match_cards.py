"""Cached cards and matches for the players' pages.

Some kinds of facts are rare, such as signatures, calls or disputes. The query for cards also finds out which of these
kinds each card has. No queries are then needed for the other kinds.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from django.db.models import Exists, Model, OuterRef, Prefetch, Q, QuerySet, prefetch_related_objects
from django.utils.translation import get_language

from pairing.models import PAIRING_AND_RESULT_TOPICS, MatchResult, get_match_topic
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.plans import load_event_plan, load_stage_traits
from scoring.card_state.selectors.cards import (
    annotate_first_version_facts,
    load_card_facts,
    load_seats,
    prefetch_closings,
    prefetch_seats,
    replace_card_state,
)
from scoring.card_state.selectors.players import SeatedMatch, load_entrant_matches, load_matches_by_entrant
from scoring.card_state.selectors.state import CardState, make_card_state
from scoring.models import (
    Card,
    CardClosed,
    CardPosted,
    CardSeat,
    DirectorCall,
    Dispute,
    HandCheck,
    NewDeck,
    Signature,
    UpCard,
)
from tournament.core.cached import cached, cached_bulk
from tournament.core.selectors.events import load_entrants_by_link
from tournament.core.selectors.prepared import PreparedQuery
from tournament.core.topics import list_entrant_topics
from tournament.models import Entrant, Event


def _make_exists_expression(model: type[Model], at: str = "card", of: str = "pk", **conditions: object) -> Exists:
    return Exists(model._default_manager.filter(**{at: OuterRef(of)}, **conditions))


_OTHER_FACTS: Final = {
    "signatures": _make_exists_expression(Signature),
    "postings": _make_exists_expression(CardPosted),
    "closings": _make_exists_expression(CardClosed),
    "up_cards": _make_exists_expression(UpCard),
    "checks": _make_exists_expression(HandCheck, at="line__card"),
    "new_decks": _make_exists_expression(NewDeck, at="card__match", of="match"),
    "open_calls": _make_exists_expression(DirectorCall, at="match", of="match", answered__isnull=True),
    "disputes": _make_exists_expression(Dispute),
    "results": _make_exists_expression(MatchResult, at="match", of="match"),
    "substitutes": _make_exists_expression(CardSeat, entrant__members__replaces__isnull=False),
}
"""The kinds of facts that a card can have besides its lines, each with a query condition that finds out whether any
exist.
"""


_RARE_FACTS: Final[dict[str, type[Model]]] = {"signatures": Signature, "postings": CardPosted}


@dataclass(frozen=True)
class MatchCards:
    """All cards of a match in the order of its games.

    `other_facts` maps a card's primary key to the kinds of facts that exist for it (see `_OTHER_FACTS`).
    """

    cards: tuple[CardState, ...] = ()
    other_facts: Mapping[int, frozenset[str]] | None = None

    def find_card(self, token: str) -> CardState | None:
        return next((state for state in self.cards if state.card.token == token), None)

    def filter_by_sides(self, key: str | None) -> list[CardState]:
        """Return the cards with this `sides_key`, and all cards of teams (see `Card.sides_key`).

        If `key` is None, return all cards.
        """
        return [state for state in self.cards if key is None or state.card.sides_key in (key, "")]

    def may_have_facts(self, state: CardState, *names: str) -> bool:
        """Return whether a card may have any of these kinds of facts.

        The result is always True for a card that was not loaded together with these cards.
        """
        known = (self.other_facts or {}).get(state.card.pk)
        return known is None or any(name in known for name in names)

    def copy_with_card(self, known: CardState) -> "MatchCards":
        """Return these cards plus `known`, a card that may have been opened after the others were loaded."""
        is_there = any(state.card.pk == known.card.pk for state in self.cards)
        return self if is_there else MatchCards(tuple(replace_card_state(self.cards, known)), self.other_facts)


def load_cached_match_cards(event: Event, match: int, versions: Mapping[str, int] | None) -> MatchCards:
    """Return a match's cards from the cache. If `versions` is None, the cache is not used."""
    if versions is None:
        return _load_match_cards(event, match)

    def load_open() -> dict[int, MatchCards]:
        return _load_cards_by_match(event, Q(~Exists(MatchResult.objects.filter(match=OuterRef("match")))))

    name, topics = (("cards", get_language()), match), [get_match_topic(match)]
    return cached_bulk(event.pk, topics, versions, name, lambda: _load_match_cards(event, match), load_open)


def _load_match_cards(event: Event, match: int) -> MatchCards:
    cards = _CARDS_QUERY(event.pk, match)
    if len(cards) != 1:
        return _load_cards_by_match(event, Q(match=match)).get(match, MatchCards())
    (card,) = cards
    card.match.event = event
    load_seats(card)
    load_card_facts(card, {"lines", "cuts", *_list_existing_fact_kinds(card)})
    return MatchCards((make_card_state(card),), {card.pk: _list_existing_fact_kinds(card)})


def _load_cards_by_match(event: Event, wanted: Q) -> dict[int, MatchCards]:
    """Load the cards of each match, keyed by the match's primary key.

    This takes five queries, plus one for each rare kind of fact that exists.
    """
    cards = list(_query_cards_with_flags().filter(wanted, match__event=event).prefetch_related(prefetch_seats()))
    other_facts = {card.pk: _list_existing_fact_kinds(card) for card in cards}
    for card in cards:
        card.match.event = event  # all cards share one event object; each row would come with its own
    prefetch_related_objects(
        cards, "lines", "cuts", "match__calls", *_make_rare_fact_prefetches(set().union(*other_facts.values()))
    )
    by_match: dict[int, list[CardState]] = {}
    for card in cards:
        by_match.setdefault(card.match_id, []).append(make_card_state(card))
    return {match: MatchCards(tuple(states), other_facts) for match, states in by_match.items()}


@cache
def _query_cards_with_flags() -> QuerySet[Card]:
    rows = annotate_first_version_facts(Card.objects.select_related("match", "sheet"))
    return rows.annotate(**{f"has_{name}": there for name, there in _OTHER_FACTS.items()}).order_by("game", "pk")


_CARDS_QUERY = PreparedQuery(
    lambda event, match: _query_cards_with_flags().filter(match=match, match__event=event), values=2
)


def _list_existing_fact_kinds(card: Card) -> frozenset[str]:
    return frozenset(name for name in _OTHER_FACTS if getattr(card, f"has_{name}"))


def _make_rare_fact_prefetches(there: Collection[str]) -> "list[Prefetch[str]]":
    found = [
        Prefetch(name, model._default_manager.all() if name in there else model._default_manager.none())
        for name, model in _RARE_FACTS.items()
    ]
    return [*found, prefetch_closings() if "closings" in there else Prefetch("closings", CardClosed.objects.none())]


# --- The matches of one entrant --------------------------------------------------------------------------------------


def load_cached_entrant_matches(entrant: Entrant, versions: Mapping[str, int] | None) -> list[SeatedMatch]:
    """Return the entrant's matches whose opponents are known, from the cache if possible.

    If `versions` is None, the cache is not used.
    """
    if versions is None:
        return load_entrant_matches(entrant)
    event, name = entrant.event, ("meetings", entrant.pk)
    moved_by = () if are_remaining_matches_in_bracket(event, versions) else PAIRING_AND_RESULT_TOPICS

    def load_all() -> dict[int, list[SeatedMatch]]:
        return load_matches_by_entrant(event, set(load_entrants_by_link(event.pk, versions).values()))

    topics = [*list_entrant_topics(entrant), *moved_by]
    return cached_bulk(event.pk, topics, versions, name, lambda: load_entrant_matches(entrant), load_all)


def are_remaining_matches_in_bracket(event: Event, versions: Mapping[str, int]) -> bool:
    """Return whether all remaining matches of the event are in a bracket."""

    def is_bracket() -> bool:
        if load_event_stages(event).bracket is not None:
            return True
        return not load_event_plan(event).desk_stages and not load_stage_traits(event).at_tables

    return cached(event.pk, (), "is bracket", is_bracket, versions=versions)
