"""Test that all links and menu entries lead to a page, and that pages have the titles of their menu entries."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse

from config.navigation import MENU_GROUPS, SITE_MENU, TOURNAMENT_SETUP_MENU, base_template_context
from tests.chance import in_part
from tests.factories import a_tournament, an_entrant, an_event
from tests.kit import client_as, desk_url, event_url
from tests.pairing.helpers.events import an_event_in_play
from tournament.models import Event

pytestmark = pytest.mark.django_db


def test_a_page_of_no_tournament_has_no_links() -> None:
    assert base_template_context(RequestFactory().get("/")) == {}


def test_every_page_that_is_named_is_there() -> None:
    event = an_event()
    slugs = {"tournament": event.tournament.slug, "event": event.slug}
    names = [name for name, _label in SITE_MENU] + [name for group in MENU_GROUPS for name, _label in group.pages]
    assert all(reverse(name.partition("?")[0], kwargs=slugs) for name in names)
    assert all(reverse(name, kwargs={"tournament": slugs["tournament"]}) for name, _label in TOURNAMENT_SETUP_MENU)


def test_the_public_frame_marks_where_one_is() -> None:
    event = an_event()
    url = event_url("tournament:prizes", event)
    request = RequestFactory().get(url)
    request.tournament, request.event = event.tournament, event  # type: ignore[attr-defined]
    context = base_template_context(request)
    assert [link["url"] for link in context["site_nav"] if link["current"]] == [url]
    assert len(context["site_nav"]) == len(SITE_MENU)
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
    assert len(hrefs) >= len(SITE_MENU)
    for href in hrefs:
        assert Client().get(href, follow=True).status_code == 200, href


KINDS: dict[str, dict[str, Any]] = {
    "knockout": {},
    "stages": {"format": "swiss", "format_options": {"rounds": 3}},
    "tables": {"format": "tables"},
    "couples": {"format": "rotation"},
    "whist": {"format": "court-whist"},
    "partners": {"entry_size": 2, "partners": Event.Partners.ONE_POOL},
    "second chance": {"second": True},
}


KIND_AND_STATE = [
    (kind, state)
    for place, kind in enumerate(KINDS)
    for other, state in enumerate(Event.State.values)
    if in_part(place + other, 3)
]
"""The pairs of a kind of event and a state to test.

A quick run tests a third of all pairs, but includes every kind and every state.
"""


def an_event_of(kind: str, state: str) -> Event:
    fields = dict(KINDS[kind])
    if fields.pop("second", False):
        first = an_event()
        fields |= {"tournament": first.tournament, "second_chance_of": first}
    return an_event(state=state, **fields)


def console(event: Event, page: str = "today/", role: str = "director") -> Any:
    client = client_as(role, event)
    return client, client.get(desk_url(event, page))


def entries(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [page for group in groups for page in group.get("pages", [group])]


def titles_are_entries(event: Event) -> None:
    client, today = console(event)
    for entry in [*entries(today.context["console_nav"]), today.context["console_up"]]:
        page = client.get(entry["url"])
        assert page.status_code == 200, entry["url"]
        text = html.unescape(page.content.decode())
        titles = re.findall(r"<h1[^>]*>(?:<svg.*?</svg>)?(.*?)</h1>", text, re.DOTALL)  # a picture says nothing
        assert titles == [str(entry["label"])], entry["url"]
        assert text.split("<title>")[1].startswith(str(entry["label"])), entry["url"]


@pytest.mark.sample("menus", 3)
@pytest.mark.parametrize(("kind", "state"), KIND_AND_STATE)
def test_every_page_of_the_menu_has_the_words_of_its_entry(kind: str, state: str) -> None:
    titles_are_entries(an_event_of(kind, state))


@pytest.mark.parametrize("kind", ["knockout", "stages", "tables"])
def test_they_stay_when_the_event_is_drawn_and_played(kind: str) -> None:
    titles_are_entries(an_event_in_play(8, **KINDS[kind]))


@pytest.mark.parametrize("kind", KINDS)
def test_eight_groups_have_eight_icons(kind: str) -> None:
    groups = console(an_event_of(kind, Event.State.IN_PLAY))[1].context["console_nav"]
    names = ["Today", "Players", "Draw & rounds", "Score cards", "Rulings", "Money", "Print", "Setup"]
    assert [str(group["label"]) for group in groups] == names
    assert len({group["key"] for group in groups}) == len(groups)


def test_the_group_one_is_in_is_open_and_marked() -> None:
    groups = console(an_event(), "rules/")[1].context["console_nav"]
    assert [str(group["label"]) for group in groups if group.get("open")] == ["Setup"]
    assert [str(group["label"]) for group in groups if group["current"]] == ["Setup"]
    assert [str(entry["label"]) for entry in entries(groups) if entry["current"]] == ["Rule sheet"]


@pytest.mark.parametrize("of_entrant", ["money/", "pay/"])
def test_the_money_of_an_entrant_belongs_to_payments(of_entrant: str) -> None:
    event = an_event()
    an_entrant(event)
    groups = console(event, f"entrants/1/{of_entrant}")[1].context["console_nav"]
    assert [(str(entry["label"]), entry["current"]) for entry in entries(groups) if entry["current"]] == [
        ("Payments", "true")
    ]


def test_what_would_refuse_them_is_not_shown_to_staff() -> None:
    event = an_event(state=Event.State.IN_PLAY)
    for role in ("desk", "coordinator", "hotel"):
        client, today = console(event, role=role)
        for entry in entries(today.context["console_nav"]):
            assert client.get(entry["url"]).status_code == 200, (role, entry["url"])


def test_a_live_fetch_leaves_the_message_for_the_next_page() -> None:
    event = an_event(a_tournament(), state=Event.State.DRAFT)
    client = client_as("director", event)
    desk = desk_url(event)
    assert client.post(f"{desk}open/").status_code == 302
    client.get(f"{desk}today/", headers={"HX-Request": "true"})
    assert "Registration is open" in client.get(f"{desk}today/").content.decode()
