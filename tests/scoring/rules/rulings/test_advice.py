from __future__ import annotations

from typing import Any

import pytest

from scoring.rules.irregularities.case import RulingDecision
from scoring.rules.rulings.policies import GameStanding, find_dispute_policy
from scoring.rules.rulings.recommend import (
    DisputeCase,
    RulingAdvice,
    find_reportable_irregularities,
    list_fact_questions,
    recommend_ruling,
    select_relevant_facts,
)
from scoring.rules.sheet.sheets import make_variant_rules

ANN_AND_BOB = {"A": "Ann", "B": "Bob"}


def advice(rules: str, kind: str, facts: dict[str, Any]) -> RulingAdvice:
    return recommend_ruling(
        DisputeCase(kind=kind, rule_sheet=make_variant_rules(rules), names=ANN_AND_BOB, facts=facts)
    )


def test_without_a_recorded_up_card_the_director_chooses() -> None:
    claims = {"A": "8H", "B": "7H"}
    unknown = advice("gra-singles", "up-card", {})
    assert (unknown.ruling, unknown.missing_facts) == (None, ("claims",))
    said = advice("gra-singles", "up-card", {"claims": claims})
    assert (said.ruling, said.missing_facts, [one.code for one in said.choices]) == (None, (), ["8H", "7H"])
    chosen = advice("gra-singles", "up-card", {"claims": claims, "chosen": "7H"})
    assert chosen.ruling is RulingDecision.DIRECTOR_DECIDES


def test_a_yes_or_no_becomes_the_choice_unless_one_was_made_before() -> None:
    kind = find_reportable_irregularities("gra-singles")["up-card-out-of-turn"]
    assert select_relevant_facts(kind, {"by": "A", "opponent_takes": True}) == {"by": "A", "chosen": "take"}
    assert select_relevant_facts(kind, {"by": "A", "opponent_takes": False}) == {"by": "A", "chosen": "leave"}
    assert select_relevant_facts(kind, {"opponent_takes": False, "chosen": "take"}) == {"chosen": "take"}
    assert select_relevant_facts(kind, {"by": "", "opponent_takes": None, "chosen": {}, "recorded": "8H"}) == {}


def test_a_form_asks_neither_for_the_sides_nor_for_the_choice() -> None:
    kinds = find_reportable_irregularities("gra-singles")
    for name, left_out in (
        ("improper-knock", {"opponent_accepts", "chosen", "sides"}),
        ("up-card", {"chosen", "sides"}),
    ):
        asked = [fact.name for fact in list_fact_questions(kinds[name])]
        assert asked == [fact.name for fact in kinds[name].facts if fact.name not in left_out]


def test_an_open_ruling_names_its_missing_facts() -> None:
    facts = {"by": "A", "count": 10, "opponent_count": 7, "chosen": "accept"}
    assert advice("gra-singles", "improper-knock", facts).missing_facts == ("up",)


def test_a_ruling_uses_the_letters_of_the_sides() -> None:
    facts = {"up": "8H", "by": "A", "count": 10, "opponent_count": 7, "chosen": "accept"}
    kept = advice("gra-singles", "improper-knock", facts).as_json()
    assert set(kept) == {"rule", "ruling", "line", "points", "penalties", "text"}
    assert (kept["rule"], kept["ruling"]) == ("singles 9", "accepted-as-undercut")
    assert (kept["points"], kept["penalties"]) == ({"B": 28}, [])
    assert "Ann" in kept["text"]


def test_a_penalty_has_its_side_and_its_effect() -> None:
    fined = advice("gra-singles", "false-report", {"by": "B"}).as_json()
    assert fined["penalties"] == [{"side": "B", "effect": "game-loss"}]


def test_follow_ups_use_letters_too() -> None:
    knock = {"outcome": "knock", "by": "A", "counts": {"A": 8, "B": 30}}
    found = advice("gra-singles", "up-card", {"recorded": "7H", "hand": knock})
    (next_one,) = found.follow_ups
    assert (next_one.kind, next_one.facts) == (
        "improper-knock",
        {"up": "7H", "by": "A", "count": 8, "opponent_count": 30},
    )
    assert "the knock of Ann with 8 is improper" in found.text


def test_both_boards_of_a_hand_use_letters() -> None:
    boards = [
        {"outcome": "knock", "by": "A", "counts": {"A": 8, "B": 30}},
        {"outcome": "gin", "by": "B", "counts": {"A": 8, "B": 0}},
    ]
    found = advice("gra-partnership", "up-card", {"recorded": "8H", "hand": {"boards": boards}})
    assert (found.line, found.points) == ({"up": "8H", "boards": boards}, {"B": 11})


def test_impossible_facts_are_the_only_content_of_the_advice() -> None:
    found = advice("gra-singles", "up-card", {"recorded": "8X"})
    assert [(one.code, one.path) for one in found.problems] == [("bad-card", "facts.recorded")]
    assert found == RulingAdvice(rule="singles 4", problems=found.problems, text=found.problems[0].message)


HAND = {"by": "B", "turn": "8H", "counts": {"A": 30, "C": 12}}


@pytest.mark.parametrize(
    ("facts", "ruling", "missing_facts"),
    [
        ({}, None, ("in_time",)),
        ({"in_time": False}, RulingDecision.STANDS, ()),
        ({"in_time": True}, None, ("hand", "counts")),
        ({"in_time": True, "hand": HAND}, None, ("hand", "counts")),
        ({"in_time": True, "counts": {"A": 20}}, None, ("hand", "counts")),
    ],
)
def test_an_error_in_the_score_of_fort_worth_asks_for_what_is_missing(
    facts: dict[str, Any], ruling: RulingDecision | None, missing_facts: tuple[str, ...]
) -> None:
    found = advice("fort-worth", "arithmetic", facts)
    assert (found.rule, found.ruling, found.missing_facts, found.line) == (
        "Fort Worth C 3",
        ruling,
        missing_facts,
        None,
    )


def test_only_the_wrong_counts_of_a_hand_are_corrected() -> None:
    found = advice("fort-worth", "arithmetic", {"in_time": True, "hand": HAND, "counts": {"A": 20}})
    assert (found.ruling, found.line) == (RulingDecision.CORRECT, {**HAND, "counts": {"A": 20, "C": 12}})
    assert found.text == "The hand is corrected (Ann 20), and brought forward to the correct total."
    assert not found.records_thrown_in_hands
    assert find_dispute_policy("fort-worth").records_thrown_in_hands is found.records_thrown_in_hands


@pytest.mark.parametrize(
    ("totals", "ahead", "ahead_where_low_wins"),
    [
        ({"A": 30, "B": 20, "C": 10}, True, False),
        ({"A": 30, "B": 30, "C": 10}, False, False),
        ({"A": 20, "B": 30, "C": 10}, False, False),
        ({"A": 10, "B": 30, "C": 20}, False, True),
        ({"A": 10, "B": 30, "C": 10}, False, False),
        ({"A": 10}, False, False),
        ({"B": 10}, False, False),
    ],
)
def test_a_tied_scorekeeper_is_not_ahead(totals: dict[str, int], ahead: bool, ahead_where_low_wins: bool) -> None:
    assert GameStanding(totals=totals, keeper="A").is_scorekeeper_ahead is ahead
    assert GameStanding(totals=totals, keeper="A", low_wins=True).is_scorekeeper_ahead is ahead_where_low_wins


def test_the_last_hand_is_known_if_their_number_is_fixed() -> None:
    standings = [
        GameStanding(totals={}, hands_played=played, hands=hands) for played, hands in ((11, 13), (12, 13), (13, 13))
    ]
    assert [one.is_before_last_hand for one in standings] == [False, True, False]
    assert not GameStanding(totals={}, hands_played=12).is_before_last_hand
