"""A score card that was kept on paper is entered by its totals, and mistakes in the addition are found."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.sheet.paper import WrongRunningTotal, check_running_totals, judge_totals_line, was_entered_as_totals
from scoring.rules.sheet.sheets import (
    judge_line,
    make_empty_sheet,
    make_variant_rules,
    run_tally_case,
    sheet_from_json,
    sheet_to_json,
    tally_sheet,
)
from tests.chance import examples
from tests.scoring.rules.helpers import problems_of
from tests.scoring.rules.sheet.recount import recount
from tests.scoring.rules.sheet.sheet_strategies import ONE_GAME, endless_cases
from tournament.errors import InvalidInput

GRA = make_variant_rules("gra-singles")


def refused(totals: Any) -> list[tuple[str, str, str]]:
    with pytest.raises(InvalidInput) as caught:
        judge_totals_line(GRA, ["A", "B"], totals)
    return [(problem.code, problem.path, problem.message) for problem in caught.value.problems]


def test_totals_are_one_line_without_a_hand() -> None:
    entered = judge_totals_line(GRA, ["A", "B"], {"A": 98, "B": 163})
    assert entered.as_json() == {"totals": {"A": 98, "B": 163}}
    assert tally_sheet(entered.sheet).as_json()["totals"] == {"A": 98, "B": 163}
    assert tally_sheet(entered.sheet).winner == "B"
    assert entered.warnings == ()


def test_a_loser_can_have_a_total_of_0() -> None:
    assert judge_totals_line(GRA, ["A", "B"], {"A": 150, "B": 0}).as_json() == {"totals": {"A": 150, "B": 0}}


@pytest.mark.parametrize("rules", ["gra-singles", "standard", "oklahoma", "gra-partnership"])
def test_a_sheet_with_totals_is_written_and_read_back(rules: str) -> None:
    entered = judge_totals_line(make_variant_rules(rules), ["A", "B"], {"A": 7, "B": 263})
    written = sheet_to_json(entered.sheet)
    assert (written["lines"], written["totals"]) == ([], {"A": 7, "B": 263})
    assert sheet_from_json(written) == entered.sheet
    assert [code for code, _path in problems_of(run_tally_case, written)] == ["unknown-field"]


@pytest.mark.parametrize("rules", ["gra-singles", "standard", "oklahoma", "gra-partnership"])
def test_no_cell_of_a_sheet_with_totals_shows_a_hand(rules: str) -> None:
    """The sheet has no text such as “points only 7”, and no boxes or settlement, because no hands were entered."""
    sheet = judge_totals_line(make_variant_rules(rules), ["Ann", "Bob"], {"Ann": 7, "Bob": 263}).sheet
    counted = tally_sheet(sheet)
    [block] = sheet.variant.blocks(sheet.list_rows(), counted)
    texts = [cell.text for line in (*block.lines, *block.footer) for cell in line.cells if cell.text]
    assert texts == ["Totals from the paper card", "7", "263"]
    assert (counted.winner, counted.settlement) == ("Bob", None)


def test_a_last_hand_is_added_to_the_totals() -> None:
    """Time was called, the totals were entered from paper, and the last hand was played out."""
    sheet = judge_totals_line(GRA, ["A", "B"], {"A": 120, "B": 98}, unfinished=True).sheet
    gin = {"up": "8H", "outcome": "gin", "by": "B", "counts": {"A": 30, "B": 0}}
    after = judge_line(sheet, gin).sheet
    assert tally_sheet(after).as_json()["totals"] == {"A": 120, "B": 153}
    assert tally_sheet(after).winner == "B"
    assert sheet_from_json(sheet_to_json(after)) == after


@pytest.mark.parametrize("totals", [{"A": 1}, {"A": -1, "B": 2}, {"A": "x", "B": 2}, [1, 2], {"A": 1, "B": 2, "C": 3}])
def test_totals_of_a_sheet_are_read_strictly(totals: Any) -> None:
    case = {"rules": "gra-singles", "sides": ["A", "B"], "lines": [], "totals": totals}
    assert all(path.startswith("totals") for _code, path in problems_of(sheet_from_json, case))


@pytest.mark.parametrize(
    ("totals", "sentence"),
    [
        ({"A": 149, "B": 98}, "Nobody has reached 150: the game is still open."),
        ({"A": 0, "B": 0}, "Nobody has reached 150: the game is still open."),
        ({"A": 120, "B": 120}, "Nobody has reached 150: the game is still open."),
        ({"A": 150, "B": 150}, "Both sides have 150: a game cannot end equal."),
        ({"A": 150, "B": 151}, "Both sides are at 150 or over: the game ended when the first of them got there."),
    ],
)
def test_totals_that_end_no_game_are_refused(totals: dict[str, int], sentence: str) -> None:
    assert refused(totals) == [("bad-value", "totals", sentence)]


@pytest.mark.parametrize(
    ("totals", "problems"),
    [
        ({"A": 150}, [("missing-field", "totals.B")]),
        ({"A": 150, "B": -1}, [("bad-value", "totals.B")]),
        ({"A": 10**9 + 1, "B": 1}, [("bad-value", "totals.A")]),
        ({"A": 150.5, "B": None}, [("bad-value", "totals.A"), ("bad-value", "totals.B")]),
        ({"A": 150, "B": 1, "C": 2}, [("unknown-field", "totals.C")]),
        ([150, 1], [("bad-value", "totals")]),
        (None, [("bad-value", "totals")]),
    ],
)
def test_unreadable_totals_are_refused(totals: Any, problems: list[tuple[str, str]]) -> None:
    assert [problem[:2] for problem in refused(totals)] == problems


def test_a_winner_far_beyond_the_target_is_doubted() -> None:
    """The target is 150, so the winner had at most 149 points before the last hand, which scores at most 98 + 25."""
    assert judge_totals_line(GRA, ["A", "B"], {"A": 272, "B": 98}).warnings == ()
    [doubt] = judge_totals_line(GRA, ["A", "B"], {"A": 273, "B": 98}).warnings
    assert doubt.code == "total-too-high"
    assert doubt.message == "A can hardly have 273: under 150 before the last hand, which brings 123 at most."


@settings(max_examples=examples(100), deadline=None)
@given(target=st.integers(1, 300), low=st.integers(0, 400), high=st.integers(0, 400))
def test_totals_are_accepted_exactly_if_one_side_is_at_the_target(target: int, low: int, high: int) -> None:
    rules = make_variant_rules("gra-singles", {"target": target})
    totals = {"A": low, "B": high}
    if (low >= target) != (high >= target):
        counted = tally_sheet(judge_totals_line(rules, ["A", "B"], totals).sheet)
        assert (counted.complete, counted.totals) == (True, totals)
        assert counted.winner == ("A" if low > high else "B")
    else:
        with pytest.raises(InvalidInput):
            judge_totals_line(rules, ["A", "B"], totals)


# --- Running totals written on paper --------------------------------------------------------------------------------


def paper_sheet(*points: tuple[str, int]) -> Any:
    sheet = make_empty_sheet(GRA, ["A", "B"])
    for side, amount in points:
        sheet = judge_line(sheet, {"outcome": "points", "to": side, "points": amount}).sheet
    return sheet


FOUR = paper_sheet(("A", 30), ("B", 20), ("A", 15), ("B", 5))


def test_correct_running_totals_are_not_reported() -> None:
    assert check_running_totals(FOUR, [{"A": 30}, {"B": 20}, {"A": 45}, {"B": 25}]) == ()
    assert (
        check_running_totals(FOUR, [{"A": 30, "B": 0}, {"A": 30, "B": 20}, {"A": 45, "B": 20}, {"A": 45, "B": 25}])
        == ()
    )
    assert check_running_totals(FOUR, [{}, {}, {}, {"A": 45, "B": 25}]) == ()
    assert check_running_totals(make_empty_sheet(GRA, ["A", "B"]), []) == ()


def test_a_mistake_is_reported_only_in_its_own_line() -> None:
    assert check_running_totals(FOUR, [{"A": 40}, {"B": 20}, {"A": 55}, {"B": 25}]) == (
        WrongRunningTotal(1, "A", 40, 30),
    )
    assert check_running_totals(FOUR, [{"A": 30}, {"B": 20}, {"A": 44}, {"B": 25}]) == (
        WrongRunningTotal(3, "A", 44, 45),
    )


def test_every_mistake_is_found() -> None:
    assert check_running_totals(FOUR, [{"A": 31}, {"B": 19, "A": 30}, {"A": 44}, {"B": 25}]) == (
        WrongRunningTotal(1, "A", 31, 30),
        WrongRunningTotal(2, "B", 19, 20),
        WrongRunningTotal(3, "A", 44, 45),
    )


def test_the_first_correct_total_after_a_mistake_is_not_reported() -> None:
    assert check_running_totals(FOUR, [{"A": 31}, {"A": 30, "B": 20}, {"A": 45}, {"B": 25}]) == (
        WrongRunningTotal(1, "A", 31, 30),
    )
    assert check_running_totals(FOUR, [{"A": 30}, {"B": 20}, {"A": 54}, {"A": 45, "B": 25}]) == (
        WrongRunningTotal(3, "A", 54, 45),
    )


def test_a_second_mistake_is_counted_from_the_first() -> None:
    assert check_running_totals(FOUR, [{"A": 40}, {}, {"A": 54}, {}]) == (
        WrongRunningTotal(1, "A", 40, 30),
        WrongRunningTotal(3, "A", 54, 45),
    )


def test_points_under_the_wrong_name_are_a_mistake_of_both_sides() -> None:
    found = check_running_totals(FOUR, [{"A": 0, "B": 30}, {"B": 50}, {"A": 15}, {"B": 55}])
    assert found == (WrongRunningTotal(1, "A", 0, 30), WrongRunningTotal(1, "B", 30, 0))
    assert found[1].sentence == "Line 1: B has 30 written, it comes to 0."


def test_written_totals_need_one_item_per_line() -> None:
    for written in ([{"A": 30}], [{}] * 5, [{"C": 1}, {}, {}, {}]):
        with pytest.raises(ValueError, match="one item a line"):
            check_running_totals(FOUR, written)


@settings(max_examples=examples(100), deadline=None)
@given(endless_cases(among=(*ONE_GAME, "gra-partnership")), st.data())
def test_one_wrong_figure_is_found_in_its_line(case: dict[str, Any], data: st.DataObject) -> None:
    answer, played = recount(case)
    sheet = sheet_from_json(case | {"lines": case["lines"][:played]})
    written = [dict(line["running"]) for line in answer["lines"]]
    assert check_running_totals(sheet, written) == ()
    if written:
        at = data.draw(st.integers(0, played - 1))
        side = data.draw(st.sampled_from(case["sides"]))
        off = data.draw(st.integers(1, 50))
        for totals in written[at:]:
            totals[side] += off
        assert check_running_totals(sheet, written) == (
            WrongRunningTotal(at + 1, side, written[at][side], written[at][side] - off),
        )


def points_only(side: str, points: int, boards: int) -> dict[str, Any]:
    line = {"outcome": "points", "to": side, "points": points}
    nothing = {"outcome": "points", "points": 0}
    return {"boards": [line, *[nothing] * (boards - 1)]} if boards else line


@pytest.mark.parametrize(("rules", "boards"), [("gra-singles", 0), ("oklahoma", 0), ("gra-partnership", 2)])
def test_points_lines_with_the_lower_side_first_are_old_totals(rules: str, boards: int) -> None:
    def is_totals(*lines: tuple[str, int]) -> bool:
        sheet = make_empty_sheet(make_variant_rules(rules, {"target": 150}), ["A", "B"])
        for side, points in lines:
            sheet = judge_line(sheet, points_only(side, points, boards)).sheet
        return was_entered_as_totals(sheet)

    assert is_totals(("B", 98), ("A", 163))
    assert is_totals(("A", 163))
    assert not is_totals(("A", 120), ("B", 98))
    assert not is_totals(("A", 20), ("A", 143))
    assert not is_totals()


@pytest.mark.parametrize("rules", ["gra-singles", "oklahoma", "gra-partnership"])
def test_totals_end_the_game_at_the_target_and_not_below_it(rules: str) -> None:
    sheet = make_variant_rules(rules, {"target": 150})
    for side, other in ("AB", "BA"):
        over = tally_sheet(judge_totals_line(sheet, ["A", "B"], {side: 150, other: 149}).sheet)
        assert (over.complete, over.winner, over.totals) == (True, side, {side: 150, other: 149})
        still = tally_sheet(judge_totals_line(sheet, ["A", "B"], {side: 149, other: 20}, unfinished=True).sheet)
        assert (still.complete, still.winner) == (False, None)
