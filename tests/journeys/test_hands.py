"""Two hands in a dispute: typed or tapped at the desk, judged, and shown around."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import look, press
from tests.factories import a_user
from tests.journeys.steps import sign_in
from tests.kit import desk_url
from tests.scoring.helpers.playing import an_event_in_play, gin, play, the_card
from tests.scoring.helpers.tables import a_table_event
from tests.screens import SIDEWAYS
from tournament.models import Event

pytestmark = pytest.mark.browser

FIVE = "as 2s 3s 7h 7d 7c 9d 9h 9s 5c"
OTHER = "4s 5s kd kc kh qh qs 8c 2d 2h"


@pytest.fixture
def at_a_card(live_site: object) -> Event:
    event = an_event_in_play(("Ada Lovelace", "Alan Turing"), target=150)
    play(the_card(event), gin("A", 20, "8H"))
    return event


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_a_hand_is_typed_judged_and_shown_around(at_a_card: Event, make_page: Callable[..., Page], size: str) -> None:
    page = make_page(size)
    sign_in(page, a_user("desk", at_a_card.tournament))
    page.goto(desk_url(at_a_card, f"cards/{the_card(at_a_card).token}/"))
    page.get_by_role("link", name="Check the cards of hand 1").click()
    expect(page.get_by_label("Up card", exact=True)).to_have_value("8H")
    look(page, f"hands-empty-{size}")
    page.get_by_label("Announced").select_option("")
    page.get_by_label("Cards laid down").fill(FIVE)
    page.get_by_label("Opponent's cards").fill(OTHER.replace("2h", "5c"))
    page.get_by_role("button", name="Check the hands").click()
    expect(page.get_by_text("The five of clubs is in the other hand too: a deck has one.", exact=True)).to_be_visible()
    expect(page.get_by_label("Opponent's cards")).to_have_value(OTHER.replace("2h", "5c"))
    look(page, f"hands-refused-{size}")
    page.get_by_label("Opponent's cards").fill(OTHER)
    page.get_by_role("button", name="Check the hands").click()
    expect(page.get_by_role("heading", name="27 to Ada Lovelace")).to_be_visible()
    assert page.evaluate(SIDEWAYS) == 0
    look(page, f"hands-judged-{size}")
    page.get_by_role("link", name="Public page").click()
    expect(page.get_by_role("heading", name="27 to Ada Lovelace")).to_be_visible()
    assert page.evaluate(SIDEWAYS) == 0
    look(page, f"hands-shown-around-{size}")


def test_cards_are_tapped_into_the_fields(live_site: object, make_page: Callable[..., Page]) -> None:
    event = a_table_event(("Ada", "Alan"), "standard")
    page = make_page("phone")
    sign_in(page, a_user("desk", event.tournament))
    page.goto(desk_url(event, "hand/"))
    pack = page.locator("[data-tap-cards]")
    for name in ("ace", "two", "three", "four"):
        pack.get_by_label(f"{name} of spades").check()
    expect(page.get_by_label("Cards laid down")).to_have_value("AS 2S 3S 4S")
    pack.get_by_role("button", name="Opponent").click()
    expect(pack.get_by_label("ace of spades")).to_be_disabled()
    pack.get_by_label("ten of hearts").check()
    expect(page.get_by_label("Opponent's cards")).to_have_value("10H")
    pack.get_by_label("ten of hearts").uncheck()
    expect(page.get_by_label("Opponent's cards")).to_have_value("")
    pack.get_by_role("button", name="Up card").click()
    pack.get_by_label("ace of spades").check()
    pack.get_by_label("king of clubs").check()
    expect(page.get_by_label("Up card", exact=True)).to_have_value("KC")
    look(page, "hands-tapped-phone")


def test_typing_does_without_scripts(live_site: object, make_page: Callable[..., Page]) -> None:
    event = a_table_event(("Ada", "Alan"), "gra-singles")
    address = desk_url(event, "hand/")
    page = make_page("phone", java_script_enabled=False)
    sign_in(page, a_user("desk", event.tournament), to=address)
    page.goto(address)
    expect(page.locator("[data-tap-cards]")).to_be_hidden()
    page.get_by_label("Up card", exact=True).fill("8h")
    page.get_by_label("Cards laid down").fill(FIVE)
    page.get_by_label("Opponent's cards").fill(OTHER)
    press(page, "Enter")
    expect(page.get_by_role("heading", name="27 to Knocker")).to_be_visible()
