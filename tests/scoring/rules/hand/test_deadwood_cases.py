"""`deadwood` gives the answers that were worked out by hand, and refuses a wrong case with the path of each problem."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from scoring.rules.hand.arrangement import run_deadwood_case
from tests.scoring.rules.helpers import problems_of
from tournament.errors import InvalidInput

PATHS = sorted((Path(__file__).parents[2] / "golden_hands").glob("*.txt"))


@dataclass
class GoldenHand:
    """A case and its expected answer. tests/scoring/golden_hands/README.md describes the notation."""

    where: str
    case: dict[str, Any] = field(default_factory=dict)
    answer: dict[str, Any] = field(default_factory=dict)


def read_golden_hands(path: Path) -> list[GoldenHand]:
    head, *paragraphs = path.read_text(encoding="utf-8").split("\n\n")
    assert "\nsource: " in head, path
    return [read_paragraph(f"{path.stem}-{i}", text) for i, text in enumerate(paragraphs, start=1)]


def read_paragraph(where: str, text: str) -> GoldenHand:
    golden = GoldenHand(where)
    for row in text.splitlines():
        name, _colon, value = (part.strip() for part in row.partition(":"))
        if row.startswith("#"):
            continue
        if name in ("hand", "ace"):
            golden.case[name] = value
        elif name == "knocker":
            golden.case[name] = groups(value)
        elif name == "layoffs":
            golden.answer[name] = dict(group.split(" + ") for group in groups(value))
        elif name == "refused":
            golden.answer.setdefault(name, []).append(tuple(value.split(" at ")))
        else:
            golden.answer[name] = {"deadwood": int, "melds": groups, "loose": str}[name](value)
    return golden


def groups(text: str) -> list[str]:
    return text.split(", ") if text else []


GOLDEN_HANDS = [golden for path in PATHS for golden in read_golden_hands(path)]


def answered(case: dict[str, Any]) -> dict[str, Any]:
    try:
        return run_deadwood_case(case)
    except InvalidInput as bad:
        return {"refused": [(problem.code, problem.path) for problem in bad.problems]}


@pytest.mark.parametrize("golden", GOLDEN_HANDS, ids=lambda golden: golden.where)
def test_golden_hand(golden: GoldenHand) -> None:
    assert answered(golden.case) == golden.answer


@pytest.mark.parametrize("golden", GOLDEN_HANDS, ids=lambda golden: golden.where)
def test_the_order_of_a_hand_changes_only_the_order_of_the_answer(golden: GoldenHand) -> None:
    chance, case = Random(golden.where), dict(golden.case)
    case["hand"] = " ".join(chance.sample(case["hand"].split(), len(case["hand"].split())))
    other = answered(case)
    if "refused" in golden.answer:
        assert other == golden.answer
    else:
        assert other["deadwood"] == golden.answer["deadwood"]
        assert other.get("layoffs") == golden.answer.get("layoffs")
        assert {frozenset(m.split()) for m in other["melds"]} == {frozenset(m.split()) for m in golden.answer["melds"]}


def refused(case: dict[str, Any]) -> list[tuple[str, str]]:
    return problems_of(run_deadwood_case, case)


HAND = "AS 2S 3S 7H 7D 7C KD QD 4C 9H"


@pytest.mark.parametrize("hand", [None, True, 7, 1.5, [], HAND.split(), {}, "", HAND * 10, "\ud800"])
def test_an_invalid_hand_is_refused_at_its_path(hand: object) -> None:
    assert refused({"hand": hand}) == [("bad-value", "hand")]


@pytest.mark.parametrize("knocker", [None, True, 7, "5S 6S 7S", {"5S 6S 7S": ""}])
def test_a_knocker_without_a_list_is_refused(knocker: object) -> None:
    assert refused({"hand": HAND, "knocker": knocker}) == [("bad-value", "knocker")]


def test_each_invalid_meld_of_the_knocker_is_refused_at_its_path() -> None:
    knocker = ["5S 6S 7S", None, ["5S"], "", "9C XX 9D", "8C 8D", "5H 6H"]
    assert sorted(refused({"hand": HAND, "knocker": knocker})) == [
        ("bad-card", "knocker[4]"),
        ("bad-value", "knocker[1]"),
        ("bad-value", "knocker[2]"),
        ("bad-value", "knocker[3]"),
        ("bad-value", "knocker[5]"),
        ("bad-value", "knocker[6]"),
    ]


@pytest.mark.parametrize("ace", [None, True, "", "high", "BOTH", 1, ["both"], {}])
def test_an_ace_is_low_or_both(ace: object) -> None:
    assert refused({"hand": HAND, "ace": ace}) == [("bad-value", "ace")]


def test_unknown_and_missing_fields_are_refused_with_all_other_problems() -> None:
    case = {"knocker": ["5S 6S"], "aces": "both", "options": {"ace": "both"}}
    assert sorted(refused(case)) == [
        ("bad-value", "knocker[0]"),
        ("missing-field", "hand"),
        ("unknown-field", "aces"),
        ("unknown-field", "options"),
    ]


def test_a_refusal_says_where_the_card_is() -> None:
    case = {"hand": "AS AS 2S 3S 7H 7D 7C", "knocker": ["AS 2H 3H", "4H 5H 6H", "6H 6C 6D"]}
    with pytest.raises(InvalidInput) as found:
        run_deadwood_case(case)
    assert [problem.message for problem in found.value.problems] == [
        "The ace of spades stands here twice: a deck has one.",
        "The ace of spades is in the hand too: a deck has one.",
        "AS 2H 3H is not a meld: no three or four of a rank, no run in a suit.",
        "The six of hearts is in another of the knocker's melds too: a deck has one.",
    ]


def test_the_key_of_a_lay_off_is_the_meld_as_it_was_written() -> None:
    answer = run_deadwood_case({"hand": "4S 8S KD QD 2C 9H JH", "knocker": ["7S  5S 6S"]})
    assert answer["layoffs"] == {"7S  5S 6S": "4S 8S"}
