from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from django.test import Client

from pairing.desk.selectors.desk import PairingDesk, load_pairing_desk
from pairing.desk.services.sending import call_ready_matches
from tests.kit import event_url, fresh
from tests.pairing.helpers.events import an_event_in_play
from tests.pairing.helpers.stages import course_of, won
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event


def desk_of(event: Event, now: datetime | None = None) -> PairingDesk:
    desk = load_pairing_desk(fresh(event), now)
    assert desk is not None
    return desk


def look(client: Client, event: Event) -> str:
    return client.get(event_url("pairing:desk_pairing", event)).content.decode()


def hidden(html: str) -> dict[str, str]:
    """Return the hidden fields of the form that sends all suggested pairs to tables."""
    form = html[html.index('aria-labelledby="next-title"') : html.index('value="send"')]
    return dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))


def act(client: Client, event: Event, **fields: str) -> str:
    return client.post(event_url("pairing:desk_pairing", event), fields, follow=True).content.decode()


def send_all(client: Client, event: Event) -> str:
    """Submit the form that sends all suggested pairs to tables, and return the next page."""
    return act(client, event, **hidden(look(client, event)), act="send")


@prebuilt
def end_games(event: Event, *idents: str) -> None:
    """End these games. The entry with the lower number wins."""
    for ident in idents:
        low, high = sorted(course_of(event).current_stage.matches[ident].meeting.sides)
        won(event, ident, low, high)


@prebuilt
def beside(**fields: Any) -> Event:
    """Return an event in play. Another event of its tournament uses tables 1 and 2."""
    event = an_event_in_play(8, **fields)
    put_beside(event)
    return fresh(event)


@prebuilt
def put_beside(event: Event) -> None:
    other = an_event_in_play(4)
    Event.objects.filter(pk=other.pk).update(tournament=event.tournament, slug="pairs", name="Pairs")
    assert call_ready_matches(fresh(other), 1, 2, by=SYSTEM_ACTOR) == 2


def other_of(event: Event) -> Event:
    return Event.objects.select_related("tournament").get(tournament=event.tournament, slug="pairs")
