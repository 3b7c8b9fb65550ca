"""The credits that a match gives to each side with their causes, and the removal of entries from an event.

`MatchOutcome` is the value that the upper app fills in when a card is posted or a ruling is made.
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
    """The reason why an entry is out of the event. From then on its opponents have walkovers."""

    WITHDRAWN = "withdrawn"
    NO_SHOW = "no-show"
    ELIMINATED = "eliminated"
    DISQUALIFIED = "disqualified"

    @property
    def keeps_place(self) -> bool:
        """Whether the entry keeps the place it played for. Only a disqualified entry loses it."""
        return self is not Removal.DISQUALIFIED

    @property
    def cause(self) -> Cause:
        """The cause of the losses in matches that the entry does not play."""
        return {
            Removal.WITHDRAWN: Cause.FORFEIT,
            Removal.NO_SHOW: Cause.NO_SHOW,
            Removal.ELIMINATED: Cause.PENALTY,
            Removal.DISQUALIFIED: Cause.DISQUALIFIED,
        }[self]


@dataclass(frozen=True, slots=True)
class Removed:
    """The removal of an entry from the event.

    If an entry is removed twice, the later reason and the earlier time count. Only pools use `at`.
    """

    entry: int
    why: Removal
    at: datetime = EARLIEST


BOTH_PLAYED = frozenset({Cause.PLAYED, Cause.TIME})
"""Causes that both sides share. If the loser has another cause, the winner has a walkover."""


@dataclass(frozen=True, slots=True)
class Credit:
    """The result of one side. A penalty can cost one side a game without giving the other side anything."""

    result: Result
    cause: Cause


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """The end of a match: the winner, if there is one, and the credit of each side, by entry number.

    If the opponent never comes, because the match before ended without a winner, `credits` has one side only. If
    neither side comes, it is empty.

    Raises:
        ValueError: the parts disagree. The winner is not a side, another side has a win, only one side is void, or a
            void match has a winner.
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
        """Whether the outcome is taken back, so that the match must be played again."""
        return any(credit.cause is Cause.VOID for credit in self.credits.values())

    @property
    def sides(self) -> frozenset[int]:
        return frozenset(self.credits)

    @classmethod
    def won(cls, match: str, winner: int, loser: int, cause: Cause = Cause.PLAYED) -> "MatchOutcome":
        """Return the outcome of a match that was won, with the cause of the loss.

        >>> MatchOutcome.won("R1M1", 4, 9, Cause.NO_SHOW).credits[4]
        Credit(result=<Result.WIN: 'win'>, cause=<Cause.WALK_OVER: 'walk-over'>)
        """
        gained = cause if cause in BOTH_PLAYED else Cause.WALK_OVER
        return cls(match, winner, {winner: Credit(Result.WIN, gained), loser: Credit(Result.LOSS, cause)})

    @classmethod
    def won_by_nobody(cls, match: str, sides: tuple[int, ...], cause: Cause = Cause.BOTH_ABSENT) -> "MatchOutcome":
        """Return the outcome of a match that every side lost: both absent, or both removed."""
        return cls(match, None, {side: Credit(Result.LOSS, cause) for side in sides})

    @classmethod
    def void(cls, match: str, sides: tuple[int, ...]) -> "MatchOutcome":
        return cls(match, None, {side: Credit(Result.NONE, Cause.VOID) for side in sides})


@dataclass(frozen=True, slots=True)
class SidesKept:
    """A match that stays as it was played, although a correction would bring up other players.

    `sides` follows the order of the match and names the entry that stays. It is None where the entry that comes up
    plays. The last fact about a match counts, so (None, None) ends the exception.
    """

    match: str
    sides: tuple[int | None, int | None]


BracketFact = MatchOutcome | Removed | SidesKept
