"""The player who closes a hand in Fort Worth Gin loses points, and the payments between players add up to zero."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from scoring.rules.book.layout import CellMark
from scoring.rules.sheet.sheets import (
    judge_line,
    make_empty_sheet,
    make_variant_rules,
    run_tally_case,
    sheet_from_json,
    tally_sheet,
)
from scoring.rules.variants.fort_worth import FortWorthGin, _settle_lowest_wins
from tests.chance import examples
from tests.scoring.rules.helpers import cell_texts, play_sheet, problems_of
from tests.scoring.rules.variants.variant_strategies import fort_worth_cases

pure = settings(max_examples=examples(120), deadline=None)


@pure
@given(fort_worth_cases(whole=True))
def test_damages_add_up_to_zero_and_winners_differ_by_at_most_a_cent(case: dict[str, Any]) -> None:
    answer = run_tally_case(case)
    settled, winners = answer["settlement_cents"], answer["winners"]
    assert sum(settled.values()) == 0
    low = min(answer["totals"].values())
    assert winners == [side for side in case["sides"] if answer["totals"][side] == low]
    assert answer["winner"] == (winners[0] if len(winners) == 1 else None)
    won = [settled[side] for side in winners]
    assert sorted(won, reverse=True) == won
    assert won[0] - won[-1] <= 1
    value = case["options"].get("value_cents", 50)
    losers = [side for side in case["sides"] if side not in winners]
    assert all(settled[side] == (low - answer["totals"][side]) * value for side in losers)


@pure
@given(fort_worth_cases())
def test_running_totals_are_the_sums_of_the_points(case: dict[str, Any]) -> None:
    sums = dict.fromkeys(case["sides"], 0)
    answer = run_tally_case(case)
    for line in answer["lines"]:
        sums = {side: sums[side] + line["points"][side] for side in sums}
        assert line["running"] == sums
    doubles = answer["complete"] and case["options"].get("double_negative", False) and min(sums.values()) < 0
    assert answer["totals"] == {side: total * (2 if doubles else 1) for side, total in sums.items()}


@pure
@given(fort_worth_cases())
def test_closing_never_adds_points_and_holding_never_takes_them(case: dict[str, Any]) -> None:
    for line, counted in zip(case["lines"], run_tally_case(case)["lines"], strict=True):
        for side, points in counted["points"].items():
            assert points <= -10 if side == line.get("by") else points >= 0


@pure
@given(fort_worth_cases())
def test_the_explanation_has_each_side_s_count_or_points_off(case: dict[str, Any]) -> None:
    for line, counted in zip(case["lines"], tally_sheet(sheet_from_json(case)).lines, strict=True):
        for side, held in line["counts"].items():
            assert f"{side} holds {held}" in counted.explanation
        if "by" in line:
            assert f"{line['by']} closes with a total of" in counted.explanation
        assert counted.explanation.startswith(counted.event)


def played(options: dict[str, Any], lines: list[dict[str, Any]], sides: tuple[str, ...] = ("Ann", "Bob")) -> Any:
    return play_sheet("fort-worth", *lines, sides=" ".join(sides), **options)


def test_the_explanation_cites_the_rules() -> None:
    lines = [{"counts": {"Ann": 120, "Bob": 3}, "turn": "8H"}, {"by": "Ann", "turn": "AS", "counts": {"Bob": 34}}]
    stymie, close = tally_sheet(played({"spades": True}, lines)).lines
    assert stymie.explanation == "stymie: Ann holds 120 (Fort Worth C 4); Bob holds 3 (Fort Worth C 4)"
    assert close.explanation == (
        "close: Ann closes with a total of 120: 20 off, tripled, the ace of spades turned: -60 (Fort Worth C 5, C 7); "
        "Bob holds 34, tripled, the ace of spades turned: 102 (Fort Worth C 4, C 7)"
    )


@pytest.mark.parametrize(
    ("options", "number", "turn", "times"),
    [
        ({}, 12, "AS", 1),
        ({"spades": True}, 0, "AS", 3),
        ({"spades": True}, 0, "AH", 1),
        ({"spades": True}, 0, "2S", 2),
        ({"spades": True}, 12, "2S", 2),
        ({"kings_double": True}, 12, None, 2),
        ({"kings_double": True}, 12, "AS", 2),
        ({"kings_double": True}, 11, "AS", 1),
        ({"kings_double": True, "spades": True}, 12, "KS", 2),
        ({"kings_double": True, "spades": True}, 12, "KH", 2),
        ({"kings_double": True, "spades": True}, 12, "AS", 3),
        ({"kings_double": True, "spades": True}, 11, "KS", 2),
        ({"kings_double": True, "length": "short"}, 6, None, 2),
        ({"kings_double": True, "length": "very-short"}, 5, None, 1),
    ],
)
def test_doubled_and_tripled_hands(options: dict[str, Any], number: int, turn: str | None, times: int) -> None:
    card = {} if turn is None else {"turn": turn}
    before = [{"counts": {"Ann": 0, "Bob": 0}, "turn": "2H"}] * number
    [*_, last] = tally_sheet(played(options, [*before, {"by": "Ann", "counts": {"Bob": 7}, **card}])).lines
    assert last.points == {"Ann": -10 * times, "Bob": 7 * times}


def test_a_turn_card_is_required_with_spades_and_only_then() -> None:
    line = {"by": "Ann", "counts": {"Bob": 7}}
    assert not judge_line(played({}, []), line).warnings
    assert problems_of(judge_line, played({"spades": True}, []), line) == [("missing-field", "turn")]
    fields = {field.name: field.required for field in played({"spades": True}, []).variant.line_fields()}
    assert fields == {"by": False, "turn": True, "counts": True}


def test_tied_winners_split_all_payments_together() -> None:
    """If each payment were split separately, the winners would get 6, 4, and 4 cents."""
    totals = {"A": 8, "B": 1, "C": 1, "D": 8, "E": 1}
    settled = _settle_lowest_wins(totals, double_negative=False, value_cents=1)
    assert settled.cents == {"A": -7, "B": 5, "C": 5, "D": -7, "E": 4}
    assert settled.winners == ("B", "C", "E")


def test_improbable_values_give_warnings() -> None:
    first = {"by": "Ann", "turn": "8H", "counts": {"Bob": 111}}
    judged = judge_line(played({}, []), first)
    assert [doubt.code for doubt in judged.warnings] == ["count-too-high"]
    again = judge_line(judged.sheet, {"by": "Ann", "turn": "8H", "counts": {"Bob": 0}})
    assert [doubt.code for doubt in again.warnings] == ["holds-nothing", "same-turn-card"]
    assert not judge_line(judged.sheet, {"by": "Ann", "counts": {"Bob": 110}}).warnings


def test_blank_paper_is_the_printed_sheet_with_its_variations_marked() -> None:
    sheet = played({"kings_double": True}, [], ("Ann", "Bob", "Cy"))
    marks, game = sheet.variant.blocks((), blank=13)
    assert [heading.text for heading in marks.headings] == ["Value", "Double Negative", "Spades", "Kings Double"]
    assert cell_texts(marks.lines) == [["0.50", "not played", "not played", "played"]]
    assert [heading.text for heading in game.headings] == ["Dealer", "Wild", *["POINTS", "SCORE"] * 3]
    assert [(group.text, group.span) for group in game.groups] == [("", 2), ("Ann", 2), ("Bob", 2), ("Cy", 2)]
    assert [row[:2] for row in cell_texts(game.lines)][:4] == [["Ann", "A"], ["Bob", "2"], ["Cy", "3"], ["Ann", "4"]]
    assert [row[1] for row in cell_texts(game.lines)] == ["A", *"23456789", "10", "J", "Q", "K"]
    assert {cell.write for line in game.lines for cell in line.cells[2:]} == {True}
    assert cell_texts(game.footer) == [
        ["Low Score", *["Minus", ""] * 3],
        ["Difference", *["Equals", ""] * 3],
        ["Value", *["Times", "0.50"] * 3],
        ["Damages", *["Equals", ""] * 3],
    ]
    assert [cell.write for cell in game.footer[0].cells] == [False, *[False, True] * 3]


def test_a_finished_game_fills_the_foot() -> None:
    lines = [{"by": "Ann", "counts": {"Bob": 10}, "turn": "2S"}] * 6
    sheet = played({"length": "very-short", "spades": True, "double_negative": True}, lines)
    marks, game = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))
    assert cell_texts(marks.lines) == [["0.50", "played", "played", "not played"]]
    assert cell_texts(game.lines)[0] == ["Ann", "2", "2♠", "−20", "−20", "20", "20"]
    assert cell_texts(game.lines)[5] == ["Bob", "Q", "2♠", "−20", "−120", "20", "120"]
    assert cell_texts(game.footer) == [
        ["Double Negative", "Times 2", "−240", "Times 2", "240"],
        ["Low Score", "Minus", "−240", "Minus", "−240"],
        ["Difference", "Equals", "0", "Equals", "480"],
        ["Value", "Times", "0.50", "Times", "0.50"],
        ["Damages", "Equals", "wins 240.00", "Equals", "240.00"],
    ]
    last = game.lines[5]
    assert [cell.mark for cell in last.cells[3:]] == [CellMark.BOX, CellMark.WON, CellMark.NONE, CellMark.NONE]
    assert game.footer[4].cells[2].mark is CellMark.WON
    assert last.number == 6
    assert "20 (Fort Worth C 4, C 7)" in last.cells[5].why
    assert not any(cell.write for line in (*game.lines, *game.footer) for cell in line.cells)


def test_an_open_game_has_all_its_rows_and_an_open_foot() -> None:
    sheet = played({"double_negative": True, "length": "short"}, [{"counts": {"Ann": 4, "Bob": 6}}])
    _, game = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))
    assert [line.number for line in game.lines] == [1, *[None] * 6]
    assert cell_texts(game.lines)[:2] == [["Ann", "A", "4", "4", "6", "6"], ["Bob", "3", "", "", "", ""]]
    assert cell_texts(game.footer)[0] == ["Double Negative", "", "", "", ""]
    assert cell_texts(game.footer)[1] == ["Low Score", "Minus", "", "Minus", ""]
    columns = {column.heading: column.text(sheet.list_rows()[0]) for column in sheet.variant.columns()}
    assert columns == {
        "Dealer": "Ann", "Wild": "A", "Turn": "", "Outcome": "stymie", "Ann": "4", "Ann, total": "4", "Bob": "6",
        "Bob, total": "6",
    }  # fmt: skip


def test_the_rule_sheet_cites_the_paragraph_of_each_option() -> None:
    published = {
        line.option.name: (line.words, line.source)
        for line in make_variant_rules("fort-worth").list_published_options()
    }
    assert published == {
        "length": ("13 hands, aces to kings wild", "Fort Worth A 5"),
        "spades": ("not played", "Fort Worth C 7"),
        "kings_double": ("not played", "Fort Worth C 8"),
        "double_negative": ("not played", "Fort Worth C 6"),
        "value_cents": ("50", "Fort Worth B 7"),
    }
    assert FortWorthGin.low_wins


def test_the_deal_goes_around_and_no_dealer_is_named_before_the_draw() -> None:
    hand = {"by": "A", "counts": {"B": 30, "C": 12}}
    sheet = make_empty_sheet(make_variant_rules("fort-worth"), ["A", "B", "C"])
    for _ in range(4):
        sheet = judge_line(sheet, hand).sheet
    for variant, dealers in (
        (sheet.variant, ["A", "B", "C", "A"]),
        (sheet.variant.copy_without_drawn_order(), [""] * 4),
    ):
        dealer = next(column for column in variant.columns() if column.key == "dealer")
        assert [dealer.text(row) for row in sheet.list_rows()] == dealers
