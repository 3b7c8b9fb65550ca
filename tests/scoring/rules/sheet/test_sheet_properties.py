"""What holds of every sheet, no matter what was played."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from scoring.rules.sheet.sheets import answer_tally, judge_line, read_sheet, tally, write_sheet
from tests.chance import examples
from tests.scoring.rules.sheet.recount import recount
from tests.scoring.rules.sheet.sheet_strategies import ONE_GAME, endless_cases, hands_of
from tournament.errors import BadCase

pure = settings(max_examples=examples(150), deadline=None)


def ended(case: dict[str, Any]) -> dict[str, Any]:
    """The case without the lines after its end."""
    return case | {"lines": case["lines"][: recount(case)[1]]}


@pure
@given(endless_cases())
def test_an_independent_count_comes_to_the_same(case: dict[str, Any]) -> None:
    answer, played = recount(case)
    assert answer_tally(case | {"lines": case["lines"][:played]}) == answer


@pure
@given(endless_cases(most=30))
def test_each_line_after_the_end_is_refused_and_no_other(case: dict[str, Any]) -> None:
    played = recount(case)[1]
    after = [("after-end", f"lines[{i}]") for i in range(played, len(case["lines"]))]
    if after:
        with pytest.raises(BadCase) as refused:
            answer_tally(case)
        assert [(p.code, p.path) for p in refused.value.problems] == after
    else:
        answer_tally(case)


@pure
@given(endless_cases(among=(*ONE_GAME, "gra-partnership")))
def test_running_totals_are_the_sums_of_the_points(case: dict[str, Any]) -> None:
    answer = answer_tally(ended(case))
    sums = dict.fromkeys(case["sides"], 0)
    for line in answer["lines"]:
        assert min(line["points"].values()) == 0, "one side at most scores a hand"
        sums = {side: sums[side] + line["points"][side] for side in sums}
        assert line["running"] == sums
    assert answer["totals"] == sums


@pure
@given(endless_cases())
def test_the_beginning_of_a_sheet_tallies_to_the_beginning_of_the_answer(case: dict[str, Any]) -> None:
    case = ended(case)
    whole = answer_tally(case)["lines"]
    for length in range(len(case["lines"])):
        part = answer_tally(case | {"lines": case["lines"][:length]})
        assert part["lines"] == whole[:length]
        assert (part["complete"], part["winner"]) == (False, None)
        assert "settlement" not in part


@pure
@given(endless_cases())
def test_the_order_of_the_sides_is_of_no_matter(case: dict[str, Any]) -> None:
    case = ended(case)
    assert answer_tally(case | {"sides": case["sides"][::-1]}) == answer_tally(case)


@pure
@given(endless_cases())
def test_other_names_give_the_same_answer_under_those_names(case: dict[str, Any]) -> None:
    first, second = case["sides"]
    swapped = {first: second, second: first}
    assert answer_tally(_renamed(ended(case), swapped)) == _renamed(answer_tally(ended(case)), swapped)


BY_SIDE = ("counts", "missing", "extra", "points", "running", "totals", "settlement", "columns", "games")


def _renamed(value: Any, swapped: dict[str, str], name: str = "") -> Any:
    """Keys that are sides, and the texts that name a side, under the other name; nothing else."""
    if isinstance(value, dict):
        own = swapped if name in BY_SIDE else {}
        return {own.get(k, k): _renamed(v, swapped, "" if k in own else k) for k, v in value.items()}
    if isinstance(value, list):
        return [_renamed(item, swapped, name) for item in value]
    return swapped[value] if name in ("by", "to", "dealer", "winner", "sides") and value is not None else value


@pure
@given(endless_cases())
def test_a_sheet_goes_through_json_unchanged(case: dict[str, Any]) -> None:
    sheet = read_sheet(ended(case))
    assert read_sheet(json.loads(json.dumps(write_sheet(sheet)))) == sheet


@pure
@given(endless_cases())
def test_everything_recorded_is_kept(case: dict[str, Any]) -> None:
    case = ended(case)
    for hand in (hand for line in case["lines"] for hand in hands_of(line)):
        for name in ("missing", "extra"):
            hand[name] = {side: cards for side, cards in hand.get(name, {}).items() if cards}
            if not hand[name]:
                del hand[name]  # none missing, none too many: not written
    assert write_sheet(read_sheet(case))["lines"] == case["lines"]


@pure
@given(endless_cases())
def test_line_by_line_comes_to_the_same_as_all_at_once(case: dict[str, Any]) -> None:
    case = ended(case)
    sheet = read_sheet(case | {"lines": []})
    for line in case["lines"]:
        judged = judge_line(sheet, line)
        assert judged.counted == judged.tally.lines[-1]
        sheet = judged.sheet
    assert sheet == read_sheet(case)
    assert tally(sheet).as_json() == answer_tally(case)


@pure
@given(endless_cases())
def test_a_hand_worth_nothing_changes_nothing(case: dict[str, Any]) -> None:
    case = ended(case)
    answer = answer_tally(case)
    empty = [{"outcome": "points", "points": 0, "to": case["sides"][0]}, {"outcome": "stock"}]
    if case["rules"] == "gra-partnership":
        boards = case["options"].get("boards", 2)
        empty = [{"boards": [hand] * boards} for hand in empty]
    padded = answer_tally(case | {"lines": [*empty, *case["lines"]]})
    assert {**padded, "lines": padded["lines"][2:]} == answer


@pure
@given(endless_cases())
def test_the_explanation_names_the_points_and_who_gets_them(case: dict[str, Any]) -> None:
    for line in tally(read_sheet(ended(case))).lines:
        worth = {side: points for side, points in line.points.items() if points}
        said = [f"{points} to {side}" for side, points in worth.items()] or ["nobody scores"]
        assert said[0] in line.explanation
