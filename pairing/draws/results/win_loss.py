"""The record of an entry: its own credits, whatever the other side got.

    meetings ──own_records──► for each entry: wins, losses, byes, earlier opponents, and matches in play

A penalty can cost one side a game without giving it to the other, or cost both sides a game. So this module looks only
at the credit of the entry itself, never at the winner of a match.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from pairing.draws.order.entries import check_each_once
from pairing.draws.results.credits import Cause, Credit, MatchOutcome, Result

SAT_DOWN: Final = frozenset({Cause.PLAYED, Cause.TIME, Cause.FORFEIT, Cause.PENALTY, Cause.DISQUALIFIED})
"""Causes of a side that sat at the table. Two entries have met if at least one of them has such a cause."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two entries that were sent to play each other, in the order of the sides, and the outcome.

    Without one they still play.

    A meeting with one side is a bye, a walkover, or a penalty outside any match. `points` holds the score of each
    side, for the point spread. `remembered` is False if the rematch rule was reset since: the result counts, but the
    two may meet again.

    Raises:
        ValueError: there is no side, there are more than two, one occurs twice, or the outcome has other sides.
    """

    match: str
    sides: tuple[int, ...]
    outcome: MatchOutcome | None = None
    points: Mapping[int, int] = field(default_factory=dict)
    remembered: bool = True

    def __post_init__(self) -> None:
        check_each_once(self.sides)
        if len(self.sides) not in (1, 2):
            raise ValueError("a match has two sides, or one that stands alone")
        if self.outcome is not None and self.outcome.sides != frozenset(self.sides):
            raise ValueError(f"the outcome of {self.match} is about other sides")

    @property
    def have_met(self) -> bool:
        """Whether the two sides sat down together. This is true while they still play."""
        if len(self.sides) < 2 or not self.remembered:
            return False
        return self.outcome is None or any(credit.cause in SAT_DOWN for credit in self.outcome.credits.values())

    def opponent_of(self, entry: int) -> int | None:
        return next((side for side in self.sides if side != entry), None)

    @classmethod
    def bye(cls, match: str, entry: int) -> "Meeting":
        """Return a meeting that gives an entry a win by a bye.

        >>> Meeting.bye("G3M9", 7).outcome.credits[7]
        Credit(result=<Result.WIN: 'win'>, cause=<Cause.BYE: 'bye'>)
        """
        return cls(match, (entry,), MatchOutcome(match, entry, {entry: Credit(Result.WIN, Cause.BYE)}))

    @classmethod
    def penalty(cls, match: str, entry: int) -> "Meeting":
        """Return the loss of one game by a ruling, outside any match. No other entry gets a win for it."""
        return cls(match, (entry,), MatchOutcome(match, None, {entry: Credit(Result.LOSS, Cause.PENALTY)}))


@dataclass(frozen=True, slots=True)
class OwnCredit:
    """An entry's credit from one match.

    `opponent` is None for a side without one, and points are None if nobody reported them.
    """

    match: str
    opponent: int | None
    credit: Credit
    points: int | None = None
    against: int | None = None

    @property
    def counts(self) -> bool:
        """Whether this is one of the entry's games: a win, a loss, or a bye without a win.

        Otherwise the entry is owed a game.
        """
        return self.credit.result is not Result.NONE or self.credit.cause is Cause.BYE


@dataclass(frozen=True)
class WinLossRecord:
    """An entry's own credits in the order of its matches, the entries it has met, and the matches it still plays."""

    entry: int
    credits: tuple[OwnCredit, ...] = ()
    met: frozenset[int] = frozenset()
    playing: tuple[str, ...] = ()

    @cached_property
    def wins(self) -> int:
        return sum(own.credit.result is Result.WIN for own in self.credits)

    @cached_property
    def losses(self) -> int:
        return sum(own.credit.result is Result.LOSS for own in self.credits)

    @cached_property
    def games(self) -> int:
        return sum(own.counts for own in self.credits)

    @cached_property
    def byes(self) -> int:
        return sum(own.credit == Credit(Result.WIN, Cause.BYE) for own in self.credits)

    @cached_property
    def spread(self) -> int:
        """The points won less the points lost, in the matches that report both."""
        return sum(points - against for points, against in self._scored)

    @cached_property
    def with_points(self) -> int:
        """The number of matches that report the points of both sides."""
        return len(self._scored)

    @cached_property
    def _scored(self) -> tuple[tuple[int, int], ...]:
        """The entry's points and the opponent's for each match.

        A side with neither a win nor a loss has not played the match.
        """
        return tuple(
            (own.points, own.against)
            for own in self.credits
            if own.counts and own.points is not None and own.against is not None
        )

    def __str__(self) -> str:
        """Return the wins and losses, such as 3–1.

        >>> print(WinLossRecord(4), own_records([7], [Meeting.bye("G1M1", 7)])[7], sep=", ")
        0–0, 1–0
        """
        return f"{self.wins}–{self.losses}"


def own_records(entries: Iterable[int], meetings: Iterable[Meeting]) -> dict[int, WinLossRecord]:
    """Return the record of each entry, in the order of the entries. The meetings are in the order of play.

    A side that is not among the entries appears only as an opponent of others.

    >>> played = Meeting("G1M1", (4, 9), MatchOutcome.won("G1M1", winner=4, loser=9))
    >>> records = own_records([4, 9], [played, Meeting.penalty("X1", 4)])
    >>> str(records[4]), str(records[9]), records[9].met
    ('1–1', '0–1', frozenset({4}))

    Raises:
        ValueError: an entry or a match occurs twice.
    """
    order, listed = list(entries), list(meetings)
    check_each_once(order)
    if len({meeting.match for meeting in listed}) < len(listed):
        raise ValueError("a match stands twice among the meetings")
    credits: dict[int, list[OwnCredit]] = defaultdict(list)
    met: dict[int, set[int]] = defaultdict(set)
    playing: dict[int, list[str]] = defaultdict(list)
    for meeting in listed:
        for side in meeting.sides:
            opponent = meeting.opponent_of(side)
            if meeting.have_met and opponent is not None:
                met[side].add(opponent)
            if meeting.outcome is None:
                playing[side].append(meeting.match)
            elif not meeting.outcome.is_void:
                credits[side].append(_own(meeting, meeting.outcome, side, opponent))
    return {
        entry: WinLossRecord(entry, tuple(credits[entry]), frozenset(met[entry]), tuple(playing[entry]))
        for entry in order
    }


def _own(meeting: Meeting, outcome: MatchOutcome, side: int, opponent: int | None) -> OwnCredit:
    against = None if opponent is None else meeting.points.get(opponent)
    return OwnCredit(meeting.match, opponent, outcome.credits[side], meeting.points.get(side), against)
