"""Pages that follow: who is woken by a hand, what a page says when it is cut off, and a tab that nobody looks at."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from scoring.models import Card
from tests.browser import look
from tests.factories import a_user
from tests.journeys.steps import sign_in
from tests.processes import Site
from tests.scoring.helpers.playing import an_event_in_play, cut_for, gin, play
from tournament.models import Event

pytestmark = pytest.mark.browser
Maker = Callable[..., Page]

HEAR = """() => new MutationObserver(() => console.log("heard"))
    .observe(document.querySelector("main"), { attributes: true })"""
HIDE = "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true }); \
document.dispatchEvent(new Event('visibilitychange')); }"


@pytest.fixture
def event(live_site: Site) -> Event:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"), target=900)
    for card in Card.objects.all():
        cut_for(card)
    return event


def card_page(page: Page, card: Card) -> None:
    page.goto(f"/my/{card.entrants[0].token}/card/{card.token}/")
    expect(page.locator("[data-live-word]")).to_have_text("Live")


def test_a_hand_wakes_its_own_table_and_no_other(make_page: Maker, event: Event) -> None:
    cards = list(Card.objects.order_by("pk"))
    mine, other, bracket = make_page("phone"), make_page("phone"), make_page("phone")
    card_page(mine, cards[0])
    card_page(other, cards[1])
    play(cards[0], gin("A", 20, "8H"))
    play(cards[1], gin("A", 20, "8H"))
    bracket.goto(f"/t/{event.tournament.slug}/{event.slug}/bracket/")
    expect(bracket.locator("[data-live-word]")).to_have_text("Live")
    for page in (mine, other):
        expect(page.get_by_text("Last hand:")).to_be_visible()
    asked: list[str] = []
    for page in (other, bracket):
        page.on("request", lambda request: asked.append(request.url))
    play(cards[0], gin("B", 31, "9H"))
    expect(mine.get_by_text("31").first).to_be_visible()
    assert not [url for url in asked if "/live/" not in url]
    play(cards[1], gin("B", 32, "9H"))
    expect(other.get_by_text("32").first).to_be_visible()
    assert len([url for url in asked if "/card/" in url]) == 1


@pytest.mark.parametrize("at_desk", [False, True], ids=["phone", "desk"])
def test_a_page_that_is_cut_off_says_since_when(make_page: Maker, event: Event, at_desk: bool) -> None:
    page = make_page("desktop" if at_desk else "phone", forgives="ERR_INTERNET_DISCONNECTED")
    if at_desk:
        sign_in(page, a_user("desk", event.tournament))
        page.goto(f"/desk/{event.tournament.slug}/{event.slug}/")
    else:
        card_page(page, Card.objects.first())  # type: ignore[arg-type]
    word = page.locator("[data-live-word]")
    expect(word).to_have_text("Live")
    page.context.set_offline(True)
    expect(word).to_have_text(re.compile(r"^Offline since \d{1,2}:\d\d [AP]M$"))
    look(page, f"live-offline-{'desk' if at_desk else 'phone'}")
    page.context.set_offline(False)
    expect(word).to_have_text("Live")


def test_a_tab_that_nobody_looks_at_waits(make_page: Maker, event: Event) -> None:
    page, card = make_page("phone"), Card.objects.order_by("pk")[0]
    card_page(page, card)
    page.evaluate(HIDE, True)
    with page.expect_event("console", lambda message: message.text == "heard"):
        page.evaluate(HEAR)
        play(card, gin("A", 47, "8H"))
    page.wait_for_timeout(1500)
    expect(page.get_by_text("47")).to_have_count(0)
    page.evaluate(HIDE, False)
    expect(page.get_by_text("47").first).to_be_visible()
