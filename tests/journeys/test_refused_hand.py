"""A hand that the card refuses never blocks the scorekeeper's phone, whatever way it is put right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from scoring.card_state.selectors.cards import load_card_by_pk
from scoring.cards.services.hands import LineEntry, add_line
from scoring.models import Card, SheetLine
from tests.browser import WITHOUT_NETWORK
from tests.journeys.steps import leave_network
from tests.processes import Site, until
from tests.scoring.helpers.playing import an_event_in_play, cut_for, knock, the_card, the_director

pytestmark = pytest.mark.browser


@pytest.fixture
def card(live_site: Site) -> Card:
    card = the_card(an_event_in_play(("Ada", "Alan"), target=100))
    cut_for(card)
    return card


@pytest.fixture
def phone(make_page: Callable[..., Page], live_site: Site, card: Card) -> Page:
    """The scorekeeper's phone on the card page, by the hall's plain address."""
    page = make_page("phone", base_url=live_site.hall, forgives=WITHOUT_NETWORK)
    page.goto(f"/my/{card.entrants[0].token}/card/{card.token}/")
    return page


def knocks(page: Page, own: str, other: str = "20") -> None:
    """Enter a knock under the 5♦, in the form that is open."""
    form = page.locator("[data-hand-form]")
    for name, value in {"up_rank": "5", "up_suit": "D", "outcome": "knock", "by": "A"}.items():
        form.locator(f'label.key:has(input[name="{name}"][value="{value}"])').click()
    form.locator('input[name="counts_A"]').fill(own)
    form.locator('input[name="counts_B"]').fill(other)
    form.get_by_role("button", name="Record").click()


def is_refused(phone: Page) -> None:
    """Enter a knock with 9 under a 5, which no rule allows."""
    phone.get_by_role("link", name="Enter hand 1").click()
    knocks(phone, "9")
    expect(phone.locator("[data-hand-form][data-all]")).to_contain_text("5 is the most")  # in the site's own page


def counts(card: Card) -> list[int]:
    return [line.line["counts"]["A"] for line in load_card_by_pk(card.pk).lines]


def nothing_is_kept(phone: Page) -> None:
    """Wait until the page has read its list of kept hands, and see that the list is empty."""
    expect(phone.locator(".match-score")).to_be_visible()
    expect(phone.locator("[data-outbox]")).to_have_attribute("data-offline-ready", "")
    expect(phone.locator("[data-outbox-kept]")).to_be_hidden()


def test_a_refused_hand_is_put_right_from_the_card_page(phone: Page, card: Card) -> None:
    is_refused(phone)
    phone.get_by_role("link", name="Back to the card").click()
    again = phone.locator("[data-live-panel] .btn-lg.btn-primary")
    expect(again).to_have_text("Correct hand 1")
    assert "NaN" not in phone.content()
    again.click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Hand 1")
    expect(phone.locator("[data-outbox-refused]")).to_contain_text("5 is the most")
    phone.locator('input[name="counts_A"]').fill("3")
    phone.get_by_role("button", name="Record").click()
    nothing_is_kept(phone)
    until(lambda: counts(card) == [3])
    expect(phone.get_by_role("link", name="Enter hand 2")).to_be_visible()


def test_a_refused_hand_that_is_typed_again_from_the_start_is_replaced(phone: Page, card: Card) -> None:
    is_refused(phone)
    phone.goto(f"{phone.url}?again")  # the form as the site sends it, without the answers of before
    expect(phone.get_by_role("heading", level=1)).to_have_text("Hand 1")
    knocks(phone, "3")
    nothing_is_kept(phone)
    until(lambda: counts(card) == [3])


def test_a_hand_behind_a_dropped_one_takes_its_number(phone: Page, card: Card) -> None:
    expect(phone.get_by_role("link", name="Enter hand 1")).to_be_visible()
    leave_network(phone)
    phone.get_by_role("link", name="Enter hand 1").click()
    knocks(phone, "9")
    phone.get_by_role("heading", name="Hand 2").wait_for()
    knocks(phone, "4")
    phone.get_by_role("heading", name="Hand 3").wait_for()
    phone.get_by_role("button", name="Back to the card").click()
    phone.context.set_offline(False)
    kept = phone.locator(".outbox-hand")
    expect(kept.first).to_contain_text("5 is the most")
    expect(kept.last).to_contain_text("Hand 2 is kept on this phone. It will be sent after Hand 1.")
    kept.first.get_by_role("button", name="Drop").click()
    phone.get_by_role("button", name="Yes, continue").click()
    nothing_is_kept(phone)
    until(lambda: counts(card) == [4])


def test_a_refused_hand_goes_when_the_desk_has_entered_it_right(phone: Page, card: Card) -> None:
    is_refused(phone)
    phone.get_by_role("link", name="Back to the card").click()
    expect(phone.locator(".outbox-hand")).to_contain_text("5 is the most")
    the_desk_enters_it(card)
    expect(phone.get_by_text("Hand 1 is on the score card now.")).to_be_visible()
    nothing_is_kept(phone)
    until(lambda: counts(card) == [2])


def test_a_refused_hand_goes_as_soon_as_a_page_that_was_left_while_it_sent_holds_it_no_more(
    phone: Page, card: Card
) -> None:
    is_refused(phone)
    phone.get_by_role("link", name="Back to the card").click()
    expect(phone.locator("[data-outbox]")).to_have_attribute("data-offline-ready", "")
    until(lambda: phone.evaluate("window.outbox.store.lease('a page that was left', 2500)"))  # the page may hold it
    the_desk_enters_it(card)
    expect(phone.get_by_text("Hand 1 is on the score card now.")).to_be_visible()


def the_desk_enters_it(card: Card) -> None:
    entry: dict[str, Any] = knock("A", 2, 20, "5D")
    add_line(card, LineEntry(entry, via=SheetLine.Via.DESK), by=the_director(card.match.event))
