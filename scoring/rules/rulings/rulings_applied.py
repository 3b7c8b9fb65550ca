"""What a ruling does: the hand on the sheet and who is penalised, on a card with that hand or without it.

Advice (what the rules say) ──as_recommended──► Decided ◄── a director's own
Decided ──hand_to_write──► the line that then stands, one board of it where a hand has several
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
"""From the mildest to the ultimate one. A side has at most one of them for one offence."""
ON_A_MATCH: Final = ("false-report", "unmatched-play", "gave-game-away")
"""Offences that are a match: there the match itself is what is lost, and nobody commits them twice on one."""
WHOLE_HAND: Final = ("up-card",)
"""Kinds whose line is the whole hand with all its boards; else it is one board, the first of the line."""


class OnSheet(StrEnum):
    """What becomes of the hand on the sheet."""

    NOTHING = "nothing"
    LINE = "line"
    THROW_IN = "throw-in"
    STRIKE = "strike"


def decisions_for(kind: Irregularity) -> list[Decision]:
    """Return what a director can rule on that kind by their own word: what its rule knows, and every penalty.

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
    """What is ruled. `line` with the letters of the sides, where the sheet gets one; one penalty a side at most."""

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
"""What a hand is then that stands on the sheet already: thrown in, or not over yet."""


def as_recommended(advice: Advice, facts: Mapping[str, Any]) -> Decided:
    """What the rules say, to be done.

    >>> warned = as_recommended(Advice(rule="preamble", ruling=Decision.WARNING), {"by": "A"})
    >>> warned.penalties
    {'A': <Decision.WARNING: 'warning'>}

    Raises:
        ValueError: it is still open.
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
    """The line that stands after the ruling in place of `was` (None: no such hand on the sheet); None: none stands.

    `board` (from 1) is the one that it is about; the others stay as they are.

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
    """One board of it, which stands first in `line`, among those of the hand as it was."""
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
    """What a hand has in any case: the up card that was turned, who dealt."""
    return {name: was[name] for name in ("up", "dealer") if was is not None and name in was}
