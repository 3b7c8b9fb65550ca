import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pairing.helpers.commands import run_json_lines, spoil

ROOT = Path(__file__).parents[3]


pair = partial(run_json_lines, "pair")


def refusals(case: Any) -> list[tuple[str, str]]:
    (answer,), status = pair(case)
    assert status == 1
    assert answer["ok"] is False
    assert all(error["message"].endswith(".") for error in answer["errors"])
    return [(error["code"], error["path"]) for error in answer["errors"]]


def knockout(entries: list[int], **options: Any) -> dict[str, Any]:
    return {"format": "single-elimination", "entries": entries, **options}


def matches(case: dict[str, Any]) -> list[dict[str, Any]]:
    (answer,), status = pair(case)
    assert (status, answer["ok"], set(answer)) == (0, True, {"ok", "matches"})
    return answer["matches"]


def test_three_entries() -> None:
    assert pair(knockout([3, 1, 2])) == (
        [
            {
                "ok": True,
                "matches": [
                    {"id": "R1M1", "round": 1, "sides": [{"entry": 1}, {"entry": 2}]},
                    {"id": "R2M1", "round": 2, "sides": [{"entry": 3}, {"winner": "R1M1"}]},
                ],
            }
        ],
        0,
    )


def test_five_seeds() -> None:
    assert matches(knockout([11, 12, 13, 14, 15], seeded=True)) == [
        {"id": "R1M1", "round": 1, "sides": [{"entry": 15}, {"entry": 14}]},
        {"id": "R2M1", "round": 2, "sides": [{"entry": 11}, {"winner": "R1M1"}]},
        {"id": "R2M2", "round": 2, "sides": [{"entry": 13}, {"entry": 12}]},
        {"id": "R3M1", "round": 3, "sides": [{"winner": "R2M1"}, {"winner": "R2M2"}]},
    ]


class Tree:
    """A bracket that is rebuilt from the command's answer alone, as another program would do it."""

    def __init__(self, found: list[dict[str, Any]]) -> None:
        self.matches = {match["id"]: match for match in found}
        self.fed = {side["winner"] for match in found for side in match["sides"] if "winner" in side}
        (self.final,) = self.matches.keys() - self.fed

    def lines(self, side: dict[str, Any], depth: int) -> list[int | None]:
        """Return the entries on the 2^depth lines below a side of a match. A line is None if it is a bye."""
        if "entry" in side:
            return [side["entry"]] + [None] * (2**depth - 1)
        upper, lower = self.matches[side["winner"]]["sides"]
        return self.lines(upper, depth - 1) + self.lines(lower, depth - 1)


def halves_differ_by_one_at_most(lines: list[int | None]) -> bool:
    if len(lines) == 1:
        return True
    half = len(lines) // 2
    parts = lines[:half], lines[half:]
    byes = [part.count(None) for part in parts]
    return abs(byes[0] - byes[1]) <= 1 and all(map(halves_differ_by_one_at_most, parts))


@settings(deadline=None)
@given(st.integers(2, 300), st.booleans(), st.data())
def test_what_the_contract_says_of_a_bracket(entries: int, seeded: bool, data: st.DataObject) -> None:
    numbers = data.draw(st.permutations(range(1, entries + 1)))
    byes_to = [] if seeded else data.draw(st.lists(st.sampled_from(numbers), unique=True, max_size=9))
    options = {"seeded": True} if seeded else {"byes_to": byes_to}
    found = matches(knockout(numbers, **options))
    tree = Tree(found)
    rounds = (entries - 1).bit_length()
    byes = 2**rounds - entries
    assert len(found) == len(tree.matches) == entries - 1
    assert max(match["round"] for match in found) == rounds == tree.matches[tree.final]["round"]
    lines = tree.lines({"winner": tree.final}, rounds)
    assert len(lines) == 2**rounds
    assert sorted(line for line in lines if line is not None) == sorted(numbers)
    assert halves_differ_by_one_at_most(lines)
    in_round_two = {s["entry"] for m in found if m["round"] == 2 for s in m["sides"] if "entry" in s}
    with_bye = in_round_two if entries > 2 else set()
    assert len(with_bye) == byes
    assert set(byes_to[:byes]) <= with_bye
    for match in found:
        for side in match["sides"]:
            if "winner" in side:
                assert tree.matches[side["winner"]]["round"] == match["round"] - 1
            else:
                assert match["round"] == 1 + (side["entry"] in with_bye)
    if seeded:
        assert with_bye == set(numbers[:byes])
        half = len(lines) // 2
        assert (numbers[0] in lines[:half]) != (numbers[1] in lines[:half])


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ({}, [("missing-field", "format")]),
        ({"format": 7}, [("bad-value", "format")]),
        ({"format": "swiss-of-1850"}, [("unknown-format", "format")]),
        ({"format": "single-elimination"}, [("missing-field", "entries")]),
        (knockout([]), [("bad-value", "entries")]),
        (knockout([4]), [("bad-value", "entries")]),
        ({**knockout([1, 2]), "entries": {"1": 2}}, [("bad-value", "entries")]),
        ({**knockout([1, 2]), "entries": None}, [("bad-value", "entries")]),
        (knockout([1, 2, 1, 2]), [("bad-value", "entries[2]"), ("bad-value", "entries[3]")]),
        (knockout([0, 1]), [("bad-value", "entries[0]")]),
        (knockout([-3, 1]), [("bad-value", "entries[0]")]),
        (
            {**knockout([1, 2]), "entries": [1, 2.0, "3", True, None]},
            [("bad-value", f"entries[{i}]") for i in range(1, 5)],
        ),
        (knockout([1, 2**53]), [("bad-value", "entries[1]")]),
        (knockout([1, 2, 3], byes_to=[9]), [("bad-value", "byes_to[0]")]),
        (knockout([1, 2, 3], byes_to=[2, 2]), [("bad-value", "byes_to[1]")]),
        (knockout([1, 2, 3], byes_to=2), [("bad-value", "byes_to")]),
        (knockout([1, 2, 3], byes_to=["2", 7]), [("bad-value", "byes_to[0]"), ("bad-value", "byes_to[1]")]),
        (knockout([1, 2, 3], byes_to=[1], seeded=True), [("bad-value", "byes_to")]),
        (knockout([1, 2, 3], byes_to=[], seeded=True), [("bad-value", "byes_to")]),
        (knockout([1, 2, 3], seeded=1), [("bad-value", "seeded")]),
        (knockout([1, 2, 3], sedeed=True), [("unknown-field", "sedeed")]),
        (
            knockout([1, 1, 3], byes_to=[3, 3], seeded="no", extra=0),
            [
                ("bad-value", "entries[1]"),
                ("bad-value", "byes_to[1]"),
                ("bad-value", "seeded"),
                ("unknown-field", "extra"),
            ],
        ),
    ],
)
def test_refused_with_every_error(case: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert refusals(case) == expected


def test_a_duplicate_entry_is_refused_with_its_first_place() -> None:
    (answer,), _ = pair(knockout([5, 6, 5]))
    assert answer["errors"][0]["message"] == "Entry 5 stands there already, at entries[0]."


def test_an_invalid_entry_causes_no_error_for_the_byes() -> None:
    assert refusals(knockout(["1", 2, 3], byes_to=[1])) == [("bad-value", "entries[0]")]


def test_named_byes_change_nothing_if_there_are_no_byes() -> None:
    assert matches(knockout([1, 2, 3, 4], byes_to=[3])) == matches(knockout([1, 2, 3, 4]))


def test_answers_in_order_and_the_status_of_the_worst() -> None:
    answers, status = pair(knockout([1, 2]), b"", b"{", knockout([5, 6]))
    assert [answer["ok"] for answer in answers] == [True, False, True]
    assert status == 1
    assert answers[1]["errors"][0]["code"] == "bad-json"


SPOILED_NAMES = ("format", "entries", "byes_to", "seeded", "zz", "", "entries ", "\ud801")


def test_spoiled_cases_by_the_thousand_have_a_code_and_a_path_each() -> None:
    chance = random.Random(1850)
    cases = []
    for _ in range(4000):
        numbers = chance.sample(range(1, 90), chance.randint(2, 12))
        case = knockout(numbers, **chance.choice([{}, {"byes_to": numbers[:2]}, {"seeded": True}]))
        for _ in range(chance.randint(1, 3)):
            case = spoil(case, chance, SPOILED_NAMES)
        cases.append(case)
    answers, _ = pair(*cases)
    assert len(answers) == len(cases)
    assert 100 < sum(answer["ok"] for answer in answers) < 3900
    for case, answer in zip(cases, answers, strict=True):
        if answer["ok"]:
            assert len(answer["matches"]) == len(case["entries"]) - 1
            assert set(case) <= {"format", "entries", "byes_to", "seeded"}
        else:
            assert answer["errors"]
            for error in answer["errors"]:
                assert set(error) == {"code", "path", "message"}
                assert error["code"] in {"bad-value", "missing-field", "unknown-field", "unknown-format"}
                assert error["path"] or "" in case
                assert error["message"]


def test_spoiled_bytes_never_end_the_stream() -> None:
    chance = random.Random(7)
    good = json.dumps(knockout([1, 2, 3, 4, 5], byes_to=[2])).encode()
    lines = [b"[" * 100_000, b"NaN", b'{"format": NaN}', b"\xff\xfe", b"\x00", b"1" * 5000, b'{"a": 1, "a": 2}']
    for _ in range(2000):
        spoilt = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
        line = bytes(spoilt).replace(b"\n", b" ").replace(b"\r", b" ")
        lines.append(line if line.strip() else b"{")
    answers, status = pair(*lines, good)
    assert len(answers) == len(lines) + 1
    assert status == 1
    assert answers[-1]["ok"]
    assert all(answer["ok"] or all(error["code"] for error in answer["errors"]) for answer in answers)
