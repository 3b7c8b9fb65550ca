"""Cards kept on paper: totals only, and where the addition went wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules import Slip, check_running, enter_totals, judge_line, open_sheet, read_sheet, rule_sheet, tally
from tests.chance import examples
from tests.scoring.rules.recount import recount
from tests.scoring.rules.sheet_strategies import ONE_GAME, endless_cases
from tournament.errors import BadCase

GRA = rule_sheet("gra-singles")


def refused(totals: Any) -> list[tuple[str, str, str]]:
    with pytest.raises(BadCase) as caught:
        enter_totals(GRA, ["A", "B"], totals)
    return [(problem.code, problem.path, problem.message) for problem in caught.value.problems]


def test_totals_become_the_losers_line_and_then_the_winners() -> None:
    entered = enter_totals(GRA, ["A", "B"], {"A": 98, "B": 163})
    assert entered.lines_as_json() == [
        {"outcome": "points", "to": "A", "points": 98},
        {"outcome": "points", "to": "B", "points": 163},
    ]
    assert tally(entered.sheet).as_json()["totals"] == {"A": 98, "B": 163}
    assert tally(entered.sheet).winner == "B"
    assert entered.doubts == ()


def test_a_loser_without_points_has_no_line() -> None:
    assert enter_totals(GRA, ["A", "B"], {"A": 150, "B": 0}).lines_as_json() == [
        {"outcome": "points", "to": "A", "points": 150}
    ]


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
def test_totals_with_which_no_game_ends_are_refused(totals: dict[str, int], sentence: str) -> None:
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
def test_totals_that_cannot_be_read_are_refused(totals: Any, problems: list[tuple[str, str]]) -> None:
    assert [problem[:2] for problem in refused(totals)] == problems


def test_a_winner_far_beyond_the_target_is_doubted() -> None:
    """149 before the last hand, which brings 98 + 25 at most: 272."""
    assert enter_totals(GRA, ["A", "B"], {"A": 272, "B": 98}).doubts == ()
    [doubt] = enter_totals(GRA, ["A", "B"], {"A": 273, "B": 98}).doubts
    assert doubt.code == "total-too-high"
    assert doubt.message == "A cannot well have 273: under 150 before the last hand, which brings 123 at most."


@settings(max_examples=examples(100), deadline=None)
@given(target=st.integers(1, 300), low=st.integers(0, 400), high=st.integers(0, 400))
def test_totals_are_entered_just_where_one_side_alone_is_at_the_target(target: int, low: int, high: int) -> None:
    rules = rule_sheet("gra-singles", {"target": target})
    totals = {"A": low, "B": high}
    if (low >= target) != (high >= target):
        counted = tally(enter_totals(rules, ["A", "B"], totals).sheet)
        assert (counted.complete, counted.totals) == (True, totals)
        assert counted.winner == ("A" if low > high else "B")
    else:
        with pytest.raises(BadCase):
            enter_totals(rules, ["A", "B"], totals)


# --- Running totals written on paper --------------------------------------------------------------------------------


def paper_sheet(*points: tuple[str, int]) -> Any:
    sheet = open_sheet(GRA, ["A", "B"])
    for side, amount in points:
        sheet = judge_line(sheet, {"outcome": "points", "to": side, "points": amount}).sheet
    return sheet


FOUR = paper_sheet(("A", 30), ("B", 20), ("A", 15), ("B", 5))


def test_right_additions_have_no_slip() -> None:
    assert check_running(FOUR, [{"A": 30}, {"B": 20}, {"A": 45}, {"B": 25}]) == ()
    assert check_running(FOUR, [{"A": 30, "B": 0}, {"A": 30, "B": 20}, {"A": 45, "B": 20}, {"A": 45, "B": 25}]) == ()
    assert check_running(FOUR, [{}, {}, {}, {"A": 45, "B": 25}]) == ()
    assert check_running(open_sheet(GRA, ["A", "B"]), []) == ()


def test_a_slip_is_found_in_its_line_and_not_in_those_that_carry_it_on() -> None:
    assert check_running(FOUR, [{"A": 40}, {"B": 20}, {"A": 55}, {"B": 25}]) == (Slip(1, "A", 40, 30),)
    assert check_running(FOUR, [{"A": 30}, {"B": 20}, {"A": 44}, {"B": 25}]) == (Slip(3, "A", 44, 45),)


def test_every_slip_is_found() -> None:
    assert check_running(FOUR, [{"A": 31}, {"B": 19, "A": 30}, {"A": 45}, {"B": 25}]) == (
        Slip(1, "A", 31, 30),
        Slip(2, "B", 19, 20),
        Slip(2, "A", 30, 31),
        Slip(4, "B", 25, 24),
    )


def test_points_put_under_the_wrong_name_are_a_slip_of_both() -> None:
    found = check_running(FOUR, [{"A": 0, "B": 30}, {"B": 50}, {"A": 15}, {"B": 55}])
    assert found == (Slip(1, "A", 0, 30), Slip(1, "B", 30, 0))
    assert found[1].sentence == "Line 1: B has 30 written, it comes to 0."


def test_written_totals_are_one_item_a_line_by_side() -> None:
    for written in ([{"A": 30}], [{}] * 5, [{"C": 1}, {}, {}, {}]):
        with pytest.raises(ValueError, match="one item a line"):
            check_running(FOUR, written)


@settings(max_examples=examples(100), deadline=None)
@given(endless_cases(among=(*ONE_GAME, "gra-partnership")), st.data())
def test_one_wrong_figure_is_found_where_it_stands(case: dict[str, Any], data: st.DataObject) -> None:
    answer, played = recount(case)
    sheet = read_sheet(case | {"lines": case["lines"][:played]})
    written = [dict(line["running"]) for line in answer["lines"]]
    assert check_running(sheet, written) == ()
    if written:
        at = data.draw(st.integers(0, played - 1))
        side = data.draw(st.sampled_from(case["sides"]))
        off = data.draw(st.integers(1, 50))
        for totals in written[at:]:
            totals[side] += off
        assert check_running(sheet, written) == (Slip(at + 1, side, written[at][side], written[at][side] - off),)
