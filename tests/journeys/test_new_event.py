"""Somebody who has never seen the program opens an event by what the screens offer, in few clicks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import look
from tests.factories import a_user
from tests.journeys import limits
from tests.journeys.person import Person, set_up_a_tournament
from tests.journeys.steps import sign_in
from tests.processes import Site
from tournament.models import Event

pytestmark = pytest.mark.browser


def test_an_event_is_open_in_fifteen_clicks(make_page: Callable[..., Page], live_site: Site) -> None:
    page = make_page("desktop")
    sign_in(page, a_user())
    volunteer = Person(page)
    set_up_a_tournament(volunteer)
    expect(page.get_by_role("heading", level=1)).to_have_text("What do you play?")
    see_the_gallery(page)
    volunteer.clicks_on("button", "GRA partnership")
    go_through_the_steps(page, volunteer)
    volunteer.clicks_on("button", "Open registration")
    expect(page.get_by_text("Registration is open.")).to_be_visible()
    event = Event.objects.get()
    assert (event.state, event.entry_size, event.fee_cents) == (Event.State.OPEN, 2, 250_00)
    limits.OPEN_AN_EVENT.holds_for(volunteer)
    copy_it(page, event)


def see_the_gallery(page: Page) -> None:
    for image in page.locator("img.paper").all():
        image.scroll_into_view_if_needed()
        assert image.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") > 0
    for width, height in ((1366, 768), (768, 1024), (360, 740)):
        page.set_viewport_size({"width": width, "height": height})
        look(page, f"ready-events-{width}", contrast=width == 1366)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"wider than {width}"
    page.set_viewport_size({"width": 1366, "height": 768})


def go_through_the_steps(page: Page, volunteer: Person) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("What and when")
    look(page, "setup-what")
    volunteer.clicks_on("button", "Next: Who may enter")
    expect(page.locator("[name=partners]")).to_be_visible()
    look(page, "setup-who")
    volunteer.clicks_on("button", "Next: Money")
    volunteer.types("Early-bird fee", "200")
    volunteer.clicks_on("button", "Next: Prizes")
    expect(page.locator(".error-summary")).to_be_focused()
    look(page, "setup-money-wrong")
    page.locator("[name=early_fee_cents]").fill("")
    volunteer.types("Entry fee", "250")
    volunteer.clicks_on("button", "Next: Prizes")
    expect(page.get_by_role("heading", level=1)).to_have_text("Prizes")
    page.set_viewport_size({"width": 360, "height": 740})
    look(page, "setup-prizes-360")
    page.set_viewport_size({"width": 1366, "height": 768})
    volunteer.clicks_on("button", "Finish setup")


def copy_it(page: Page, event: Event) -> None:
    """Setup stands open afterwards, and the event can be copied."""
    page.locator("nav summary", has_text="Setup").click()
    page.get_by_role("link", name="Setup", exact=True).click()
    look(page, "setup-section")
    page.goto(f"/desk/{event.tournament.slug}/")
    page.get_by_role("link", name="New event").click()
    page.get_by_role("link", name="Copy an earlier event").click()
    look(page, "setup-former")
    page.get_by_role("button", name="GRA partnership").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What and when")
    page.get_by_role("button", name="Finish later").click()
    expect(page.get_by_text("Saved. Go on at any time under Setup.")).to_be_visible()
