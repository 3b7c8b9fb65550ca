"""Recommend a ruling on a dispute at the desk, with the players' names, for every rule set.

Question ──recommend──► Advice: the ruling as `adjudicate` gives it (names in words, letters in the line)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from scoring.rules.irregularities import IRREGULARITIES, RULED, Irregularity
from scoring.rules.irregularities.facts import FactAsked, FactKind
from scoring.rules.irregularities.ruling import Decision, Following, Penalty, Recommendation
from scoring.rules.rulings.adjudicate_case import adjudicate
from scoring.rules.rulings.policies import policy_of
from scoring.rules.rulings.policy import PolicyKind
from scoring.rules.sheet.sheets import VariantRules
from tournament.errors import BadCase, Problem
from tournament.said import joined, worded

TWO: Final = 2
CHOSEN: Final = "chosen"
ANSWERS: Final[Mapping[str, tuple[str, str, str]]] = {
    "improper-knock": ("opponent_accepts", "accept", "decline"),
    "up-card-out-of-turn": ("opponent_takes", "take", "leave"),
}
"""The kinds whose choice can also be a yes-or-no fact: the fact, and the codes for yes and no."""


def kinds_of(rules: str) -> Mapping[str, Irregularity]:
    """Return the kinds of irregularity that can be called under these rules, by name."""
    return policy_of(rules).kinds


def kind_called(rules: str, name: str) -> Irregularity | None:
    """Return the kind with this name, even if the game does not offer it (any more), or None if there is none.

    >>> kind_called("score-pad", "improper-knock").title, kind_called("score-pad", "no-such-kind")
    ('Improper knock', None)
    """
    return kinds_of(rules).get(name) or IRREGULARITIES.get(name)


def is_ruled(rules: str, kind: str = "") -> bool:
    """Return whether the rule set itself rules on this kind. Otherwise the director decides alone."""
    return rules in RULED or kind in policy_of(rules).own


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A dispute put to the rules. `names` are by the letters of the sides, and facts and lines use letters."""

    kind: str
    rule_sheet: VariantRules
    names: Mapping[str, str]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def irregularity(self) -> Irregularity:
        return kinds_of(self.rule_sheet.rules)[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice(Recommendation):
    """The recommendation for a dispute. Sides are letters, and only `text` and the choices use names.

    `ruling` is None while the matter is open. `problems` are impossible facts, and then nothing else is filled in.
    """

    text: str = ""
    problems: tuple[Problem, ...] = ()
    throws_in: bool = True
    """Whether a hand thrown in is a line of the sheet. Otherwise it is not recorded, and is dealt again."""

    @property
    def words(self) -> str:
        """The decision as a slip prints it, or an empty text while it is open."""
        return "" if self.ruling is None else self.ruling.words

    @property
    def is_open(self) -> bool:
        return self.ruling is None

    def as_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "ruling": None if self.ruling is None else str(self.ruling),
            "line": None if self.line is None else dict(self.line),
            "points": dict(self.points),
            "penalties": [{"side": penalty.side, "effect": str(penalty.effect)} for penalty in self.penalties],
            "text": self.text,
        }


def recommend(question: Question) -> Advice:
    kind = question.irregularity
    if isinstance(kind, PolicyKind):
        said = _in_letters(kind.answer(question.facts, question.names), {})
        return replace(said, throws_in=policy_of(question.rule_sheet.rules).throws_in)
    if not is_ruled(question.rule_sheet.rules):
        return Advice(rule="", text=worded("These rules leave it to the director."))
    names = {letter: name for letter, name in question.names.items() if name}
    case: dict[str, Any] = {
        "rules": question.rule_sheet.rules,
        "kind": question.kind,
        "options": dict(question.rule_sheet.options),
        "facts": renamed(question.facts, names),
    }
    if len(names) == TWO:
        case["sides"] = list(names.values())
    rule = question.irregularity.cite(question.rule_sheet.rules)
    try:
        ruling = adjudicate(case)
    except BadCase as error:
        return Advice(rule=rule, problems=tuple(error.problems), text=joined(" ", (p.message for p in error.problems)))
    advice = _in_letters(ruling, {name: letter for letter, name in names.items()})
    undecided = advice.ruling is Decision.DIRECTOR_DECIDES and not question.facts.get(CHOSEN)
    return replace(advice, ruling=None, awaits=() if advice.choices else ("claims",)) if undecided else advice


def facts_of(kind: Irregularity, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the known facts that belong to a kind. A yes or no for its choice becomes the code of the choice.

    >>> facts_of(kinds_of("gra-singles")["improper-knock"], {"by": "A", "opponent_accepts": True, "warnings": 2})
    {'by': 'A', 'chosen': 'accept'}
    """
    declared = {fact.name for fact in kind.facts}
    facts = {name: value for name, value in known.items() if name in declared and value not in (None, "", {})}
    if kind.name in ANSWERS:
        answer, yes, no = ANSWERS[kind.name]
        said = facts.pop(answer, None)
        if said is not None:
            facts.setdefault(CHOSEN, yes if said else no)
    return facts


def asked_facts(kind: Irregularity) -> tuple[FactAsked, ...]:
    """Return the facts that a form asks for, without the sides and the choice."""
    answer = ANSWERS[kind.name][0] if kind.name in ANSWERS else ""
    return tuple(fact for fact in kind.facts if fact.name not in (CHOSEN, answer) and fact.kind is not FactKind.SIDES)


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Rename the sides in facts or a line, in keys and values. Cards and codes never equal the name of a side."""
    if isinstance(value, Mapping):
        return {names.get(key, key): renamed(held, names) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [renamed(held, names) for held in value]
    return names.get(value, value) if isinstance(value, str) else value


def _in_letters(ruling: Recommendation, letters: Mapping[str, str]) -> Advice:
    return Advice(
        rule=ruling.rule,
        text=ruling.text,
        ruling=ruling.ruling,
        line=None if ruling.line is None else renamed(ruling.line, letters),
        points=renamed(ruling.points, letters),
        choices=ruling.choices,
        penalties=tuple(Penalty(letters.get(p.side, p.side), p.effect) for p in ruling.penalties),
        awaits=ruling.awaits,
        following=tuple(Following(kind=each.kind, facts=renamed(each.facts, letters)) for each in ruling.following),
    )
