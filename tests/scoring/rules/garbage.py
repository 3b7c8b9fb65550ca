"""Helpers for input that is wrong at random: spoil valid cases, and require an understandable refusal."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import strategies as st

from tournament.errors import InputProblem

CODES = {
    "unknown-rules", "unknown-option", "unknown-field", "missing-field", "bad-value", "bad-card", "unknown-side",
    "knock-too-high", "ace-requires-gin", "after-end",
}  # fmt: skip
WEIRD: list[Any] = [
    None, True, False, 0, 1, -1, 1.0, 5.5, 10**9, 10**9 + 1, 2**53, -(10**400), "", " ", "A", "B", "C", "winner",
    "gins", "8H", "8h", "10H", "AS", "KHKH", "gin", "GIN", "knock", "points", "stock", "up-card", "double", "\ud800",
    "ß" * 9000, [], {}, [[]], {"A": 1}, {"B": 1}, {"C": 1}, {"A": 0, "B": 0}, {"B": ["KH", "KH"]}, {"B": []},
    ["A", "B"], [None, 1, "A"],
]  # fmt: skip
NAMES = [
    "up", "outcome", "by", "counts", "missing", "extra", "to", "points", "dealer", "words", "long_words", "deadwood",
    "results", "game", "hand", "tricks", "spoken", "sit_out", "rounds", "round", "won_by", "A", "B", "C", "rules", "",
    "\ud800",
]  # fmt: skip


def anything_with(names: Sequence[str]) -> st.SearchStrategy[Any]:
    """Generate any JSON value. Some of its strings and keys are taken from `names`."""
    return st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(names),
        lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(names), inner),
        max_leaves=20,
    )


def nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each list and dictionary inside a JSON value, together with each of its indexes or keys."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from nodes(inner)


def spoil(case: dict[str, Any], chance: random.Random, names: Sequence[str] = NAMES) -> dict[str, Any]:
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
            holder[chance.choice(names)] = holder.pop(key)
        elif how == 2 and isinstance(holder, dict):
            holder[chance.choice(names)] = copy.deepcopy(chance.choice(WEIRD))
        elif how == 3 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(chance.choice([*WEIRD, *holder])))
        else:
            holder[key] = copy.deepcopy(chance.choice(WEIRD))
    return case


def place_of(case: Any, path: str) -> Any:
    """Return the value in a case at a path such as `lines[0].counts`, or raise KeyError."""
    for step in re.findall(r"[^.\[\]]+|\[\d+\]", path):
        case = case[int(step[1:-1])] if step.startswith("[") else case[step]
    return case


def assert_is_a_fair_refusal(problems: list[InputProblem], case: Any) -> None:
    assert problems
    for problem in problems:
        assert_is_a_fair_problem(problem, case)


def assert_is_a_fair_problem(problem: InputProblem, case: Any) -> None:
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
