"""For any facts: one penalty a side at most, and no score for the offender that the rules do not give."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.hand.cards import DECK
from scoring.rules.irregularities import IRREGULARITIES
from scoring.rules.irregularities.matter import Decision, FactAsked, FactKind
from scoring.rules.rulings.recommend import (
    CHOSEN,
    PENALTIES,
    Advice,
    Decided,
    OnSheet,
    Question,
    as_recommended,
    hand_to_write,
    recommend,
)
from scoring.rules.sheet.sheets import judge_line, open_sheet, rule_sheet
from tests.chance import examples

NAMES = {"A": "Ann", "B": "Bob"}
SHEETS = {name: rule_sheet(name) for name in ("gra-singles", "gra-partnership")}

cards = st.sampled_from(sorted(DECK))
sides = st.sampled_from(["A", "B"])
counts = st.integers(0, 30)


def values(fact: FactAsked) -> st.SearchStrategy[Any]:
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
def questions(draw: st.DrawFn) -> Question:
    kind = IRREGULARITIES[draw(st.sampled_from(sorted(IRREGULARITIES)))]
    facts = {fact.name: draw(st.none() | values(fact)) for fact in kind.facts}
    known = {name: value for name, value in facts.items() if value is not None}
    return Question(kind=kind.name, rule_sheet=SHEETS[draw(st.sampled_from(sorted(SHEETS)))], names=NAMES, facts=known)


def chosen_out(question: Question, advice: Advice) -> Advice:
    """With the first of the choices made, where it is still open on them."""
    if not (advice.is_open and advice.choices):
        return advice
    facts = {**question.facts, CHOSEN: advice.choices[0].code}
    return recommend(Question(kind=question.kind, rule_sheet=question.rule_sheet, names=question.names, facts=facts))


@settings(max_examples=examples(400), deadline=None)
@given(questions())
def test_what_a_ruling_does_is_what_the_rules_give(question: Question) -> None:
    advice = chosen_out(question, recommend(question))
    if advice.is_open:
        assert not advice.penalties and advice.line is None
        return
    decided = as_recommended(advice, question.facts)
    assert set(decided.penalties) <= set(NAMES)
    assert set(decided.penalties.values()) <= set(PENALTIES)
    if advice.penalties or advice.ruling is Decision.WARNING:
        assert advice.line is None, "nobody is penalised and scored for one offence"
    offender = question.facts.get("by")
    if advice.ruling is Decision.ACCEPTED_AS_UNDERCUT:
        assert set(advice.points) == set(NAMES) - {offender}
    elif advice.ruling not in (Decision.PROPER, Decision.SCORED, Decision.RECORDED_STANDS, Decision.DIRECTOR_DECIDES):
        assert not advice.points and decided.line is None, "no other ruling scores for anybody"
    if decided.line is not None:
        judged = judge_line(open_sheet(question.rule_sheet, ("A", "B")), dict(decided.line))
        points = {side: worth for side, worth in judged.counted.points.items() if worth}
        assert points == advice.points


def test_what_becomes_of_a_hand() -> None:
    was = {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}
    cases = {
        OnSheet.NOTHING: was,
        OnSheet.THROW_IN: {"up": "8H", "outcome": "void"},
        OnSheet.STRIKE: None,
    }
    for sheet, left in cases.items():
        decided = Decided(ruling=Decision.NEW_DEAL, sheet=sheet)
        assert hand_to_write(decided, was, kind="wrong-count", board=None) == left
        assert hand_to_write(decided, None, kind="wrong-count", board=None) is None
    line = {"outcome": "points", "to": "B", "points": 7}
    written = Decided(ruling=Decision.SCORED, sheet=OnSheet.LINE, line=line)
    assert hand_to_write(written, was, kind="wrong-count", board=None) == {"up": "8H", **line}
    assert hand_to_write(written, None, kind="wrong-count", board=None) == line


def test_a_board_is_struck_without_the_others() -> None:
    was = {"up": "8H", "boards": [{"outcome": "stock"}, {"outcome": "gin", "by": "A"}]}
    struck = Decided(ruling=Decision.PLAY_OPEN, sheet=OnSheet.STRIKE)
    assert hand_to_write(struck, was, kind="improper-knock", board=2) == {
        "up": "8H",
        "boards": [{"outcome": "stock"}, {"outcome": "void"}],
    }
    assert hand_to_write(struck, was, kind="improper-knock", board=None) is None


def test_one_board_is_written_into_its_place_and_the_others_stay() -> None:
    """The board that was ruled on stands first in the line; here it is the second of the hand."""
    own, first = {"outcome": "gin", "by": "A"}, {"outcome": "stock"}
    written = Decided(ruling=Decision.SCORED, sheet=OnSheet.LINE, line={"boards": [own, {"outcome": "void"}]})
    was = {"up": "8H", "boards": [first, {"outcome": "knock", "by": "B"}]}
    assert hand_to_write(written, was, kind="improper-knock", board=2) == {"up": "8H", "boards": [first, own]}
    assert hand_to_write(written, None, kind="improper-knock", board=2) == {"boards": [{"outcome": "void"}, own]}
    assert hand_to_write(written, None, kind="improper-knock", board=1) == {"boards": [own, {"outcome": "void"}]}
