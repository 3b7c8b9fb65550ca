"""The roles in the captain game change with the points, and the player who sits out never scores."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.book.layout import CellMark
from scoring.rules.sheet.sheets import (
    judge_line,
    make_empty_sheet,
    make_variant_rules,
    run_tally_case,
    sheet_from_json,
    tally_sheet,
)
from scoring.rules.variants.captain import CaptainRoles
from tests.chance import examples
from tests.scoring.rules.helpers import cell_texts, problems_of
from tests.scoring.rules.variants.recount_captain import recount
from tests.scoring.rules.variants.variant_strategies import captain_cases, next_roles
from tournament.errors import InvalidInput

pure = settings(max_examples=examples(120), deadline=None)
SIDES = ["A", "B", "C"]


@pure
@given(captain_cases())
def test_the_player_who_sits_out_never_scores(case: dict[str, Any]) -> None:
    sums = dict.fromkeys(case["sides"], 0)
    answer = run_tally_case(case)
    for line in answer["lines"]:
        assert sorted(line["roles"].values()) == sorted(case["sides"])
        assert line["points"][line["roles"]["out"]] == 0
        assert sum(points > 0 for points in line["points"].values()) <= 1
        sums = {side: sums[side] + line["points"][side] for side in sums}
        assert line["running"] == sums
    assert answer["totals"] == sums


@pure
@given(captain_cases())
def test_the_loser_in_the_box_sits_out_and_the_winner_stays(case: dict[str, Any]) -> None:
    lines = run_tally_case(case)["lines"]
    for line, following in pairwise(lines):
        box, captain, out = line["roles"].values()
        after = tuple(following["roles"].values())
        if line["points"][box]:
            assert after == (box, out, captain)
        elif line["points"][captain]:
            assert after == (captain, out, box)
        else:
            assert after == (box, captain, out)


@pure
@given(captain_cases(), st.data())
def test_a_line_that_names_the_player_who_sits_out_is_refused(case: dict[str, Any], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(case["lines"])))
    case = case | {"lines": case["lines"][:place]}
    box, captain, out = next_roles(case)
    by, count, to = f"lines[{place}].by", f"lines[{place}].counts", f"lines[{place}].to"
    of = {side: f"{count}.{side}" for side in case["sides"]}
    wrong: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
        ({"outcome": "gin", "by": out, "counts": {box: 5, captain: 0}}, [("bad-value", by)]),
        (
            {"outcome": "gin", "by": out, "counts": {box: 5, out: 0}},
            [("bad-value", by), ("bad-value", of[out]), ("missing-field", of[captain])],
        ),
        ({"outcome": "gin", "by": box, "counts": {box: 0, captain: 0, out: 0}}, [("bad-value", of[out])]),
        ({"outcome": "knock", "by": captain, "counts": {captain: 0}}, [("missing-field", of[box])]),
        ({"outcome": "points", "to": out, "points": 1}, [("bad-value", to)]),
        ({"outcome": "points", "to": out, "points": 0}, [("bad-value", to)]),
    ]
    line, problems = data.draw(st.sampled_from(wrong))
    assert_refused(case | {"lines": [*case["lines"], line]}, problems)


def assert_refused(case: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    if recount(case | {"lines": case["lines"][:-1]})[0]["complete"]:
        problems = [("after-end", f"lines[{len(case['lines']) - 1}]")]
    assert sorted(problems_of(run_tally_case, case)) == sorted(problems)


def test_0_cards_missing_is_the_same_as_none() -> None:
    sheet = make_empty_sheet(make_variant_rules("captain"), SIDES)
    line = {"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 5}}
    assert judge_line(sheet, line | {"missing": {"B": 0}}).sheet == judge_line(sheet, line).sheet


@pure
@given(captain_cases())
def test_the_explanation_names_the_points_and_the_new_roles(case: dict[str, Any]) -> None:
    for line in tally_sheet(sheet_from_json(case)).lines:
        worth = {side: points for side, points in line.points.items() if points}
        said = [f"{points} to {side}" for side, points in worth.items()] or ["nobody scores"]
        assert said[0] in line.explanation
        assert ("nobody changes places" in line.explanation) == (not worth)


def test_the_explanation_of_an_undercut_cites_the_rules() -> None:
    sheet = make_empty_sheet(make_variant_rules("captain"), ["Ann", "Bob", "Cy"])
    judged = judge_line(sheet, {"outcome": "knock", "by": "Ann", "counts": {"Ann": 9, "Bob": 7}})
    assert judged.line_tally.explanation == (
        "undercut: 9 against 7, difference 2, bonus 10: 12 to Bob, three-handed gin, Scoring; "
        "Ann lost in the box and sits out, Bob goes into the box, Cy is captain"
    )


def test_roles_after_each_ending() -> None:
    roles = CaptainRoles("A", "B", "C")
    assert roles.make_next_roles("A") == CaptainRoles("A", "C", "B")
    assert roles.make_next_roles("B") == CaptainRoles("B", "C", "A")
    assert roles.make_next_roles(None) == roles


def test_a_correction_that_names_the_player_who_sat_out_is_refused() -> None:
    sheet = make_empty_sheet(make_variant_rules("captain"), SIDES)
    for to in "AC":
        sheet = judge_line(sheet, {"outcome": "points", "to": to, "points": 5}).sheet
    with pytest.raises(InvalidInput) as refused:
        judge_line(sheet, {"outcome": "points", "to": "B", "points": 5}, at=1)
    assert [(p.code, p.path) for p in refused.value.problems] == [("bad-value", "to")]
    assert "B sits out in this hand: A is in the box, C is captain." in refused.value.problems[0].message


def test_a_correction_that_changes_later_players_is_refused_at_the_later_line() -> None:
    sheet = make_empty_sheet(make_variant_rules("captain"), SIDES)
    for to in "AC":
        sheet = judge_line(sheet, {"outcome": "points", "to": to, "points": 5}).sheet
    assert problems_of(judge_line, sheet, {"outcome": "stock"}, at=0) == [("bad-value", "lines[1].to")]


def test_a_dealer_who_is_not_in_the_box_warns() -> None:
    sheet = judge_line(
        make_empty_sheet(make_variant_rules("captain"), SIDES),
        {"outcome": "points", "to": "B", "points": 5, "dealer": "A"},
    )
    assert sheet.warnings == ()
    [doubt] = judge_line(sheet.sheet, {"outcome": "stock", "dealer": "C"}).warnings
    assert doubt.code == "dealer-not-in-box"
    assert "B is in the box and deals" in doubt.message


def test_improbable_counts_give_warnings() -> None:
    sheet = make_empty_sheet(make_variant_rules("captain"), SIDES)
    judged = judge_line(sheet, {"outcome": "knock", "by": "A", "counts": {"A": 0, "B": 99}})
    assert [doubt.code for doubt in judged.warnings] == ["count-too-high", "knock-with-nothing"]
    assert judge_line(sheet, {"outcome": "points", "to": "A", "points": 124}).warnings[0].code == "points-too-high"
    assert not judge_line(sheet, {"outcome": "points", "to": "A", "points": 123}).warnings


def test_the_sheet_shows_the_roles_and_marks_the_player_who_sits_out() -> None:
    sheet = make_empty_sheet(make_variant_rules("captain", {"target": 40}), ["Ann", "Bob", "Cy"])
    for line in (
        {"outcome": "knock", "by": "Ann", "counts": {"Ann": 5, "Bob": 20}},
        {"outcome": "gin", "by": "Cy", "counts": {"Ann": 8, "Cy": 0}},
    ):
        sheet = judge_line(sheet, line).sheet
    (block,) = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet), blank=2)
    assert [(group.text, group.span) for group in block.groups] == [("", 2), ("Ann", 3), ("Bob", 3), ("Cy", 3)]
    assert [heading.text for heading in block.headings] == ["Hand", "Outcome", *["Role", "Points", "Total"] * 3]
    assert cell_texts(block.lines) == [
        ["1", "knock, 5 against 20", "box", "15", "15", "captain", "", "0", "out", "", "0"],
        ["2", "gin, 8", "box", "", "15", "out", "", "0", "captain", "33", "33"],
        ["3", "", "out", "", "", "captain", "", "", "box", "", ""],
        ["4", *[""] * 10],
    ]
    marks = [[cell.mark for cell in line.cells] for line in block.lines]
    assert marks[1][5:8] == [CellMark.OUT, CellMark.OUT, CellMark.NONE]
    assert marks[1][9] is CellMark.BOX
    assert [line.number for line in block.lines] == [1, 2, None, None]
    assert block.lines[0].cells[1].why.startswith("knock: 5 against 20")


def test_a_finished_sheet_marks_the_winner_and_names_no_further_roles() -> None:
    sheet = make_empty_sheet(make_variant_rules("captain", {"target": 10}), SIDES)
    sheet = judge_line(sheet, {"outcome": "points", "to": "B", "points": 12}).sheet
    (block,) = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet), blank=1)
    won = [(place, cell.text) for place, cell in enumerate(block.lines[0].cells) if cell.mark is CellMark.WON]
    assert won == [(7, "12")]
    assert [cell.text for cell in block.lines[1].cells] == ["2", *[""] * 10]


def test_blank_paper_has_the_first_roles_printed() -> None:
    (block,) = make_empty_sheet(make_variant_rules("captain"), SIDES).variant.blocks((), blank=3)
    assert [cell.text for cell in block.lines[0].cells] == ["1", "", "box", "", "", "captain", "", "", "out", "", ""]
    assert [cell.write for cell in block.lines[0].cells] == [False, True, *[False, True, True] * 3]
    assert [cell.write for cell in block.lines[1].cells] == [False, *[True] * 10]


def test_every_rule_of_the_game_names_its_paragraph() -> None:
    published = {
        line.option.name: (line.value, line.source) for line in make_variant_rules("captain").list_published_options()
    }
    assert published == {
        "target": (100, "three-handed gin, Winning"),
        "knock": (10, "three-handed gin, Knocking"),
        "gin_bonus": (25, "three-handed gin, Going Gin"),
        "undercut_bonus": (10, "three-handed gin, Scoring"),
    }
    fields = {
        field.name: field for field in make_empty_sheet(make_variant_rules("captain"), SIDES).variant.line_fields()
    }
    assert "up" not in fields
    assert dict(fields["outcome"].choices).keys() == {"knock", "gin", "stock", "void", "points"}
