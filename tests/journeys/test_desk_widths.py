"""The totals of all players are on a laptop's screen of 1366 by 768, without scrolling sideways: measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from scoring.services.cards import LineEntry, add_line, record_cut
from tests.browser import look
from tests.factories import a_user
from tests.journeys.steps import SIDEWAYS, sign_in
from tests.scoring.tables import a_table_card
from tests.scoring.turning import an_event_in_play, play_round
from tests.scoring.whist import a_whist_event
from tournament.permissions import SYSTEM

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LAPTOP = {"viewport": {"width": 1366, "height": 768}}
NAMES = (
    "Ada Lovelace", "Alan Turing", "Grace Hopper", "Kurt Gödel", "Emmy Noether", "Sofia Kovalevskaya",
    "Ludwig van Beethoven", "Katherine Johnson",
)  # fmt: skip
OUTSIDE = """() => [...document.querySelectorAll("main table")].flatMap((table) => {
    const box = table.closest(".scroll-box, .sheet-scroll") ?? table.parentElement;
    const right = Math.min(innerWidth, box.getBoundingClientRect().right + 1);
    return [...table.querySelectorAll("th, td, input, select")]
        .filter((cell) => cell.offsetWidth && cell.getBoundingClientRect().right > right)
        .map((cell) => `${cell.tagName} ${cell.name ?? ""} ${cell.textContent.trim().slice(0, 20)}`);
}).slice(0, 5)"""
"""Cells of tables that begin or end beyond what is seen."""
SHEETS: list[tuple[str, int, dict[str, Any], dict[str, Any]]] = [
    ("fort-worth", 5, {"spades": True}, {"by": "B", "turn": "4S", "counts": {"A": 120, "C": 40, "D": 107, "E": 33}}),
    ("score-pad", 5, {}, {"points": dict.fromkeys("ABCDE", -1000)}),
    ("captain", 3, {}, {"outcome": "knock", "by": "A", "counts": {"A": 5, "B": 20}}),
    ("hollywood", 2, {}, {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}),
    ("word-gin", 2, {}, {"outcome": "knock", "by": "A", "words": {"A": 310, "B": 120}, "deadwood": {"A": 3, "B": 7}}),
    ("gra-partnership", 2, {}, {"up": "8H", "boards": [
        {"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 98}}, {"outcome": "stock"}]}),
    ("court-whist", 1, {}, {"game": 2, "hand": 1, "sit_out": True}),
]  # fmt: skip


def measured(page: Page, path: str, name: str) -> None:
    page.goto(path)
    look(page, name)
    assert page.evaluate(SIDEWAYS) <= 0, path
    assert page.evaluate(OUTSIDE) == [], path


@pytest.mark.parametrize(("rules", "count", "options", "line"), SHEETS)
def test_every_column_of_a_sheet_and_of_its_paper_is_seen(
    make_page: Callable[..., Page], rules: str, count: int, options: dict[str, Any], line: dict[str, Any]
) -> None:
    card = a_table_card(NAMES[:count], rules, **options)
    record_cut(card, card.entrants[0], by=SYSTEM)
    add_line(card, LineEntry(line, override="as played"), by=SYSTEM)
    event = card.match.event
    desk = f"/desk/{event.tournament.slug}/{event.slug}/"
    page = make_page("desktop", **LAPTOP)
    sign_in(page, a_user("director", event.tournament), to=f"{desk}cards/")
    measured(page, f"{desk}cards/{card.token}/", f"width-{rules}-desk")
    measured(page, f"{desk}cards/enter/?card={card.token}&by=hands", f"width-{rules}-paper")
    measured(page, f"/t/{event.tournament.slug}/{event.slug}/card/{card.token}/", f"width-{rules}-public")


def test_every_column_of_couples_and_whist_is_seen(make_page: Callable[..., Page]) -> None:
    couples = an_event_in_play(3, 3)
    play_round(couples)
    whist = a_whist_event(4, 4)
    page = make_page("desktop", **LAPTOP)
    for event, pages in ((couples, ("worksheet/", "rounds/")), (whist, ("whist/1/1/", "whist/7/1/", "rounds/"))):
        desk = f"/desk/{event.tournament.slug}/{event.slug}/"
        sign_in(page, a_user("director", event.tournament), to=f"{desk}rounds/")
        for path in pages:
            measured(page, desk + path, f"width-{event.format}-{path.replace('/', '-')}")
        public = f"/t/{event.tournament.slug}/{event.slug}/rounds/"
        for shown in ("", "?show=sheets", "?show=standings"):
            measured(page, public + shown, f"width-{event.format}-public")
