"""The console's menu, with the longest group open, fits a laptop of 768 pixels; on a phone the header is one row."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import look
from tests.factories import a_tournament, a_user, an_event
from tests.journeys.steps import sign_in
from tests.kit import desk_url
from tests.processes import Site
from tests.screens import SIDEWAYS

pytestmark = pytest.mark.browser

HEADER = 80
BOTTOM = "document.querySelector('#desk-nav .desk-nav-up').getBoundingClientRect().bottom"


def test_the_menu_fits_a_laptop_and_a_phone(live_site: Site, make_page: Callable[..., Page]) -> None:
    event = an_event(a_tournament(name="Palm Desert Gin Rummy Classic of the Coachella Valley", is_demo=True))
    director = a_user("director", event.tournament)
    desk = desk_url(event)
    page = make_page("desktop", viewport={"width": 1366, "height": 768})
    sign_in(page, director, to=f"{desk}format/")
    expect(page.locator("#desk-nav [open] > summary")).to_have_text("Setup")
    assert page.evaluate(BOTTOM) <= 768
    look(page, "menu-laptop", full_page=False)
    page.locator("#desk-nav summary", has_text="Players").click()
    expect(page.locator("#desk-nav [open]")).to_have_count(1)
    page.get_by_role("link", name="Check-in").click()
    expect(page.locator("#desk-nav [aria-current=true]")).to_have_text("Players")
    expect(page.locator("#desk-nav [aria-current=page]")).to_have_text("Check-in")
    page.set_viewport_size({"width": 768, "height": 1024})
    fits_the_phone(page)
    page.get_by_role("button", name="Menu").click()
    look(page, "menu-tablet", full_page=False)
    phone = make_page("phone")
    sign_in(phone, director, to=f"{desk}format/")
    fits_the_phone(phone)
    phone.get_by_role("button", name="Menu").click()
    expect(phone.get_by_role("link", name="Sign out")).to_be_visible()
    assert phone.evaluate(SIDEWAYS) == 0
    look(phone, "menu-phone")
    phone.goto("/desk/")
    fits_the_phone(phone)
    look(phone, "menu-phone-without")


def fits_the_phone(phone: Page) -> None:
    box = phone.locator(".site-head").bounding_box()
    assert box is not None
    assert box["height"] <= HEADER
    assert phone.evaluate(SIDEWAYS) == 0
