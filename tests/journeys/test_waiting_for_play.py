"""Who waits at “my match” has their card when play starts, with all that a card needs."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from scoring.cards.services.hands import record_cut
from scoring.models import Card
from scoring.posting.services.opening import start_play
from scoring.rulesheets.services import RulesChosen, save_rules
from tests.browser import WITHOUT_NETWORK, look
from tests.journeys.steps import leave_network
from tests.processes import Site
from tests.scoring.helpers.playing import a_drawn_event
from tournament.core.permissions import SYSTEM
from tournament.models import Event

pytestmark = pytest.mark.browser


@pytest.fixture
def event(live_site: Site) -> Event:
    event = a_drawn_event(("Ada", "Alan"))
    save_rules(event, RulesChosen("gra-singles", {"target": 50}, 1), by=SYSTEM)
    return event


def test_the_card_comes_by_itself(make_page: Callable[..., Page], event: Event) -> None:
    page = make_page("phone", forgives=WITHOUT_NETWORK)
    _waits_until_play_starts(page, event)
    expect(page.get_by_role("main")).to_have_count(1)
    expect(page).to_have_title(re.compile("Game 1 against Alan"))
    _keeps_hands_offline(page)
    _follows_its_card(page, event)
    look(page, "card-that-came")
    came = _places(page)
    page.reload()
    expect(page.locator(".match-score")).to_be_visible()
    assert came == _places(page), "everything stands where it stands on a card that was opened as one"


def test_a_card_that_came_by_plain_http_takes_its_first_hand_without_the_network(
    make_page: Callable[..., Page], live_site: Site, event: Event
) -> None:
    page = make_page("phone", base_url=live_site.hall, forgives=WITHOUT_NETWORK)
    _waits_until_play_starts(page, event)
    card = Card.objects.get(match__event=event)
    record_cut(card, event.entrants.get(number=1), by=SYSTEM)
    expect(page.get_by_role("link", name="Enter hand 1")).to_be_visible()
    leave_network(page)
    page.get_by_role("link", name="Enter hand 1").click()
    expect(page.get_by_role("heading", name="Hand 1")).to_be_visible()


def _waits_until_play_starts(page: Page, event: Event) -> None:
    page.goto(f"/my/{event.entrants.get(number=1).token}/match/")
    expect(page.locator("[data-live-word]")).to_have_text("Live")
    expect(page.get_by_role("heading", name="My match")).to_be_visible()
    start_play(event, by=SYSTEM)
    expect(page.locator(".match-score")).to_be_visible()


def _keeps_hands_offline(page: Page) -> None:
    no_network = page.locator("[data-outbox-off]")
    leave_network(page)
    expect(no_network).to_be_visible()
    page.context.set_offline(False)
    expect(no_network).to_be_hidden()


def _follows_its_card(page: Page, event: Event) -> None:
    card = Card.objects.get(match__event=event)
    record_cut(card, card.entrants[1], by=SYSTEM)
    expect(page.get_by_text("Every hand appears here at once")).to_be_visible()


def _places(page: Page) -> list[dict[str, float] | None]:
    return [page.locator(part).first.bounding_box() for part in (".over", ".match-head", ".match-score", ".card-more")]
