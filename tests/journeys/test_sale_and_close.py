"""A cashier sells entries by keyboard and closes the drawer; two members of staff close the day."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import look
from tests.factories import a_user
from tests.journeys.person import Person
from tests.journeys.steps import an_imported_field, sign_in
from tests.kit import desk_url
from tests.processes import Site
from tests.screens import SIDEWAYS
from tournament.models import DayClose
from tournament.money.selectors.cash import in_safe

pytestmark = pytest.mark.browser

MOST_KEYS = 8


def test_entries_are_sold_by_eight_keys_and_the_day_is_closed(live_site: Site, make_page: Callable[..., Page]) -> None:
    event = an_imported_field()
    desk = desk_url(event)
    page = make_page("desktop", viewport={"width": 1366, "height": 768})
    ann, director = a_user("desk", event.tournament), a_user("director", event.tournament)
    sign_in(page, ann, to=f"{desk}drawers/")
    cashier = Person(page)
    cashier.types("Starting cash", "100")
    cashier.clicks_on("button", "Open the drawer")
    expect(page.get_by_role("heading", name="Drawer 1")).to_be_visible()
    look(page, "drawers")
    sales = (("check-in/", "$", "320", "$20.00"), ("payments/", "F4", "500.50", "$200.50"))
    for list_page, key, given, change in sales:
        page.goto(page.url.split("/desk/")[0] + desk + list_page)
        struck = cashier.keys
        cashier.presses(key)
        cashier.keys += key == "$"  # on most keyboards it takes Shift
        expect(page.get_by_label("Amount given")).to_be_focused()
        cashier.writes(given)
        expect(page.locator("[data-change-amount]")).to_have_text(change)
        look(page, f"sale-{list_page.strip('/')}", full_page=False)
        cashier.presses("Enter")
        expect(page.locator("#messages")).to_contain_text(f"Give back {change}")
        assert page.url.split("#")[0].endswith(list_page)
        assert cashier.keys - struck <= MOST_KEYS
    look(page, "sale-recorded", full_page=False)
    page.goto(page.url.split("/desk/")[0] + desk + "drawers/")
    page.get_by_text("Count, then close or hand over").click()
    page.get_by_label("$100.00", exact=True).fill("7")
    expect(page.locator("[data-pieces-total]:visible")).to_have_text("$700.00")
    look(page, "drawer-count")
    cashier.clicks_on("button", "Close this drawer")
    expect(page.locator("#messages")).to_contain_text("Recorded.")
    assert in_safe(event.tournament) == {"cash": 700_00}
    cashier.opens("Money", "Close the day") if not page.get_by_role(
        "link", name="Close the day", exact=True
    ).is_visible() else (cashier.goes_to("Close the day"))
    cashier.types("$100.00", "6")
    cashier.clicks_on("button", "Sign the count")
    expect(page.locator("main")).to_contain_text("The count and the ledger differ: Cash −$100.00.")
    cashier.types("$50.00", "1")
    cashier.types("Reason", "One bill of fifty is missing")
    look(page, "close-count")
    cashier.clicks_on("button", "Sign the count")
    expect(page.get_by_role("button", name="Sign and close the day")).to_have_count(0)
    closer = make_page("desktop")
    sign_in(closer, director, to=f"{desk}close/")
    closer.get_by_role("button", name="Sign and close the day").click()
    expect(closer.locator("main")).to_contain_text("Closed and signed by two.")
    expect(closer.locator("main")).to_contain_text("Short: Cash")
    look(closer, "close-signed")
    close = DayClose.objects.get()
    assert (close.by, close.count.by, in_safe(event.tournament)) == (director, ann, {"cash": 650_00})
    phone = make_page("phone")
    sign_in(phone, ann, to=f"{desk}close/?day={close.day.isoformat()}")
    look(phone, "close-phone")
    assert phone.evaluate(SIDEWAYS) == 0
    phone.goto(phone.url.split("/desk/")[0] + desk + "drawers/")
    look(phone, "drawers-phone")
    assert phone.evaluate(SIDEWAYS) == 0
