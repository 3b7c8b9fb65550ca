"""Recommend a ruling on a dispute under any rule set, and apply a ruling to the score sheet.

DisputeCase ──recommend_ruling──► RulingAdvice ──make_ruling_from_advice──► RulingToApply
RulingToApply ──apply_ruling_to_hand──► the line of the hand after the ruling
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from scoring.rules.irregularities import GRA_RULE_SETS, IRREGULARITIES, Irregularity
from scoring.rules.irregularities.case import (
    FactKind,
    FactQuestion,
    FollowUpIrregularity,
    RulingDecision,
    RulingRecommendation,
)
from scoring.rules.rulings.adjudicate import adjudicate
from scoring.rules.rulings.policies import PolicyIrregularity, find_dispute_policy
from scoring.rules.sheet.sheets import VariantRules
from tournament.errors import InputProblem, InvalidInput
from tournament.lazy_text import join_texts, lazy_text

CHOICE_FACT_NAME: Final = "chosen"
_YES_OR_NO_CHOICES: Final[Mapping[str, tuple[str, str, str]]] = {
    "improper-knock": ("opponent_accepts", "accept", "decline"),
    "up-card-out-of-turn": ("opponent_takes", "take", "leave"),
}
"""Kinds of irregularities whose choice can also be given as a yes-or-no fact.

Each value consists of the fact's name, and the choice's codes for yes and no.
"""


def find_reportable_irregularities(rules: str) -> Mapping[str, Irregularity]:
    """Return the kinds of irregularities that players can report under these rules."""
    return find_dispute_policy(rules).kinds


def find_irregularity(rules: str, name: str) -> Irregularity | None:
    """Return the kind of irregularity with this name, or None.

    This also finds kinds that players of the game cannot report.

    >>> find_irregularity("score-pad", "improper-knock").title, find_irregularity("score-pad", "no-such-kind")
    ('Improper knock', None)
    """
    return find_reportable_irregularities(rules).get(name) or IRREGULARITIES.get(name)


def has_rule_for_irregularity(rules: str, kind: str = "") -> bool:
    """Return whether the rule set has a rule that decides this kind of irregularity.

    If there is no such rule, the director decides.
    """
    return rules in GRA_RULE_SETS or kind in find_dispute_policy(rules).own


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeCase:
    """A dispute to decide under a rule sheet.

    Its facts name each side by its letter. `names` maps these letters to names.
    """

    kind: str
    rule_sheet: VariantRules
    names: Mapping[str, str]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def irregularity(self) -> Irregularity:
        return find_reportable_irregularities(self.rule_sheet.rules)[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingAdvice(RulingRecommendation):
    """The recommended ruling on a dispute. Sides are given by letter, except in `text` and `choices`.

    `ruling` is None if it depends on missing facts or an open choice, or if the rules leave the dispute to the
    director. `problems` lists impossible facts. If there are any, `text` repeats their messages, and there is no
    ruling.
    """

    text: str = ""
    problems: tuple[InputProblem, ...] = ()
    records_thrown_in_hands: bool = True
    """Whether a hand that is thrown in gets a line on the sheet."""

    @property
    def words(self) -> str:
        """The recommended decision as text, or an empty string if there is no ruling yet."""
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
            "penalties": [{"side": side, "effect": str(effect)} for side, effect in self.penalties.items()],
            "text": self.text,
        }


def recommend_ruling(question: DisputeCase) -> RulingAdvice:
    kind = question.irregularity
    if isinstance(kind, PolicyIrregularity):
        advice = _convert_names_to_letters(kind.answer(question.facts, question.names), {})
        return replace(
            advice, records_thrown_in_hands=find_dispute_policy(question.rule_sheet.rules).records_thrown_in_hands
        )
    if not has_rule_for_irregularity(question.rule_sheet.rules):
        return RulingAdvice(rule="", text=lazy_text("These rules leave it to the director."))
    names = {letter: name for letter, name in question.names.items() if name}
    case: dict[str, Any] = {
        "rules": question.rule_sheet.rules,
        "kind": question.kind,
        "options": dict(question.rule_sheet.options),
        "facts": _rename_sides(question.facts, names),
    }
    if len(names) == 2:
        case["sides"] = list(names.values())
    rule = question.irregularity.cite(question.rule_sheet.rules)
    try:
        ruling = adjudicate(case)
    except InvalidInput as error:
        return RulingAdvice(
            rule=rule, problems=tuple(error.problems), text=join_texts(" ", (p.message for p in error.problems))
        )
    advice = _convert_names_to_letters(ruling, {name: letter for letter, name in names.items()})
    undecided = advice.ruling is RulingDecision.DIRECTOR_DECIDES and not question.facts.get(CHOICE_FACT_NAME)
    return replace(advice, ruling=None, missing_facts=() if advice.choices else ("claims",)) if undecided else advice


def select_relevant_facts(kind: Irregularity, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return only the known facts that are relevant to this kind of irregularity.

    If a choice is given as a yes-or-no fact, the fact is converted to the choice's code.

    >>> improper_knock = find_reportable_irregularities("gra-singles")["improper-knock"]
    >>> select_relevant_facts(improper_knock, {"by": "A", "opponent_accepts": True, "warnings": 2})
    {'by': 'A', 'chosen': 'accept'}
    """
    declared = {fact.name for fact in kind.facts}
    facts = {name: value for name, value in known.items() if name in declared and value not in (None, "", {})}
    if kind.name in _YES_OR_NO_CHOICES:
        answer, yes, no = _YES_OR_NO_CHOICES[kind.name]
        answered = facts.pop(answer, None)
        if answered is not None:
            facts.setdefault(CHOICE_FACT_NAME, yes if answered else no)
    return facts


def list_fact_questions(kind: Irregularity) -> tuple[FactQuestion, ...]:
    """Return the questions on the form of a dispute.

    The question “Which two sides?” and the director's choice are left out.
    """
    answer = _YES_OR_NO_CHOICES[kind.name][0] if kind.name in _YES_OR_NO_CHOICES else ""
    return tuple(
        fact for fact in kind.facts if fact.name not in (CHOICE_FACT_NAME, answer) and fact.kind is not FactKind.SIDES
    )


def _rename_sides(value: Any, names: Mapping[str, str]) -> Any:
    """Replace the sides' names in facts or a line, in both keys and values."""
    if isinstance(value, Mapping):
        return {names.get(key, key): _rename_sides(held, names) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rename_sides(held, names) for held in value]
    return names.get(value, value) if isinstance(value, str) else value


def _convert_names_to_letters(ruling: RulingRecommendation, letters: Mapping[str, str]) -> RulingAdvice:
    return RulingAdvice(
        rule=ruling.rule,
        text=ruling.text,
        ruling=ruling.ruling,
        line=None if ruling.line is None else _rename_sides(ruling.line, letters),
        points=_rename_sides(ruling.points, letters),
        choices=ruling.choices,
        penalties={letters.get(side, side): effect for side, effect in ruling.penalties.items()},
        missing_facts=ruling.missing_facts,
        follow_ups=tuple(
            FollowUpIrregularity(kind=each.kind, facts=_rename_sides(each.facts, letters)) for each in ruling.follow_ups
        ),
    )


# --- Rulings on the sheet --------------------------------------------------------------------------------------------
# A ruling can change the hand on the sheet, whether the card has that hand or not, and it can penalize sides.

LineData = dict[str, Any]
VOID_HAND_FIELDS: Final[Mapping[str, str]] = {"outcome": "void"}
PENALTIES: Final = (
    RulingDecision.WARNING,
    RulingDecision.GAME_LOSS,
    RulingDecision.ELIMINATION,
    RulingDecision.DISQUALIFICATION,
)
"""The penalties, mildest first. For an offense, a side gets at most one of them."""
MATCH_OFFENSES: Final = ("false-report", "unmatched-play", "gave-game-away")
"""Offenses that concern a whole match. The penalty, the loss of that match, is given only once."""
IRREGULARITIES_AFFECTING_ALL_BOARDS: Final = ("up-card",)
"""Kinds of irregularities whose ruling changes all boards of a hand. Any other ruling changes a single board."""


class SheetEffect(StrEnum):
    """The effect of a ruling on the recorded hand."""

    NOTHING = "nothing"
    LINE = "line"
    THROW_IN = "throw-in"
    STRIKE = "strike"


def list_possible_decisions(kind: Irregularity) -> list[RulingDecision]:
    """Return the decisions from which the director can choose: this kind's own decisions, and all penalties.

    >>> from scoring.rules.irregularities import IRREGULARITIES
    >>> [str(decision) for decision in list_possible_decisions(IRREGULARITIES["gave-game-away"])]
    ['no-penalty', 'warning', 'game-loss', 'elimination', 'disqualification']
    """
    fitting = {*kind.rulings, RulingDecision.NO_PENALTY, *PENALTIES}
    if kind.is_about_hand:
        fitting |= {RulingDecision.CORRECT, RulingDecision.NEW_DEAL, RulingDecision.CONTINUE}
    return [decision for decision in RulingDecision if decision in fitting - {RulingDecision.DIRECTOR_DECIDES}]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingToApply:
    """A ruling to apply to the score sheet. `line` uses the sides' letters. A side gets at most one penalty."""

    ruling: RulingDecision
    sheet: SheetEffect = SheetEffect.NOTHING
    line: Mapping[str, Any] | None = None
    penalties: Mapping[str, RulingDecision] = field(default_factory=dict)


_EFFECT_ON_RECORDED_HAND: Final[Mapping[RulingDecision, SheetEffect]] = {
    RulingDecision.NEW_DEAL: SheetEffect.THROW_IN,
    RulingDecision.THROW_IN: SheetEffect.THROW_IN,
    RulingDecision.PLAY_OPEN: SheetEffect.STRIKE,
    RulingDecision.CORRECT: SheetEffect.STRIKE,
}
"""The effect of decisions on a recorded hand: the hand is either marked as thrown in, or removed because it is not
over.
"""


def make_ruling_from_advice(advice: RulingAdvice, facts: Mapping[str, Any]) -> RulingToApply:
    """Return the recommended ruling, ready to be applied.

    >>> warned = make_ruling_from_advice(RulingAdvice(rule="preamble", ruling=RulingDecision.WARNING), {"by": "A"})
    >>> warned.penalties
    {'A': <RulingDecision.WARNING: 'warning'>}

    Raises:
        ValueError: the advice is still open.
    """
    if advice.ruling is None:
        raise ValueError("the rules have not decided yet")
    penalties = advice.penalties
    if advice.ruling is RulingDecision.WARNING and facts.get("by"):
        penalties = {str(facts["by"]): RulingDecision.WARNING}
    if advice.line is not None:
        return RulingToApply(ruling=advice.ruling, sheet=SheetEffect.LINE, line=advice.line, penalties=penalties)
    sheet = _EFFECT_ON_RECORDED_HAND.get(advice.ruling, SheetEffect.NOTHING)
    if sheet is SheetEffect.THROW_IN and not advice.records_thrown_in_hands:
        sheet = SheetEffect.STRIKE
    return RulingToApply(ruling=advice.ruling, sheet=sheet, penalties=penalties)


def apply_ruling_to_hand(
    decided: RulingToApply, was: Mapping[str, Any] | None, *, kind: str, board: int | None
) -> LineData | None:
    """Return the hand's line after the ruling, or None if the hand no longer has a line.

    `was` is the hand's previous line, or None if the hand is not recorded. `board` is the number of the board in
    question, starting at 1. The other boards do not change.

    >>> was = {"up": "8H", "boards": [{"outcome": "stock"}, {"outcome": "gin", "by": "A"}]}
    >>> ruling = RulingToApply(ruling=RulingDecision.THROW_IN, sheet=SheetEffect.THROW_IN)
    >>> apply_ruling_to_hand(ruling, was, kind="drew-two", board=2)
    {'up': '8H', 'boards': [{'outcome': 'stock'}, {'outcome': 'void'}]}
    """
    if decided.sheet is SheetEffect.NOTHING:
        return dict(was) if was is not None else None
    if decided.sheet is SheetEffect.LINE and decided.line is not None:
        return _replace_board(decided.line, was, None if kind in IRREGULARITIES_AFFECTING_ALL_BOARDS else board)
    if was is None:
        return None
    if "boards" in was and (board is not None or decided.sheet is SheetEffect.THROW_IN):
        void = {"boards": [dict(VOID_HAND_FIELDS)] * len(was["boards"])}
        return _replace_board(void, was, board)
    return None if decided.sheet is SheetEffect.STRIKE else {**_get_unchanging_fields(was), **VOID_HAND_FIELDS}


def _replace_board(line: Mapping[str, Any], was: Mapping[str, Any] | None, board: int | None) -> LineData:
    """Return the line of a hand after a ruling that changes only the board with the number `board`.

    `line` comes from the ruling, and the first item of its `boards` is the new board. `was` is the recorded line, which
    supplies all other boards. If the hand is not recorded yet, `was` is None, and the other boards are the remaining
    ones in `line`. If `board` is None, or `line` has no boards, `line` replaces the whole hand.

    The up card and the dealer of a recorded hand never change.
    """
    if board is None or "boards" not in line:
        return _get_unchanging_fields(was) | dict(line) if was is not None else dict(line)
    own, *others = line["boards"]
    boards = list(was["boards"]) if was is not None else others
    if was is None:
        boards.insert(board - 1, own)
    else:
        boards[board - 1] = own
    return _get_unchanging_fields(was) | {**line, "boards": boards}


def _get_unchanging_fields(was: Mapping[str, Any] | None) -> LineData:
    """Return the fields that no ruling changes: the up card and the dealer."""
    return {name: was[name] for name in ("up", "dealer") if was is not None and name in was}
