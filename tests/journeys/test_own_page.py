"""A player's own page and the wall follow what happens, and a lost link comes back by the desk's approval."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import look
from tests.factories import a_director, a_user, an_entrant, an_event
from tests.journeys.steps import sign_in
from tests.kit import desk_url, public_url
from tests.processes import Site
from tests.scoring.helpers.playing import an_event_in_play, play_out, sign, the_card
from tournament.core.permissions import SYSTEM
from tournament.core.services.record import writing
from tournament.messages.services import Letter, send_message
from tournament.models import Event
from tournament.money.services.ledger import charge, take_payment

pytestmark = pytest.mark.browser

Browser = Callable[..., Page]


def test_the_own_page_and_the_wall_show_nothing_old(live_site: Site, make_page: Browser) -> None:
    event = an_event(state=Event.State.OPEN, fee_cents=60_00)
    ada = an_entrant(event, "Ada Lovelace", state="applied")
    director = a_director(event.tournament)
    with writing(event, verb="entry", by=SYSTEM) as write:
        charge(write, ada)
    phone, wall = make_page("phone"), make_page("wall")
    phone.goto(f"/my/{ada.token}/")
    wall.goto(public_url(event, "wall/"))
    expect(phone.locator("[data-live-word]")).to_have_text("Live")
    expect(phone.locator("main")).to_contain_text("To pay")
    look(phone, "own-page")
    send_message(event, Letter("Lunch", "Back at half past one", "all"), by=director, key="lunch")
    for page in (phone, wall):
        expect(page.get_by_text("Back at half past one")).to_be_visible()
    look(wall, "wall-message")
    take_payment(ada, 60_00, "cash", by=director, key="paid")
    expect(phone.locator("main").get_by_text("To pay")).to_have_count(0)
    expect(phone.locator("main").get_by_text("You owe")).to_have_count(0)


def test_a_message_goes_when_the_page_says_something_newer(live_site: Site, make_page: Browser) -> None:
    card = the_card(an_event_in_play(("Ada", "Alan")))
    play_out(card)
    ada, alan = card.entrants
    phone = make_page("phone")
    phone.goto(f"/my/{ada.token}/card/{card.token}/sign/")
    phone.locator("[name=code]").fill(ada.sign_code)
    phone.get_by_role("button", name="Sign", exact=True).last.click()
    expect(phone.get_by_text("Signed. Your opponent signs next.")).to_be_visible()
    sign(card, alan)
    expect(phone.locator("#card-panel .match-act")).to_contain_text("Posted")
    expect(phone.get_by_text("Signed. Your opponent signs next.")).to_have_count(0)


def test_a_lost_link_comes_back_to_the_phone_that_asked(live_site: Site, make_page: Browser) -> None:
    event = an_event(state=Event.State.OPEN)
    ada = an_entrant(event, "Ada Lovelace")
    phone, desk = make_page("phone"), make_page("desktop")
    phone.goto(public_url(event, "mine/"))
    look(phone, "lost-link")
    phone.get_by_label("Your name").fill("Ada Lovelace")
    phone.get_by_label("Last four digits of your phone number").fill("4477")
    phone.get_by_role("button", name="Ask the desk for my link").click()
    expect(phone.get_by_text("The desk has your request, Ada Lovelace.")).to_be_visible()
    look(phone, "lost-link-waits")
    to = desk_url(event, "today/")
    sign_in(desk, a_user("desk", event.tournament), to=to)
    desk.get_by_text("Ada Lovelace has lost their private link.").click()
    look(desk, "lost-links")
    desk.get_by_role("button", name="Approve: show the link on their phone").click()
    expect(desk.get_by_text("Nobody is waiting for a link")).to_be_visible()
    phone.get_by_role("link", name="Open my page").click()
    expect(phone.get_by_role("heading", level=1)).to_contain_text("Ada Lovelace")
    ada.refresh_from_db()
    assert phone.url.endswith(f"/my/{ada.token}/")
