"""Matches of a round or stage can have their own length. These tests check the parsing, and which length applies."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.rules.book.options import (
    MatchLength,
    MatchPosition,
    apply_match_length,
    describe_bracket_round,
    read_match_lengths,
    resolve_match_length,
)
from scoring.rules.variants import VARIANTS
from tournament.cases import ProblemCollector

OPTIONS = VARIANTS["gra-singles"].options


def read(*said: Any) -> tuple[tuple[MatchLength, ...], list[str]]:
    problems = ProblemCollector()
    return read_match_lengths(said, OPTIONS, problems), [problem.path for problem in problems.found]


def test_lengths_are_read_with_the_final_first_and_a_stage_last() -> None:
    found, wrong = read(
        {"stage": "swiss", "options": {"target": 100}},
        {"from_end": 2, "games_to_win": 2},
        {"from_end": 1, "options": {"target": 500}, "games_to_win": 3},
        {"stage": "fixed", "games_to_win": 1},
    )
    assert wrong == []
    assert found == (
        MatchLength("", 1, {"target": 500}, 3),
        MatchLength("", 2, {}, 2),
        MatchLength("fixed", None, {}, 1),
        MatchLength("swiss", None, {"target": 100}, None),
    )
    assert [one.as_json() for one in found] == [
        {"from_end": 1, "options": {"target": 500}, "games_to_win": 3},
        {"from_end": 2, "games_to_win": 2},
        {"stage": "fixed", "games_to_win": 1},
        {"stage": "swiss", "options": {"target": 100}},
    ]


@pytest.mark.parametrize(
    ("said", "path"),
    [
        (7, "lengths[0]"),
        ({"stage": 7, "from_end": 1, "games_to_win": 2}, "lengths[0].stage"),
        ({"stage": "swiss", "from_end": 0, "games_to_win": 2}, "lengths[0].from_end"),
        ({"stage": "swiss", "from_end": 17, "games_to_win": 2}, "lengths[0].from_end"),
        ({"from_end": 1, "games_to_win": 0, "options": {"target": 50}}, "lengths[0].games_to_win"),
        ({"from_end": 1, "games_to_win": 12, "options": {"target": 50}}, "lengths[0].games_to_win"),
        ({"from_end": 1, "games": 2, "games_to_win": 2}, "lengths[0].games"),
        ({"from_end": 1, "options": {"target": "50"}}, "lengths[0].options.target"),
        ({"from_end": 1, "options": {"knock": 10}}, "lengths[0].options.knock"),
        ({"from_end": 1}, "lengths[0]"),
        ({"games_to_win": 2}, "lengths[0]"),
    ],
)
def test_an_invalid_length_is_refused_at_its_path(said: Any, path: str) -> None:
    assert read(said)[1] == [path]


def test_a_place_has_one_length_and_later_lengths_are_still_read() -> None:
    assert read({"from_end": 1, "games_to_win": 2}, {"from_end": 1, "games_to_win": 3})[1] == ["lengths[1]"]
    assert read(7, {"from_end": 16, "games_to_win": 11}) == ((MatchLength("", 16, {}, 11),), ["lengths[0]"])


def test_the_length_of_a_round_overrides_that_of_its_stage() -> None:
    lengths = (
        MatchLength("", 1, {"target": 500}),
        MatchLength("single-elimination", None, {"target": 250}, 2),
        MatchLength("swiss", None, {}, 3),
    )
    at = {
        place: resolve_match_length(lengths, place)
        for place in (
            MatchPosition("single-elimination", 1),
            MatchPosition("single-elimination", 2),
            MatchPosition("", 1),
            MatchPosition("swiss"),
            MatchPosition("fixed"),
        )
    }
    assert list(at.values()) == [
        {"options": {"target": 500}, "games_to_win": 2},
        {"options": {"target": 250}, "games_to_win": 2},
        {"options": {"target": 500}},
        {"games_to_win": 3},
        {},
    ]
    assert apply_match_length({"target": 50, "knock": 10}, at[MatchPosition("", 1)]) == {"target": 500, "knock": 10}
    assert apply_match_length({"target": 50}, {}) == {"target": 50}


def test_rounds_of_a_double_elimination_in_words() -> None:
    assert [describe_bracket_round(number, is_double=True) for number in (1, 2, 3, 4, 5)] == [
        "Final",
        "Last round before the final, of both brackets",
        "2 rounds before the final, of both brackets",
        "3 rounds before the final, of both brackets",
        "4 rounds before the final, of both brackets",
    ]
