"""For any input, `deadwood` returns a correct answer, or lists problems with a code and a path."""

from __future__ import annotations

import copy
import re
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.hand.arrangement import run_deadwood_case
from tests.chance import examples
from tests.scoring.rules.garbage import anything_with
from tests.scoring.rules.hand.every_arrangement import DECK, best_key, is_meld
from tests.scoring.rules.hand.random_hands import KINDS, deal_against
from tests.scoring.rules.helpers import problems_of
from tournament.errors import InvalidInput

CODES = {"unknown-field", "missing-field", "bad-value", "bad-card"}
PATH = re.compile(r"hand|ace|knocker(\[\d+\])?")
ROUNDS = 3_000
WEIRD: list[Any] = [
    None, True, 0, -1, 5.5, 10**400, "", " ", "AS", "as", "10H", "AS" * 4000, "AS AS AS", "KS AS 2S", "QS KS AS",
    "low", "both", "\ud800", "A♠", [], {}, [[]], ["AS 2S 3S"] * 2, [None], {"hand": 1},
]  # fmt: skip
KEYS = ["hand", "knocker", "ace", "Hand", "melds", "", "options", "\ud800"]


def spoil(case: dict[str, Any], chance: Random) -> dict[str, Any]:
    """Return a copy of the case with one to three random changes, which may or may not make it wrong."""
    case = copy.deepcopy(case)
    for _ in range(chance.randint(1, 3)):
        place = chance.choice(list(case) or KEYS)
        value = case.get(place)
        how = chance.randrange(6)
        if how == 0:
            case.pop(place, None)
        elif how == 1:
            case[chance.choice(KEYS)] = chance.choice(WEIRD)
        elif how == 2 and isinstance(value, list):
            value.insert(chance.randint(0, len(value)), chance.choice([*WEIRD, *value]))
        elif how == 3 and isinstance(value, list) and value:
            i = chance.randrange(len(value))
            value[i] = spoil_text(value[i], chance) if isinstance(value[i], str) else None
        elif isinstance(value, str):
            case[place] = spoil_text(value, chance)
    return case


def spoil_text(text: str, chance: Random) -> str:
    cards = text.split(" ")
    i = chance.randrange(len(cards))
    how = chance.randrange(5)
    if how == 0:
        cards[i] = chance.choice(DECK)
    elif how == 1:
        cards.insert(i, chance.choice([*DECK, *cards, "XX", ""]))
    elif how == 2:
        del cards[i]
    elif how == 3:
        cards[i] = cards[i][::-1]
    return " ".join(cards)


def is_in_order(case: dict[str, Any]) -> bool:
    """Return whether `deadwood` must accept the case. This check does not use the program's code."""
    knocker, ace = case.get("knocker", []), case.get("ace", "low")
    if not {"hand"} <= case.keys() <= {"hand", "knocker", "ace"} or ace not in ("low", "both"):
        return False
    if not isinstance(knocker, list) or not all(isinstance(text, str) for text in (case["hand"], *knocker)):
        return False
    hand, *melds = [text.split() for text in (case["hand"], *knocker)]
    cards = [card for group in (hand, *melds) for card in group]
    if not 7 <= len(hand) <= 14 or not set(cards) <= set(DECK) or len(cards) > len(set(cards)):
        return False
    return all(is_meld(meld, both=ace == "both") for meld in melds)


@pytest.mark.parametrize("kind", KINDS)
def test_spoilt_cases_are_answered_right_or_refused_with_code_and_path(kind: str) -> None:
    chance = Random(kind)
    answered = 0
    for _ in range(ROUNDS // len(KINDS)):
        hand, knocker = deal_against(chance, kind, chance.randint(7, 14))
        melds = [" ".join(meld) for meld in knocker]
        case = spoil({"hand": " ".join(hand), "knocker": melds, "ace": "both"}, chance)
        try:
            answer = run_deadwood_case(case)
        except InvalidInput as bad:
            assert not is_in_order(case), case
            assert_is_a_fair_refusal(bad, case)
        else:
            answered += 1
            assert is_in_order(case), case
            assert_is_right(answer, case)
    assert ROUNDS // 20 < answered < ROUNDS // 4, "the spoiling should hit, and now and then miss"


def assert_is_a_fair_refusal(bad: InvalidInput, case: dict[str, Any]) -> None:
    assert bad.problems
    for problem in bad.problems:
        assert problem.code in CODES
        assert problem.message.endswith(".")
        assert len(problem.message) < 300
        known = PATH.fullmatch(problem.path)
        assert (problem.path not in case if problem.code == "missing-field" else problem.path in case) or (
            known and known[1] and int(known[1][1:-1]) < len(case["knocker"])
        )
        assert known or problem.code == "unknown-field"


def assert_is_right(answer: dict[str, Any], case: dict[str, Any]) -> None:
    knocker = [meld.split() for meld in case.get("knocker", [])]
    best = best_key(case["hand"].split(), knocker, both=case.get("ace") == "both")
    assert answer["deadwood"] == best[0]
    texts = [answer["loose"], *answer["melds"], *answer.get("layoffs", {}).values()]
    assert sorted(" ".join(texts).split()) == sorted(case["hand"].split())
    assert ("layoffs" in answer) == ("knocker" in case)
    assert answer.get("layoffs", {}).keys() <= set(case.get("knocker", []))


anything = anything_with([*KEYS, "AS 2S 3S"])


@settings(max_examples=examples(100), deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), anything))
def test_input_that_is_not_a_case_is_refused_with_codes(case: dict[str, Any]) -> None:
    assert {code for code, _path in problems_of(run_deadwood_case, case)} <= CODES
