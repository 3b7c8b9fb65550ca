"""Before the first result, staff can draw again even if play has started. Old cards are closed and replaced."""

from __future__ import annotations

import pytest

from pairing.blind_draw.services import make_draw, post_draw, take_back_draw
from scoring.cards.services.hands import LineEntry, add_line
from scoring.models import Card
from scoring.posting.selectors.card_list import load_desk_cards
from scoring.posting.services.opening import start_play
from tests.kit import fresh, refused
from tests.scoring.helpers.playing import an_event_in_play, cut_for, gin, play_out, sign_both, the_card
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event
from tournament.registration.services.entries import keep_entrants_in_draw

pytestmark = pytest.mark.django_db


def test_a_redraw_closes_the_cards_of_the_draw_that_was_taken_back() -> None:
    event = an_event_in_play(("Ada", "Alan", "Emmy", "Kurt"))
    old = the_card(event)
    cut_for(old)
    take_back_draw(event, by=SYSTEM_ACTOR, reason="a name was missing on the list")
    assert fresh(event).state == Event.State.CLOSED
    keep_entrants_in_draw(fresh(event), [1, 2, 3, 4], by=SYSTEM_ACTOR)
    make_draw(fresh(event), "2C", by=SYSTEM_ACTOR)
    post_draw(fresh(event), by=SYSTEM_ACTOR)
    start_play(fresh(event), by=SYSTEM_ACTOR)
    with refused("draw-taken-back"):
        add_line(old, LineEntry(gin("A", 20, "8H")), by=SYSTEM_ACTOR)
    shown = {card.state.card.pk for card in load_desk_cards(fresh(event), "all", old.opened_at)}
    assert shown == set(Card.objects.filter(match__draw__taken_back__isnull=True).values_list("pk", flat=True))
    assert old.pk not in shown and len(shown) == 2


def test_no_redraw_after_a_result() -> None:
    event = an_event_in_play()
    card = the_card(event)
    play_out(card)
    sign_both(card)
    with refused("play-began"):
        take_back_draw(fresh(event), by=SYSTEM_ACTOR, reason="too late")
