"""Cases for the `standings` command, worked out by hand and compared with an independent implementation."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.cases.standings import run_standings_case
from tests.chance import examples
from tests.pairing.draws.cases.standings_by_hand import places_by_hand, random_case
from tournament.errors import InvalidInput

GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "standings").glob("*.json"))


def golden_with(outcome: str) -> list[Any]:
    read = ((path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in GOLDEN)
    return [pytest.param(golden, id=name) for name, golden in read if outcome in golden]


def places_of(case: dict[str, Any]) -> list[tuple[int | None, int]]:
    return [(row["place"], row["entry"]) for row in run_standings_case(case)["places"]]


@pytest.mark.parametrize("golden", golden_with("places"))
def test_the_places_are_those_worked_out_by_hand(golden: dict[str, Any]) -> None:
    assert golden["source"]
    rows = run_standings_case(golden["case"])["places"]
    assert [[row["place"], row["entry"]] for row in rows] == golden["places"]
    assert [[place, entry] for place, entry in places_by_hand(golden["case"])] == golden["places"]
    assert {name: row["why"] for row in rows if (name := str(row["entry"])) in golden["why"]} == golden["why"]


@pytest.mark.parametrize("golden", golden_with("errors"))
def test_every_error_is_found_with_its_code_and_path(golden: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        run_standings_case(golden["case"])
    assert [[problem.code, problem.path] for problem in refused.value.problems] == golden["errors"]
    assert all(problem.message.endswith(".") for problem in refused.value.problems)


def test_there_are_cases_of_both_kinds() -> None:
    assert len(golden_with("places")) >= 10
    assert len(golden_with("errors")) >= 5


@settings(deadline=None, max_examples=examples(300))
@given(st.randoms(use_true_random=False))
def test_the_places_are_those_of_a_second_reading(chance: random.Random) -> None:
    case = random_case(chance)
    assert places_of(case) == places_by_hand(case)


@settings(deadline=None, max_examples=examples(150))
@given(st.randoms(use_true_random=False))
def test_the_order_in_which_facts_are_given_does_not_matter(chance: random.Random) -> None:
    case = random_case(chance)
    again = {**case, "entries": chance.sample(case["entries"], len(case["entries"]))}
    again["matches"] = chance.sample(case["matches"], len(case["matches"]))
    assert places_of(again) == places_of(case)


@settings(deadline=None, max_examples=examples(150))
@given(st.randoms(use_true_random=False))
def test_everybody_has_one_place_and_ties_use_the_places_up(chance: random.Random) -> None:
    case = random_case(chance)
    found = places_of(case)
    assert sorted(entry for _place, entry in found) == sorted(case["entries"])
    sharing = Counter(place for place, _entry in found if place is not None)
    at = 1
    for place in sorted(sharing):
        assert place == at
        at += sharing[place]


@settings(deadline=None, max_examples=examples(100))
@given(st.randoms(use_true_random=False))
def test_a_match_that_is_void_counts_for_nothing(chance: random.Random) -> None:
    case = random_case(chance)
    without = {**case, "matches": [match for match in case["matches"] if not match.get("void")]}
    assert run_standings_case(case) == run_standings_case(without)


def test_ten_thousand_tied_entries_have_a_short_answer() -> None:
    entries = list(range(1, 10_001))
    rows = run_standings_case({"entries": entries, "matches": []})["places"]
    assert {row["place"] for row in rows} == {1}
    assert max(len(row["why"]) for row in rows) < 300


def test_a_long_chain_of_head_to_head_needs_no_depth() -> None:
    entries = list(range(1, 151))
    pairs = [(one, other) for one in entries for other in entries if one < other]
    matches = [{"sides": list(pair), "winner": pair[0]} for pair in [*pairs, (149, 150)]]
    case = {"entries": entries, "matches": matches, "tie_breaks": ["head-to-head"]}
    assert [entry for _place, entry in places_of(case)] == entries
