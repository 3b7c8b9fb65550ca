"""The effects of a ruling on the score sheet follow the rules, whatever the facts of the case are."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.hand.cards import DECK
from scoring.rules.irregularities import IRREGULARITIES
from scoring.rules.irregularities.case import FactKind, FactQuestion, RulingDecision
from scoring.rules.rulings.recommend import (
    CHOICE_FACT_NAME,
    PENALTIES,
    DisputeCase,
    RulingAdvice,
    RulingToApply,
    SheetEffect,
    apply_ruling_to_hand,
    make_ruling_from_advice,
    recommend_ruling,
)
from scoring.rules.sheet.sheets import judge_line, make_empty_sheet, make_variant_rules
from tests.chance import examples

NAMES = {"A": "Ann", "B": "Bob"}
SHEETS = {name: make_variant_rules(name) for name in ("gra-singles", "gra-partnership")}

cards = st.sampled_from(sorted(DECK))
sides = st.sampled_from(["A", "B"])
counts = st.integers(0, 30)


def values(fact: FactQuestion) -> st.SearchStrategy[Any]:
    if fact.kind in (FactKind.CARD, FactKind.CLAIMED_CARD):
        return cards
    if fact.kind is FactKind.CARD_A_SIDE:
        return st.dictionaries(sides, cards)
    if fact.kind is FactKind.NUMBER_A_SIDE:
        return st.dictionaries(sides, st.integers(7, 13) if fact.name == "cards" else counts)
    if fact.kind is FactKind.SIDE:
        return sides
    if fact.kind is FactKind.YES_NO:
        return st.booleans()
    if fact.kind is FactKind.CODE:
        return st.sampled_from([code for code, _words in fact.codes])
    return counts if fact.kind is FactKind.NUMBER else st.none()


@st.composite
def questions(draw: st.DrawFn) -> DisputeCase:
    kind = IRREGULARITIES[draw(st.sampled_from(sorted(IRREGULARITIES)))]
    facts = {fact.name: draw(st.none() | values(fact)) for fact in kind.facts}
    known = {name: value for name, value in facts.items() if value is not None}
    return DisputeCase(
        kind=kind.name, rule_sheet=SHEETS[draw(st.sampled_from(sorted(SHEETS)))], names=NAMES, facts=known
    )


def chosen_out(question: DisputeCase, advice: RulingAdvice) -> RulingAdvice:
    """Return the advice after the first choice was made, or the same advice if it has no open choice."""
    if not (advice.is_open and advice.choices):
        return advice
    facts = {**question.facts, CHOICE_FACT_NAME: advice.choices[0].code}
    return recommend_ruling(
        DisputeCase(kind=question.kind, rule_sheet=question.rule_sheet, names=question.names, facts=facts)
    )


@settings(max_examples=examples(400), deadline=None)
@given(questions())
def test_the_effect_of_a_ruling_follows_the_rules(question: DisputeCase) -> None:
    advice = chosen_out(question, recommend_ruling(question))
    if advice.is_open:
        assert not advice.penalties and advice.line is None
        return
    decided = make_ruling_from_advice(advice, question.facts)
    assert set(decided.penalties) <= set(NAMES)
    assert set(decided.penalties.values()) <= set(PENALTIES)
    if advice.penalties or advice.ruling is RulingDecision.WARNING:
        assert advice.line is None, "nobody is penalised and scored for one offence"
    offender = question.facts.get("by")
    if advice.ruling is RulingDecision.ACCEPTED_AS_UNDERCUT:
        assert set(advice.points) == set(NAMES) - {offender}
    elif advice.ruling not in (
        RulingDecision.PROPER,
        RulingDecision.SCORED,
        RulingDecision.RECORDED_STANDS,
        RulingDecision.DIRECTOR_DECIDES,
    ):
        assert not advice.points and decided.line is None, "no other ruling scores for anybody"
    if decided.line is not None:
        judged = judge_line(make_empty_sheet(question.rule_sheet, ("A", "B")), dict(decided.line))
        points = {side: worth for side, worth in judged.line_tally.points.items() if worth}
        assert points == advice.points


def test_the_effect_on_a_hand() -> None:
    was = {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}
    cases = {SheetEffect.NOTHING: was, SheetEffect.THROW_IN: {"up": "8H", "outcome": "void"}, SheetEffect.STRIKE: None}
    for sheet, left in cases.items():
        decided = RulingToApply(ruling=RulingDecision.NEW_DEAL, sheet=sheet)
        assert apply_ruling_to_hand(decided, was, kind="wrong-count", board=None) == left
        assert apply_ruling_to_hand(decided, None, kind="wrong-count", board=None) is None
    line = {"outcome": "points", "to": "B", "points": 7}
    written = RulingToApply(ruling=RulingDecision.SCORED, sheet=SheetEffect.LINE, line=line)
    assert apply_ruling_to_hand(written, was, kind="wrong-count", board=None) == {"up": "8H", **line}
    assert apply_ruling_to_hand(written, None, kind="wrong-count", board=None) == line


def test_a_board_is_removed_without_the_others() -> None:
    was = {"up": "8H", "boards": [{"outcome": "stock"}, {"outcome": "gin", "by": "A"}]}
    struck = RulingToApply(ruling=RulingDecision.PLAY_OPEN, sheet=SheetEffect.STRIKE)
    assert apply_ruling_to_hand(struck, was, kind="improper-knock", board=2) == {
        "up": "8H",
        "boards": [{"outcome": "stock"}, {"outcome": "void"}],
    }
    assert apply_ruling_to_hand(struck, was, kind="improper-knock", board=None) is None


def test_one_board_is_replaced_and_the_others_stay() -> None:
    own, first = {"outcome": "gin", "by": "A"}, {"outcome": "stock"}
    written = RulingToApply(
        ruling=RulingDecision.SCORED, sheet=SheetEffect.LINE, line={"boards": [own, {"outcome": "void"}]}
    )
    was = {"up": "8H", "boards": [first, {"outcome": "knock", "by": "B"}]}
    assert apply_ruling_to_hand(written, was, kind="improper-knock", board=2) == {"up": "8H", "boards": [first, own]}
    assert apply_ruling_to_hand(written, None, kind="improper-knock", board=2) == {"boards": [{"outcome": "void"}, own]}
    assert apply_ruling_to_hand(written, None, kind="improper-knock", board=1) == {"boards": [own, {"outcome": "void"}]}
