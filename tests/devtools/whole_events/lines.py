"""Lines that end a game soon, by rule set: the first side of a card wins, as `tally` takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from scoring.card_state.selectors.state import CardState
from scoring.rules.sheet.sheets import VariantRules

OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "gra-singles": {"target": 50},
    "standard": {"target": 50},
    "oklahoma": {"target": 50},
    "hollywood": {"target": 50},
    "gra-partnership": {"target": 60},
    "word-gin": {"target": 100},
    "captain": {"target": 30},
    "fort-worth": {"length": "very-short"},
    "metzker": {"target": 50},
    "court-whist": {},
    "score-pad": {"rounds": ["Sets", "Runs"], "wins": "high"},
}
"""What each rule set is played with, so that a game is short."""


def next_line(state: CardState, winner: str = "A") -> dict[str, Any]:
    """The next line of this card; `winner` is the letter of a side."""
    return line_of(state.rules, state.letters, len(state.lines), winner)


def line_of(rules: VariantRules, letters: Sequence[str], played: int, winner: str = "A") -> dict[str, Any]:
    """The line after so many."""
    others = [side for side in letters if side != winner]
    if rules.rules == "fort-worth":
        return {"by": winner, "counts": {side: 10 * place for place, side in enumerate(others, start=1)}}
    if rules.rules == "score-pad":
        return {"points": {winner: 40, **{side: 5 * place for place, side in enumerate(others, start=1)}}}
    if rules.rules == "gra-partnership":
        return {"up": "8H", "boards": [_gin(winner, others[0], 30), _gin(winner, others[0], 20)]}
    if rules.rules == "word-gin":
        words = {winner: 40, others[0]: 12}
        return {"outcome": "gin", "by": winner, "words": words, "deadwood": {winner: 0, others[0]: 7}}
    if rules.rules == "captain":
        return _gin(winner, others[0], 20)
    return {"up": "8H", **_gin(winner, others[0], 20 + played)}


def _gin(by: str, other: str, count: int) -> dict[str, Any]:
    return {"outcome": "gin", "by": by, "counts": {by: 0, other: count}}
