"""The program accepts improbable but possible hands only after the scorekeeper confirms them."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.rules.sheet.sheets import ScoreSheet, judge_line, make_empty_sheet, make_variant_rules


def empty(rules: str = "gra-singles", **options: Any) -> ScoreSheet:
    return make_empty_sheet(make_variant_rules(rules, {"target": 10**6, **options}), ["Ann", "Bob"])


def doubts(line: dict[str, Any], sheet: ScoreSheet | None = None) -> dict[str, str]:
    return {doubt.code: doubt.message for doubt in judge_line(sheet or empty(), line).warnings}


def finish(outcome: str, own: int, other: int, **more: Any) -> dict[str, Any]:
    return {"up": "TH", "outcome": outcome, "by": "Ann", "counts": {"Ann": own, "Bob": other}, **more}


@pytest.mark.parametrize(
    "line",
    [
        finish("knock", 1, 98),
        finish("knock", 10, 0),
        finish("gin", 0, 1),
        finish("gin", 0, 98, extra={"Bob": ["KH", "QH"]}),
        finish("gin", 0, 89, missing={"Bob": 1}),
        finish("gin", 0, 80, missing={"Bob": 2}),
        {"up": "8H", "outcome": "stock"},
        {"outcome": "void"},
        {"up": "8H", "outcome": "points", "to": "Bob", "points": 123},
        {"up": "8H", "outcome": "points", "to": "Bob", "points": 1},
        {"up": "AH", "outcome": "points", "to": "Bob", "points": 25},
        {"up": "AH", "outcome": "points", "points": 0},
    ],
)
def test_an_ordinary_hand_raises_no_doubt(line: dict[str, Any]) -> None:
    assert doubts(line) == {}


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (
            finish("gin", 0, 99),
            "count-too-high",
            "10 cards cannot count 99 when they are laid out at their best: 98 is",
        ),
        (finish("knock", 3, 90, missing={"Bob": 1}), "count-too-high", "9 cards cannot count 90"),
        (finish("knock", 3, 81, missing={"Bob": 2}), "count-too-high", "80 is the most"),
        (finish("knock", 0, 20), "knock-with-nothing", "Ann knocked with 0. Was it gin? See GRA singles rule 6."),
        (finish("gin", 0, 0), "gin-against-nothing", "Bob had 0 against a gin. Is the count right?"),
        (
            finish("gin", 0, 5, missing={"Bob": 1}, extra={"Bob": ["KH"]}),
            "missing-and-extra",
            "Bob cannot have both too few cards and too many. See GRA singles rule 8.",
        ),
        (finish("gin", 0, 5, missing={"Bob": 3}), "many-miscounted", "with 3 cards off? See GRA singles rule 8."),
        (finish("gin", 0, 5, extra={"Bob": ["KH", "QH", "JH"]}), "many-miscounted", "with 3 cards off"),
        (finish("gin", 0, 5) | {"up": None}, "no-up-card", "the scorer records it at once. See GRA singles rule 4."),
        ({"outcome": "stock"}, "no-up-card", "No up card is recorded"),
        ({"outcome": "points", "to": "Bob", "points": 30}, "no-up-card", "No up card is recorded"),
        (
            {"up": "8H", "outcome": "points", "to": "Bob", "points": 124},
            "points-too-high",
            "One hand cannot bring 124 points here: 123 is the most.",
        ),
        ({"up": "AH", "outcome": "points", "to": "Bob", "points": 1}, "points-under-ace", "1 are recorded."),
        (
            {"up": "AH", "outcome": "points", "to": "Bob", "points": 24},
            "points-under-ace",
            "Under an ace only a gin scores, 25 points or more; 24 are recorded. See GRA singles rule 4.",
        ),
    ],
)
def test_what_is_improbable_is_doubted(line: dict[str, Any], code: str, said: str) -> None:
    line = {name: value for name, value in line.items() if value is not None}
    found = doubts(line)
    assert list(found) == [code]
    assert said in found[code]


def test_the_same_up_card_twice_running_is_doubted() -> None:
    sheet = judge_line(empty(), {"up": "8H", "outcome": "stock"}).sheet
    assert doubts(finish("gin", 0, 5, up="8H"), sheet) == {
        "same-up-card": "The hand before had the same up card, the eight of hearts. Is this hand recorded twice?"
    }
    assert doubts(finish("gin", 0, 5, up="8D"), sheet) == {}
    between = judge_line(sheet, {"up": "9H", "outcome": "stock"}).sheet
    assert doubts(finish("gin", 0, 5, up="8H"), between) == {}


def test_a_corrected_line_is_doubted_beside_the_lines_above_it() -> None:
    sheet = empty()
    for up in ("8H", "9H", "TH"):
        sheet = judge_line(sheet, {"up": up, "outcome": "stock"}).sheet
    assert [d.code for d in judge_line(sheet, {"up": "8H", "outcome": "stock"}, at=1).warnings] == ["same-up-card"]
    assert judge_line(sheet, {"up": "TH", "outcome": "stock"}, at=2).warnings == ()


def test_an_up_card_is_wanted_only_if_points_may_depend_on_it() -> None:
    gin = {"outcome": "gin", "by": "Ann", "counts": {"Ann": 0, "Bob": 5}}
    assert doubts(gin, empty("standard")) == {}
    assert list(doubts(gin, empty("standard", spades_double=True))) == ["no-up-card"]
    assert list(doubts(gin, empty("oklahoma"))) == ["no-up-card"]


def test_doubled_hands_may_be_twice_as_high_and_low() -> None:
    oklahoma = empty("oklahoma")
    assert doubts({"up": "8S", "outcome": "points", "to": "Bob", "points": 246}, oklahoma) == {}
    assert list(doubts({"up": "8S", "outcome": "points", "to": "Bob", "points": 247}, oklahoma)) == ["points-too-high"]
    assert list(doubts({"up": "8H", "outcome": "points", "to": "Bob", "points": 124}, oklahoma)) == ["points-too-high"]
    assert list(doubts({"up": "AS", "outcome": "points", "to": "Bob", "points": 49}, oklahoma)) == ["points-under-ace"]
    assert doubts({"up": "AS", "outcome": "points", "to": "Bob", "points": 50}, oklahoma) == {}


def test_big_gin_against_nothing_is_doubted_too() -> None:
    assert list(doubts(finish("big-gin", 0, 0), empty(big_gin_bonus=31))) == ["gin-against-nothing"]
