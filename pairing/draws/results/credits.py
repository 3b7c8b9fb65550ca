"""What a match gives to each side, and why; and why an entry plays no more.

`MatchOutcome` is the value by which news goes up: scoring fills it in when a card is posted or a ruling is
made.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

EARLIEST = datetime.min.replace(tzinfo=UTC)


class Result(StrEnum):
    WIN = "win"
    LOSS = "loss"
    NONE = "none"


class Cause(StrEnum):
    PLAYED = "played"
    BYE = "bye"
    FORFEIT = "forfeit"
    NO_SHOW = "no-show"
    WALK_OVER = "walk-over"
    BOTH_ABSENT = "both-absent"
    TIME = "time"
    PENALTY = "penalty"
    VOID = "void"
    DISQUALIFIED = "disqualified"


class Removal(StrEnum):
    """Why an entry is out of the event outside a match: from then on its opponents have walk-overs."""

    WITHDRAWN = "withdrawn"
    NO_SHOW = "no-show"
    ELIMINATED = "eliminated"
    DISQUALIFIED = "disqualified"

    @property
    def keeps_place(self) -> bool:
        """A disqualified entry has no place; every other keeps what it played for."""
        return self is not Removal.DISQUALIFIED

    @property
    def cause(self) -> Cause:
        """Why it loses the match that it does not play."""
        return {
            Removal.WITHDRAWN: Cause.FORFEIT,
            Removal.NO_SHOW: Cause.NO_SHOW,
            Removal.ELIMINATED: Cause.PENALTY,
            Removal.DISQUALIFIED: Cause.DISQUALIFIED,
        }[self]


@dataclass(frozen=True, slots=True)
class Removed:
    """An entry is out; said once more, the later reason counts, from the earlier time on: `at`, where pools ask."""

    entry: int
    why: Removal
    at: datetime = EARLIEST


BOTH_PLAYED = frozenset({Cause.PLAYED, Cause.TIME})
"""Causes that the two sides have in common; where the loser has another, the winner has a walk-over."""


@dataclass(frozen=True, slots=True)
class Credit:
    """What one side gets; a penalty can cost one side without giving the other anything."""

    result: Result
    cause: Cause


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """How a match ended: who goes on, if anybody, and the credit of each side, by entry number.

    A side whose opponent never comes (the match before ended without a winner) stands alone in `credits`;
    where neither comes they are empty.

    Raises:
        ValueError: the parts do not agree: the winner is no side, another than the winner has a win, or the
            match is void for one side only or has a winner although it is void.
    """

    match: str
    winner: int | None
    credits: Mapping[int, Credit]

    def __post_init__(self) -> None:
        if len(self.credits) > 2:
            raise ValueError("a match has two sides")
        if self.winner is not None and self.winner not in self.credits:
            raise ValueError("the winner is none of the sides")
        wins = {entry for entry, credit in self.credits.items() if credit.result is Result.WIN}
        if wins - {self.winner}:
            raise ValueError("only the winner of a match can have its win")
        void = {credit.cause is Cause.VOID for credit in self.credits.values()}
        if len(void) == 2 or (self.is_void and self.winner is not None):
            raise ValueError("a match is void for both sides, and then nobody wins it")

    @property
    def is_void(self) -> bool:
        """Void takes the outcome back: the match is to be played again."""
        return any(credit.cause is Cause.VOID for credit in self.credits.values())

    @property
    def sides(self) -> frozenset[int]:
        return frozenset(self.credits)

    @classmethod
    def won(cls, match: str, winner: int, loser: int, cause: Cause = Cause.PLAYED) -> "MatchOutcome":
        """Won, and why it was lost.

        >>> MatchOutcome.won("R1M1", 4, 9, Cause.NO_SHOW).credits[4]
        Credit(result=<Result.WIN: 'win'>, cause=<Cause.WALK_OVER: 'walk-over'>)
        """
        gained = cause if cause in BOTH_PLAYED else Cause.WALK_OVER
        return cls(match, winner, {winner: Credit(Result.WIN, gained), loser: Credit(Result.LOSS, cause)})

    @classmethod
    def won_by_nobody(cls, match: str, sides: tuple[int, ...], cause: Cause = Cause.BOTH_ABSENT) -> "MatchOutcome":
        """Lost by every side: both absent, or both put out."""
        return cls(match, None, {side: Credit(Result.LOSS, cause) for side in sides})

    @classmethod
    def void(cls, match: str, sides: tuple[int, ...]) -> "MatchOutcome":
        return cls(match, None, {side: Credit(Result.NONE, Cause.VOID) for side in sides})


@dataclass(frozen=True, slots=True)
class SidesKept:
    """A match stays as it was played, with those who played it, no matter who comes up since an earlier one was
    corrected.

    `sides` in the order of the match: who stays there; None where the one who comes up stands. What is said last of a
    match counts, so (None, None) ends it.
    """

    match: str
    sides: tuple[int | None, int | None]


BracketFact = MatchOutcome | Removed | SidesKept
