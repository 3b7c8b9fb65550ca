"""The score sheet on a page shows each correction at the corrected line, whatever the shape of the sheet."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import render_to_string

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.tables import make_sheet_context
from scoring.cards.services.hands import LineEntry, add_line, correct_line, record_scorekeeper
from scoring.models import Card
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import an_event_in_play, gin, knock, play, the_card, the_director
from tests.scoring.helpers.tables import a_table_card
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def card() -> Card:
    card = the_card(an_event_in_play(target=200))
    play(card, knock("A", 5, 20), gin("B", 7, "9C"), knock("A", 1, 9, "2D"))
    return card


def shown(card: Card) -> tuple[dict[str, Any], str]:
    sheet = make_sheet_context(load_card_state_by_pk(card.pk))
    return sheet, render_to_string("components/score_sheet.html", {"sheet": sheet})


def test_an_officials_correction_is_told_from_a_players(card: Card) -> None:
    correct_line(card, 1, LineEntry(knock("A", 5, 22)), by=the_director(card.match.event), reason="recount")
    correct_line(card, 3, LineEntry(knock("A", 2, 9, "2D")), by=make_player_actor(card.entrants[0]), reason="was two")
    sheet, html = shown(card)
    corrected = [
        cell["correction"] for line in sheet["blocks"][0]["lines"] for cell in line["cells"] if cell.get("correction")
    ]
    assert [(each["official"], each["was"], each["reason"]) for each in corrected] == [
        (True, "Ada knocked with 5 against 20, up card 8♥\ufe0e", "recount"),
        (False, "Ada knocked with 1 against 9, up card 2♦\ufe0e", "was two"),
    ]
    assert html.count('<ins class="correction by-official">') == 1
    assert html.count('<ins class="correction">') == 1


def test_a_struck_line_stays_where_it_stood_and_the_rest_moves_up(card: Card) -> None:
    correct_line(card, 2, None, by=the_director(card.match.event), reason="entered twice")
    sheet, html = shown(card)
    (block,) = sheet["blocks"]
    assert [line.get("struck", False) for line in block["lines"]] == [False, True, False]
    assert [line["cells"][0]["text"] for line in block["lines"]] == ["1", "–", "2"]
    assert "Alan went gin with 0 against 7, up card 9♣" in block["lines"][1]["cells"][1]["text"]
    assert "entered twice" in html
    assert [cell["text"] for cell in block["foot"][0]["cells"]] == ["Now", "23", "", "0"]


def test_where_a_line_has_no_row_of_its_own_its_correction_stands_below() -> None:
    card = a_table_card(("Ada",), "court-whist")
    for game in (1, 2):
        line = {"game": game, "hand": 1, "tricks": 7}
        add_line(card, LineEntry(line, override="as played"), by=make_player_actor(card.entrants[0]))
    correct_line(
        card, 1, LineEntry({"game": 1, "hand": 1, "tricks": 6}), by=the_director(card.match.event), reason="six"
    )
    sheet, html = shown(card)
    remark = sheet["remarks"][0]
    assert (remark["now"], remark["correction"]["was"]) == ("game 1, hand 1, tricks 6", "game 1, hand 1, tricks 7")
    assert "by-official" in html


def test_marks_have_words_for_who_does_not_see_them() -> None:
    card = a_table_card(("Ada", "Alan", "Grace"), "captain")
    record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)
    add_line(card, LineEntry({"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 7}}), by=SYSTEM_ACTOR)
    sheet, html = shown(card)
    assert (html.count("hand won</span>"), html.count("sits out</span>"), sheet["has_boxes"]) == (1, 1, True)
    cell = {"text": "15", "rings": 2}
    assert "circled 2 times" in render_to_string("components/sheet_cell.html", {"cell": cell})
    for mark, word in (("closed", "game closed"), ("won", "winner")):
        assert word in render_to_string("components/sheet_cell.html", {"cell": {"text": "1", "mark": mark}})


def test_every_line_says_how_it_was_counted(card: Card) -> None:
    sheet, html = shown(card)
    assert [number for number, _words in sheet["workings"]] == [1, 2, 3]
    assert "How each line was counted" in html
    assert "GRA singles rule" in html
