"""A single card is loaded with prepared SQL queries, and several cards with ordinary ones, with the same result."""

from __future__ import annotations

import pytest

from scoring.card_state.selectors.cards import (
    load_card_state_by_pk,
    load_card_states,
    select_cards_with_deferred_facts,
    select_cards_with_facts,
)
from scoring.card_state.selectors.state import CardState, make_card_state
from scoring.cards.selectors.match_cards import load_cached_match_cards
from scoring.models import Card
from tests.scoring.helpers.playing import an_event_in_play, gin, play, post, the_card

pytestmark = pytest.mark.django_db


def said(state: CardState) -> tuple[object, ...]:
    return state.digest, state.table, state.names, state.state, state.signed, state.postings, state.facts, state.keeper


def usual(card: Card) -> CardState:
    return make_card_state(select_cards_with_facts().get(pk=card.pk))


@pytest.mark.parametrize("written", [lambda _card: None, lambda card: play(card, gin()), post])
def test_one_card_is_the_same_by_every_way(written) -> None:  # type: ignore[no-untyped-def]
    event = an_event_in_play()
    card = the_card(event)
    written(card)
    expected = said(usual(card))
    (listed,) = load_card_states(select_cards_with_deferred_facts().filter(pk=card.pk))
    shown = load_cached_match_cards(event, card.match_id, None).find_card(card.token)
    assert shown is not None
    assert said(load_card_state_by_pk(card.pk)) == said(listed) == said(shown) == expected


def test_several_cards_are_the_same_too() -> None:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Edsger"))
    post(the_card(event))
    cards = Card.objects.filter(match__event=event).order_by("pk")
    states = load_card_states(select_cards_with_deferred_facts().filter(match__event=event).order_by("pk"))
    assert len(states) == 2 and [said(state) for state in states] == [said(usual(card)) for card in cards]
    assert load_card_states(select_cards_with_deferred_facts().none()) == []
