"""Match results: how a match ended, the credit that each side gets, and which entries were removed.

Everything else, such as bracket progress or pool standings, is computed from these facts.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import Final

from pairing.draws.order import require_unique_entries

EARLIEST_TIME = datetime.min.replace(tzinfo=UTC)


class Result(StrEnum):
    WIN = "win"
    LOSS = "loss"
    NONE = "none"


class ResultCause(StrEnum):
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


class CardStatusKind(StrEnum):
    """How a score card relates to the result of its match.

    - `NOTHING`: the card is open, or not everybody has signed it.
    - `STANDS`: the card counts, or at least nothing contradicts it.
    - `SUPERSEDED`: a later decision counts instead.
    - `DISAGREES`: the card was signed after the current result and contradicts it, and nobody has decided yet.
    - `WAITS`: the card was changed after it was posted, and not everybody has signed the change.
    - `DECIDED`: like `WAITS`, but the desk has decided the match since, so nobody has to sign the change.
    - `VOID`: the match was voided, or its players changed, before everybody had signed the card. A new card
      replaces it.
    """

    NOTHING = "nothing"
    STANDS = "stands"
    SUPERSEDED = "superseded"
    DISAGREES = "disagrees"
    WAITS = "waits"
    DECIDED = "decided"
    VOID = "void"


class RemovalReason(StrEnum):
    """Why an entry is out of the event. The entry's later opponents win by walkover."""

    WITHDRAWN = "withdrawn"
    NO_SHOW = "no-show"
    ELIMINATED = "eliminated"
    DISQUALIFIED = "disqualified"

    @property
    def keeps_place(self) -> bool:
        """Whether an entry removed for this reason keeps the place that it earned.

        Only a disqualified entry loses its place.
        """
        return self is not RemovalReason.DISQUALIFIED

    @property
    def cause(self) -> ResultCause:
        """The cause of the removed entry's loss in each match that it no longer plays."""
        return {
            RemovalReason.WITHDRAWN: ResultCause.FORFEIT,
            RemovalReason.NO_SHOW: ResultCause.NO_SHOW,
            RemovalReason.ELIMINATED: ResultCause.PENALTY,
            RemovalReason.DISQUALIFIED: ResultCause.DISQUALIFIED,
        }[self]


@dataclass(frozen=True, slots=True)
class EntryRemoval:
    """The removal of an entry from the event.

    If an entry is removed twice, the later reason and the earlier time count. The time `at` is used only in pools.
    """

    entry: int
    why: RemovalReason
    at: datetime = EARLIEST_TIME


PLAYED_MATCH_CAUSES = frozenset({ResultCause.PLAYED, ResultCause.TIME})
"""The causes of a result that was decided by play. The winner and the loser then have the same cause.

If the loss has any other cause, the winner has a walkover.
"""


@dataclass(frozen=True, slots=True)
class Credit:
    """The result of a match for one side.

    For example, a penalty can be a loss for one side without a win for the other.
    """

    result: Result
    cause: ResultCause


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """The outcome of a match: the winner, if any, and the credit of each side by entry number.

    If a side is missing because its earlier match had no winner, `credits` has only the other side. If both sides are
    missing, `credits` is empty.

    Raises:
        ValueError: the parts are inconsistent. The winner is not a side, another side has a win, only one side is void,
            or a void match has a winner.
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
        void = {credit.cause is ResultCause.VOID for credit in self.credits.values()}
        if len(void) == 2 or (self.is_void and self.winner is not None):
            raise ValueError("a match is void for both sides, and then nobody wins it")

    @property
    def is_void(self) -> bool:
        """Whether the result was voided, so that the match has to be played again."""
        return any(credit.cause is ResultCause.VOID for credit in self.credits.values())

    @property
    def sides(self) -> frozenset[int]:
        return frozenset(self.credits)

    @classmethod
    def won(cls, match: str, winner: int, loser: int, cause: ResultCause = ResultCause.PLAYED) -> "MatchOutcome":
        """Return the outcome of a match with a winner. `cause` is the reason for the loss.

        >>> MatchOutcome.won("R1M1", 4, 9, ResultCause.NO_SHOW).credits[4]
        Credit(result=<Result.WIN: 'win'>, cause=<ResultCause.WALK_OVER: 'walk-over'>)
        """
        gained = cause if cause in PLAYED_MATCH_CAUSES else ResultCause.WALK_OVER
        return cls(match, winner, {winner: Credit(Result.WIN, gained), loser: Credit(Result.LOSS, cause)})

    @classmethod
    def lost_by_all(
        cls, match: str, sides: tuple[int, ...], cause: ResultCause = ResultCause.BOTH_ABSENT
    ) -> "MatchOutcome":
        """Return the outcome of a match that all sides lost, because they were absent or removed."""
        return cls(match, None, {side: Credit(Result.LOSS, cause) for side in sides})

    @classmethod
    def void(cls, match: str, sides: tuple[int, ...]) -> "MatchOutcome":
        return cls(match, None, {side: Credit(Result.NONE, ResultCause.VOID) for side in sides})


@dataclass(frozen=True, slots=True)
class RetainedMatchSides:
    """Entries that stay in their match, although a correction would send other entries to it.

    `sides` are in the order of the match, with None for a side that is not kept. Only the latest `RetainedMatchSides`
    of a match counts, so (None, None) means that neither side is kept any longer.
    """

    match: str
    sides: tuple[int | None, int | None]


BracketFact = MatchOutcome | EntryRemoval | RetainedMatchSides


# --- Ending a match at the desk --------------------------------------------------------------------------------------

CAUSES_WITH_WINNER: Final = (
    ResultCause.PLAYED,
    ResultCause.TIME,
    ResultCause.FORFEIT,
    ResultCause.NO_SHOW,
    ResultCause.WALK_OVER,
    ResultCause.PENALTY,
    ResultCause.DISQUALIFIED,
)
"""The possible causes of a result with a winner. If a side is at fault, as in a forfeit, that side is the loser."""
CAUSES_WITHOUT_WINNER: Final = (ResultCause.BOTH_ABSENT, ResultCause.FORFEIT, ResultCause.PENALTY, ResultCause.VOID)
"""The possible causes of a result without a winner. Both sides lose, or the match is void."""


def make_desk_outcome(
    match: str, sides: tuple[int, int], winner: int | None, cause: ResultCause, *, winner_advances: bool = True
) -> MatchOutcome:
    """Return the outcome of a match that the desk decides.

    `winner` is the side that is not at fault, or None if both sides are treated the same.

    A penalty is the loss of a game without a win for the other side. In a bracket or play-off, the other side advances
    anyway, because somebody has to (`winner_advances`). In a pool, the other side is owed a game.

    >>> make_desk_outcome("R1M1", (4, 9), 4, ResultCause.PENALTY).winner
    4
    >>> in_a_pool = make_desk_outcome("G1", (4, 9), 4, ResultCause.PENALTY, winner_advances=False)
    >>> in_a_pool.winner, in_a_pool.credits[4].result, in_a_pool.credits[9].result
    (None, <Result.NONE: 'none'>, <Result.LOSS: 'loss'>)

    Raises:
        ValueError: the cause does not fit the winner, or the winner is not a side.
    """
    if cause not in (CAUSES_WITHOUT_WINNER if winner is None else CAUSES_WITH_WINNER):
        raise ValueError(f"a match does not end by {cause.value} {'for nobody' if winner is None else 'for one side'}")
    if cause is ResultCause.VOID:
        return MatchOutcome.void(match, sides)
    if winner is None:
        return MatchOutcome.lost_by_all(match, sides, cause)
    if winner not in sides:
        raise ValueError("the winner is none of the sides")
    loser = sides[1] if winner == sides[0] else sides[0]
    if cause is not ResultCause.PENALTY:
        return MatchOutcome.won(match, winner, loser, cause)
    credits = {winner: Credit(Result.NONE, ResultCause.PENALTY), loser: Credit(Result.LOSS, ResultCause.PENALTY)}
    return MatchOutcome(match, winner if winner_advances else None, credits)


# --- The record of an entry ------------------------------------------------------------------------------------------

CAUSES_PROVING_ATTENDANCE: Final = frozenset(
    {ResultCause.PLAYED, ResultCause.TIME, ResultCause.FORFEIT, ResultCause.PENALTY, ResultCause.DISQUALIFIED}
)
"""The causes of a result that prove that a side sat down at the table.

Two entries count as having met if at least one of them has such a cause.
"""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A game between two entries, in the order of the sides, and its outcome.

    `outcome` is None until the game is decided. A meeting with only one side is a bye, a walkover, or a penalty outside
    any match. `points` are the sides' scores, which the point spread uses. `counts_for_rematches` is False if rematches
    were allowed again afterward. In that case the result still counts, but the two may meet again.

    Raises:
        ValueError: there is no side, there are more than two, one occurs twice, or the outcome has other sides.
    """

    match: str
    sides: tuple[int, ...]
    outcome: MatchOutcome | None = None
    points: Mapping[int, int] = field(default_factory=dict)
    counts_for_rematches: bool = True

    def __post_init__(self) -> None:
        require_unique_entries(self.sides)
        if len(self.sides) not in (1, 2):
            raise ValueError("a match has two sides, or one that stands alone")
        if self.outcome is not None and self.outcome.sides != frozenset(self.sides):
            raise ValueError(f"the outcome of {self.match} is about other sides")

    @property
    def have_met(self) -> bool:
        """Whether the two sides have started to play each other, even if their game is not finished."""
        if len(self.sides) < 2 or not self.counts_for_rematches:
            return False
        return self.outcome is None or any(
            credit.cause in CAUSES_PROVING_ATTENDANCE for credit in self.outcome.credits.values()
        )

    def get_opponent(self, entry: int) -> int | None:
        return next((side for side in self.sides if side != entry), None)

    def with_walkovers(self, gone: Mapping[int, EntryRemoval]) -> "Meeting":
        """Return the meeting with a walkover as its outcome if it is open and a side was removed.

        Otherwise, return it unchanged. If both sides left, nobody wins.

        >>> met = Meeting("G1", (4, 9)).with_walkovers({9: EntryRemoval(9, RemovalReason.NO_SHOW)})
        >>> met.outcome.credits[4].cause, met.outcome.credits[9].cause
        (<ResultCause.WALK_OVER: 'walk-over'>, <ResultCause.NO_SHOW: 'no-show'>)
        """
        leaving = [gone[side] for side in self.sides if side in gone]
        if self.outcome is not None or not leaving:
            return self
        out = [fact for fact in leaving if fact.at == min(one.at for one in leaving)]
        if len(out) == len(self.sides):
            credits = {fact.entry: Credit(Result.LOSS, fact.why.cause) for fact in out}
            return replace(self, outcome=MatchOutcome(self.match, None, credits))
        winner = next(side for side in self.sides if side != out[0].entry)
        return replace(self, outcome=MatchOutcome.won(self.match, winner, out[0].entry, out[0].why.cause))

    @classmethod
    def bye(cls, match: str, entry: int) -> "Meeting":
        return cls(match, (entry,), MatchOutcome(match, entry, {entry: Credit(Result.WIN, ResultCause.BYE)}))

    @classmethod
    def penalty(cls, match: str, entry: int) -> "Meeting":
        """Return a meeting with one side, which loses a game as a penalty outside any match. Nobody gets the win."""
        return cls(match, (entry,), MatchOutcome(match, None, {entry: Credit(Result.LOSS, ResultCause.PENALTY)}))


@dataclass(frozen=True, slots=True)
class EntryMatchCredit:
    """An entry's credit from a single match.

    `opponent` is None if there was no opponent. Points are None if nobody reported them.
    """

    match: str
    opponent: int | None
    credit: Credit
    points: int | None = None
    opponent_points: int | None = None

    @property
    def counts_as_game(self) -> bool:
        """Whether the match counts as one of the entry's games: as a win, as a loss, or as a bye that is not a win.

        If the match does not count, the entry is owed a game.
        """
        return self.credit.result is not Result.NONE or self.credit.cause is ResultCause.BYE


@dataclass(frozen=True)
class WinLossRecord:
    """An entry's record: its credits in match order, the opponents it has met, and its matches in progress."""

    entry: int
    credits: tuple[EntryMatchCredit, ...] = ()
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
        return sum(own.counts_as_game for own in self.credits)

    @cached_property
    def byes(self) -> int:
        return sum(own.credit == Credit(Result.WIN, ResultCause.BYE) for own in self.credits)

    @cached_property
    def spread(self) -> int:
        """The entry's points minus its opponents' points, in the matches that report both."""
        return sum(points - against for points, against in self._scores)

    @cached_property
    def scored_matches(self) -> int:
        return len(self._scores)

    @cached_property
    def _scores(self) -> tuple[tuple[int, int], ...]:
        """The entry's points and the opponent's points for each match.

        A match in which the entry has neither a win nor a loss was not played and is left out.
        """
        return tuple(
            (own.points, own.opponent_points)
            for own in self.credits
            if own.counts_as_game and own.points is not None and own.opponent_points is not None
        )

    def __str__(self) -> str:
        return f"{self.wins}–{self.losses}"


def compute_win_loss_records(entries: Iterable[int], meetings: Iterable[Meeting]) -> dict[int, WinLossRecord]:
    """Return the record of each entry. The meetings must be in the order of play.

    Sides that are not in `entries` count only as opponents.

    >>> played = Meeting("G1M1", (4, 9), MatchOutcome.won("G1M1", winner=4, loser=9))
    >>> records = compute_win_loss_records([4, 9], [played, Meeting.penalty("X1", 4)])
    >>> str(records[4]), str(records[9]), records[9].met
    ('1–1', '0–1', frozenset({4}))

    Raises:
        ValueError: an entry or a match occurs twice.
    """
    order, listed = list(entries), list(meetings)
    require_unique_entries(order)
    if len({meeting.match for meeting in listed}) < len(listed):
        raise ValueError("a match stands twice among the meetings")
    credits: dict[int, list[EntryMatchCredit]] = defaultdict(list)
    met: dict[int, set[int]] = defaultdict(set)
    playing: dict[int, list[str]] = defaultdict(list)
    for meeting in listed:
        for side in meeting.sides:
            opponent = meeting.get_opponent(side)
            if meeting.have_met and opponent is not None:
                met[side].add(opponent)
            if meeting.outcome is None:
                playing[side].append(meeting.match)
            elif not meeting.outcome.is_void:
                own, against = meeting.points.get(side), None if opponent is None else meeting.points.get(opponent)
                credits[side].append(
                    EntryMatchCredit(meeting.match, opponent, meeting.outcome.credits[side], own, against)
                )
    return {
        entry: WinLossRecord(entry, tuple(credits[entry]), frozenset(met[entry]), tuple(playing[entry]))
        for entry in order
    }
