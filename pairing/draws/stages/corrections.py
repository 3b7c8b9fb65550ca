"""The effects of a corrected result on later matches.

This module finds the affected games of a pool. Corrections in other kinds of stage also return a `ResultCorrection`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pairing.draws.knockout.corrections import DoubleBooking, LaterMatchChoice
from pairing.draws.results import (
    MatchOutcome,
    Meeting,
    ResultCause,
    RetainedMatchSides,
    WinLossRecord,
    compute_win_loss_records,
)


@dataclass(frozen=True, slots=True)
class PairedGame:
    """A game with the time when it was paired and all its results.

    `paired_at` is None if the game was scheduled in advance. A bye has only one side, and so does a penalty outside any
    match. A result with the outcome None cancels the previous result.
    """

    ident: str
    sides: tuple[int, ...]
    paired_at: datetime | None = None
    results: tuple[tuple[datetime, MatchOutcome | None], ...] = ()

    def find_outcome_at(self, at: datetime) -> MatchOutcome | None:
        """Return the result that the game had at this time, or None if it had no result yet."""
        return next((outcome for moment, outcome in reversed(self.results) if moment < at), None)

    @property
    def outcome(self) -> MatchOutcome | None:
        return self.results[-1][1] if self.results else None

    @property
    def is_bye(self) -> bool:
        return self.outcome is not None and any(one.cause is ResultCause.BYE for one in self.outcome.credits.values())

    @property
    def allowed_choices(self) -> tuple[LaterMatchChoice, ...]:
        """The choices that a director has for this game. A bye or a game in progress can't be replayed."""
        both_played = self.outcome is not None and len(self.sides) == 2
        return tuple(LaterMatchChoice) if both_played else (LaterMatchChoice.KEEP, LaterMatchChoice.VOID)


_WrongRecord = tuple[int, str, str]
"""An entry, the win-loss record by which it was paired, and the record that it should have had."""


@dataclass(frozen=True, slots=True)
class AffectedGame:
    """A later game whose pairing was based on an incorrect win-loss record, and the choice for it."""

    game: PairedGame
    wrong_records: tuple[_WrongRecord, ...]
    choice: LaterMatchChoice = LaterMatchChoice.KEEP


def find_affected_games(
    games: Sequence[PairedGame],
    ident: str,
    outcome: MatchOutcome | None,
    choices: Mapping[str, LaterMatchChoice] | None = None,
) -> tuple[AffectedGame, ...]:
    """Return the later games whose pairing depended on the corrected result, in the order in which they were paired.

    If `outcome` is None, the result is canceled. An affected game without an allowed choice gets
    `LaterMatchChoice.KEEP`.

    >>> from datetime import UTC
    >>> nine, ten, noon = (datetime(2026, 11, 28, hour, tzinfo=UTC) for hour in (9, 10, 12))
    >>> first = PairedGame("G1", (1, 2), nine, ((ten, MatchOutcome.won("G1", 1, 2)),))
    >>> later = PairedGame("G3", (1, 3), noon)
    >>> [touched] = find_affected_games([first, later], "G1", MatchOutcome.won("G1", 2, 1))
    >>> touched.game.ident, touched.wrong_records
    ('G3', ((1, '1–0', '0–1'),))
    """
    corrected: dict[str, MatchOutcome | None] = {ident: outcome}
    games_of: dict[int, list[PairedGame]] = defaultdict(list)
    for game in games:
        for side in game.sides:
            games_of[side].append(game)
    touched: list[AffectedGame] = []
    later = [(game.paired_at, game.ident, game) for game in games if game.paired_at is not None and game.ident != ident]
    for _sent, _ident, game in sorted(later, key=lambda found: found[:2]):
        by = tuple(
            found
            for side in game.sides
            if (found := _compare_records(game, side, games_of[side], corrected)) is not None
        )
        if not by or (game.outcome is not None and game.outcome.is_void):
            continue
        chosen = (choices or {}).get(game.ident, LaterMatchChoice.KEEP)
        choice = chosen if chosen in game.allowed_choices else LaterMatchChoice.KEEP
        touched.append(AffectedGame(game, by, choice))
        if choice is not LaterMatchChoice.KEEP:
            corrected[game.ident] = (
                None if choice is LaterMatchChoice.REPLAY else MatchOutcome.void(game.ident, game.sides)
            )
    return tuple(touched)


def _compare_records(
    game: PairedGame, entry: int, games: Sequence[PairedGame], corrected: Mapping[str, MatchOutcome | None]
) -> _WrongRecord | None:
    """Compare an entry's record when this game was paired with its record according to the corrected results.

    Return the entry and both records as text, or None if they are equal.
    """
    assert game.paired_at is not None
    if not any(one.ident in corrected for one in games):
        return None
    others = (one for one in games if one.ident != game.ident)
    ended = [(one, known) for one in others if (known := one.find_outcome_at(game.paired_at)) is not None]
    was = _make_record(entry, ended)
    would = _make_record(entry, [(one, corrected.get(one.ident, known)) for one, known in ended])
    same = (was.wins, was.losses, was.games) == (would.wins, would.losses, would.games)
    return None if same else (entry, str(was), str(would))


def _make_record(entry: int, ended: Sequence[tuple[PairedGame, MatchOutcome | None]]) -> WinLossRecord:
    return compute_win_loss_records([entry], [Meeting(one.ident, one.sides, outcome) for one, outcome in ended])[entry]


@dataclass(frozen=True, slots=True)
class _ReopenedGame:
    match: str


LaterMatchFact = RetainedMatchSides | MatchOutcome | _ReopenedGame


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultCorrection:
    """The effects of a correction: the later matches it affects, and the facts to record after the result, in order.

    - `winner_advances`: true in brackets and play-offs. There, affected matches are replayed by default.
    - `games`: pool games whose pairings were based on an incorrect win-loss record. They still count, unless the
      director chooses to void or replay them. Once the next stage (`next_stage`) is open, there is no such choice.
    - `matches_with_other_players`: matches that would have different players.
    - `impossible_keeps`: matches that the user chose to keep, although an earlier match that leads to them is not kept
      and therefore sends other players.
    - `double_bookings`: entries that would be in two matches at once.
    """

    affected_matches: tuple[str, ...] = ()
    facts_to_record: tuple[LaterMatchFact, ...] = ()
    winner_advances: bool = False
    games: tuple[AffectedGame, ...] = ()
    next_stage: str = ""
    matches_with_other_players: tuple[str, ...] = ()
    impossible_keeps: tuple[str, ...] = ()
    double_bookings: tuple[DoubleBooking, ...] = ()


def make_pool_correction(games: Sequence[AffectedGame], next_stage: str = "") -> ResultCorrection:
    """Return the effects of a corrected result in a pool on these later games. A game that is kept needs no new fact.

    >>> make_pool_correction((), "Final").next_stage
    'Final'
    """
    touched = tuple(found.game.ident for found in games)
    added: list[LaterMatchFact] = []
    for found in games:
        if found.choice is LaterMatchChoice.VOID:
            added.append(MatchOutcome.void(found.game.ident, found.game.sides))
        elif found.choice is LaterMatchChoice.REPLAY:
            added.append(_ReopenedGame(found.game.ident))
    return ResultCorrection(
        affected_matches=touched, facts_to_record=tuple(added), games=tuple(games), next_stage=next_stage
    )
