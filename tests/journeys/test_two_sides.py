"""Couples and Court Whist in the browser: the worksheet counts as tables report, winners move, the wall follows."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import SIZES, look
from tests.factories import a_user
from tests.journeys.steps import sign_in
from tests.kit import desk_url, fresh, public_url
from tests.scoring.helpers.turning import an_event_in_play, gin, play_round, stock, the_sheet
from tests.scoring.helpers.whist import a_whist_event, enter, the_hall
from tests.screens import SIDEWAYS
from tournament.models import Event

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Make = Callable[..., Page]


def at_the_desk(make_page: Make, event: Event, page: str, size: str = "desktop") -> Page:
    desk = make_page(size)
    address = desk_url(event, page)
    sign_in(desk, a_user("director", event.tournament), to=address)
    desk.goto(address)
    return desk


def report(page: Page, table: int, how: str, **counts: int) -> None:
    page.locator(f"label:has(input[name='t{table}-how'][value='{how}'])").click()
    for side, count in counts.items():
        page.locator(f"[name='t{table}-{side}']").fill(str(count))


def test_a_round_of_couples_from_the_report_to_the_wall(make_page: Make) -> None:
    event = an_event_in_play(3, 3)
    desk = at_the_desk(make_page, event, "worksheet/")
    wall = make_page("wall")
    wall.goto(public_url(event, "rounds/wall/"))
    expect(wall.get_by_role("heading", name="Round 1")).to_be_visible()
    report(desk, 1, "gin-A", B=12)
    sums = desk.locator("#round-sums")
    expect(sums).to_contain_text("12 and 1 gin to Guys")
    report(desk, 2, "run-B", A=25, B=12)
    expect(sums).to_contain_text("9 is the most")
    desk.locator("[name='t2-B']").fill("5")
    expect(sums).to_contain_text("20 to Girls")
    report(desk, 3, "stock", A=8, B=2)
    expect(sums).to_contain_text("14 points to Girls, who deal next")
    look(desk, "worksheet-desk")
    desk.get_by_role("button", name="Post round 1").click()
    expect(desk.get_by_role("heading", name="Round 2", level=2)).to_be_visible()
    expect(desk.locator(".deals").first).to_contain_text("Girls deal")
    expect(wall.get_by_role("heading", name="Round 2")).to_be_visible()
    expect(wall.get_by_role("heading", name="Worksheet of round 1")).to_be_visible()
    look(wall, "couples-wall", full_page=False)
    assert the_sheet(fresh(event)).number == 2


def test_the_worksheet_and_the_rounds_on_a_phone(make_page: Make) -> None:
    event = an_event_in_play(3, 3)
    play_round(event, gin("A", 10), gin("B", 4), stock(12, 4))
    phone = at_the_desk(make_page, event, "worksheet/", "phone")
    assert phone.evaluate(SIDEWAYS) == 0
    look(phone, "worksheet-phone")
    phone.goto(public_url(event, "rounds/"))
    assert phone.evaluate(SIDEWAYS) == 0
    look(phone, "couples-phone")


def test_a_table_of_court_whist_and_the_move(make_page: Make) -> None:
    event = a_whist_event(4, 4)
    enter(event, 2, (7, 6, 7, 6))
    desk = at_the_desk(make_page, event, "whist/")
    desk.get_by_role("link", name="Enter table 1").click()
    for hand in range(1, 5):
        desk.locator(f"[name='c0_{hand}']").fill("8")
    look(desk, "whist-table")
    desk.set_viewport_size(SIZES["phone"]["viewport"])
    assert desk.locator(".scroll-box").evaluate("box => box.scrollWidth - box.clientWidth") == 0  # every box is seen
    desk.set_viewport_size(SIZES["desktop"]["viewport"])
    desk.get_by_role("button", name="Record table 1").click()
    expect(desk.get_by_text("the winners move", exact=False).first).to_be_visible()
    table = the_hall(event).tables[1]
    for guest in table.couples[0]:
        desk.get_by_label(guest.name, exact=True).check()
    look(desk, "whist-move")
    desk.get_by_role("button", name="Move").click()
    expect(desk.get_by_role("heading", name="Game 2: Prosperity")).to_be_visible()
    look(desk, "whist-desk")
    wall = make_page("wall")
    wall.goto(public_url(event, "rounds/wall/"))
    look(wall, "whist-wall", full_page=False)
    phone = make_page("phone")
    phone.goto(f"/my/{table.guests[0].entrant.token}/match/")
    assert phone.evaluate(SIDEWAYS) == 0
    look(phone, "whist-my-seat")
    phone.goto(public_url(event, "rounds/"))
    assert phone.evaluate(SIDEWAYS) == 0
    look(phone, "whist-phone")
