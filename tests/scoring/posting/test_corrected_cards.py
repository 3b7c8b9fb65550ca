"""A player's phone lists the cards that were corrected after posting and signed again."""

from __future__ import annotations

import pytest

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.models import Card, SheetLine
from scoring.posting.selectors.card_status import load_corrected_cards
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import an_event_in_play, gin, play_out, sign_both, the_card, the_director

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def card() -> Card:
    card = the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))
    play_out(card)
    sign_both(card)
    return card


def correct(card: Card, knocked_against: int, reason: str) -> None:
    by = the_director(card.match.event)
    correct_line(card, 1, LineEntry(gin("A", knocked_against), via="desk"), by=by, reason=reason)


def told(card: Card, place: int = 0) -> list[tuple[CardState, SheetLine]]:
    return load_corrected_cards(card.entrants[place])


def test_a_card_that_was_signed_once_is_not_told(card: Card) -> None:
    assert told(card) == []


def test_it_is_told_to_both_once_it_counts_again_with_the_last_reason(card: Card) -> None:
    correct(card, 18, "Wrong count")
    assert told(card) == []
    correct(card, 19, "Counted once more")
    sign_both(card)
    for place in (0, 1):
        [(state, line)] = told(card, place)
        assert state.card == card and state.is_posted
        assert (line.reason, line.pk) == ("Counted once more", load_card_state_by_pk(card.pk).lines[0].pk)
    other = the_card(card.match.event, "R1M2").entrants[0]
    assert load_corrected_cards(other) == []


def test_a_hand_put_right_before_anybody_had_signed_is_not_told() -> None:
    card = the_card(an_event_in_play(("Ada", "Alan")))
    play_out(card)
    correct(card, 18, "Misread")
    sign_both(card)
    assert told(card) == []
