from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from tests.factories import a_director, an_event
from tests.kit import event_url
from tests.scoring.helpers.playing import an_event_in_play
from tournament.messages.services import MessageDraft, send_message
from tournament.models import Event

pytestmark = pytest.mark.django_db


def sent(event: Event, audience: str, *, minutes_ago: int = 0) -> None:
    letter = MessageDraft("Lunch", "Back at half past one", audience, (1,))
    with time_machine.travel(timezone.now() - timedelta(minutes=minutes_ago), tick=False):
        send_message(event, letter, by=a_director(event.tournament), key="k")


def wall(event: Event, page: str = "tournament:wall_message") -> str:
    address = event_url(page, event)
    return Client().get(address).content.decode()


@pytest.mark.parametrize(
    ("audience", "minutes_ago", "stands"),
    [("in", 0, True), ("all", 20, True), ("all", 31, False), ("chosen", 0, False), ("missing", 0, False)],
)
def test_only_a_new_message_to_everybody_is_on_the_wall(audience: str, minutes_ago: int, stands: bool) -> None:
    event = an_event_in_play()
    sent(event, audience, minutes_ago=minutes_ago)
    assert ("Back at half past one" in wall(event)) == stands


def test_the_wall_fetches_the_message_by_itself() -> None:
    event = an_event_in_play()
    address = event_url("tournament:wall_message", event)
    assert f'data-live-panel="{address}"' in wall(event, "pairing:wall")
    sent(event, "all")
    assert "Back at half past one" in wall(event, "pairing:wall")


@pytest.mark.parametrize(("state", "says"), [("open", True), ("drawn", True), ("in-play", False)])
def test_the_wall_says_when_play_starts_until_it_has_started(state: str, says: bool) -> None:
    event = an_event(state=state, starts_at=timezone.now() + timedelta(hours=2))
    assert ("Play starts" in wall(event, "pairing:wall")) == says
