from __future__ import annotations

import pickle
from typing import Any

import pytest

from scoring.rules.sheet.sheets import (
    ScoreSheet,
    judge_line,
    make_empty_sheet,
    make_variant_rules,
    sheet_from_json,
    tally_sheet,
)
from tests.scoring.rules.helpers import problems_of
from tournament.errors import InvalidInput

GRA = make_variant_rules("gra-singles", {"target": 50})
LINES: list[dict[str, Any]] = [
    {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 5}},
    {"up": "9H", "outcome": "knock", "by": "B", "counts": {"A": 15, "B": 5}},
    {"up": "TH", "outcome": "points", "to": "A", "points": 25},
]


def three_lines() -> ScoreSheet:
    return sheet_from_json({"rules": "gra-singles", "options": {"target": 50}, "sides": ["A", "B"], "lines": LINES})


@pytest.mark.parametrize(
    ("sides", "path"),
    [
        ([], "sides"),
        (["A"], "sides"),
        (["A", "B", "C"], "sides"),
        (["A", "A"], "sides[1]"),
        (["", "B"], "sides[0]"),
        (["A", "winner"], "sides[1]"),
        (["gins", "B"], "sides[0]"),
        (["A", 5], "sides[1]"),
        (["A", None], "sides[1]"),
        (["A", "\ud83c"], "sides[1]"),
        (["A", "B\ud800"], "sides[1]"),
        (["\udfffA", "B"], "sides[0]"),
        (["A", "b" * 10_001], "sides[1]"),
    ],
)
def test_unusable_names_of_sides_are_refused(sides: list[Any], path: str) -> None:
    assert problems_of(make_empty_sheet, GRA, sides) == [("bad-value", path)]
    assert problems_of(sheet_from_json, {"rules": "gra-singles", "sides": sides, "lines": []}) == [("bad-value", path)]


def test_half_a_character_is_refused_as_such() -> None:
    with pytest.raises(InvalidInput, match=r"sides\[0\]: This text holds half a character"):
        make_empty_sheet(GRA, ["\ud800", "B"])
    with pytest.raises(InvalidInput, match=r"sides\[1\]: This text holds half a character"):
        make_empty_sheet(GRA, ["A", "\udfff"])


def test_a_word_of_the_answer_is_named_in_the_refusal() -> None:
    with pytest.raises(InvalidInput, match='No side can be called "gins"'):
        make_empty_sheet(GRA, ["A", "gins"])


@pytest.mark.parametrize(
    "sides", [["a", "A"], [" ", "  "], ["\ud7ff", "\ue000"], ["Winner", "gin"], ["counts", "🂡"], ["b" * 10_000, "0"]]
)
def test_sides_may_have_any_other_names(sides: list[str]) -> None:
    assert tally_sheet(make_empty_sheet(GRA, sides)).totals == dict.fromkeys(sides, 0)


def test_sides_are_checked_even_under_unknown_rules() -> None:
    assert problems_of(
        sheet_from_json, {"rules": "whist", "sides": ["A", "A", "B", "winner"], "lines": 5, "option": {}}
    ) == [("unknown-rules", "rules"), ("bad-value", "sides[1]"), ("bad-value", "sides[3]"), ("unknown-field", "option")]


def test_an_empty_case_misses_its_fields() -> None:
    assert problems_of(sheet_from_json, {}) == [("missing-field", "rules"), ("missing-field", "sides")]
    assert problems_of(sheet_from_json, {"rules": "gra-singles"}) == [
        ("missing-field", "sides"),
        ("missing-field", "lines"),
    ]


def test_lines_are_read_even_if_the_sides_are_not() -> None:
    line = {"up": "XX", "outcome": "knock", "by": "Z", "counts": {"Y": 200, "Z": -1}}
    assert problems_of(
        sheet_from_json, {"rules": "gra-singles", "sides": ["A"], "lines": [line, {"outcome": "stock"}]}
    ) == [("bad-value", "sides"), ("bad-card", "lines[0].up"), ("bad-value", "lines[0].counts.Z")]


@pytest.mark.parametrize("options", [{"knock": "x"}, {"ace": "x"}, {"big_gin_bonus": "x"}])
def test_no_line_is_refused_because_of_an_unreadable_option(options: dict[str, Any]) -> None:
    lines = [
        {"up": "AH", "outcome": "knock", "by": "A", "counts": {"A": 1, "B": 9}},
        {"up": "2H", "outcome": "knock", "by": "A", "counts": {"A": 2, "B": 9}},
        {"up": "2H", "outcome": "big-gin", "by": "A", "counts": {"A": 0, "B": 9}},
    ]
    rules = "gra-singles" if "big_gin_bonus" in options else "standard"
    lines = [line for line in lines if rules == "standard" or line["up"] != "AH"]
    if "knock" in options:
        lines += [{"outcome": "knock", "by": "A", "counts": {"A": 90, "B": 9}}]
    assert problems_of(sheet_from_json, {"rules": rules, "options": options, "sides": ["A", "B"], "lines": lines}) == [
        ("bad-value", f"options.{next(iter(options))}")
    ]


def test_no_line_is_after_the_end_if_the_end_is_unknown() -> None:
    ended = [*LINES, {"outcome": "stock"}]
    bad = {"outcome": "tie"}
    case: dict[str, Any] = {"rules": "gra-singles", "options": {"target": 50}, "sides": ["A", "B"]}
    expected = {
        "a bad line before the end": (case | {"lines": [bad, *ended]}, [("bad-value", "lines[0].outcome")]),
        "a bad line after the end": (
            case | {"lines": [*ended, bad, *ended[-1:]]},
            [("bad-value", "lines[4].outcome"), *(("after-end", f"lines[{i}]") for i in (3, 4, 5))],
        ),
        "an option unread": (
            case | {"options": {"target": 50, "gin_bonus": -1}, "lines": ended},
            [("bad-value", "options.gin_bonus")],
        ),
        "an option unknown": (
            case | {"options": {"target": 50, "gin": 1}, "lines": ended},
            [("unknown-option", "options.gin"), ("after-end", "lines[3]")],
        ),
        "a card unread": (
            case | {"lines": [LINES[0] | {"up": "?"}, *LINES[1:], {"outcome": "stock"}]},
            [("bad-card", "lines[0].up")],
        ),
    }
    for name, (wrong, found) in expected.items():
        assert problems_of(sheet_from_json, wrong) == found, name


def test_a_line_after_the_end_names_who_won() -> None:
    with pytest.raises(InvalidInput, match="The sheet was complete before this line: A has won it") as refused:
        judge_line(three_lines(), {"outcome": "stock"})
    assert [(problem.code, problem.path) for problem in refused.value.problems] == [("after-end", "")]


def test_a_line_is_judged_without_being_recorded() -> None:
    sheet = make_empty_sheet(GRA, ["A", "B"])
    judged = judge_line(sheet, LINES[0])
    assert sheet.lines == ()
    assert (judged.line_tally.points, judged.tally.complete) == ({"A": 30, "B": 0}, False)
    assert judged.as_json() == LINES[0]


def test_a_correction_counts_the_whole_sheet_again() -> None:
    judged = judge_line(three_lines(), LINES[0] | {"counts": {"A": 0, "B": 1}}, at=0)
    assert judged.line_tally.points == {"A": 26, "B": 0}
    assert [dict(line.running) for line in judged.tally.lines] == [
        {"A": 26, "B": 0},
        {"A": 26, "B": 10},
        {"A": 51, "B": 10},
    ]
    lower = judge_line(three_lines(), LINES[2] | {"points": 1}, at=2)
    assert (lower.tally.complete, lower.tally.totals) == (False, {"A": 31, "B": 10})


def test_a_correction_that_ends_the_game_earlier_is_refused_for_the_lines_below() -> None:
    assert problems_of(judge_line, three_lines(), LINES[0] | {"counts": {"A": 0, "B": 25}}, at=0) == [
        ("after-end", "lines[1]"),
        ("after-end", "lines[2]"),
    ]


def test_only_an_existing_line_can_be_corrected() -> None:
    with pytest.raises(IndexError):
        judge_line(three_lines(), LINES[0], at=3)


@pytest.mark.parametrize("data", [None, [], "gin", 5])
def test_a_line_that_is_not_an_object_is_refused(data: Any) -> None:
    assert problems_of(judge_line, make_empty_sheet(GRA, ["A", "B"]), data) == [("bad-value", "")]


def test_a_sheet_and_its_tally_can_be_stored_and_sent() -> None:
    sheet = three_lines()
    assert pickle.loads(pickle.dumps(sheet)) == sheet
    assert pickle.loads(pickle.dumps(tally_sheet(sheet))) == tally_sheet(sheet)


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        ({"sides": ["A"]}, "Gin Rummy Association, singles takes 2 sides; here are 1."),
        ({"sides": ["A", "A"]}, '"A" is the name of two sides: they must be different.'),
        ({"rules": 5}, "5 is not the name of rules. There are: gra-singles, "),
        ({"rules": "whist"}, 'There are no rules "whist" here. There are: gra-singles, '),
    ],
)
def test_a_refusal_is_a_sentence(case: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        sheet_from_json({"rules": "gra-singles", "sides": ["A", "B"], "lines": []} | case)
    assert refused.value.problems[0].message.startswith(sentence)
