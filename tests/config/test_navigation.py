"""The frame of every page: the links that fit where one is, and nothing that leads nowhere."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse

from config.console_menu import GROUPS, SETUP_OF_THE_WHOLE
from config.navigation import SITE, frame
from tests.factories import a_user, an_event
from tournament.models import Event

pytestmark = pytest.mark.django_db


def test_a_page_of_no_tournament_has_no_links() -> None:
    assert frame(RequestFactory().get("/")) == {}


def test_every_page_that_is_named_is_there() -> None:
    event = an_event()
    slugs = {"tournament": event.tournament.slug, "event": event.slug}
    names = [name for name, _label in SITE] + [name for group in GROUPS for name, _label in group.pages]
    assert all(reverse(name.partition("?")[0], kwargs=slugs) for name in names)
    assert all(reverse(name, kwargs={"tournament": slugs["tournament"]}) for name, _label in SETUP_OF_THE_WHOLE)


def test_the_public_frame_marks_where_one_is() -> None:
    event = an_event()
    url = reverse("tournament:prizes", kwargs={"tournament": event.tournament.slug, "event": event.slug})
    request = RequestFactory().get(url)
    request.tournament, request.event = event.tournament, event  # type: ignore[attr-defined]
    context = frame(request)
    assert [link["url"] for link in context["site_nav"] if link["current"]] == [url]
    assert len(context["site_nav"]) == len(SITE)
    assert context["live_version"] == event.version
    assert "console_nav" not in context


def test_the_desk_s_frame_leads_to_the_event_and_to_the_whole() -> None:
    event = an_event()
    client = Client()
    client.force_login(a_user("director", event.tournament))
    url = reverse("tournament:desk_checkin", kwargs={"tournament": event.tournament.slug, "event": event.slug})
    page = client.get(url).content.decode()
    hrefs = set(re.findall(r'href="(/desk/[^"?#]*)"', page))
    assert {url, f"/desk/{event.tournament.slug}/log/", f"/desk/{event.tournament.slug}/staff/"} <= hrefs
    for href in hrefs:
        assert client.get(href).status_code == 200, href


KINDS: dict[str, dict[str, Any]] = {
    "knockout": {},
    "stages": {"format": "swiss", "format_options": {"rounds": 3}},
    "tables": {"format": "tables"},
    "couples": {"format": "rotation"},
    "whist": {"format": "court-whist"},
}


@pytest.mark.parametrize("state", Event.State.values)
@pytest.mark.parametrize("kind", KINDS)
def test_every_page_of_the_menu_has_the_words_of_its_entry(kind: str, state: str) -> None:
    event = an_event(state=state, **KINDS[kind])
    client = Client()
    client.force_login(a_user("director", event.tournament))
    menu = client.get(f"/desk/{event.tournament.slug}/{event.slug}/today/").context
    groups = menu["console_nav"]
    assert 1 < len(groups) <= 8
    assert len({group["key"] for group in groups}) == len(groups)
    for entry in [page for group in groups for page in group.get("pages", [group])] + [menu["console_up"]]:
        page = client.get(entry["url"])
        assert page.status_code == 200, entry["url"]
        text = html.unescape(page.content.decode())
        assert re.findall(r"<h1[^>]*>(.*?)</h1>", text, re.DOTALL) == [str(entry["label"])], entry["url"]
        assert text.split("<title>")[1].startswith(str(entry["label"])), entry["url"]


def test_every_public_link_opens_for_everybody() -> None:
    event = an_event()
    page = Client().get(reverse("tournament:event", kwargs={"tournament": event.tournament.slug, "event": event.slug}))
    hrefs = set(re.findall(r'href="(/t/[^"?#]*)"', page.content.decode()))
    assert len(hrefs) >= len(SITE)
    for href in hrefs:
        assert Client().get(href).status_code == 200, href
