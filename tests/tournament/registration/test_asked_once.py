"""Actions that cannot be undone need a confirmation, whose button names the action and the player."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.http import HttpResponse
from django.urls import reverse

from tests.factories import a_tournament, an_entrant, an_event
from tests.kit import client_as, event_url
from tests.pairing.helpers.events import an_event_in_play
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Entrant, Tournament
from tournament.registration.services.entries import EntryRequest, Person, add_entry

pytestmark = pytest.mark.django_db


def said(answer: HttpResponse | Any) -> str:
    return " ".join(html.unescape(answer.content.decode()).split())


def test_a_withdrawal_names_the_player_and_the_event() -> None:
    event = an_event(a_tournament(), name="Spring Open")
    an_entrant(event, "Ada Lovelace", number=1)
    page = said(client_as("director", event.tournament).get(event_url("tournament:desk_entrant", event, number=1)))
    assert "Withdraw Ada Lovelace from Spring Open?" in page and "goes to the next player on the waiting list" in page
    assert '<button class="btn btn-lg btn-danger">Withdraw Ada Lovelace</button>' in page


def test_a_withdrawal_during_play_shows_what_happens_first() -> None:
    event = an_event_in_play(4, name="Spring Open")
    one = event.entrants.get(number=1)
    director = client_as("director", event.tournament)
    way = f"{event_url('pairing:desk_out', event)}?entrant={one.pk}"
    assert way in said(director.get(event_url("tournament:desk_entrant", event, number=1)))
    assert f'<option value="{one.pk}" selected>' in said(director.get(way))
    asked = {"entrant": one.pk, "kind": "withdrawn", "reason": "taken ill", "key": "k", "act": "look"}
    page = said(director.post(event_url("pairing:desk_out", event), asked))
    assert "Withdraw Player 1 from Spring Open?" in page and "becomes a walkover for the opponent" in page
    assert 'value="do">Withdraw Player 1</button>' in page
    one.refresh_from_db()
    assert one.state == Entrant.State.IN


def test_a_re_entry_is_asked_for_once() -> None:
    event = an_event(a_tournament(), name="Spring Open", reentry=True, fee_cents=0)
    add_entry(event, EntryRequest((Person("Ada Lovelace", email="ada@example.org"),)), by=SYSTEM_ACTOR)
    event.entrants.update(state=Entrant.State.REMOVED)
    director, address = client_as("director", event.tournament), event_url("tournament:new_entrant", event)
    typed = {"name": "Ada Lovelace", "email": "ada@example.org", "again": "on", "key": "k", "consent": "on"}
    page = said(director.post(address, typed))
    assert "Enter Ada Lovelace in Spring Open again?" in page and ">Enter Ada Lovelace again</button>" in page
    assert event.entrants.count() == 1
    director.post(address, {**typed, "sure": "1"})
    assert event.entrants.count() == 2


def test_the_demo_is_removed_by_its_name() -> None:
    demo = a_tournament(is_demo=True, name="Desert Classic")
    director, address = client_as("director", demo), reverse("tournament:remove_demo", kwargs={"tournament": demo.slug})
    page = said(director.get(address))
    assert "Remove Desert Classic?" in page and "This cannot be undone." in page
    assert ">Remove Desert Classic</button>" in page
    assert director.post(address).status_code == 302 and not Tournament.objects.exists()
