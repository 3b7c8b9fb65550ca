"""The status of a signed card: whether it counts for the result of its match, and when it is final.

    the match's rows ──find_valid_results──► valid results, oldest first
    valid results, time of the signature, outcome of the cards
        ──judge_signed_card──► counts, is superseded, or disagrees

A card contains the winner and the points of a game. The desk can record a different result without changing the card.
Results are never deleted. Undoing a result adds a new result that refers to the undone one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from pairing.draws.results import CardStatusKind

ResultAndCauseByEntry = Mapping[int, tuple[str, str]]
"""Each side's result and its cause, such as ("win", "played"), keyed by entry number."""

PLAYED_RESULT_CAUSES: Final = frozenset({"played", "time"})
"""The causes of results that were played, either to the end or until time was called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedResult:
    """A recorded result of a match.

    `by_cards` is True if the result came from signing, correcting, or closing cards. `supersedes` and `undoes` are keys
    of earlier results. `points` is keyed by entry number, and may be empty. `restored_by` is the row that undid a later
    result and thereby put this result back in force, or None.
    """

    key: int
    at: datetime
    by: str = ""
    reason: str = ""
    winner: int | None = None
    credits: ResultAndCauseByEntry = field(default_factory=dict)
    points: Mapping[int, int] = field(default_factory=dict)
    supersedes: int | None = None
    undoes: int | None = None
    by_cards: bool = False
    restored_by: "RecordedResult | None" = field(default=None, compare=False)

    @property
    def deciding_row(self) -> "RecordedResult":
        """The recorded row whose time, author, and reason explain why this result is the current one."""
        return self.restored_by or self

    @property
    def is_open(self) -> bool:
        """Whether the match still has to be played (again) after this result."""
        return all(cause == "void" for _result, cause in self.credits.values())

    @property
    def leaves_match_open(self) -> bool:
        """Whether the match has no result after this row.

        A result without a winner does not leave the match open if it has points, as in a round at tables.
        """
        return self.is_open and not self.points

    @property
    def orders_replay(self) -> bool:
        """Whether this is a decision to play the match again. Undoing a result is not such a decision."""
        return self.invalidates_earlier_cards and self.is_open and self.undoes is None

    @property
    def was_played(self) -> bool:
        return self.winner is not None and {cause for _result, cause in self.credits.values()} <= PLAYED_RESULT_CAUSES

    @property
    def invalidates_earlier_cards(self) -> bool:
        """Whether the match's earlier cards stop counting because of this result.

        Such a result has no winner and no points, and did not come from cards. The earlier cards still do not count if
        the match is decided again later.
        """
        return self.winner is None and not self.points and not self.by_cards


def find_valid_results(rows: Sequence[RecordedResult]) -> tuple[RecordedResult, ...]:
    """Return the result in force and the results that it superseded, oldest first.

    `rows` are in recorded order. Some rows undo a result, and the undone result is left out.

    If the undone result came from cards, the row that undid it is the result in force, as a decision against these
    cards. Otherwise, that row is left out, too, and the result before the undone one is in force again.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 22, 12, tzinfo=UTC)
    >>> card = RecordedResult(key=1, at=noon, winner=4, by_cards=True)
    >>> desk = RecordedResult(key=2, at=noon, winner=9, supersedes=1)
    >>> undo = RecordedResult(key=3, at=noon, winner=4, supersedes=2, undoes=2)
    >>> [[row.key for row in find_valid_results(rows)] for rows in ([card, desk], [card, desk, undo])]
    [[1, 2], [1]]
    """
    after: dict[int, tuple[RecordedResult, ...]] = {}
    known = {row.key: row for row in rows}
    last: tuple[RecordedResult, ...] = ()
    for row in rows:
        undone = known.get(row.undoes or 0)
        before = after.get(row.supersedes or 0, ())
        if undone is not None:
            before = after.get(undone.supersedes or 0, ())
        if undone is None or undone.by_cards:
            last = (*before, row)
        else:
            last = (*before[:-1], replace(before[-1], restored_by=row)) if before else ()
        after[row.key] = last
    return last


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOutcome:
    """The combined outcome of a match's cards so far.

    `since` is the time of the last signature. `is_fully_signed` is False if a card has to be signed again after a
    change. `games` is the number of games that each side won, in a match of several games.
    """

    winner: int | None
    credits: ResultAndCauseByEntry = field(default_factory=dict)
    points: Mapping[int, int] = field(default_factory=dict)
    games: Mapping[int, int] = field(default_factory=dict)
    since: datetime | None = None
    is_fully_signed: bool = True


CardJudgment = tuple[CardStatusKind, RecordedResult | None, RecordedResult | None]
"""The status of a card, the result that superseded it (if any), and the result in force (None if the match is open)."""


def judge_signed_card(
    since: datetime,
    together: CardOutcome,
    rows: Sequence[RecordedResult],
    *,
    alone: CardOutcome | None = None,
    is_drawn: bool = False,
) -> CardJudgment:
    """Return the status of a card signed at `since`, in a match between two sides.

    `rows` are the match's results from `find_valid_results`. `together` is the combined outcome of all cards that count
    for the match. `is_drawn` is True if the card's game ended without a winner.

    `alone` is used only if a result invalidated this card. It is the combined outcome of this card and of the other
    cards that the same result invalidated.

    The cards can have a winner although the match has no result. This happens if the players signed after a decision of
    the desk, and the desk then undid that decision. The status is then `DISAGREES`, so the desk has to decide the
    match.
    """
    last = rows[-1] if rows else None
    if last is None and together.winner is not None and together.is_fully_signed:
        return CardStatusKind.DISAGREES, None, None
    if last is None or (last.invalidates_earlier_cards and not last.is_open and is_drawn):
        return CardStatusKind.STANDS, None, last
    out = find_invalidating_result(since, rows, is_drawn=is_drawn)
    if out is not None:
        if not last.by_cards and alone is not None and agrees_with_result(last, alone):
            return CardStatusKind.STANDS, None, last
        return CardStatusKind.SUPERSEDED, out if last.by_cards else last, last
    if agrees_with_result(last, together) or (last.by_cards and last.is_open):
        return CardStatusKind.STANDS, None, last
    has_won_more = any(won > last.points.get(number, won) for number, won in together.games.items())
    if last.by_cards and since > last.at and has_won_more:
        return CardStatusKind.DISAGREES, None, last
    if together.winner is None and not (last.by_cards and together.is_fully_signed):
        return CardStatusKind.STANDS, None, last
    if last.by_cards and not together.is_fully_signed and together.winner == last.winner:
        return CardStatusKind.STANDS, None, last
    return _judge_differing_card(since, last, together.since)


def find_invalidating_result(
    since: datetime, rows: Sequence[RecordedResult], *, is_drawn: bool = False
) -> RecordedResult | None:
    """Return the first result after which a card signed at `since` no longer counted, or None.

    The card of a drawn game stops counting only if the match has to be played again after the result.
    """
    later = (row for row in rows if row.invalidates_earlier_cards and row.at >= since)
    return next((row for row in later if row.is_open or not is_drawn), None)


def judge_card_by_totals(
    since: datetime, points: Mapping[int, int], rows: Sequence[RecordedResult], *, is_part: bool = False
) -> CardJudgment:
    """Return the status of a card in a game scored by totals.

    The card counts if its totals equal the recorded ones. If they differ, the card disagrees with an earlier result, or
    is superseded by a later one. If the desk restarted the game after the signature, the card is superseded even if the
    new game has a result from its own card. `is_part` is True if the result is the sum of several cards, so that there
    may be no result yet.
    """
    last = rows[-1] if rows else None
    if last is not None and all(last.points.get(number) == total for number, total in points.items()):
        return CardStatusKind.STANDS, None, last
    if is_part:
        if last is None or (last.by_cards and last.leaves_match_open):
            return CardStatusKind.STANDS, None, last
        return _judge_differing_card(since, last, None)
    out = find_invalidating_result(since, rows)
    if last is not None and out is not None:
        return CardStatusKind.SUPERSEDED, out if last.by_cards else last, last
    if last is None or last.leaves_match_open or since > last.at:
        return CardStatusKind.DISAGREES, None, last
    return CardStatusKind.SUPERSEDED, last, last


def judge_changed_card(posted: datetime, changed: datetime, rows: Sequence[RecordedResult]) -> CardJudgment:
    """Return the status of a posted card that was changed and still lacks a new signature.

    If the desk reopened the match after the posting, and the match was decided again, the reopening supersedes the
    card. Otherwise, a later decision by the desk makes new signatures unnecessary, even if the decision agrees with the
    card.
    """
    last = rows[-1] if rows else None
    if last is None or last.leaves_match_open:
        return CardStatusKind.NOTHING, None, None
    out = [row for row in rows if row.is_open and row.invalidates_earlier_cards and row.at >= posted]
    if out:
        return CardStatusKind.SUPERSEDED, out[-1], last
    if not is_decided_after_change(changed, last):
        return CardStatusKind.WAITS, None, last
    return CardStatusKind.DECIDED, last, last


def is_decided_after_change(changed: datetime, last: RecordedResult) -> bool:
    """Return whether the current result is a decision by the desk that was made after the card's last change."""
    return not last.leaves_match_open and not last.by_cards and changed <= last.deciding_row.at


def _judge_differing_card(since: datetime, last: RecordedResult, newest: datetime | None) -> CardJudgment:
    """Return the status of a card that differs from the match's current result.

    A card signed after the result disagrees with it. A decision made after the signature supersedes the card.
    """
    if since > last.at:
        return CardStatusKind.DISAGREES, None, last
    if last.by_cards:
        alike = newest is None or newest > last.at
        return CardStatusKind.STANDS if alike else CardStatusKind.DISAGREES, None, last
    return CardStatusKind.SUPERSEDED, last, last


def agrees_with_result(row: RecordedResult, outcome: CardOutcome) -> bool:
    """Return whether an outcome has the same winner as a recorded result, and the same result and cause for each side.

    The causes `played` and `time` are treated as equal. Points are compared only if the recorded result has any.
    """
    if (
        outcome.winner is None
        or row.winner != outcome.winner
        or _unify_played_causes(row.credits) != _unify_played_causes(outcome.credits)
    ):
        return False
    return not row.points or dict(row.points) == dict(outcome.points)


def matches_result_exactly(row: RecordedResult, outcome: CardOutcome) -> bool:
    return agrees_with_result(row, outcome) and dict(row.points) == dict(outcome.points)


def _unify_played_causes(credits: ResultAndCauseByEntry) -> ResultAndCauseByEntry:
    return {
        number: (result, "played" if cause in PLAYED_RESULT_CAUSES else cause)
        for number, (result, cause) in credits.items()
    }


# --- The correction period -------------------------------------------------------------------------------------------
# The minutes for corrections, requests for a ruling, and appeals before a posted card is final.

DEFAULT_CORRECTION_PERIOD_MINUTES: Final = 30
MAX_CORRECTION_PERIOD_MINUTES: Final = 7 * 24 * 60


class StaffEntryCheck(StrEnum):
    """The check that a staff entry needs before it counts."""

    NONE = "none"
    APPROVAL = "approve"
    """Another person approves the entry."""
    REKEY = "rekey"
    """Another person types the entry again without seeing it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionTerms:
    """The periods after posting, in minutes, for requesting corrections, rulings and appeals.

    A card is final when the longest of the three periods is over and no request about the card is open.

    >>> CorrectionTerms(appeals=60).longest_period
    60
    """

    corrections: int = DEFAULT_CORRECTION_PERIOD_MINUTES
    rulings: int = DEFAULT_CORRECTION_PERIOD_MINUTES
    appeals: int = DEFAULT_CORRECTION_PERIOD_MINUTES
    second: StaffEntryCheck = StaffEntryCheck.NONE

    @property
    def longest_period(self) -> int:
        return max(self.corrections, self.rulings, self.appeals)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "second": str(self.second)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "CorrectionTerms":
        """Read the terms. Missing values get their defaults."""
        minutes = {
            name: int(data.get(name, DEFAULT_CORRECTION_PERIOD_MINUTES))
            for name in ("corrections", "rulings", "appeals")
        }
        return cls(**minutes, second=StaffEntryCheck(data.get("second", StaffEntryCheck.NONE)))


@dataclass(frozen=True, slots=True)
class CorrectionPeriod:
    """The correction period of a posted card. `posted_at` must have a time zone.

    `held` is True while a ruling or an appeal about the card is open.

    >>> from datetime import UTC
    >>> clock = CorrectionPeriod(datetime(2026, 11, 27, 14, 3, tzinfo=UTC), CorrectionTerms(corrections=20))
    >>> clock.corrections_until.strftime("%H:%M"), clock.final_at.strftime("%H:%M")
    ('14:23', '14:33')
    """

    posted_at: datetime
    terms: CorrectionTerms
    held: bool = False

    @property
    def corrections_until(self) -> datetime:
        return self.posted_at + timedelta(minutes=self.terms.corrections)

    @property
    def rulings_until(self) -> datetime:
        return self.posted_at + timedelta(minutes=self.terms.rulings)

    @property
    def appeals_until(self) -> datetime:
        return self.posted_at + timedelta(minutes=self.terms.appeals)

    @property
    def has_single_deadline(self) -> bool:
        return self.corrections_until == self.rulings_until == self.appeals_until

    @property
    def final_at(self) -> datetime:
        return self.posted_at + timedelta(minutes=self.terms.longest_period)

    def is_final(self, now: datetime) -> bool:
        """Return whether the card is final."""
        return not self.held and now >= self.final_at

    def accepts_corrections(self, now: datetime) -> bool:
        return now < self.corrections_until
