"""A malformed payout case is answered or refused, and a refusal has a code, a path, and a sentence for each problem."""

import copy
import json
import random
from typing import Any

import pytest

from tournament.cases import parse_json_object
from tournament.errors import InvalidInput
from tournament.purse.cases import run_payout_case

CODES = {"bad-json", "bad-value", "bad-scale", "missing-field", "unknown-field", "no-finish"}
NAMES = {
    "fees_cents", "prize_percent", "scale", "unit_cents", "finish", "added_cents", "guarantee_cents", "flat_cents",
    "discounts_cents",
}  # fmt: skip
GOOD: list[dict[str, Any]] = [
    {"fees_cents": [300_00, 275_00], "scale": ["50", "30", "20"], "finish": [[7], [3, 9], [1]]},
    {
        "fees_cents": [300_00] * 5,
        "prize_percent": "82.5",
        "unit_cents": 500,
        "flat_cents": [500_00, 250_00],
        "discounts_cents": 25_00,
        "added_cents": 1,
        "guarantee_cents": 2_000_00,
        "finish": [[2, 1], [3]],
    },
]
ODD: list[Any] = [
    None, True, False, 0, -1, 1, 1.0, 0.5, 1e300, 2**53, -(2**53), 10**400, "", "0", "-0", "-5", "100", "1e2", "NaN",
    "٣", "1" * 2_000, "0." + "3" * 900, "\ud800", "\x00", "=1+1", "<b>", [], [[]], [[[]]], [None], {}, {"": 0},
    {"a": [1]}, [[1], [1]], [1, 2], ["100"], ["50", "50"],
]  # fmt: skip


def spoil(value: Any, chance: random.Random) -> Any:
    """Return a copy of the value in which something is replaced, dropped, doubled or misspelled at random."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        return spoil_object(dict(value), chance)
    if isinstance(value, list) and value and chance.random() < 0.7:
        return spoil_list(list(value), chance)
    return copy.deepcopy(chance.choice(ODD))


def spoil_object(fields: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    name = chance.choice(list(fields))
    act = chance.random()
    if act < 0.1:
        del fields[name]
    elif act < 0.2:
        fields[chance.choice(["", "x", "scale ", "Fees_cents", "scale", "flat_cents", "é" * 200])] = 1
    else:
        fields[name] = spoil(fields[name], chance)
    return fields


def spoil_list(items: list[Any], chance: random.Random) -> list[Any]:
    index = chance.randrange(len(items))
    act = chance.random()
    if act < 0.15:
        del items[index]
    elif act < 0.3:
        items.insert(index, items[index])
    else:
        items[index] = spoil(items[index], chance)
    return items


@pytest.mark.parametrize("seed", range(8))
def test_a_malformed_case_is_answered_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    refused = 0
    for _ in range(1_000):
        case = copy.deepcopy(chance.choice(GOOD))
        for _ in range(chance.randint(1, 3)):
            case = spoil(case, chance)
        refused += not answered_well(case)
    assert 500 < refused < 1_000


def answered_well(case: Any) -> bool:
    """Return whether the payout case was answered rather than refused. Fail on a wrong total or an empty refusal."""
    try:
        answer = run_payout_case(parse_json_object(json.dumps(case)))
    except InvalidInput as bad:
        problems = bad.problems
    else:
        assert sum(answer["awards_cents"].values()) == answer["pool_cents"]
        return True
    assert problems
    for problem in problems:
        assert problem.code in CODES
        assert problem.message.endswith(".")
        assert leads_somewhere(problem.code, problem.path, case), (problem, case)
    return False


def leads_somewhere(code: str, path: str, case: Any) -> bool:
    """Return whether a refusal's path fits its code.

    For “missing-field”, the path must name a field that the case lacks.
    """
    if code == "bad-json":
        return path == ""
    if code == "unknown-field":
        return path not in NAMES
    name = path.split("[")[0]
    return (name not in case) if code == "missing-field" else (name in case and name in NAMES)


@pytest.mark.parametrize("name", sorted(NAMES))
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:20])
def test_any_value_in_a_field_is_answered_or_refused(name: str, odd: Any) -> None:
    case = {"fees_cents": [300_00], "finish": [[7]], "scale": ["100"]}
    if name == "flat_cents":
        del case["scale"]
    answered_well({**case, name: odd})


def test_a_percent_of_any_length_is_read_or_refused_at_once() -> None:
    case = {"fees_cents": [1], "finish": [[1]], "scale": ["1" * 100_000, "0." + "0" * 998]}
    with pytest.raises(InvalidInput) as refusal:
        run_payout_case(case)
    assert [(problem.code, problem.path) for problem in refusal.value.problems] == [("bad-value", "scale[0]")]
