"""Test that the desk checks in imported players, by keys and by search, on a laptop and a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import MakePage, look, press, write
from tests.factories import a_user
from tests.journeys.person import Person
from tests.journeys.steps import LISTED, an_imported_field, sign_in
from tests.kit import desk_url
from tests.screens import SIDEWAYS
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import AuditEntry, Event
from tournament.money.services.checkin import set_check_in_status
from tournament.money.services.fees_and_refunds import take_payment

pytestmark = pytest.mark.browser

SEEN = """() => [...document.querySelectorAll('[data-row-key]')]
    .filter(key => key.closest('tr').getBoundingClientRect().bottom <= innerHeight).length"""
TARGETS = "main a, main button, main label.row-box, #desk-nav a, #desk-nav summary"
SMALL = f"""() => [...document.querySelectorAll('{TARGETS}')]
    .filter(part => part.offsetParent && !part.matches('.row-key, .skip-link'))
    .map(part => [part.textContent.trim(), part.getBoundingClientRect().height])
    .filter(([, height]) => height < 43.5)"""
ROWS = "() => [...document.querySelectorAll('tr:has(.row-key)')].map(row => row.getBoundingClientRect().height)"


def at_the_desk(page: Page, event: Event) -> None:
    at = desk_url(event, "check-in/?only=missing")
    sign_in(page, a_user("desk", event.tournament), to=at)


def test_twelve_players_are_checked_in_with_sixteen_keys(make_page: MakePage) -> None:
    event = an_imported_field()
    page = make_page("desktop", viewport={"width": 1366, "height": 768})
    at_the_desk(page, event)
    expect(page.locator("[data-row-key]:focus")).to_have_accessible_name("Check in 9 Marie Curie")
    assert page.evaluate(SEEN) >= 10
    assert (page.evaluate(SMALL), min(page.evaluate(ROWS)) >= 44) == ([], True)
    look(page, "check-in-laptop", full_page=False)
    struck = 0
    for left in (9, 6, 3, 0):
        for key in ("Space", "Space", "Space", "Enter"):
            press(page, key)
            struck += 1
        expect(page.locator("[data-row-key]")).to_have_count(left)
    assert struck == 16
    assert event.entrants.filter(arrived=True).count() == len(LISTED)
    assert AuditEntry.objects.filter(event=event, verb="entrant.arrived").count() == 4


def test_on_a_phone_one_is_found_by_search_and_the_whole_row_is_the_key(make_page: MakePage) -> None:
    event = an_imported_field()
    phone = make_page("phone")
    at_the_desk(phone, event)
    look(phone, "check-in-phone")
    phone.get_by_role("searchbox").fill("ostlund")
    phone.get_by_role("button", name="Search").click()
    expect(phone.locator("[data-row-key]")).to_have_count(1)
    assert "only=missing" in phone.url and "q=ostlund" in phone.url
    assert (phone.evaluate(SIDEWAYS), phone.evaluate(SMALL)) == (0, [])
    name = phone.get_by_text("Åsa Östlund").bounding_box()
    assert name is not None
    phone.touchscreen.tap(name["x"] + 5, name["y"] + 5)
    expect(phone.locator("[data-row-key]")).to_have_count(0)
    assert [entrant.name for entrant in event.entrants.filter(arrived=True)] == ["Åsa Östlund"]
    phone.goto(phone.url.split("?")[0])
    look(phone, "check-in-phone-all")
    phone.set_viewport_size({"width": 768, "height": 1024})
    look(phone, "check-in-tablet", full_page=False)
    phone.goto(phone.url.replace("check-in/", "payments/"))
    look(phone, "payments-tablet", full_page=False)
    phone.set_viewport_size({"width": 360, "height": 740})
    assert phone.evaluate(SIDEWAYS) == 0
    look(phone, "payments-phone", contrast=False)


def open_check_in(page: Page, event: Event) -> None:
    sign_in(page, a_user("desk", event.tournament), to=desk_url(event, "check-in/"))
    expect(page.locator("[data-row-key]:focus")).to_be_visible()


def test_enter_struck_twice_undoes_nothing_and_checks_in_nobody_else(make_page: MakePage) -> None:
    event, page = an_imported_field(), make_page("desktop")
    open_check_in(page, event)
    press(page, "ArrowUp")
    for _strike in range(2):
        page.keyboard.press("Enter")
    expect(page.locator("#arrived-9")).to_contain_text("Undo")
    page.keyboard.press("Enter")
    assert [entrant.number for entrant in event.entrants.filter(arrived=True)] == [9]


def test_enter_before_the_list_has_followed_waits_for_it_and_keeps_the_marks(make_page: MakePage) -> None:
    event, page = an_imported_field(), make_page("desktop")
    open_check_in(page, event)
    press(page, "Space")
    held: list[Route] = []
    page.route("**/check-in/?q=ostl*", lambda route: held.append(route))
    with page.expect_request("**/check-in/?q=ostl*"):
        write(page, "ostl")
        press(page, "Enter")
    expect(page.locator("[data-type-to-search]")).to_be_focused()
    held[0].continue_()
    expect(page.locator("[data-row-key]:focus")).to_have_accessible_name("Check in 6 Åsa Östlund")
    expect(page.locator("[data-marked-count]")).to_have_text("(1)")


def test_a_walk_in_is_found_missing_entered_paid_and_checked_in_by_keyboard(make_page: MakePage) -> None:
    event = an_imported_field()
    page = make_page("desktop", viewport={"width": 1366, "height": 768})
    sign_in(page, a_user("desk", event.tournament), to=desk_url(event, "check-in/"))
    desk = Person(page)
    expect(page.locator("[data-row-key]:focus")).to_be_visible()
    desk.presses("Space")
    desk.writes("ostl")
    expect(page.locator("[data-row-key]")).to_have_count(1)
    expect(page.locator("[data-marked-count]")).to_have_text("(1)")
    desk.presses("Enter")
    expect(page.locator("[data-row-key]:focus")).to_have_accessible_name("Check in 6 Åsa Östlund")
    desk.presses("Space", "Enter")
    expect(page.locator("#messages")).to_contain_text("2 players are checked in")
    began = desk.keys
    desk.writes("Eve New")
    expect(page.get_by_role("link", name="Add a walk-in").last).to_be_visible()
    expect(page.get_by_text("Nobody on this list matches")).to_be_visible()
    look(page, "check-in-nobody", full_page=False)
    desk.presses("Enter")
    expect(page.locator("[name=name]")).to_have_value("Eve New")
    desk.presses("Enter")
    expect(page.get_by_label("Amount given")).to_be_focused()
    desk.writes("320")
    desk.presses("Enter")
    expect(page.locator("#messages")).to_contain_text("Eve New paid $300.00 and is checked in.")
    look(page, "check-in-walk-in", full_page=False)
    assert desk.keys - began == len("Eve New") + 2 + len("320") + 1


@pytest.mark.parametrize("number", [9, 10])
def test_mouse_and_keyboard_reach_the_same_payment_form(make_page: MakePage, number: int) -> None:
    event = an_imported_field()
    settled = event.entrants.get(number=10)
    take_payment(settled, 300_00, "cash", by=SYSTEM_ACTOR, key="")
    set_check_in_status(settled, by=SYSTEM_ACTOR)
    page = make_page("desktop")
    sign_in(page, a_user("desk", event.tournament), to=desk_url(event, "check-in/"))
    check_in, link = page.url, page.locator(f"tr:has(#arrived-{number}) [data-sale]")
    link.focus()
    press(page, "$")
    expect(page.get_by_label("Amount given")).to_be_focused()
    by_key = page.url
    page.goto(check_in)
    link.click()
    expect(page.get_by_label("Amount given")).to_be_focused()
    assert page.url == by_key and f"/entrants/{number}/pay/" in by_key
