"""A side pool in the browser: sold by a key, seen by all, won, paid less taxes, and signed for with a finger."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import look
from tests.factories import a_user
from tests.journeys.person import Person
from tests.journeys.steps import sign_in, sign_on
from tests.kit import desk_url, entrant_of
from tests.processes import Site
from tests.screens import WIDTHS, set_screen, unfit
from tests.tournament.helpers.side_pools import BEST, SENIOR, a_charged_event, finish
from tournament.core.permissions import SYSTEM
from tournament.models import PaidOut, PayoutSignature, SidePoolEntry
from tournament.money.services.ledger import take_payment
from tournament.money.services.payouts import pay_prize
from tournament.money.services.side_pools import add_side_pool, join_side_pool, record_pool_result

pytestmark = pytest.mark.browser


def fits(page: Page, name: str) -> None:
    for width, height in WIDTHS.items():
        set_screen(page, width, height)
        look(page, f"{name}-{width}", contrast=width == 1366)
        assert unfit(page) == []


def test_sold_by_a_key_won_paid_and_signed_for(live_site: Site, make_page: Callable[..., Page]) -> None:
    event = a_charged_event(6)
    senior, best = (add_side_pool(event, terms, by=SYSTEM) for terms in (SENIOR, BEST))
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
        join_side_pool(senior, entrant_of(event, number), by=SYSTEM)
        join_side_pool(best, entrant_of(event, number), by=SYSTEM)
        take_payment(entrant_of(event, number), 130_00, "cash", by=SYSTEM, key="")
    site = page.url.split("/desk/")[0]
    page.goto(f"{site}{desk}prizes/side-pools/")
    fits(page, "side-pools-desk")
    page.goto(f"{site}/t/{event.tournament.slug}/{event.slug}/prizes/")
    fits(page, "side-pools-public")
    record_pool_result(best, [[2, 3]], by=SYSTEM)
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
    pay_prize(entrant_of(event, 1), "check", by=SYSTEM)
    page.goto(f"{site}{desk}prizes/")
    for summary in page.get_by_text("Payouts on record").all():
        summary.click()
    fits(page, "payouts-with-pools")
