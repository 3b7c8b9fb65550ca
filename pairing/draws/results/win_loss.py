"""What an entry has from its matches: its own credits, and nothing of what the other side got.

    meetings ──own_records──► for each entry: wins, losses, byes, whom it has met, at which table it still plays

A penalty can cost one side a game without giving it to the other, or cost both; so nothing here looks at who won a
match, only at the credit of the entry itself.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from pairing.draws.order.entries import check_each_once
from pairing.draws.results.credits import Cause, Credit, MatchOutcome, Result

SAT_DOWN: Final = frozenset({Cause.PLAYED, Cause.TIME, Cause.FORFEIT, Cause.PENALTY, Cause.DISQUALIFIED})
"""Who has one of these sat at the table; two of whom at least one did have met. Where nobody came, nobody met."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Who was sent to play each other, in the order of the sides, and how it ended; without an outcome they still play.

    One entry alone has a bye, a walk-over, or a penalty outside any match. `points` are what each side scored, for the
    point spread. `remembered` is False where the rematch rule was reset since: it counts, but they may meet again.

    Raises:
        ValueError: no side, more than two, one twice, or an outcome of other sides.
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
        """Whether the two sat down together; while they play they have."""
        if len(self.sides) < 2 or not self.remembered:
            return False
        return self.outcome is None or any(credit.cause in SAT_DOWN for credit in self.outcome.credits.values())

    def opponent_of(self, entry: int) -> int | None:
        return next((side for side in self.sides if side != entry), None)

    @classmethod
    def bye(cls, match: str, entry: int) -> "Meeting":
        """
        >>> Meeting.bye("G3M9", 7).outcome.credits[7]
        Credit(result=<Result.WIN: 'win'>, cause=<Cause.BYE: 'bye'>)
        """
        return cls(match, (entry,), MatchOutcome(match, entry, {entry: Credit(Result.WIN, Cause.BYE)}))

    @classmethod
    def penalty(cls, match: str, entry: int) -> "Meeting":
        """The loss of one game by a ruling, outside any match: nobody gets it."""
        return cls(match, (entry,), MatchOutcome(match, None, {entry: Credit(Result.LOSS, Cause.PENALTY)}))


@dataclass(frozen=True, slots=True)
class OwnCredit:
    """What an entry got from one match; `opponent` is None where it stood alone, points where nobody told them."""

    match: str
    opponent: int | None
    credit: Credit
    points: int | None = None
    against: int | None = None

    @property
    def counts(self) -> bool:
        """Whether it is one of its games: a win, a loss, or a bye without a win. Else who got nothing is owed one."""
        return self.credit.result is not Result.NONE or self.credit.cause is Cause.BYE


@dataclass(frozen=True)
class WinLossRecord:
    """An entry's own credits in the order of its matches, whom it has met, and the matches it still plays."""

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
        """Wins by a bye."""
        return sum(own.credit == Credit(Result.WIN, Cause.BYE) for own in self.credits)

    @cached_property
    def spread(self) -> int:
        """Points won less points lost, in the matches that say both."""
        return sum(points - against for points, against in self._scored)

    @cached_property
    def with_points(self) -> int:
        """The matches that say both."""
        return len(self._scored)

    @cached_property
    def _scored(self) -> tuple[tuple[int, int], ...]:
        """Own points and the opponent's; a side that got neither a win nor a loss has not played the match."""
        return tuple(
            (own.points, own.against)
            for own in self.credits
            if own.counts and own.points is not None and own.against is not None
        )

    def __str__(self) -> str:
        """
        >>> print(WinLossRecord(4), own_records([7], [Meeting.bye("G1M1", 7)])[7], sep=", ")
        0–0, 1–0
        """
        return f"{self.wins}–{self.losses}"


def own_records(entries: Iterable[int], meetings: Iterable[Meeting]) -> dict[int, WinLossRecord]:
    """What each entry has, in the order of the entries; the meetings stand in the order of play.

    Of a side that is none of the entries nothing is told but that it was met.

    >>> played = Meeting("G1M1", (4, 9), MatchOutcome.won("G1M1", winner=4, loser=9))
    >>> records = own_records([4, 9], [played, Meeting.penalty("X1", 4)])
    >>> str(records[4]), str(records[9]), records[9].met
    ('1–1', '0–1', frozenset({4}))

    Raises:
        ValueError: an entry or a match twice.
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
