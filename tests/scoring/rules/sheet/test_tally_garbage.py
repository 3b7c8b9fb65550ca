"""For any case, `tally` returns an answer, or lists problems with a code and a path."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.sheet.sheets import run_tally_case
from tests.chance import examples
from tests.scoring.rules.garbage import CODES, NAMES, WEIRD, anything_with, assert_is_a_fair_refusal, spoil
from tests.scoring.rules.helpers import problems_of
from tests.scoring.rules.sheet.golden_sheets import PATHS, read_golden
from tests.scoring.rules.sheet.recount import recount
from tournament.errors import InvalidInput

ROUNDS = 4_000


GOLDEN_CASES = [golden.case for golden in map(read_golden, PATHS) if not golden.refused]


@pytest.mark.parametrize("seed", range(4))
def test_spoilt_cases_are_counted_right_or_refused_with_code_and_path(seed: int) -> None:
    chance = random.Random(seed)
    answered = 0
    for _ in range(ROUNDS // 4):
        case = spoil(chance.choice(GOLDEN_CASES), chance)
        try:
            answer = run_tally_case(case)
        except InvalidInput as bad:
            assert_is_a_fair_refusal(bad.problems, case)
        else:
            answered += 1
            assert answer == recount(case)[0]
    assert 10 < answered < ROUNDS // 8, "the spoiling should hit, and now and then miss"


anything = anything_with(NAMES)


@settings(max_examples=examples(200), deadline=None)
@given(st.dictionaries(st.sampled_from(["rules", "options", "sides", "lines", "x"]), anything))
def test_input_that_is_not_a_case_is_refused_with_codes(case: dict[str, Any]) -> None:
    assert {code for code, _path in problems_of(run_tally_case, case)} <= CODES


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(anything, min_size=1))
def test_any_invalid_lines_are_refused_at_their_path(lines: list[Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        run_tally_case({"rules": "gra-singles", "sides": ["A", "B"], "lines": lines})
    found = {int(m[1]) for p in refused.value.problems if (m := re.match(r"lines\[(\d+)\]", p.path))}
    assert found == set(range(len(lines)))


def put(where: str, value: Any) -> dict[str, Any]:
    """Return a valid case with this value at one place, such as `lines.0.counts`."""
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
def test_a_strange_value_is_counted_right_or_refused_at_its_path(where: str) -> None:
    for value in WEIRD:
        case = put(where, value)
        try:
            answer = run_tally_case(case)
        except InvalidInput as bad:
            # Other names for the sides, and another outcome, make other fields wrong.
            if where.split(".")[0] != "sides" and where != "lines.0.outcome":
                places = [re.sub(r"\[(\d+)\]", r".\1", problem.path) for problem in bad.problems]
                assert all(place.startswith(where.removesuffix(".by")) for place in places)
        else:
            assert answer == recount(case)[0]
