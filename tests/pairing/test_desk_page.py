"""The desk through its pages: look, send, choose by hand, hold, take back; and what everybody may read afterwards."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from pairing.draws import answer_pair
from pairing.models import AvoidPair, DeskSettings, Pairing
from pairing.services.draws import keep_apart
from tests.factories import a_user, an_entrant
from tests.pairing.test_stages import FINALS, QUALIFIER, course_of, staged, won
from tournament.models import Event
from tournament.permissions import SYSTEM

pytestmark = pytest.mark.django_db


def at_the_desk(event: Event, role: str = "director") -> Client:
    client = Client()
    client.force_login(a_user(role, event.tournament))
    return client


def address(event: Event, name: str = "desk_pairing", **more: Any) -> str:
    return reverse(f"pairing:{name}", kwargs={"tournament": event.tournament.slug, "event": event.slug, **more})


def hidden(html: str) -> dict[str, str]:
    """The fields of the form that sends everything, as the page wrote them."""
    form = html[html.index('name="key"') : html.index('id="send"')]
    return dict(re.findall(r'name="(\w+)" value="([^"]*)"', f"<input {form}"))


def send_all(client: Client, event: Event) -> str:
    """Enter: the key that has the focus."""
    page = client.get(address(event)).content.decode()
    answer = client.post(address(event), hidden(page) | {"act": "send"}, follow=True)
    return answer.content.decode()


def test_enter_sends_what_stands_on_the_page_and_opens_its_cards() -> None:
    event = staged(8, QUALIFIER, FINALS)
    client = at_the_desk(event, "desk")
    page = client.get(address(event)).content.decode()
    assert "Send these 4 pairs" in page and page.count("Same record: 0 wins each.") == 4
    said = send_all(client, event)
    assert "Sent: Player" in said and "to table 4" in said
    stage = course_of(event).current
    assert sorted(side for match in stage.matches.values() for side in match.meeting.sides) == list(range(1, 9))
    assert [match.cards.count() for match in event.matches.all()] == [1, 1, 1, 1]
    assert "0 wait" in client.get(address(event)).content.decode()
