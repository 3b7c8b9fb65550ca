"""From the list of rule sets to the sheet that everybody reads."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import look
from tests.factories import a_user
from tests.journeys.steps import sign_in
from tests.scoring.helpers.playing import a_drawn_event
from tests.screens import SIDEWAYS

pytestmark = pytest.mark.browser

ARIZONA = [*(f"{n}s" for n in range(3, 11)), "Jacks", "Queens", "Kings"]


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_a_director_picks_a_game_of_the_book_and_everybody_reads_its_rounds(
    live_site: object, make_page: Callable[..., Page], size: str
) -> None:
    event = a_drawn_event(format="tables", format_options={"size": 4})
    path = f"{event.tournament.slug}/{event.slug}/rules/"
    page = make_page(size)
    sign_in(page, a_user("director", event.tournament))
    page.goto(f"/desk/{path}")
    look(page, f"rule-sets-{size}")
    page.get_by_role("link", name="Score pad").first.click()
    page.get_by_label("Use a game from the book").select_option("arizona-rummy")
    expect(page.get_by_label("Rounds").first).to_have_value("\n".join(ARIZONA))
    page.get_by_label("Remarks").fill("A new deck every round")
    page.get_by_label("Rounds").first.fill("x" * 61)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("This is too long: 60 characters at most.", exact=True)).to_be_visible()
    expect(page.get_by_label("Remarks")).to_have_value("A new deck every round")
    look(page, f"rule-sheet-refused-{size}")
    page.get_by_label("Rounds").first.fill("\n".join(["3s", "4s", "5s"]))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Rule sheet version 1 is saved.")).to_be_visible()
    page.goto(f"/t/{path}")
    expect(page.get_by_role("heading", name="Score pad")).to_be_visible()
    expect(page.get_by_text("A new deck every round")).to_be_visible()
    assert page.evaluate(SIDEWAYS) == 0
    look(page, f"rules-pad-{size}")
    page.get_by_role("contentinfo").get_by_role("link", name="Rule sets").click()
    page.get_by_role("link", name="Fort Worth Gin").click()
    expect(page.get_by_role("heading", name="Wild rank of each hand")).to_be_visible()
    look(page, f"rule-set-fort-worth-{size}")
