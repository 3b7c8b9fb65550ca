"""Public pages are rendered once after each change and then cached. Staff pages are never cached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.messages import constants
from django.contrib.messages.storage.base import Message
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.cache import cache
from django.test import Client, RequestFactory

from tests.factories import a_user, an_entrant, an_event
from tests.kit import event_url
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    yield
    cache.clear()


def _write(event: Event) -> None:
    with writing(event, verb="test.written", by=SYSTEM_ACTOR):
        event.save()


def test_the_second_reader_costs_two_queries(django_assert_num_queries: Any) -> None:
    event = an_event()
    first = Client().get(event_url("tournament:event", event))
    with django_assert_num_queries(2):
        second = Client().get(event_url("tournament:event", event))
    assert second.content == first.content
    assert second["ETag"] == first["ETag"]


@pytest.mark.parametrize("rows", [1, 3])
def test_the_first_reader_costs_five_queries_for_any_field(rows: int, django_assert_num_queries: Any) -> None:
    event = an_event()
    for _turn in range(rows):
        an_entrant(event)
    with django_assert_num_queries(5):
        Client().get(event_url("tournament:event", event))


def test_an_unchanged_page_is_answered_with_304() -> None:
    event = an_event()
    etag = Client().get(event_url("tournament:event", event))["ETag"]
    again = Client().get(event_url("tournament:event", event), HTTP_IF_NONE_MATCH=etag)
    assert (again.status_code, again.content) == (304, b"")


def test_a_write_makes_a_new_page() -> None:
    event = an_event()
    before = Client().get(event_url("tournament:event", event))
    assert "Entered</dt>\n  <dd>0" in before.content.decode()
    an_entrant(event)
    assert Client().get(event_url("tournament:event", event)).content == before.content
    _write(event)
    after = Client().get(event_url("tournament:event", event), HTTP_IF_NONE_MATCH=before["ETag"])
    assert after.status_code == 200
    assert after["ETag"] != before["ETag"]
    assert "Entered</dt>\n  <dd>1" in after.content.decode()


def test_browsers_revalidate_pages_every_time() -> None:
    assert "no-cache" in Client().get(event_url("tournament:event", an_event()))["Cache-Control"]


def test_pages_of_staff_are_not_cached() -> None:
    event = an_event()
    public = Client().get(event_url("tournament:event", event))
    client = Client()
    user = a_user("director", event.tournament)
    client.force_login(user)
    own = client.get(event_url("tournament:event", event))
    assert "ETag" not in own
    assert Client().get(event_url("tournament:event", event)).content == public.content
    cache.clear()
    client.get(event_url("tournament:event", event))
    assert user.name not in Client().get(event_url("tournament:event", event)).content.decode()


def test_each_url_and_query_is_cached_separately() -> None:
    event, other = an_event(name="One"), an_event(name="Other")
    pages = [
        Client().get(event_url("tournament:event", event)),
        Client().get(event_url("tournament:event", other)),
        Client().get(event_url("tournament:event", event) + "?part=a"),
    ]
    assert len({page["ETag"] for page in pages}) == 3
    assert "Other" in pages[1].content.decode()


def test_a_page_for_one_host_is_not_given_to_another() -> None:
    """Pages contain the host in links and QR codes, and a laptop is reached by its address and by its name."""
    event = an_event()
    pages = [Client().get(event_url("tournament:event", event), HTTP_HOST=host) for host in ("localhost", "hall.test")]
    assert pages[0]["ETag"] != pages[1]["ETag"]
    asked = Client().get(
        event_url("tournament:event", event), HTTP_HOST="hall.test", HTTP_IF_NONE_MATCH=pages[0]["ETag"]
    )
    assert asked.status_code == 200


def test_a_panel_is_not_served_for_the_whole_page() -> None:
    event = an_event()
    whole, part = (
        Client().get(event_url("tournament:event", event)),
        Client().get(event_url("tournament:event", event), HTTP_HX_REQUEST="true"),
    )
    assert whole["ETag"] != part["ETag"]


def test_messages_of_one_visitor_are_not_cached() -> None:
    event = an_event()
    storage = CookieStorage(RequestFactory().get("/"))
    told = Client()
    told.cookies["messages"] = storage._encode([Message(constants.SUCCESS, "Only for you")])
    answer = told.get(event_url("tournament:event", event))
    assert "ETag" not in answer
    assert "Only for you" not in Client().get(event_url("tournament:event", event)).content.decode()


def test_a_refusal_is_not_cached() -> None:
    event = an_event(state=Event.State.DRAFT)
    assert Client().get(event_url("tournament:event", event)).status_code == 404
    Event.objects.filter(pk=event.pk).update(state=Event.State.OPEN)
    assert Client().get(event_url("tournament:event", event)).status_code == 200
