"""What the statement of a signed card counts for now: a fold over the results of its match.

    results ──in_force──► those that hold, oldest first ┐
    what each card says, what all of them come to       ├──judge──► it stands, is superseded, or disagrees

A card states who won a game, and the points. The desk can decide otherwise; that is a result of its own, and the card
stays as it was signed. No result is ever taken out: an undone one is known by the result that undoes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

Credits = Mapping[int, tuple[str, str]]
"""By entry number what a side gets, and why: ("win", "played")."""

PLAYED: Final = frozenset({"played", "time"})
"""Causes of a match that was played out, or as far as time allowed."""


class Counts(StrEnum):
    """What a card's statement counts for.

    `NOTHING`: it makes no statement, because it is open or not everybody has signed what is on it.
    `DISAGREES`: it was signed after the result that holds, and says otherwise; nobody has decided yet.
    `WAITS`: it was posted and changed since (corrected, struck, ruled on), and not everybody has signed that.
    `DECIDED`: so, and the desk has decided the match after the change: nobody has to sign it.
    `VOID`: it was begun and not signed by all when its match was made void; this card is over, another is played.
    """

    NOTHING = "nothing"
    STANDS = "stands"
    SUPERSEDED = "superseded"
    DISAGREES = "disagrees"
    WAITS = "waits"
    DECIDED = "decided"
    VOID = "void"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """A result on record. `by_cards`: it was recorded because cards were signed, corrected or closed.

    `supersedes` and `undoes` are keys of earlier rows. `points` by entry number; empty: none were recorded.
    `restored_by` is the last undoing by which it holds again (None: it was never undone).
    """

    key: int
    at: datetime
    by: str = ""
    reason: str = ""
    winner: int | None = None
    credits: Credits = field(default_factory=dict)
    points: Mapping[int, int] = field(default_factory=dict)
    supersedes: int | None = None
    undoes: int | None = None
    by_cards: bool = False
    restored_by: "ResultRow | None" = field(default=None, compare=False)

    @property
    def act(self) -> "ResultRow":
        """The row whose time, name and reason explain why this result stands now."""
        return self.restored_by or self

    @property
    def is_open(self) -> bool:
        """Whether the match is to be played (again) by it."""
        return all(cause == "void" for _result, cause in self.credits.values())

    @property
    def is_decided_open(self) -> bool:
        """Whether somebody decided that the match is played again; an undone result only leaves it open."""
        return self.takes_cards_out and self.is_open and self.undoes is None

    @property
    def was_played(self) -> bool:
        """Whether somebody has won it by playing."""
        return self.winner is not None and {cause for _result, cause in self.credits.values()} <= PLAYED

    @property
    def takes_cards_out(self) -> bool:
        """Whether the cards signed before count no more, even where the match is decided again."""
        return self.winner is None and not self.points and not self.by_cards


def in_force(rows: Sequence[ResultRow]) -> tuple[ResultRow, ...]:
    """The results that hold or held until superseded, oldest first; `rows` in the order they were recorded.

    A result that was undone is not among them, nor is its undoing: the one before holds, as if nothing had been.
    Undoing a result that the cards made is a decision against these cards, so that stands in its own place.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 22, 12, tzinfo=UTC)
    >>> card = ResultRow(key=1, at=noon, winner=4, by_cards=True)
    >>> desk = ResultRow(key=2, at=noon, winner=9, supersedes=1)
    >>> undo = ResultRow(key=3, at=noon, winner=4, supersedes=2, undoes=2)
    >>> [row.key for row in in_force([card, desk])], [row.key for row in in_force([card, desk, undo])]
    ([1, 2], [1])
    """
    after: dict[int, tuple[ResultRow, ...]] = {}
    known = {row.key: row for row in rows}
    last: tuple[ResultRow, ...] = ()
    for row in rows:
        undone = known.get(row.undoes or 0)
        before = after.get(row.supersedes or 0, ())
        if undone is not None:
            before = after.get(undone.supersedes or 0, ())
        last = _restored(before, row) if undone is not None and not undone.by_cards else (*before, row)
        after[row.key] = last
    return last


def _restored(rows: tuple[ResultRow, ...], by: ResultRow) -> tuple[ResultRow, ...]:
    """The last of these holds again by that undoing."""
    return (*rows[:-1], replace(rows[-1], restored_by=by)) if rows else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSays:
    """What a card that counts states, and since when: the points of its sides by entry number (none: teams).

    `has_winner`: it names a winner of its game; a drawn game has none.
    """

    since: datetime
    points: Mapping[int, int]
    has_winner: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsSay:
    """What the cards of a match come to together: its outcome, as far as they have one, and the points beside it.

    `since`: when the last of them was signed. `is_whole`: none of those that were signed is to be signed again.
    `games`: how many each has won, where it takes several.
    """

    winner: int | None
    credits: Credits = field(default_factory=dict)
    points: Mapping[int, int] = field(default_factory=dict)
    games: Mapping[int, int] = field(default_factory=dict)
    since: datetime | None = None
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Judged:
    """`by` is the result that superseded the card, `stands` the one that holds now (None: the match is open)."""

    counts: Counts
    by: ResultRow | None = None
    stands: ResultRow | None = None


def judge_card(
    card: CardSays, together: CardsSay, rows: Sequence[ResultRow], *, alone: CardsSay | None = None
) -> Judged:
    """What a card of a match of two counts for; `rows` are those in force.

    `together`: what the cards say that count for the match; `alone`: what those say that a decision took out.
    """
    now = rows[-1] if rows else None
    if now is None:
        return Judged(Counts.STANDS)
    if now.takes_cards_out and not now.is_open and not card.has_winner:
        return Judged(Counts.STANDS, stands=now)
    out = first_against(card, rows)
    if out is not None:
        if not now.by_cards and alone is not None and card_agrees(now, alone):
            return Judged(Counts.STANDS, stands=now)
        return Judged(Counts.SUPERSEDED, out if now.by_cards else now, now)
    if card_agrees(now, together) or (now.by_cards and now.is_open):
        return Judged(Counts.STANDS, stands=now)
    if now.by_cards and card.since > now.at and _won_more(together.games, now.points):
        return Judged(Counts.DISAGREES, stands=now)
    if together.winner is None and not (now.by_cards and together.is_whole):
        return Judged(Counts.STANDS, stands=now)
    if now.by_cards and not together.is_whole and together.winner == now.winner:
        return Judged(Counts.STANDS, stands=now)
    return _differing(card, now, together.since)


def first_against(card: CardSays, rows: Sequence[ResultRow]) -> ResultRow | None:
    """The first result that took this card out. That nobody wins goes against no card of a drawn game."""
    later = (row for row in rows if row.takes_cards_out and row.at >= card.since)
    return next((row for row in later if row.is_open or card.has_winner), None)


def judge_totals(card: CardSays, rows: Sequence[ResultRow]) -> Judged:
    """What a card of a table counts for, where totals decide: everybody's own has to be the one on record."""
    now = rows[-1] if rows else None
    if now is None or all(now.points.get(number) == points for number, points in card.points.items()):
        return Judged(Counts.STANDS, stands=now)
    if now.by_cards and now.is_open and not now.points:
        return Judged(Counts.STANDS, stands=now)
    return _differing(card, now, None)


def judge_changed(posted: datetime, changed: datetime, rows: Sequence[ResultRow]) -> Judged:
    """What a card counts for that was posted, changed since, and is not signed again by all.

    `by` is the decision that was made since it was changed: it counts, whether it says the same or not. Where the
    result by the card was taken back and the match decided again, `by` is the taking back.
    """
    now = rows[-1] if rows else None
    if now is None or (now.is_open and not now.points):
        return Judged(Counts.NOTHING)
    out = [row for row in rows if row.is_open and row.takes_cards_out and row.at >= posted]
    if out:
        return Judged(Counts.SUPERSEDED, out[-1], now)
    if not is_decided_since(changed, now):
        return Judged(Counts.WAITS, stands=now)
    return Judged(Counts.DECIDED, now, now)


def is_decided_since(changed: datetime, now: ResultRow) -> bool:
    """Whether the result that holds is a decision of the desk, made after the card was written on the last time."""
    is_open = now.is_open and not now.points
    return not is_open and not now.by_cards and changed <= now.act.at


def _won_more(games: Mapping[int, int], recorded: Mapping[int, int]) -> bool:
    """Whether somebody has won more games than the result says."""
    return any(won > recorded.get(number, won) for number, won in games.items())


def _differing(card: CardSays, now: ResultRow, newest: datetime | None) -> Judged:
    """The later word counts; of cards that came to a result together only the one signed since differs from it."""
    if card.since > now.at:
        return Judged(Counts.DISAGREES, stands=now)
    if now.by_cards:
        alike = newest is None or newest > now.at
        return Judged(Counts.STANDS if alike else Counts.DISAGREES, stands=now)
    return Judged(Counts.SUPERSEDED, now, now)


def card_agrees(row: ResultRow, said: CardsSay) -> bool:
    """The same winner for the same cause, and the same points where any were recorded."""
    if said.winner is None or row.winner != said.winner or _kinds(row.credits) != _kinds(said.credits):
        return False
    return not row.points or dict(row.points) == dict(said.points)


def is_same(row: ResultRow, said: CardsSay) -> bool:
    """Whether the row says it all: who has won, and by how many points."""
    return card_agrees(row, said) and dict(row.points) == dict(said.points)


def _kinds(credits: Credits) -> Credits:
    return {number: (result, "played" if cause in PLAYED else cause) for number, (result, cause) in credits.items()}
