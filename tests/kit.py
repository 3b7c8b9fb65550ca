"""Helpers that most tests share: clients, URLs, the text of pages, and expected errors."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pypdfium2
import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from hypothesis.extra.django import TestCase

from tests.factories import a_user
from tournament.core.cached import clear_cache
from tournament.errors import DomainError
from tournament.models import Entrant, Event, Tournament


class ExamplesTestCase(TestCase):
    """A test case whose Hypothesis examples each begin with an empty database and empty caches."""

    def setup_example(self) -> None:
        super().setup_example()
        clear_caches()


def clear_caches() -> None:
    """Clear all caches, and forget that a worker was running.

    Otherwise a new row could get the cached values of a rolled-back row that had the same primary key.
    """
    clear_cache()
    cache.clear()
    settings.WORKER_HEARTBEAT_FILE.unlink(missing_ok=True)


def client_as(role: str, place: Any) -> Client:
    """Create a user with this role in a tournament, and return a client that is signed in as this user.

    `place` is the tournament or any row that belongs to it.
    """
    client = Client()
    client.force_login(a_user(role, place if isinstance(place, Tournament) else place.tournament))
    return client


def desk_url(event: Event, page: str = "") -> str:
    return f"/desk/{event.tournament.slug}/{event.slug}/{page}"


def public_url(event: Event, page: str = "") -> str:
    return f"/t/{event.tournament.slug}/{event.slug}/{page}"


def event_url(name: str, event: Event, *args: object, **kwargs: object) -> str:
    """Return the URL with this name for an event. `args` or `kwargs` contain the remaining arguments of the URL."""
    if args:
        return reverse(name, args=[event.tournament.slug, event.slug, *args])
    return reverse(name, kwargs={"tournament": event.tournament.slug, "event": event.slug, **kwargs})


def get_page(address: str, client: Client | None = None, **query: Any) -> str:
    """Request a page, check that its status is 200, and return its HTML with line breaks replaced by single spaces."""
    response = (client or Client()).get(address, query)
    assert response.status_code == 200, (address, response.status_code)
    return " ".join(response.content.decode().split())


def page_text(response: Any) -> str:
    """Return the text of a response or of HTML, without tags and line breaks."""
    source = response if isinstance(response, str) else response.content.decode()
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", source)).split())


def pdf_pages(content: bytes) -> list[str]:
    """Return the text of each page of a PDF, with a line break after each printed line."""
    document = pypdfium2.PdfDocument(content)
    return [page.get_textpage().get_text_range().replace("\r\n", "\n") for page in document]


def pdf_text(content: bytes) -> str:
    return "\n".join(pdf_pages(content))


@contextmanager
def refused(code: str, field: str | None = None) -> Iterator[pytest.ExceptionInfo[DomainError]]:
    """Expect the block to raise a `DomainError` with this code, and for this field if one is given."""
    with pytest.raises(DomainError) as refusal:
        yield refusal
    assert refusal.value.code == code
    assert field is None or refusal.value.data["field"] == field


def fresh(event: Event) -> Event:
    return Event.objects.select_related("tournament").get(pk=event.pk)


def fresh_entrant(entrant: Entrant) -> Entrant:
    return Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)


def entrant_of(event: Event, number: int) -> Entrant:
    return event.entrants.select_related("event__tournament").get(number=number)
