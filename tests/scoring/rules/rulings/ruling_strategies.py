"""Generate random irregularities of every kind, in which each fact is known or unknown."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from scoring.rules.irregularities import IRREGULARITIES
from scoring.rules.irregularities.case import FactKind, FactQuestion
from tests.scoring.rules.sheet.sheet_strategies import cards, lines_of, option_sets

RULES = ("gra-singles", "gra-partnership")
SIDES = ["A", "B"]
KINDS = tuple(IRREGULARITIES)
counts = st.integers(0, 40)
sides = st.sampled_from(SIDES)
VALUES: dict[FactKind, st.SearchStrategy[Any]] = {
    FactKind.CARD: cards,
    FactKind.CLAIMED_CARD: st.nothing(),
    FactKind.YES_NO: st.booleans(),
    FactKind.SIDE: sides,
    FactKind.SIDES: st.permutations(SIDES),
    FactKind.CARD_A_SIDE: st.dictionaries(sides, cards),
    FactKind.NUMBER_A_SIDE: st.dictionaries(sides, counts, min_size=1),
    FactKind.NUMBER: counts,
}


@st.composite
def rulings_asked(draw: st.DrawFn, among: tuple[str, ...] = KINDS) -> dict[str, Any]:
    """Generate cases for `adjudicate` whose facts agree with each other, but may contradict the score sheet."""
    rules = draw(st.sampled_from(RULES))
    options = draw(option_sets(rules))
    name = draw(st.sampled_from(among))
    facts = {}
    for fact in IRREGULARITIES[name].facts:
        if draw(st.integers(0, 4)):
            facts[fact.name] = draw(value_of(fact, rules, options))
    _agree(draw, facts)
    case = {"rules": rules, "kind": name, "facts": facts, "options": options}
    return case | ({"sides": SIDES} if draw(st.booleans()) else {})


def value_of(fact: FactQuestion, rules: str, options: dict[str, Any]) -> st.SearchStrategy[Any]:
    if fact.codes:
        return st.sampled_from([code for code, _ in fact.codes])
    if fact.kind is FactKind.LINE:
        return lines_of(rules, options, SIDES)
    if fact.name == "cards":
        return st.fixed_dictionaries({}, optional=dict.fromkeys(SIDES, st.sampled_from([8, 9, 10, 10, 10, 11, 12])))
    return st.none() if fact.kind in (FactKind.CLAIMED_CARD, FactKind.CARDS_A_SIDE) else VALUES[fact.kind]


def _agree(draw: st.DrawFn, facts: dict[str, Any]) -> None:
    """Change the facts so that they agree with each other. Other tests cover contradictions."""
    if facts.get("claims") and draw(st.booleans()):
        facts["chosen"] = draw(st.sampled_from(sorted(facts["claims"].values())))
    if "opponent_accepts" in facts or "opponent_takes" in facts:
        facts.pop("chosen", None)
    too_many = {side: n - 10 for side, n in (facts.get("cards") or {}).items() if n > 10}
    if too_many and draw(st.booleans()):
        facts["extra"] = {
            side: draw(st.lists(cards, min_size=n, max_size=n, unique=True)) for side, n in too_many.items()
        }
    if facts.get("ended") == "gin" and facts.get("by") in (facts.get("counts") or {}):
        facts["counts"][facts["by"]] = 0
