"""Everything that is written on a case: an answer, or problems with code and path; never anything else."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.sheet.sheets import answer_tally
from tests.chance import examples
from tests.scoring.rules.sheet.golden_sheets import PATHS, read_golden
from tests.scoring.rules.sheet.recount import recount
from tournament.errors import BadCase, Problem

CODES = {
    "unknown-rules", "unknown-option", "unknown-field", "missing-field", "bad-value", "bad-card", "unknown-side",
    "knock-too-high", "ace-requires-gin", "after-end",
}  # fmt: skip
ROUNDS = 4_000
WEIRD: list[Any] = [
    None, True, False, 0, 1, -1, 1.0, 5.5, 10**9, 10**9 + 1, 2**53, -(10**400), "", " ", "A", "B", "C", "winner",
    "gins", "8H", "8h", "10H", "AS", "KHKH", "gin", "GIN", "knock", "points", "stock", "up-card", "double", "\ud800",
    "ß" * 9000, [], {}, [[]], {"A": 1}, {"B": 1}, {"C": 1}, {"A": 0, "B": 0}, {"B": ["KH", "KH"]}, {"B": []},
    ["A", "B"], [None, 1, "A"],
]  # fmt: skip
NAMES = [
    "up",
    "outcome",
    "by",
    "counts",
    "missing",
    "extra",
    "to",
    "points",
    "dealer",
    "words",
    "long_words",
    "deadwood",
    "results",
    "game",
    "hand",
    "tricks",
    "spoken",
    "sit_out",
    "rounds",
    "round",
    "won_by",
    "A",
    "B",
    "C",
    "rules",
    "",
    "\ud800",
]


def nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with each of its keys."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from nodes(inner)


def spoil(case: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    case = copy.deepcopy(case)
    for _ in range(chance.randint(1, 3)):
        places = list(nodes(case))
        if not places:
            break
        holder, key = chance.choice(places)
        how = chance.randrange(5)
        if how == 0:
            del holder[key]
        elif how == 1 and isinstance(holder, dict):
            holder[chance.choice(NAMES)] = holder.pop(key)
        elif how == 2 and isinstance(holder, dict):
            holder[chance.choice(NAMES)] = copy.deepcopy(chance.choice(WEIRD))
        elif how == 3 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(chance.choice([*WEIRD, *holder])))
        else:
            holder[key] = copy.deepcopy(chance.choice(WEIRD))
    return case


def place_of(case: Any, path: str) -> Any:
    """What stands at a path; KeyError where nothing does."""
    for step in re.findall(r"[^.\[\]]+|\[\d+\]", path):
        case = case[int(step[1:-1])] if step.startswith("[") else case[step]
    return case


def assert_is_a_fair_refusal(problems: list[Problem], case: Any) -> None:
    assert problems
    for problem in problems:
        assert_is_a_fair_problem(problem, case)


def assert_is_a_fair_problem(problem: Problem, case: Any) -> None:
    assert problem.code in CODES
    assert problem.message
    assert problem.message[-1] in ".?", problem.message
    assert len(problem.message) < 1_000
    if any(letter in problem.path for letter in "…\ud800ßÅ") or ".." in problem.path or problem.path[-1:] in (".", ""):
        return  # a name with dots or brackets of its own, or cut short: not to be followed by this simple reader
    if problem.code == "missing-field":
        with pytest.raises(KeyError):
            place_of(case, problem.path)
        place_of(case, problem.path.rpartition(".")[0])
    else:
        place_of(case, problem.path)


GOLDEN_CASES = [golden.case for golden in map(read_golden, PATHS) if not golden.refused]


@pytest.mark.parametrize("seed", range(4))
def test_spoilt_cases_are_counted_right_or_refused_with_code_and_path(seed: int) -> None:
    chance = random.Random(seed)
    answered = 0
    for _ in range(ROUNDS // 4):
        case = spoil(chance.choice(GOLDEN_CASES), chance)
        try:
            answer = answer_tally(case)
        except BadCase as bad:
            assert_is_a_fair_refusal(bad.problems, case)
        else:
            answered += 1
            assert answer == recount(case)[0]
    assert 10 < answered < ROUNDS // 8, "the spoiling should hit, and now and then miss"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(NAMES),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(NAMES), inner),
    max_leaves=20,
)


@settings(max_examples=examples(200), deadline=None)
@given(st.dictionaries(st.sampled_from(["rules", "options", "sides", "lines", "x"]), anything))
def test_no_case_at_all_is_refused_with_codes(case: dict[str, Any]) -> None:
    with pytest.raises(BadCase) as refused:
        answer_tally(case)
    assert {problem.code for problem in refused.value.problems} <= CODES


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(anything, min_size=1))
def test_lines_of_anything_are_refused_each_in_its_place(lines: list[Any]) -> None:
    with pytest.raises(BadCase) as refused:
        answer_tally({"rules": "gra-singles", "sides": ["A", "B"], "lines": lines})
    found = {int(m[1]) for p in refused.value.problems if (m := re.match(r"lines\[(\d+)\]", p.path))}
    assert found == set(range(len(lines)))


def put(where: str, value: Any) -> dict[str, Any]:
    """A case that is right, but for the value at one place."""
    line = {
        "up": "8H",
        "outcome": "gin",
        "by": "A",
        "counts": {"A": 0, "B": 5},
        "missing": {},
        "extra": {},
        "dealer": "A",
    }
    options = {"target": 150, "shutout": "none"}
    case: dict[str, Any] = {"rules": "gra-singles", "options": options, "sides": ["A", "B"], "lines": [line]}
    *holders, last = [int(step) if step.isdigit() else step for step in where.split(".")]
    holder: Any = case
    for step in holders:
        holder = holder[step]
    holder[last] = value
    return case


PLACES = """
    rules options sides lines options.target options.shutout sides.0 lines.0 lines.0.up lines.0.outcome lines.0.by
    lines.0.counts lines.0.counts.A lines.0.counts.B lines.0.missing lines.0.extra lines.0.dealer
"""


@pytest.mark.parametrize("where", PLACES.split())
def test_a_weird_value_anywhere_is_counted_right_or_refused_there(where: str) -> None:
    for value in WEIRD:
        case = put(where, value)
        try:
            answer = answer_tally(case)
        except BadCase as bad:
            # Other names for the sides, and another outcome, make other fields wrong.
            if where.split(".")[0] != "sides" and where != "lines.0.outcome":
                places = [re.sub(r"\[(\d+)\]", r".\1", problem.path) for problem in bad.problems]
                assert all(place.startswith(where.removesuffix(".by")) for place in places)
        else:
            assert answer == recount(case)[0]
