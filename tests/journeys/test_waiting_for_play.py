"""Who waits at “my match” has their card when play starts, with all that a card needs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from scoring.posting.services.start_play import start_play
from scoring.rulesheets.services import RulesChosen, save_rules
from tests.processes import Site
from tests.scoring.helpers.playing import a_drawn_event
from tournament.core.permissions import SYSTEM

pytestmark = pytest.mark.browser


def test_the_card_comes_by_itself(make_page: Callable[..., Page], live_site: Site) -> None:
    event = a_drawn_event(("Ada", "Alan"))
    save_rules(event, RulesChosen("gra-singles", {"target": 50}, 1), by=SYSTEM)
    page = make_page("phone")
    page.goto(f"/my/{event.entrants.get(number=1).token}/match/")
    expect(page.locator("[data-live-word]")).to_have_text("Live")
    expect(page.get_by_role("heading", name="My match")).to_be_visible()
    start_play(event, by=SYSTEM)
    expect(page.locator(".match-score")).to_be_visible()
    expect(page.get_by_role("main")).to_have_count(1)
    expect(page.locator("[data-outbox]")).to_be_attached()
