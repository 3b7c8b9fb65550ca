"""Each page as people see it: a picture is kept, and nothing stands in the way of a screen reader."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from pairing.desk.services.sending import call_all
from pairing.stages.selectors.course import load_course
from tests.browser import look
from tests.factories import a_user
from tests.journeys.steps import sign_in
from tests.kit import desk_url, fresh, public_url
from tests.pairing.helpers.events import an_event_in_play, win
from tests.processes import Site
from tournament.core.permissions import SYSTEM
from tournament.models import Event

pytestmark = pytest.mark.browser


def half_played(entrants: int = 64) -> Event:
    event = an_event_in_play(entrants)
    event.entrants.filter(number=1).update(name="Ludovica Schönfeld-Ottoboni")
    progress = load_course(event).progress
    assert progress is not None
    for match in progress.bracket.matches:
        if match.round == 1 or (match.round == 2 and match.position % 2):
            win(event, match.id, match.position % 2)
    call_all(event, 1, 20, by=SYSTEM)
    return fresh(event)


def test_a_bracket_of_64_on_phone_desktop_and_wall(live_site: Site, make_page: Callable[..., Page]) -> None:
    event = half_played()
    base = public_url(event)
    phone = make_page("phone")
    phone.goto(base + "bracket/")
    expect(phone.locator(".round-keys [aria-current]")).to_have_text("Round 2")
    expect(phone.locator("#round-2 .match-box").first).to_be_in_viewport()
    assert phone.evaluate("document.documentElement.scrollWidth") == 360
    look(phone, "bracket-phone", full_page=False)
    phone.get_by_role("link", name="Quarterfinals").click()
    expect(phone.locator("#round-4 .match-box").first).to_be_in_viewport()
    phone.goto(base + "bracket/?me=1")
    expect(phone.get_by_role("heading", name="The path of Schönfeld-Ottoboni")).to_be_visible()
    look(phone, "bracket-my-path", full_page=False)
    for name in ("pairings", "standings", "draw", "match/R2M1"):
        phone.goto(f"{base}{name}/")
        look(phone, f"{name.replace('/', '-')}-phone")
    desktop = make_page("desktop")
    desktop.goto(base + "bracket/")
    expect(desktop.locator(".bracket-picture")).to_be_visible()
    look(desktop, "bracket-desktop")
    wall = make_page("wall")
    wall.goto(base + "wall/")
    expect(wall.locator(".wall-bracket .bracket-picture").first).to_be_in_viewport(ratio=1)
    look(wall, "wall", full_page=False)


def test_a_result_reaches_the_page_by_itself(live_site: Site, make_page: Callable[..., Page]) -> None:
    event = an_event_in_play(4)
    phone = make_page("phone")
    phone.goto(public_url(event, "bracket/"))
    expect(phone.locator("#match-R1M1 .is-winner")).to_have_count(0)
    win(event, "R1M1")
    expect(phone.locator("#match-R1M1 .is-winner")).to_have_count(1)


def test_a_panel_waits_until_the_finger_is_off(live_site: Site, make_page: Callable[..., Page]) -> None:
    event = an_event_in_play(4)
    desktop = make_page("desktop")
    desktop.goto(public_url(event, "pairings/"))
    expect(desktop.locator("[data-live-word]")).to_have_text("Live")
    row = desktop.locator("#row-R1M1, tbody tr").first
    row.evaluate("row => row.setAttribute('data-under', '')")
    row.hover()
    desktop.mouse.down()
    win(event, "R1M1")
    desktop.wait_for_timeout(1500)
    expect(desktop.locator("[data-under]")).to_have_count(1)
    desktop.mouse.up()
    expect(desktop.locator("[data-under]")).to_have_count(0)


def test_a_panel_that_could_not_be_fetched_is_asked_for_again(live_site: Site, make_page: Callable[..., Page]) -> None:
    event = an_event_in_play(4)
    phone = make_page("phone", forgives="503")
    phone.goto(public_url(event, "bracket/"))
    expect(phone.locator("[data-live-word]")).to_have_text("Live")
    refused: list[str] = []

    def refuse_twice(route: Route) -> None:
        if len(refused) < 2 and route.request.headers.get("hx-request"):
            refused.append(route.request.url)
            route.fulfill(status=503, body="Too much to do.")
        else:
            route.continue_()

    phone.route("**/*", refuse_twice)
    win(event, "R1M1")
    expect(phone.locator("#match-R1M1 .is-winner")).to_have_count(1)
    assert len(refused) == 2


def test_today_follows_without_standing_in_itself(live_site: Site, make_page: Callable[..., Page]) -> None:
    event = an_event_in_play(4)
    today = desk_url(event, "today/")
    desk = make_page("desktop")
    sign_in(desk, a_user("director", event.tournament), to=today)
    desk.goto(today)
    expect(desk.locator("[data-live-word]")).to_have_text("Live")
    desk.locator("#waiting").evaluate("part => part.setAttribute('data-before', '')")
    win(event, "R1M1")
    expect(desk.locator("[data-before]")).to_have_count(0)
    expect(desk.get_by_role("heading", level=1)).to_have_count(1)
