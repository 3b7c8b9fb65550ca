"""The totals of all players are on a laptop's screen of 1366 by 768, without scrolling sideways: measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from scoring.cards.services.hands import LineEntry, add_line, record_cut
from tests.browser import photograph
from tests.factories import a_user
from tests.journeys.steps import sign_in
from tests.kit import desk_url, public_url
from tests.scoring.helpers.tables import a_table_card
from tests.scoring.helpers.turning import an_event_in_play, gin, play_round
from tests.scoring.helpers.whist import a_whist_event
from tests.screens import SIDEWAYS
from tournament.core.permissions import SYSTEM
from tournament.models import Event, StaffRole, User

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


def measured(page: Page, path: str, name: str) -> list[str]:
    page.goto(path)
    photograph(page, f"width-{name}")
    said = [str(cell) for cell in page.evaluate(OUTSIDE)]
    return [f"{name}: {one}" for one in (["wider than the screen"] if page.evaluate(SIDEWAYS) > 0 else []) + said]


def a_director_of(*events: Event) -> User:
    user = a_user()
    for event in events:
        StaffRole.objects.create(tournament=event.tournament, user=user, role="director")
    return user


def at_the_desk(make_page: Callable[..., Page], events: list[Event]) -> Page:
    page = make_page("desktop", **LAPTOP)
    sign_in(page, a_director_of(*events), to=f"{desk_url(events[0])}cards/")
    return page


def test_every_column_of_a_sheet_and_of_its_paper_is_seen(make_page: Callable[..., Page]) -> None:
    cards = []
    for rules, count, options, line in SHEETS:
        card = a_table_card(NAMES[:count], rules, **options)
        record_cut(card, card.entrants[0], by=SYSTEM)
        add_line(card, LineEntry(line, override="as played"), by=SYSTEM)
        cards.append((rules, card))
    page = at_the_desk(make_page, [card.match.event for _rules, card in cards])
    beyond = []
    for rules, card in cards:
        pages = desk_url(card.match.event) + "cards/"
        beyond += measured(page, f"{pages}{card.token}/", f"{rules}-sheet")
        beyond += measured(page, f"{pages}enter/?card={card.token}&by=hands", f"{rules}-paper")
    assert not beyond, "\n".join(beyond)


def test_every_column_of_couples_and_whist_is_seen(make_page: Callable[..., Page]) -> None:
    couples, whist = an_event_in_play(3, 3), a_whist_event(4, 4)
    play_round(couples, gin("A", 98), gin("B", 98), gin("A", 98))
    page = at_the_desk(make_page, [couples, whist])
    beyond = []
    for kind, event, pages in (
        ("couples", couples, ("worksheet/", "rounds/")),
        ("whist", whist, ("whist/1/1/", "whist/7/1/", "rounds/")),
    ):
        for path in pages:
            beyond += measured(page, desk_url(event) + path, f"{kind}-{path.strip('/').replace('/', '-')}")
        beyond += measured(page, public_url(event, "rounds/"), f"{kind}-public")
    assert not beyond, "\n".join(beyond)
