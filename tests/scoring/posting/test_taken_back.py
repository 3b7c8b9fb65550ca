"""A score card stops counting when staff undo the result of its match and another card is played."""

from __future__ import annotations

import pytest

from pairing.draws.results import ResultCause
from pairing.results.services.corrections import undo_result
from scoring.card_state.selectors.cards import load_card_state_by_pk, load_match_cards
from scoring.card_state.selectors.players import load_seated_match
from scoring.models import Card
from scoring.posting.selectors.results import find_card_in_play, load_match_restart_times, load_void_cards
from scoring.posting.services.opening import get_or_open_card
from tests.scoring.helpers.playing import an_event_in_play, gin, play, play_out, post, the_card, the_director
from tests.scoring.helpers.superseded import FOUR, against, decide, posted
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db


def undo(event: Event) -> None:
    undo_result(the_card(event).match, by=the_director(event), reason="not so")


def in_play(card: Card) -> Card | None:
    found = find_card_in_play(load_match_cards(card.match_id))
    return found.card if found is not None else None


def test_when_a_match_was_taken_back_last() -> None:
    event, card = posted()
    post(the_card(event, "R1M2"))
    both = [card.match_id, the_card(event, "R1M2").match_id]
    assert load_match_restart_times(both) == {}, "a posted card takes nothing back"
    against(event)
    assert load_match_restart_times(both) == {}, "nor does a decision for the other player"
    first = decide(event, None, ResultCause.VOID)
    assert load_match_restart_times(both) == {card.match_id: first.at}
    second = decide(event, None, ResultCause.BOTH_ABSENT)
    assert load_match_restart_times(both) == {card.match_id: second.at}
    undo(event)
    assert load_match_restart_times(both) == {card.match_id: first.at}
    assert load_match_restart_times([]) == {}


def test_a_decision_that_was_undone_took_nothing_back() -> None:
    event, card = posted()
    made = decide(event, None, ResultCause.BOTH_ABSENT)
    assert load_match_restart_times([card.match_id]) == {card.match_id: made.at}
    undo(event)
    assert load_match_restart_times([card.match_id]) == {}


def test_the_cards_of_a_match_that_is_played_again() -> None:
    event, card = posted()
    other = the_card(event, "R1M2")
    play(other, gin("A", 3))
    assert load_void_cards([card, other]) == {}
    made = decide(event, None, ResultCause.VOID)
    again = get_or_open_card(load_seated_match(card.match), 2, by=SYSTEM_ACTOR)
    assert {key: row.key for key, row in load_void_cards([card, again, other]).items()} == {card.pk: made.pk}
    play(again, gin("B", 3))
    assert load_void_cards([again, other]) == {}, "what was begun after it counts"
    assert {key: row.at for key, row in load_void_cards([card]).items()} == {card.pk: made.at}


def test_a_match_that_nobody_wins_is_not_played_again() -> None:
    event, card = posted()
    decide(event, None, ResultCause.BOTH_ABSENT)
    assert load_void_cards([card]) == {}
    undo(event)
    assert load_void_cards([card]) == {}


def test_the_card_that_is_played_or_signed_now() -> None:
    event = an_event_in_play(FOUR)
    card = the_card(event)
    assert in_play(card) == card
    play_out(card)
    assert in_play(card) == card, "it waits for its signatures"
    decide(event, None, ResultCause.VOID)
    again = the_card(event, game=2)
    assert in_play(card) == again, "the first was begun before its match was made void"
    post(again)
    assert in_play(card) is None and load_card_state_by_pk(again.pk).is_posted
