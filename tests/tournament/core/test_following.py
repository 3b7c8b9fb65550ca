"""Test that a page and its version URL report the same version of the page's data.

A page follows topics, such as its matches. Its version is that of the last write to one of them. The two versions must
be equal for any number of topics.
"""

from __future__ import annotations

import pytest
from django.test import Client, RequestFactory

from config.navigation import base_template_context
from tests.factories import an_event
from tournament.core.pages.following import follow_topics
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.core.topics import MAX_FOLLOWED_TOPICS, add_topics_to_write
from tournament.models import Event


@pytest.mark.django_db
@pytest.mark.parametrize("games", [1, MAX_FOLLOWED_TOPICS, MAX_FOLLOWED_TOPICS + 1, 300])
def test_page_and_version_agree_however_many_games_somebody_has(games: int) -> None:
    event = an_event(state=Event.State.IN_PLAY)
    for topic in ("match-0", "elsewhere"):
        with writing(event, verb="test.topic", by=SYSTEM_ACTOR):
            add_topics_to_write(topic)
    event = Event.objects.get()
    request = RequestFactory().get("/")
    request.user = request.session = None  # type: ignore[assignment]
    request.tournament, request.event = event.tournament, event  # type: ignore[attr-defined]
    follow_topics(request, event, *(f"match-{number}" for number in range(games)))
    shown = base_template_context(request)
    assert Client().get(shown["version_url"]).json() == {"version": shown["live_version"]}
    assert shown["live_version"] == (1 if games <= MAX_FOLLOWED_TOPICS else 2)
