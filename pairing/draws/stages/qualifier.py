"""The record qualifier, in which each entry plays one game after another until its win-loss record reaches a limit.

The limits are the number of games, the losses that eliminate, and the wins that qualify (`QualifierTerms`).

    terms, entries, meetings ──make_qualifying_stage──► the status of each entry, and who is ready to be paired

"Five (5) 250 point games. Must stop if you lose 2 games. (4) and (5) game winners are in the finals. If a team has 4
wins and no losses, they must play the 5th game. In case of a play-off, the 5 game winners receive a bye." (GRA,
partnership 1 to 3)
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from pairing.draws.pairs.reasons import format_wins
from pairing.draws.pairs.record import EntryWithRecord
from pairing.draws.results import EntryRemoval, Meeting, RemovalReason, WinLossRecord, compute_win_loss_records
from tournament.lazy_text import lazy_plural, lazy_text

MAX_QUALIFYING_GAMES: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class QualifierTerms:
    """The limits of a qualifying stage: the number of games, the losses that eliminate, and the wins that qualify.

    If `losses` is None, everybody plays all games. If `wins` is None, nobody qualifies by record, and the best in the
    standings advance. If `unbeaten_play_on` is true, an entry that qualifies without a loss still plays all its games.
    `byes_to` lists the numbers of wins that get the play-off's byes, in order.

    Raises:
        ValueError: there is no game, or the wins or losses are impossible.
    """

    games: int = 5
    losses: int | None = 2
    wins: int | None = 4
    unbeaten_play_on: bool = True
    byes_to: tuple[int, ...] = (5,)

    def __post_init__(self) -> None:
        if self.games < 1 or not all(1 <= limit <= self.games for limit in (self.losses, self.wins) if limit):
            raise ValueError("a qualifier has one game at least, and no more wins or losses than games")
        if 0 in (self.losses, self.wins):
            raise ValueError("nobody stops before the first game")

    def has_next_game(self, wins: int, losses: int) -> bool:
        """Return whether an entry with this record has another game to play.

        >>> [GRA_PARTNERSHIP_TERMS.has_next_game(won, lost) for won, lost in ((4, 0), (3, 1), (4, 1))]
        [True, True, False]
        """
        if wins + losses >= self.games or (self.losses is not None and losses >= self.losses):
            return False
        return self.wins is None or wins < self.wins or (losses == 0 and self.unbeaten_play_on)

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"byes_to": list(self.byes_to)}


GRA_PARTNERSHIP_TERMS: Final = QualifierTerms(games=5, losses=2, wins=4, unbeaten_play_on=True, byes_to=(5,))


class QualifyingStatus(StrEnum):
    PLAYS_ON = "plays-on"
    MUST_PLAY_ON = "must-play-on"
    QUALIFIED = "qualified"
    OUT = "out"
    GONE = "gone"

    @property
    def is_in_play(self) -> bool:
        return self in (QualifyingStatus.PLAYS_ON, QualifyingStatus.MUST_PLAY_ON)


@dataclass(frozen=True, slots=True)
class QualifyingEntry:
    """An entry in a qualifying stage: its record, its status, and an explanation of the status."""

    record: WinLossRecord
    status: QualifyingStatus
    why: str
    removal: RemovalReason | None = None

    @property
    def is_playing(self) -> bool:
        return bool(self.record.playing)

    @property
    def is_ready(self) -> bool:
        return self.status.is_in_play and not self.is_playing

    def make_entry_with_record(self, persons: frozenset[str] = frozenset()) -> EntryWithRecord:
        own = self.record
        return EntryWithRecord(own.entry, own.wins, own.losses, own.byes, own.met, persons)


@dataclass(frozen=True)
class QualifyingStage:
    """The status of each entry in a qualifying stage, in the order of the entries."""

    terms: QualifierTerms
    entrants: Mapping[int, QualifyingEntry]

    def __getitem__(self, entry: int) -> QualifyingEntry:
        return self.entrants[entry]

    def make_entry_without_removal(self, entry: int) -> QualifyingEntry:
        """Return the status that an entry would have by its record if it had not been removed."""
        return _make_entry(self.terms, self.entrants[entry].record, None)

    def list_entries_with_status(self, status: QualifyingStatus) -> tuple[int, ...]:
        return tuple(entry for entry, found in self.entrants.items() if found.status is status)

    @cached_property
    def ready_entries(self) -> tuple[int, ...]:
        return tuple(entry for entry, found in self.entrants.items() if found.is_ready)

    @cached_property
    def playing_entries(self) -> tuple[int, ...]:
        return tuple(entry for entry, found in self.entrants.items() if found.is_playing)

    @property
    def is_complete(self) -> bool:
        """Whether nobody is at a table and nobody has another game to play."""
        return not self.playing_entries and not self.ready_entries

    @property
    def entry_without_opponent(self) -> int | None:
        """The entry that still has a game to play but no opponent left, or None if there is no such entry.

        The director gives such an entry a bye or an opponent.
        """
        return self.ready_entries[0] if len(self.ready_entries) == 1 and not self.playing_entries else None


def make_qualifying_stage(
    terms: QualifierTerms, entries: Iterable[int], meetings: Iterable[Meeting], removed: Iterable[EntryRemoval] = ()
) -> QualifyingStage:
    """Return the status of all entries. A corrected match must be passed with its corrected outcome.

    - Only an entry's own credits count. A loss by penalty is a loss. If an entry got nothing from a match, it is owed a
      game.
    - The limit of losses eliminates an entry no matter how often it has won. A loss by a ruling counts even after the
      entry has qualified.
    - A removed entry is out even if it had qualified. Removals that were undone must not be passed.

    In the example, each entry has five games, and four wins are enough to qualify. An entry that has lost no game still
    has to play its fifth game.

    >>> from pairing.draws.results import MatchOutcome
    >>> won = [Meeting(f"G{n}M1", (7, n), MatchOutcome.won(f"G{n}M1", 7, n)) for n in (1, 2, 3, 4)]
    >>> now = make_qualifying_stage(GRA_PARTNERSHIP_TERMS, [7, 1], won)
    >>> print(now[7].why)
    4–0: unbeaten, the other game must be played

    Raises:
        ValueError: an entry or a match occurs twice.
    """
    why_gone = {fact.entry: fact.why for fact in removed}
    records = compute_win_loss_records(entries, meetings).items()
    return QualifyingStage(terms, {entry: _make_entry(terms, record, why_gone.get(entry)) for entry, record in records})


def _make_entry(terms: QualifierTerms, record: WinLossRecord, removal: RemovalReason | None) -> QualifyingEntry:
    if removal is not None:
        return QualifyingEntry(record, QualifyingStatus.GONE, f"{record}: {removal.value}", removal)
    status, why = _find_status(terms, record)
    return QualifyingEntry(record, status, f"{record}: {why}")


def _find_status(terms: QualifierTerms, record: WinLossRecord) -> tuple[QualifyingStatus, str]:
    if terms.losses is not None and record.losses >= terms.losses:
        return QualifyingStatus.OUT, lazy_plural(
            "eliminated with %(number)s loss", "eliminated with %(number)s losses", record.losses
        )
    left = terms.games - record.games
    has_wins = terms.wins is not None and record.wins >= terms.wins
    if left <= 0:
        if terms.wins is None:
            return QualifyingStatus.QUALIFIED, lazy_text("all games played, the standings decide")
        if has_wins:
            return QualifyingStatus.QUALIFIED, lazy_text("qualified with %(wins)s", wins=format_wins(record.wins))
        return QualifyingStatus.OUT, lazy_text("all games played, %(wins)s needed", wins=format_wins(terms.wins))
    if not has_wins:
        return QualifyingStatus.PLAYS_ON, lazy_plural("%(number)s game left", "%(number)s games left", left)
    if record.losses == 0 and terms.unbeaten_play_on:
        return QualifyingStatus.MUST_PLAY_ON, lazy_plural(
            "unbeaten, the other game must be played", "unbeaten, the other %(number)s games must be played", left
        )
    return QualifyingStatus.QUALIFIED, lazy_text("qualified with %(wins)s", wins=format_wins(record.wins))
