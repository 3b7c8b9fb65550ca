"""A game of a pool is corrected after others were paired by its result: which ones, and what becomes of each.

    games as they were sent, corrected outcome, choices ──follow_in_pool──► whose record was another, what is recorded

Who meets whom in a pool was decided by the records at that moment. A corrected result takes no sides from a later game;
so a later game stands unless somebody says otherwise:

- `KEEP`: it stands as it was played, or is being played.
- `REPLAY`: its result is taken back, and the same two play again.
- `VOID`: nobody gets anything from it; both are to be paired anew. A bye is taken back by it.

A game that is played again or void changes the records by which still later ones were paired: those are touched, too.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pairing.draws.knockout.keeping import LaterChoice
from pairing.draws.results.credits import Cause, MatchOutcome
from pairing.draws.results.win_loss import Meeting, WinLossRecord, own_records


@dataclass(frozen=True, slots=True)
class SentGame:
    """A game as it came about: when it was paired (None: it was fixed before), and every result with its moment.

    One side alone has a bye, or a credit outside any game. An outcome None takes the one before back.
    """

    ident: str
    sides: tuple[int, ...]
    sent: datetime | None = None
    results: tuple[tuple[datetime, MatchOutcome | None], ...] = ()

    def known(self, at: datetime) -> MatchOutcome | None:
        """How it had ended by then."""
        return next((outcome for moment, outcome in reversed(self.results) if moment < at), None)

    @property
    def outcome(self) -> MatchOutcome | None:
        return self.results[-1][1] if self.results else None

    @property
    def is_bye(self) -> bool:
        return self.outcome is not None and any(one.cause is Cause.BYE for one in self.outcome.credits.values())

    @property
    def may(self) -> tuple[LaterChoice, ...]:
        """What can become of it: a bye, or a game that is still played, has nothing to be played again."""
        both_played = self.outcome is not None and len(self.sides) == 2
        return tuple(LaterChoice) if both_played else (LaterChoice.KEEP, LaterChoice.VOID)


@dataclass(frozen=True, slots=True)
class PairedBy:
    """The record by which somebody was paired, and the one that it would have been."""

    entry: int
    was: str
    would: str


@dataclass(frozen=True, slots=True)
class TouchedGame:
    """A later game that was paired by another record; `choice` is what becomes of it."""

    game: SentGame
    by: tuple[PairedBy, ...]
    choice: LaterChoice = LaterChoice.KEEP


def follow_in_pool(
    games: Sequence[SentGame],
    ident: str,
    outcome: MatchOutcome | None,
    choices: Mapping[str, LaterChoice] | None = None,
) -> tuple[TouchedGame, ...]:
    """The later games that were paired by what is corrected now, in the order in which they were paired.

    `outcome` None: the result is taken back. A touched game that no choice names is kept.

    >>> from datetime import UTC
    >>> nine, ten, noon = (datetime(2026, 11, 28, hour, tzinfo=UTC) for hour in (9, 10, 12))
    >>> first = SentGame("G1", (1, 2), nine, ((ten, MatchOutcome.won("G1", 1, 2)),))
    >>> later = SentGame("G3", (1, 3), noon)
    >>> [touched] = follow_in_pool([first, later], "G1", MatchOutcome.won("G1", 2, 1))
    >>> touched.game.ident, touched.by
    ('G3', (PairedBy(entry=1, was='1–0', would='0–1'),))
    """
    corrected: dict[str, MatchOutcome | None] = {ident: outcome}
    of: dict[int, list[SentGame]] = defaultdict(list)
    for game in games:
        for side in game.sides:
            of[side].append(game)
    touched: list[TouchedGame] = []
    for game in sorted((game for game in games if game.sent is not None and game.ident != ident), key=_order):
        by = tuple(found for side in game.sides if (found := _paired_by(game, side, of[side], corrected)) is not None)
        if not by or (game.outcome is not None and game.outcome.is_void):
            continue
        said = (choices or {}).get(game.ident, LaterChoice.KEEP)
        choice = said if said in game.may else LaterChoice.KEEP
        touched.append(TouchedGame(game, by, choice))
        if choice is not LaterChoice.KEEP:
            corrected[game.ident] = None if choice is LaterChoice.REPLAY else MatchOutcome.void(game.ident, game.sides)
    return tuple(touched)


def _order(game: SentGame) -> tuple[datetime, str]:
    assert game.sent is not None
    return game.sent, game.ident


def _paired_by(
    game: SentGame, entry: int, games: Sequence[SentGame], corrected: Mapping[str, MatchOutcome | None]
) -> PairedBy | None:
    """`games` are those of the entry."""
    assert game.sent is not None
    if not any(one.ident in corrected for one in games):
        return None
    others = (one for one in games if one.ident != game.ident)
    ended = [(one, known) for one in others if (known := one.known(game.sent)) is not None]
    was = _record(entry, ended)
    would = _record(entry, [(one, corrected.get(one.ident, known)) for one, known in ended])
    same = (was.wins, was.losses, was.games) == (would.wins, would.losses, would.games)
    return None if same else PairedBy(entry, str(was), str(would))


def _record(entry: int, ended: Sequence[tuple[SentGame, MatchOutcome | None]]) -> WinLossRecord:
    return own_records([entry], [Meeting(one.ident, one.sides, outcome) for one, outcome in ended])[entry]
