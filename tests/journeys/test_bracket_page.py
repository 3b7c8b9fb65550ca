"""The bracket in a real browser where there is room for the whole tree."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pairing.desk.services.sending import call_all
from pairing.stages.selectors.course import load_course
from tests.browser import look
from tests.kit import fresh
from tests.pairing.helpers.events import an_event_in_play, win
from tests.processes import Site
from tournament.core.permissions import SYSTEM

pytestmark = pytest.mark.browser


def test_the_live_round_and_my_match_are_in_view(live_site: Site, make_page: Callable[..., Page]) -> None:
    event = an_event_in_play(64)
    progress = load_course(event).progress
    assert progress is not None
    for match in progress.bracket.matches:
        if match.round <= 4:
            win(event, match.id)
    call_all(event, 1, 2, by=SYSTEM)
    early = progress["R1M32"].entries[1]
    base = f"/t/{event.tournament.slug}/{fresh(event).slug}/bracket/"
    page = make_page("desktop", color_scheme="dark")
    page.goto(base)
    left = "document.querySelector('.bracket-tree').scrollLeft"
    expect(page.locator(".bracket-picture text", has_text="Semifinals")).to_be_visible()
    assert page.evaluate(left) > 100
    look(page, "bracket-desktop-dark", full_page=False)
    page.goto(f"{base}?me={early}")
    expect(page.locator(".bracket-tree .bracket-box.is-mine")).to_have_count(1)
    assert page.evaluate(left) == 0
