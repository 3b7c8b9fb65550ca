"""Test that personal data stays in its tournament.

The test requests every URL of the site, so that it includes new pages.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse

from tests.config.hall import Hall, routes
from tests.config.helpers import unzipped_text
from tests.factories import a_user
from tournament.core.permissions import SYSTEM_ACTOR, Actor
from tournament.models import Event
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person

PHONE, NOTE, CLUB = "555 0199 731", "wears a hearing aid", "Secret Society"
FORM = Actor("the public form")


def told(event: Event, **more: str) -> None:
    """Enter Emmy Noether in this event, always with the same email address."""
    notes = more.pop("notes", "")
    add_entry(event, EntryRequest((Person("Emmy Noether", "emmy@example.org", **more),), notes=notes), by=SYSTEM_ACTOR)


def shown(client: Client, hall: Hall, event: Event) -> Iterator[str]:
    """Yield the text of every page and file about the event or its tournament, as this client receives it."""
    emmy = event.entrants.latest("pk")
    own = {"tournament": event.tournament.slug, "event": event.slug, "number": emmy.number}
    for name, wanted, at in routes():
        if name == at or "tournament" not in wanted or name.endswith((":desk_job", ":job_file")):
            continue
        place = {**hall.place(name, wanted, "director"), **{key: own[key] for key in own if key in wanted}}
        if name == "tournament:player":
            place["pk"] = emmy.members.get().player_id
        url = reverse(name, kwargs=place)
        for query in ("?_export=csv", "?_export=xlsx", "") if at.startswith("desk/") else ("",):
            answer = client.get(url + query)
            yield unzipped_text(b"".join(answer) if answer.streaming else answer.content)
            if answer.headers.get("Content-Type", "").startswith("text/html"):
                break  # nothing to export: the page is the same without the query


@pytest.mark.django_db
def test_what_one_tournament_was_told_another_never_shows(hall: Hall) -> None:
    here, there = hall.events["open"], hall.events["pool"]
    Event.objects.filter(pk=there.pk).update(state=Event.State.OPEN)
    there.refresh_from_db()
    told(there, phone=PHONE, club=CLUB, notes=NOTE)
    told(here)
    told_there = {"Emmy Noether", PHONE, NOTE, CLUB}
    for event, known in ((here, {"Emmy Noether"}), (there, told_there)):
        client = Client(raise_request_exception=False)
        client.force_login(a_user("director", event.tournament))
        found: set[str] = set()
        for page in shown(client, hall, event):
            found |= {text for text in told_there if text in page}
            if found == told_there:
                break
        assert found == known, event
