"""Test that a cashier can sell entries and side pools by keyboard, and that prizes are paid and signed for.

At the end, two people close the day.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser import MakePage, look
from tests.factories import a_user
from tests.journeys.person import Person
from tests.journeys.steps import an_imported_field, sign_in, sign_on
from tests.kit import desk_url, entrant_of
from tests.screens import SIDEWAYS, WIDTHS, set_screen, unfit
from tests.tournament.helpers.side_pools import BEST, SENIOR, a_charged_event, finish
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import DayClose, PaidOut, PayoutSignature, SidePoolEntry
from tournament.money.selectors.drawers_and_close import sum_cents_in_safe
from tournament.money.services.fees_and_refunds import take_payment
from tournament.money.services.payouts import pay_prize
from tournament.money.services.side_pools import add_side_pool, join_side_pool, record_side_pool_result

pytestmark = pytest.mark.browser

MOST_KEYS = 8


def test_entries_are_sold_by_eight_keys_and_the_day_is_closed(make_page: MakePage) -> None:
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
    assert sum_cents_in_safe(event.tournament) == {"cash": 700_00}
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
    assert (close.by, close.count.by, sum_cents_in_safe(event.tournament)) == (director, ann, {"cash": 650_00})
    phone = make_page("phone")
    sign_in(phone, ann, to=f"{desk}close/?day={close.day.isoformat()}")
    look(phone, "close-phone")
    assert phone.evaluate(SIDEWAYS) == 0
    phone.goto(phone.url.split("/desk/")[0] + desk + "drawers/")
    look(phone, "drawers-phone")
    assert phone.evaluate(SIDEWAYS) == 0


def fits(page: Page, name: str) -> None:
    for width, height in WIDTHS.items():
        set_screen(page, width, height)
        look(page, f"{name}-{width}", contrast=width == 1366)
        assert unfit(page) == []


def test_sold_by_a_key_won_paid_and_signed_for(make_page: MakePage) -> None:
    event = a_charged_event(6)
    senior, best = (add_side_pool(event, terms, by=SYSTEM_ACTOR) for terms in (SENIOR, BEST))
    desk = desk_url(event)
    page = make_page("desktop", viewport={"width": 1366, "height": 768})
    sign_in(page, a_user("director", event.tournament), to=f"{desk}entrants/1/pay/")
    cashier = Person(page)
    expect(page.get_by_label("Amount given")).to_be_focused()
    cashier.presses("F2", "F3", "F3")
    expect(page.locator("[data-to-pay]")).to_have_value("120.00")
    fits(page, "side-pool-sale")
    page.get_by_label("Amount given").focus()
    cashier.writes("150")
    expect(page.locator("[data-change-amount]")).to_have_text("$30.00")
    cashier.presses("Enter")
    expect(page.locator("#messages")).to_contain_text("Give back $30.00")
    assert [(row.pool, row.entrant.number) for row in SidePoolEntry.objects.all()] == [(senior, 1)]
    for number in (2, 3, 4):
        join_side_pool(senior, entrant_of(event, number), by=SYSTEM_ACTOR)
        join_side_pool(best, entrant_of(event, number), by=SYSTEM_ACTOR)
        take_payment(entrant_of(event, number), 130_00, "cash", by=SYSTEM_ACTOR, key="")
    site = page.url.split("/desk/")[0]
    page.goto(f"{site}{desk}prizes/side-pools/")
    fits(page, "side-pools-desk")
    page.goto(f"{site}/t/{event.tournament.slug}/{event.slug}/prizes/")
    fits(page, "side-pools-public")
    record_side_pool_result(best, [[2, 3]], by=SYSTEM_ACTOR)
    finish(event, [1], [2], [3, 4], [5], [6])
    page.goto(f"{site}{desk}prizes/")
    cashier.clicks_on("link", "Mark $15.00 paid out")
    form = page.locator("dialog[open]")
    form.get_by_text("Withhold some of it for taxes").click()
    form.get_by_label("What it is withheld for").fill("Backup withholding, 24%")
    withheld = form.get_by_label("Amount or percent withheld")
    for typed, said in (
        ("15.01", "That is more than the prize."), ("1.5", "The player gets $13.50"), ("24%", "The player gets $11.40"),
    ):  # fmt: skip
        withheld.fill(typed)
        expect(form.get_by_role("status")).to_have_text(said, use_inner_text=True)
    fits(page, "payout-withheld")
    cashier.clicks_on("button", "Record $15.00 paid out")
    expect(page.locator("#messages")).to_contain_text("Player 2 was handed $11.40, and $3.60 was withheld.")
    phone = make_page("phone")
    sign_in(phone, a_user("desk", event.tournament), to=f"{desk}prizes/signature/{PaidOut.objects.get().pk}/")
    fits(phone, "payout-signature")
    set_screen(phone, 360, 740)
    sign_on(phone)
    phone.get_by_role("button", name="Sign for the money").click()
    expect(phone.locator("#messages")).to_contain_text("Player 2 has signed.")
    assert PayoutSignature.objects.get().cents == 11_40
    pay_prize(entrant_of(event, 1), "check", by=SYSTEM_ACTOR)
    page.goto(f"{site}{desk}prizes/")
    for summary in page.get_by_text("Payouts on record").all():
        summary.click()
    fits(page, "payouts-with-pools")
