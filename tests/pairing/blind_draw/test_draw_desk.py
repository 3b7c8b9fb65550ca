from __future__ import annotations

import pytest
from django.test import Client

from pairing.blind_draw.services import close_registration
from pairing.models import AvoidPair, AvoidPairEnded
from pairing.stages.selectors.apart import load_avoid_list
from pairing.stages.services.apart import keep_entrants_apart, stop_keeping_apart
from tests.factories import a_director, an_entrant, an_event
from tests.kit import client_as, desk_url, event_url, fresh
from tests.pairing.helpers.events import an_open_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.errors import Conflict
from tournament.models import AuditEntry
from tournament.registration.services.entries import keep_entrants_in_draw

pytestmark = pytest.mark.django_db


def test_a_pair_comes_off_the_list_by_a_fact() -> None:
    event = an_event()
    one, other = an_entrant(event), an_entrant(event)
    by = a_director(event.tournament)
    pair = keep_entrants_apart(one, other, by=by, reason="same club")
    assert load_avoid_list(event).pairs == [(1, 2)]
    stop_keeping_apart(pair, by=by, reason="they asked to")
    assert load_avoid_list(event).pairs == []
    assert AvoidPair.objects.count() == 1
    assert AvoidPairEnded.objects.get().reason == "they asked to"
    with pytest.raises(Conflict, match="no longer on the list"):
        stop_keeping_apart(pair, by=by)
    keep_entrants_apart(one, other, by=by, reason="after all")
    assert load_avoid_list(event).pairs == [(1, 2)]


def test_a_key_of_any_length_is_one_key() -> None:
    event = an_event()
    by = a_director(event.tournament)
    for _turn in range(2):
        with writing(event, verb="test.once", by=by, key="k" * 5000) as write:
            pass
    assert write.repeated
    assert AuditEntry.objects.filter(verb="test.once").count() == 1


def test_the_cut_that_was_typed_is_still_there_after_a_refusal() -> None:
    event = an_event(fee_cents=30000)
    for _turn in range(3):
        an_entrant(event)
    by = a_director(event.tournament)
    close_registration(event, by=by)
    client = Client()
    client.force_login(by.user)
    page = desk_url(event, "draw/")
    answer = client.post(page, {"act": "cut", "public": "7H QS 2D", "key": "k"})
    assert answer.status_code == 200
    assert "or draw without them." in answer.content.decode()
    assert 'value="7H QS 2D"' in answer.content.decode()


def test_the_page_of_the_draw_says_who_is_not_approved_and_who_has_not_come() -> None:
    event = an_open_event(4)
    an_entrant(event, "Ada", state="applied")
    client = client_as("director", event)
    page = event_url("pairing:desk_draw", event)
    said = " ".join(client.get(page).content.decode().split())
    assert "One entrant is not approved, and is not in this draw." in said and "?state=applied" in said
    event.entrants.filter(number__in=[2, 3]).update(arrived=False)
    close_registration(event, by=SYSTEM_ACTOR)
    said = client.get(page).content.decode()
    assert "2 players in this draw have not paid or not checked in." in said
    keep_entrants_in_draw(fresh(event), [2, 3], by=SYSTEM_ACTOR)
    said = client.get(page).content.decode()
    assert "Before the cut: who plays?" not in said and "2. Cut the cards" in said


def test_who_plays_is_asked_before_the_room_cuts_and_a_cut_that_was_made_is_kept() -> None:
    event = an_open_event(4)
    close_registration(event, by=SYSTEM_ACTOR)
    client = client_as("director", event)
    page = event_url("pairing:desk_draw", event)
    assert "2. Cut the cards" in client.get(page).content.decode()
    event.entrants.filter(number=2).update(arrived=False)  # somebody undid it while the room cut
    asked = client.get(page).content.decode()
    assert "Before the cut: who plays?" in asked and "2. Cut the cards" not in asked
    refused = client.post(page, {"act": "cut", "public": "dice 4 and 6", "key": "k"})
    sent = dict(refused.context["cut_sent"])
    assert sent["public"] == "dice 4 and 6"
    again = client.post(page, {**sent, "act": "keep", "number": "2"})
    assert "2. Cut the cards" in again.content.decode()
    assert again.context["forms"]["cut"]["public"].value() == "dice 4 and 6"
    drawn = client.post(page, {**sent, "act": "cut"})
    assert drawn.status_code == 302
    assert fresh(event).commitments.get().draw.public == "dice 4 and 6"


@pytest.mark.parametrize("act", ["keep", "leave-out", "bring-back"])
def test_nothing_is_done_if_no_player_is_checked(act: str) -> None:
    event = an_open_event(4)
    event.entrants.filter(number=2).update(arrived=False)
    close_registration(event, by=SYSTEM_ACTOR)
    client = client_as("director", event)
    page = event_url("pairing:desk_draw", event)
    answer = client.post(page, {"act": act}, follow=True)
    assert [str(told) for told in answer.context["messages"]] == ["No player is checked. Check the players first."]
