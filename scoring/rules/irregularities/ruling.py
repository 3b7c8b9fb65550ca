"""The ruling on an irregularity: the decision, the line for the sheet, open choices, and penalties."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from tournament.said import worded

DIRECTOR: Final = "director"
"""The name for the director as the one who has a choice."""


class Decision(StrEnum):
    """A ruling, by its name in CONTRACTS.md, adjudicate."""

    RECORDED_STANDS = "recorded-stands"
    DIRECTOR_DECIDES = "director-decides"
    PROPER = "proper"
    ACCEPTED_AS_UNDERCUT = "accepted-as-undercut"
    PLAY_OPEN = "play-open"
    NEW_DEAL = "new-deal"
    CORRECT = "correct"
    SCORED = "scored"
    THROW_IN = "throw-in"
    CONTINUE = "continue"
    DEAD_FOR_DEALER = "dead-for-dealer"
    NO_PENALTY = "no-penalty"
    ALLOWED = "allowed"
    REFUSED = "refused"
    STANDS = "stands"
    RECOUNT = "recount"
    WARNING = "warning"
    GAME_LOSS = "game-loss"
    ELIMINATION = "elimination"
    DISQUALIFICATION = "disqualification"

    @property
    def words(self) -> str:
        return DECISION_WORDS[self]


DECISION_WORDS: Final[Mapping[Decision, str]] = {
    Decision.RECORDED_STANDS: worded("the recorded card stands"),
    Decision.DIRECTOR_DECIDES: worded("the director decides"),
    Decision.PROPER: worded("it is proper, and the hand is counted"),
    Decision.ACCEPTED_AS_UNDERCUT: worded("accepted, and scored as an undercut"),
    Decision.PLAY_OPEN: worded("the hand is played open"),
    Decision.NEW_DEAL: worded("new deal"),
    Decision.CORRECT: worded("the hand is corrected"),
    Decision.SCORED: worded("scored with the cards missing or too many"),
    Decision.THROW_IN: worded("the hands are thrown in"),
    Decision.CONTINUE: worded("play continues"),
    Decision.DEAD_FOR_DEALER: worded("the up card is dead for the dealer"),
    Decision.NO_PENALTY: worded("no penalty"),
    Decision.ALLOWED: worded("allowed"),
    Decision.REFUSED: worded("refused"),
    Decision.STANDS: worded("the count stands"),
    Decision.RECOUNT: worded("the hand is counted again"),
    Decision.WARNING: worded("warning"),
    Decision.GAME_LOSS: worded("loss of a game"),
    Decision.ELIMINATION: worded("elimination"),
    Decision.DISQUALIFICATION: worded("disqualification"),
}


@dataclass(frozen=True, slots=True)
class OpenChoice:
    """An open choice. `code` goes back as the fact `chosen`, and `whose` is a side's name or “director”."""

    code: str
    whose: str
    text: str

    def as_json(self) -> dict[str, str]:
        return {"code": self.code, "whose": self.whose, "text": self.text}


@dataclass(frozen=True, slots=True)
class Penalty:
    """A penalty for a side. No rule of the 2012 sheets gives the other side any credit for it."""

    side: str
    effect: Decision

    def as_json(self) -> dict[str, Any]:
        return {"side": self.side, "effect": str(self.effect), "credit_opponent": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """A further irregularity that a ruling uncovered, such as a knock that is improper under the recorded card."""

    kind: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """The recommendation of the rules, with `text` in words to be read aloud.

    `ruling` is None while facts in `awaits` are missing, `choices` are open, or both. A ruling that scores or penalizes
    is given only when `line` or `penalties` are complete. `points` has the sides that score.
    """

    rule: str
    ruling: Decision | None = None
    text: str
    line: Mapping[str, Any] | None = None
    points: Mapping[str, int] = field(default_factory=dict)
    choices: tuple[OpenChoice, ...] = ()
    penalties: tuple[Penalty, ...] = ()
    awaits: tuple[str, ...] = ()
    following: tuple[Following, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the answer of the `adjudicate` command, without `ok`."""
        return {
            "rule": self.rule,
            "ruling": None if self.ruling is None else str(self.ruling),
            "line": None if self.line is None else dict(self.line),
            "points": dict(self.points),
            "choices": [choice.as_json() for choice in self.choices],
            "penalties": [penalty.as_json() for penalty in self.penalties],
            "text": self.text,
        }
