"""A phone number or a note that was given to one tournament is not shown to another."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client, override_settings
from django.urls import reverse

from tests.config.hall import Hall, routes
from tests.factories import a_user
from tournament.core.permissions import SYSTEM, Actor
from tournament.models import Event
from tournament.people.services.players import Person
from tournament.registration.services.entrants import Entry, enter

PHONE, NOTE, CLUB = "555 0199 731", "wears a hearing aid", "Secret Society"
FORM = Actor("the public form")


@pytest.fixture(scope="module")
def hall(rows_of_module: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("media")):
        yield Hall()


def told(event: Event, **more: str) -> None:
    """The same person, by name and e-mail, by the form and by the desk."""
    notes = more.pop("notes", "")
    enter(event, Entry((Person("Emmy Noether", "emmy@example.org", **more),), notes=notes), by=SYSTEM)


def shown(client: Client, hall: Hall, event: Event) -> str:
    """All that this client gets of every page about a tournament or an event, as those of this one."""
    found, emmy = [], event.entrants.latest("pk")
    own = {"tournament": event.tournament.slug, "event": event.slug, "number": emmy.number}
    for name, wanted, at in routes():
        if name == at or "tournament" not in wanted or name.endswith((":desk_job", ":job_file")):
            continue
        place = {**hall.place(name, wanted, "director"), **{key: own[key] for key in own if key in wanted}}
        if name == "tournament:player":
            place["pk"] = emmy.members.get().player_id
        url = reverse(name, kwargs=place)
        for query in ("", "?_export=csv", "?_export=xlsx") if at.startswith("desk/") else ("",):
            answer = client.get(url + query)
            found.append(text_of(b"".join(answer) if answer.streaming else answer.content))
    return "\n".join(found)


def text_of(content: bytes) -> str:
    if not content.startswith(b"PK"):
        return content.decode(errors="replace")
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return "\n".join(packed.read(name).decode(errors="replace") for name in packed.namelist())


@pytest.mark.django_db
def test_what_one_tournament_was_told_another_never_shows(hall: Hall) -> None:
    cache.clear()
    here, there = hall.events["open"], hall.events["pool"]
    Event.objects.filter(pk=there.pk).update(state=Event.State.OPEN)
    there.refresh_from_db()
    told(there, phone=PHONE, club=CLUB, notes=NOTE)
    told(here)
    for event, knows in ((here, False), (there, True)):
        client = Client(raise_request_exception=False)
        client.force_login(a_user("director", event.tournament))
        page = shown(client, hall, event)
        assert "Emmy Noether" in page
        assert [secret in page for secret in (PHONE, NOTE, CLUB)] == [knows, knows, knows], event
