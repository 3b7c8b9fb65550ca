"""The frame of every page: the links that fit where one is, and nothing that leads nowhere."""

from __future__ import annotations

import re

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse

from config.navigation import GROUPS, SITE, TOURNAMENT_SETUP, frame
from tests.factories import an_event
from tests.kit import client_as, event_url

pytestmark = pytest.mark.django_db


def test_a_page_of_no_tournament_has_no_links() -> None:
    assert frame(RequestFactory().get("/")) == {}


def test_every_page_that_is_named_is_there() -> None:
    event = an_event()
    slugs = {"tournament": event.tournament.slug, "event": event.slug}
    names = [name for name, _label in SITE] + [name for group in GROUPS for name, _label in group.pages]
    assert all(reverse(name.partition("?")[0], kwargs=slugs) for name in names)
    assert all(reverse(name, kwargs={"tournament": slugs["tournament"]}) for name, _label in TOURNAMENT_SETUP)


def test_the_public_frame_marks_where_one_is() -> None:
    event = an_event()
    url = event_url("tournament:prizes", event)
    request = RequestFactory().get(url)
    request.tournament, request.event = event.tournament, event  # type: ignore[attr-defined]
    context = frame(request)
    assert [link["url"] for link in context["site_nav"] if link["current"]] == [url]
    assert len(context["site_nav"]) == len(SITE)
    assert context["live_version"] == event.version
    assert "console_nav" not in context


def test_the_desk_s_frame_leads_to_the_event_and_to_the_whole() -> None:
    event = an_event()
    client = client_as("director", event)
    url = event_url("tournament:desk_checkin", event)
    page = client.get(url).content.decode()
    hrefs = set(re.findall(r'href="(/desk/[^"?#]*)"', page))
    assert {url, f"/desk/{event.tournament.slug}/log/", f"/desk/{event.tournament.slug}/staff/"} <= hrefs
    for href in hrefs:
        assert client.get(href).status_code == 200, href


def test_every_public_link_opens_for_everybody() -> None:
    event = an_event()
    page = Client().get(event_url("tournament:event", event))
    hrefs = set(re.findall(r'href="(/t/[^"?#]*)"', page.content.decode()))
    assert len(hrefs) >= len(SITE)
    for href in hrefs:
        assert Client().get(href, follow=True).status_code == 200, href
