"""A result was wrong and play has gone on: the director looks, keeps the next match, and takes the correction back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from pairing.stages.selectors.course import load_course
from scoring.models import CardSeat
from tests.browser import look
from tests.journeys.steps import Played, played, sign_in
from tests.processes import Site
from tests.screens import SIDEWAYS
from tournament.models import Entrant, Event

pytestmark = pytest.mark.browser

LONG_NAME: Final = "Maximiliane Featherstonehaugh"


def test_a_result_is_corrected_after_play_has_gone_on(live_site: Site, make_page: Callable[..., Page]) -> None:
    whole = played(8, "final")
    winner, loser = the_two(whole)
    page = make_page("desktop")
    sign_in(page, whole.director)
    correct(page, whole, loser)
    keep(page, whole, winner)
    take_back(page, whole, winner)


def the_two(whole: Played) -> tuple[Entrant, Entrant]:
    """Who won match 1 of round 1, and who lost it; both with long names."""
    progress = load_course(whole.event).progress
    assert progress is not None
    view = progress["R1M1"]
    found = []
    for number in (view.winner, view.losers[0]):
        entrant = whole.event.entrants.get(number=number)
        Entrant.objects.filter(pk=entrant.pk).update(name=f"{LONG_NAME} {number}")
        CardSeat.objects.filter(entrant=entrant).update(name=f"{LONG_NAME} {number}")
        found.append(Entrant.objects.get(pk=entrant.pk))
    Event.objects.filter(pk=whole.event.pk).update(version=whole.event.version + 1000)
    return found[0], found[1]


def look_at(page: Page, name: str) -> None:
    for size, (width, height) in {"phone": (360, 740), "desktop": (1280, 900)}.items():
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(SIDEWAYS) == 0, f"{name}, {size}"
        look(page, f"{name}-{size}")


def correct(page: Page, whole: Played, loser: Entrant) -> None:
    page.goto(f"{whole.desk}results/R1M1/")
    look_at(page, "decide")
    page.get_by_label(f"It was played, and {loser.name} won").check()
    for field in page.locator("[name^=points_]").all():
        field.fill("160" if field.get_attribute("name") == f"points_{loser.number}" else "119")
    page.get_by_label("Reason, for the record").fill("The names were changed")
    page.get_by_role("button", name="Show the changes").click()
    expect(page.get_by_text("Nothing is recorded yet.")).to_be_visible()
    expect(page.get_by_role("heading", name="Later matches")).to_be_visible()
    look_at(page, "effects")


def keep(page: Page, whole: Played, winner: Entrant) -> None:
    page.get_by_label("Keep it as played").first.check()
    page.get_by_role("button", name="Record result").click()
    expect(page.get_by_text("Read the changes again, then confirm.")).to_be_visible()
    expect(page.get_by_text("It stays as played.").first).to_be_visible()
    page.get_by_role("button", name="Record result").click()
    expect(page.get_by_role("heading", name="Results")).to_be_visible()
    page.goto(f"{whole.page}match/R2M1/")
    expect(page.get_by_text("Kept as played").first).to_be_visible()
    expect(page.get_by_text(winner.name).first).to_be_visible()


def take_back(page: Page, whole: Played, winner: Entrant) -> None:
    page.goto(f"{whole.desk}results/R1M1/")
    page.get_by_role("link", name="Undo the last result").click()
    page.get_by_label("Reason, for the record").fill("They were right")
    page.get_by_role("button", name="Show the changes").click()
    expect(page.get_by_text(f"{winner.name} has won").first).to_be_visible()
    page.get_by_role("button", name="Undo the result").click()
    expect(page.get_by_text("the last result is undone")).to_be_visible()
    progress = load_course(whole.event).progress
    assert progress is not None
    assert progress["R1M1"].winner == winner.number
    assert not any(side.kept for view in progress.views.values() for side in view.sides)
