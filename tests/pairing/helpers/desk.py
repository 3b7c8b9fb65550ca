"""The desk through its pages."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from django.test import Client

from pairing.desk.selectors.desk import Desk, load_desk
from pairing.desk.services.sending import call_all
from tests.kit import event_url, fresh
from tests.pairing.helpers.events import an_event_in_play
from tests.pairing.helpers.stages import course_of, won
from tournament.core.permissions import SYSTEM
from tournament.models import Event


def desk_of(event: Event, now: datetime | None = None) -> Desk:
    desk = load_desk(fresh(event), now)
    assert desk is not None
    return desk


def look(client: Client, event: Event) -> str:
    return client.get(event_url("pairing:desk_pairing", event)).content.decode()


def hidden(html: str) -> dict[str, str]:
    """The fields of the form that sends everything, as the page wrote them."""
    form = html[html.index('aria-labelledby="next-title"') : html.index('value="send"')]
    return dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))


def act(client: Client, event: Event, **fields: str) -> str:
    return client.post(event_url("pairing:desk_pairing", event), fields, follow=True).content.decode()


def send_all(client: Client, event: Event) -> str:
    """Enter: the key that has the focus."""
    return act(client, event, **hidden(look(client, event)), act="send")


def end_games(event: Event, *idents: str) -> None:
    """The lower number wins."""
    for ident in idents:
        low, high = sorted(course_of(event).current.matches[ident].meeting.sides)
        won(event, ident, low, high)


def beside(**fields: Any) -> Event:
    """An event in play, while another one of its tournament plays at tables 1 and 2."""
    event = an_event_in_play(8, **fields)
    put_beside(event)
    return fresh(event)


def put_beside(event: Event) -> None:
    other = an_event_in_play(4)
    Event.objects.filter(pk=other.pk).update(tournament=event.tournament, slug="pairs", name="Pairs")
    assert call_all(fresh(other), 1, 2, by=SYSTEM) == 2


def other_of(event: Event) -> Event:
    return Event.objects.select_related("tournament").get(tournament=event.tournament, slug="pairs")
