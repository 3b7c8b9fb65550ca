from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.sheet.sheets import judge_line, run_tally_case, sheet_from_json, sheet_to_json, tally_sheet
from tests.chance import examples
from tests.scoring.rules.helpers import problems_of
from tests.scoring.rules.sheet.recount import ended, recount
from tests.scoring.rules.sheet.sheet_strategies import ONE_GAME, endless_cases, hands_of
from tests.scoring.rules.variants.variant_strategies import (
    captain_cases,
    couples_cases,
    fort_worth_cases,
    pad_cases,
    whist_cards,
    word_cases,
)

pure = settings(max_examples=examples(100), deadline=None)
CASES: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "gin": endless_cases(),
    "captain": captain_cases(),
    "court-whist": whist_cards(),
    "fort-worth": fort_worth_cases(),
    "metzker": couples_cases(),
    "score-pad": pad_cases(),
    "word-gin": word_cases(),
}
of_every_game = pytest.mark.parametrize("game", CASES)


@of_every_game
@pure
@given(data=st.data())
def test_an_independent_count_gives_the_same_answer(game: str, data: st.DataObject) -> None:
    case = data.draw(CASES[game])
    assert run_tally_case(ended(case)) == recount(case)[0]


LONG_CASES = CASES | {
    "gin": endless_cases(most=30), "metzker": couples_cases(most=20), "word-gin": word_cases(most=20),
    "fort-worth": fort_worth_cases(whole=True),
}  # fmt: skip


@of_every_game
@pure
@given(data=st.data())
def test_each_line_after_the_end_is_refused_and_no_other(game: str, data: st.DataObject) -> None:
    case = data.draw(LONG_CASES[game])
    answer, played = recount(case)
    lines = case["lines"]
    if answer["complete"] and played == len(lines):
        lines = [*lines, *lines[:2]]
    after = [("after-end", f"lines[{i}]") for i in range(played, len(lines))]
    if after:
        assert problems_of(run_tally_case, case | {"lines": lines}) == after
    else:
        assert run_tally_case(case) == answer


@pytest.mark.parametrize("game", ["gin", "captain", "court-whist", "score-pad", "word-gin"])
@pure
@given(data=st.data())
def test_running_totals_are_the_sums_of_the_points(game: str, data: st.DataObject) -> None:
    case = data.draw(endless_cases(among=(*ONE_GAME, "gra-partnership")) if game == "gin" else CASES[game])
    answer = run_tally_case(ended(case))
    sums = dict.fromkeys(case["sides"], 0)
    for line in answer["lines"]:
        assert game != "gin" or min(line["points"].values()) == 0, "one side at most scores a hand"
        sums = {side: sums[side] + line["points"][side] for side in sums}
        assert line["running"] == sums
    assert answer["totals"] == sums


@of_every_game
@pure
@given(data=st.data())
def test_the_first_lines_of_a_sheet_give_the_first_lines_of_the_answer(game: str, data: st.DataObject) -> None:
    case = ended(data.draw(CASES[game]))
    whole = run_tally_case(case)["lines"]
    for length in range(len(case["lines"])):
        part = run_tally_case(case | {"lines": case["lines"][:length]})
        assert part["lines"] == whole[:length]
        assert (part["complete"], part["winner"]) == (False, None)
        assert not {"settlement", "settlement_cents", "winners"} & set(part)
        if game == "metzker" and part["lines"]:
            points = [{side: each[side] for side in case["sides"]} for each in part["games"]]
            assert points == part["lines"][-1]["columns"]


@pytest.mark.parametrize("game", ["gin", "metzker", "word-gin"])
@pure
@given(data=st.data())
def test_the_order_of_the_sides_does_not_matter(game: str, data: st.DataObject) -> None:
    case = ended(data.draw(CASES[game]))
    assert run_tally_case(case | {"sides": case["sides"][::-1]}) == run_tally_case(case)


@of_every_game
@pure
@given(data=st.data())
def test_other_names_give_the_same_answer_under_those_names(game: str, data: st.DataObject) -> None:
    case = ended(data.draw(CASES[game]))
    sides = case["sides"]
    others = data.draw(st.permutations([*sides, *(name for name in ("Zoe", "Zack") if name not in sides)]))
    swapped = dict(zip(sides, others, strict=False))
    assert run_tally_case(_renamed(case, swapped)) == _renamed(run_tally_case(case), swapped)


BY_SIDE = (
    "bids", "columns", "counts", "deadwood", "extra", "games", "gins", "long_words", "missing", "points", "running",
    "settlement", "settlement_cents", "totals", "words",
)  # fmt: skip
NAMES_A_SIDE = ("bid_by", "box", "by", "captain", "dealer", "out", "sides", "to", "winner", "winners", "won_by")


def _renamed(value: Any, swapped: dict[str, str], name: str = "") -> Any:
    """Return the value with other names for the sides, both in keys and in texts that name a side."""
    if isinstance(value, dict):
        own = swapped if name in BY_SIDE else {}
        return {own.get(k, k): _renamed(v, swapped, "" if k in own else k) for k, v in value.items()}
    if isinstance(value, list):
        return [_renamed(item, swapped, name) for item in value]
    return swapped[value] if name in NAMES_A_SIDE and value is not None else value


@of_every_game
@pure
@given(data=st.data())
def test_a_sheet_survives_json(game: str, data: st.DataObject) -> None:
    case = ended(data.draw(CASES[game]))
    sheet = sheet_from_json(case)
    assert sheet_from_json(json.loads(json.dumps(sheet_to_json(sheet)))) == sheet
    for hand in (hand for line in case["lines"] for hand in hands_of(line)):
        for name in ("missing", "extra"):
            if name in hand and not any(hand[name].values()):
                del hand[name]  # none missing, none too many: not written
    assert sheet_to_json(sheet)["lines"] == case["lines"]


@of_every_game
@pure
@given(data=st.data())
def test_counting_line_by_line_gives_the_same_answer(game: str, data: st.DataObject) -> None:
    case = ended(data.draw(CASES[game]))
    sheet = sheet_from_json(case | {"lines": []})
    for line in case["lines"]:
        judged = judge_line(sheet, line)
        assert judged.line_tally == judged.tally.lines[-1]
        sheet = judged.sheet
    assert sheet == sheet_from_json(case)
    assert tally_sheet(sheet).as_json() == run_tally_case(case)


@pure
@given(endless_cases())
def test_a_hand_without_points_changes_nothing(case: dict[str, Any]) -> None:
    case = ended(case)
    answer = run_tally_case(case)
    empty = [{"outcome": "points", "points": 0, "to": case["sides"][0]}, {"outcome": "stock"}]
    if case["rules"] == "gra-partnership":
        boards = case["options"].get("boards", 2)
        empty = [{"boards": [hand] * boards} for hand in empty]
    padded = run_tally_case(case | {"lines": [*empty, *case["lines"]]})
    assert {**padded, "lines": padded["lines"][2:]} == answer


@pure
@given(endless_cases())
def test_the_explanation_names_the_points_and_who_gets_them(case: dict[str, Any]) -> None:
    for line in tally_sheet(sheet_from_json(ended(case))).lines:
        worth = {side: points for side, points in line.points.items() if points}
        said = [f"{points} to {side}" for side, points in worth.items()] or ["nobody scores"]
        assert said[0] in line.explanation
