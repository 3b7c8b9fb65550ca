"""The effects of a ruling: the hand on the sheet and the penalties, on a card with that hand or without it.

Advice (of the rules) ──as_recommended──► Decided ◄── a director's own
Decided ──hand_to_write──► the resulting line, or one board of it if a hand has several
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from scoring.rules.irregularities import Irregularity
from scoring.rules.irregularities.ruling import Decision
from scoring.rules.rulings.rulings import Advice

Line = dict[str, Any]
VOID: Final[Mapping[str, str]] = {"outcome": "void"}
PENALTIES: Final = (Decision.WARNING, Decision.GAME_LOSS, Decision.ELIMINATION, Decision.DISQUALIFICATION)
"""The penalties from the mildest to the ultimate one. A side gets at most one of them for an offense."""
ON_A_MATCH: Final = ("false-report", "unmatched-play", "gave-game-away")
"""Offenses that concern a match. The loss is the match itself, and nobody commits them twice in a match."""
WHOLE_HAND: Final = ("up-card",)
"""The kinds whose line is the whole hand with all its boards. Other lines have one board, which comes first."""


class OnSheet(StrEnum):
    """The effect of a ruling on the hand on the sheet."""

    NOTHING = "nothing"
    LINE = "line"
    THROW_IN = "throw-in"
    STRIKE = "strike"


def decisions_for(kind: Irregularity) -> list[Decision]:
    """Return the rulings that a director can choose for a kind: those of its rule, and every penalty.

    >>> from scoring.rules.irregularities import IRREGULARITIES
    >>> [str(decision) for decision in decisions_for(IRREGULARITIES["gave-game-away"])]
    ['no-penalty', 'warning', 'game-loss', 'elimination', 'disqualification']
    """
    fitting = {*kind.rulings, Decision.NO_PENALTY, *PENALTIES}
    if kind.is_about_hand:
        fitting |= {Decision.CORRECT, Decision.NEW_DEAL, Decision.CONTINUE}
    return [decision for decision in Decision if decision in fitting - {Decision.DIRECTOR_DECIDES}]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A ruling to be carried out. `line` has the letters of the sides. Each side has at most one penalty."""

    ruling: Decision
    sheet: OnSheet = OnSheet.NOTHING
    line: Mapping[str, Any] | None = None
    penalties: Mapping[str, Decision] = field(default_factory=dict)


UNDONE: Final[Mapping[Decision, OnSheet]] = {
    Decision.NEW_DEAL: OnSheet.THROW_IN,
    Decision.THROW_IN: OnSheet.THROW_IN,
    Decision.PLAY_OPEN: OnSheet.STRIKE,
    Decision.CORRECT: OnSheet.STRIKE,
}
"""The effect on a hand that is already on the sheet: it is thrown in, or it is not over yet."""


def as_recommended(advice: Advice, facts: Mapping[str, Any]) -> Decided:
    """Return the recommendation of the rules as a ruling to be carried out.

    >>> warned = as_recommended(Advice(rule="preamble", ruling=Decision.WARNING), {"by": "A"})
    >>> warned.penalties
    {'A': <Decision.WARNING: 'warning'>}

    Raises:
        ValueError: the advice is still open.
    """
    if advice.ruling is None:
        raise ValueError("the rules have not decided yet")
    penalties = {penalty.side: penalty.effect for penalty in advice.penalties}
    if advice.ruling is Decision.WARNING and facts.get("by"):
        penalties = {str(facts["by"]): Decision.WARNING}
    if advice.line is not None:
        return Decided(ruling=advice.ruling, sheet=OnSheet.LINE, line=advice.line, penalties=penalties)
    sheet = UNDONE.get(advice.ruling, OnSheet.NOTHING)
    if sheet is OnSheet.THROW_IN and not advice.throws_in:
        sheet = OnSheet.STRIKE
    return Decided(ruling=advice.ruling, sheet=sheet, penalties=penalties)


def hand_to_write(decided: Decided, was: Mapping[str, Any] | None, *, kind: str, board: int | None) -> Line | None:
    """Return the line after the ruling in place of `was`, or None if the hand has no line.

    `was` is None if the hand is not on the sheet. `board` (from 1) is the board in question, and the others do not
    change.

    >>> was = {"up": "8H", "boards": [{"outcome": "stock"}, {"outcome": "gin", "by": "A"}]}
    >>> hand_to_write(Decided(ruling=Decision.THROW_IN, sheet=OnSheet.THROW_IN), was, kind="drew-two", board=2)
    {'up': '8H', 'boards': [{'outcome': 'stock'}, {'outcome': 'void'}]}
    """
    if decided.sheet is OnSheet.NOTHING:
        return dict(was) if was is not None else None
    if decided.sheet is OnSheet.LINE and decided.line is not None:
        return _on_board(decided.line, was, None if kind in WHOLE_HAND else board)
    if was is None:
        return None
    if "boards" in was and (board is not None or decided.sheet is OnSheet.THROW_IN):
        void = {"boards": [dict(VOID)] * len(was["boards"])}
        return _on_board(void, was, board)
    return None if decided.sheet is OnSheet.STRIKE else {**_kept(was), **VOID}


def _on_board(line: Mapping[str, Any], was: Mapping[str, Any] | None, board: int | None) -> Line:
    """Put the first board of `line` in its place among the boards of the hand."""
    if board is None or "boards" not in line:
        return _kept(was) | dict(line) if was is not None else dict(line)
    own, *others = line["boards"]
    boards = list(was["boards"]) if was is not None else others
    if was is None:
        boards.insert(board - 1, own)
    else:
        boards[board - 1] = own
    return _kept(was) | {**line, "boards": boards}


def _kept(was: Mapping[str, Any] | None) -> Line:
    """Return the fields that a hand keeps in any case: the up card and the dealer."""
    return {name: was[name] for name in ("up", "dealer") if was is not None and name in was}
