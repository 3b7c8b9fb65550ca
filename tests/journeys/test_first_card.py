"""From an empty site to the first signed score card, by what the screens offer and nothing else, in five minutes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from scoring.models import CardPosted
from tests.factories import a_user
from tests.journeys.at_the_table import a_gin, sign
from tests.journeys.person import Person, set_up_a_tournament
from tests.journeys.steps import sign_in
from tests.processes import Site

pytestmark = [pytest.mark.browser, pytest.mark.long]

SECONDS_ALLOWED: Final = 300
MOST_CLICKS: Final = 55
PLAYERS: Final = ("Ada Lovelace", "Alan Turing")
CUT: Final = ("seven of hearts", "queen of spades", "two of diamonds")
Maker = Callable[..., Page]


def test_the_first_card_is_signed_in_five_minutes(make_page: Maker, live_site: Site) -> None:
    page = make_page("desktop")
    sign_in(page, a_user())
    volunteer = Person(page)
    open_an_event(volunteer)
    links = [enter(volunteer, name) for name in PLAYERS]
    close(volunteer)
    check_in_and_draw(volunteer)
    start(volunteer)
    people = [volunteer, *play(make_page, links)]
    assert CardPosted.objects.count() == 1
    assert sum(one.clicks for one in people) <= MOST_CLICKS
    assert sum(one.screens for one in people) * 2 + people[0].seconds - people[0].screens * 2 <= SECONDS_ALLOWED


def open_an_event(volunteer: Person) -> None:
    set_up_a_tournament(volunteer)
    volunteer.clicks_on("button", "GRA singles")
    volunteer.follows("Next: Who may enter")
    volunteer.unchecks("Coordinator")
    volunteer.unchecks("Hotel")
    volunteer.follows("Next: Money")
    for label, text in {"Entry fee": "0", "Early-bird fee": "", "Last day of the early-bird fee": ""}.items():
        volunteer.types(label, text)
    volunteer.follows("Next: Prizes")
    volunteer.follows("Finish setup")
    volunteer.follows("Open registration")


def enter(volunteer: Person, name: str) -> str:
    """The player's own link, as it stands on the page."""
    if volunteer.main.get_by_role("link", name="Add players").count():
        volunteer.follows("Add players")
    else:
        volunteer.goes_to("Entrants")
    volunteer.clicks_on("link", "Enter a player")
    volunteer.types("Name", name)
    volunteer.clicks_on("button", "Save")
    link = re.search(r"/my/[\w-]+/", volunteer.main.inner_text())
    assert link is not None
    return link[0]


def close(volunteer: Person) -> None:
    volunteer.goes_to("Today")
    volunteer.follows("Close registration")
    volunteer.follows("Close registration")


def check_in_and_draw(volunteer: Person) -> None:
    volunteer.goes_to("Today")
    volunteer.follows("Check in players")
    for number in range(1, len(PLAYERS) + 1):
        volunteer.clicks += 1
        volunteer.page.locator(f"#arrived-{number}").click()
        expect(volunteer.page.locator(f"#arrived-{number}")).to_contain_text("Undo")
    volunteer.goes_to("Today")
    volunteer.follows("Make the draw")
    for card in CUT:
        volunteer.clicks += 1
        volunteer.page.get_by_label(card).check(force=True)
    volunteer.follows("Draw")
    volunteer.follows("Post the draw")


def start(volunteer: Person) -> None:
    volunteer.follows("Start play and assign tables")
    volunteer.follows("Start play and assign tables")
    expect(volunteer.page.get_by_text("Play has started, and the score cards are open.")).to_be_visible()


def play(make_page: Maker, links: list[str]) -> tuple[Person, Person]:
    """Both open their page; the first cut the low card and keeps score; two gins, and both sign."""
    pages = [make_page("phone"), make_page("phone")]
    for page, link in zip(pages, links, strict=True):
        page.goto(link)
    keeper, other = (Person(page) for page in pages)
    for one in (keeper, other):
        one.clicks_on("link", "My match")
    keeper.clicks_on("button", "I did")
    for hand, suit in enumerate(("spades", "hearts"), start=1):
        a_gin(keeper, hand, suit)
    for one, said in ((keeper, "Signed. Your opponent signs next."), (other, "Signed. The card is posted.")):
        sign(one, said)
    return keeper, other
