"""For any input, `adjudicate` returns an answer, or lists problems with a code and a path."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.irregularities import IRREGULARITIES
from scoring.rules.rulings.adjudicate import run_adjudicate_case
from tests.chance import examples
from tests.scoring.rules.garbage import WEIRD, anything_with, assert_is_a_fair_problem, nodes
from tests.scoring.rules.helpers import problems_of
from tests.scoring.rules.rulings.golden_rulings import GOLDEN_RULINGS
from tournament.errors import InvalidInput

ROUNDS = 4_000
NAMES = [*{fact.name for kind in IRREGULARITIES.values() for fact in kind.facts}, "sides", "rules", "", "\ud800", "A"]
ANSWER = {"rule", "ruling", "line", "points", "choices", "penalties", "text"}
GOLDEN_CASES = [golden.case for golden in GOLDEN_RULINGS if not golden.refused]


def spoil(case: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    case = copy.deepcopy(case)
    for _ in range(chance.randint(1, 2)):
        holder, key = chance.choice(list(nodes(case)) or [(case, "rules")])
        if chance.randrange(3) == 0 and isinstance(holder, dict):
            holder[chance.choice(NAMES)] = holder.pop(key, None)
        elif chance.randrange(3) == 0:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(chance.choice([*WEIRD, "opponent", "director", 10**12, 0.0]))
    return case


@pytest.mark.parametrize("seed", range(4))
def test_spoilt_cases_are_answered_or_refused_with_code_and_path(seed: int) -> None:
    chance = random.Random(seed)
    answers = 0
    for _ in range(ROUNDS // 4):
        case = spoil(chance.choice(GOLDEN_CASES), chance)
        try:
            answer = run_adjudicate_case(case)
        except InvalidInput as bad:
            assert_is_fairly_refused(bad, case)
        else:
            answers += 1
            assert answer.keys() == ANSWER
            assert answer["text"]
    assert ROUNDS // 80 < answers < ROUNDS // 8, "the spoiling should hit, and now and then miss"


def assert_is_fairly_refused(bad: InvalidInput, case: Any) -> None:
    assert bad.problems
    for problem in bad.problems:
        assert_is_a_fair_problem(problem, case)
        assert problem.code != "missing-field" or problem.path in ("rules", "kind") or "facts.hand" in problem.path


anything = anything_with([*NAMES, "8H", "gin"])


@settings(max_examples=examples(100), deadline=None)
@given(st.dictionaries(st.sampled_from(["rules", "kind", "facts", "options", "sides", "x"]), anything))
def test_input_that_is_not_a_case_is_refused_with_codes(case: dict[str, Any]) -> None:
    codes = {code for code, _path in problems_of(run_adjudicate_case, case)}
    assert codes <= {"missing-field", "bad-value", "unknown-field", "unknown-rules", "unknown-option"}


@settings(max_examples=examples(120), deadline=None)
@given(st.sampled_from(sorted(IRREGULARITIES)), st.dictionaries(st.sampled_from(NAMES), anything))
def test_any_facts_are_answered_or_refused_at_their_path(kind: str, facts: dict[str, Any]) -> None:
    places = ["facts."]
    try:
        assert run_adjudicate_case({"rules": "gra-singles", "kind": kind, "facts": facts}).keys() == ANSWER
    except InvalidInput as bad:
        places = [problem.path for problem in bad.problems]
    assert places
    assert all(place.startswith("facts.") for place in places)


@pytest.mark.parametrize(
    ("case", "code", "path"),
    [
        ({"kind": "conduct"}, "missing-field", "rules"),
        ({"rules": "gra-singles"}, "missing-field", "kind"),
        ({"rules": "hearts", "kind": "conduct"}, "unknown-rules", "rules"),
        ({"rules": "standard", "kind": "conduct"}, "unknown-rules", "rules"),
        ({"rules": 7, "kind": "conduct"}, "bad-value", "rules"),
        ({"rules": "gra-singles", "kind": "yawning"}, "bad-value", "kind"),
        ({"rules": "gra-singles", "kind": ["conduct"]}, "bad-value", "kind"),
        ({"rules": "gra-singles", "kind": "conduct", "facts": []}, "bad-value", "facts"),
        ({"rules": "gra-singles", "kind": "conduct", "fact": {}}, "unknown-field", "fact"),
        ({"rules": "gra-singles", "kind": "conduct", "sides": ["A"]}, "bad-value", "sides"),
        ({"rules": "gra-singles", "kind": "conduct", "sides": ["A", "gins"]}, "bad-value", "sides[1]"),
        ({"rules": "gra-singles", "kind": "conduct", "options": {"gin": 1}}, "unknown-option", "options.gin"),
        ({"rules": "gra-singles", "kind": "conduct", "options": {"knock": "x"}}, "bad-value", "options.knock"),
        ({"rules": "gra-singles", "kind": "conduct", "facts": {"warning": None}}, "unknown-field", "facts.warning"),
    ],
)
def test_problems_of_the_case_itself(case: dict[str, Any], code: str, path: str) -> None:
    assert problems_of(run_adjudicate_case, case) == [(code, path)]


def test_a_case_needs_no_facts() -> None:
    for facts in ({}, {"facts": {}}):
        assert run_adjudicate_case({"rules": "gra-singles", "kind": "touched-pile", **facts})["ruling"] == "no-penalty"


def test_points_over_the_limit_are_reported_at_the_options() -> None:
    facts = {"up": "8H", "by": "A", "count": 10, "opponent_count": 7, "opponent_accepts": True}
    case = {"rules": "gra-singles", "kind": "improper-knock", "facts": facts, "options": {"undercut_bonus": 10**9}}
    assert problems_of(run_adjudicate_case, case) == [("bad-value", "options")]


def test_facts_are_an_object_and_never_null() -> None:
    for facts in (None, [], "by A", 0, False):
        assert problems_of(run_adjudicate_case, {"rules": "gra-singles", "kind": "touched-pile", "facts": facts}) == [
            ("bad-value", "facts")
        ]
