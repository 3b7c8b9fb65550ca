"""The sheets that are not two columns, on a phone and on the public page; a line of two boards tapped in."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from scoring.card_state.selectors.cards import load_card_by_pk
from scoring.cards.services.hands import LineEntry, add_line, record_cut
from scoring.models import Card
from tests.browser import look
from tests.kit import public_url
from tests.processes import Site
from tests.scoring.helpers.tables import a_table_card
from tests.screens import SIDEWAYS
from tournament.core.permissions import SYSTEM, player
from tournament.models import Entrant

pytestmark = pytest.mark.browser

FIVE = ("Ada Lovelace", "Alan Turing", "Grace Hopper", "Kurt Gödel", "Emmy Noether")
SHEETS: list[tuple[str, int, dict[str, Any]]] = [
    ("captain", 3, {"outcome": "knock", "by": "A", "counts": {"A": 5, "B": 20}}),
    ("fort-worth", 5, {"by": "B", "turn": "4S", "counts": {"A": 12, "C": 40, "D": 7, "E": 33}}),
    ("court-whist", 1, {"game": 2, "hand": 1, "sit_out": True}),
    ("score-pad", 3, {"points": {"A": -15, "B": 0, "C": 30}}),
    ("metzker", 4, {"results": [{"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 12}},
                                {"outcome": "run", "by": "B", "counts": {"A": 30, "B": 4}}]}),
    ("hollywood", 2, {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}),
]  # fmt: skip
Maker = Callable[..., Page]


def opened(rules: str, count: int) -> tuple[Card, Entrant]:
    card = a_table_card(FIVE[:count], rules)
    first = card.match.event.entrants.select_related("event__tournament").get(number=1)
    record_cut(card, first, by=SYSTEM)
    return card, first


@pytest.mark.parametrize(("rules", "count", "line"), SHEETS)
def test_a_sheet_of_any_shape_fits_a_phone(
    live_site: Site, make_page: Maker, rules: str, count: int, line: dict[str, Any]
) -> None:
    card, first = opened(rules, count)
    add_line(card, LineEntry(line, override="as played"), by=player(first))
    event = card.match.event
    phone = make_page("phone")
    mine = f"/my/{first.token}/card/{card.token}/"
    for path, name in ((mine, "card"), (f"{mine}hand/", "hand"), (f"{mine}last/", "last")):
        phone.goto(path)
        look(phone, f"{rules}-{name}")
        assert phone.evaluate(SIDEWAYS) <= 0, path
    desktop = make_page("desktop")
    desktop.goto(public_url(event, f"card/{card.token}/"))
    desktop.get_by_text("How each line was counted").click()
    look(desktop, f"{rules}-public")


def test_a_line_of_two_boards_is_tapped_in_board_after_board(live_site: Site, make_page: Maker) -> None:
    card, first = opened("gra-partnership", 2)
    phone = make_page("phone")
    phone.goto(f"/my/{first.token}/card/{card.token}/")
    phone.get_by_role("link", name="Enter hand 1").click()
    expect(boards(phone)).to_have_count(0)
    tap(phone.get_by_role("group", name="Up card: rank"), "9")
    tap(phone.get_by_role("group", name="Up card: suit"), "spades")
    expect(boards(phone)).to_have_count(1)
    fill_board(phone, 0, "knock", "Ada Lovelace", {"A": "4", "B": "31"})
    expect(boards(phone)).to_have_count(2)
    fill_board(phone, 1, "gin", "Alan Turing", {"A": "11"})
    expect(phone.locator(".preview-worth")).to_contain_text("Alan Turing +9")
    look(phone, "two-boards")
    phone.get_by_role("button", name="Record").click()
    expect(phone.get_by_text("Hand 1 is recorded.")).to_be_visible()
    assert load_card_by_pk(card.pk).score.totals == (0, 9)


def boards(phone: Page) -> Locator:
    """The boards that are asked for by now."""
    return phone.get_by_role("heading", level=2).filter(has_text=re.compile(r"^Board \d$"))


def fill_board(phone: Page, turn: int, outcome: str, by: str, counts: dict[str, str]) -> None:
    for field, answer in (("outcome", outcome), ("by", by)):
        tap(phone.locator(f"fieldset:has([name=boards_{turn}_{field}])").last, answer)
    for side, count in counts.items():
        phone.locator(f"[name=boards_{turn}_counts_{side}]").fill(count)


def tap(group: Locator, answer: str) -> None:
    group.locator(".key", has_text=re.compile(rf"^\W*{re.escape(answer)}$")).click()
