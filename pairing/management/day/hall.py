from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pairing.draws.forecast.forecast_values import TimedGame
from pairing.draws.results.credits import Cause, Removal
from pairing.draws.stages.qualifier import Qualifying

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Moment:
    """What the desk sees: who stands where, the games as the clock saw them, since when each waits, whom it would send.

    `alone` is owed a game, and nobody is left to play it.
    """

    at: datetime
    qualifying: Qualifying
    games: tuple[TimedGame, ...]
    since: Mapping[int, datetime]
    pairs: tuple[Pair, ...] = ()
    alone: int | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    ident: str
    pair: Pair


class Hall(Protocol):
    """Where the day is recorded; every verb takes the moment at which it happens."""

    def open(self, entries: list[int], absent: list[int], at: datetime) -> None:
        """Everybody is in; the desk holds who is not there yet."""

    def arrive(self, entries: list[int], at: datetime) -> None: ...

    def look(self, at: datetime) -> Moment: ...

    def send(self, pairs: tuple[Pair, ...], at: datetime) -> list[Sent]: ...

    def decide(self, sent: Sent, winner: int, cause: Cause, at: datetime) -> None: ...

    def bye(self, entry: int, at: datetime) -> None: ...

    def remove(self, entry: int, why: Removal, at: datetime) -> None: ...


def full_minute(at: datetime) -> datetime:
    """The desk looks at the clock on the wall."""
    return at.replace(second=0, microsecond=0)


def has_games_after(qualifying: Qualifying, entry: int) -> bool:
    """Whether somebody at a table may have another game to come."""
    plays_on, record = qualifying.terms.plays_on, qualifying[entry].record
    return plays_on(record.wins + 1, record.losses) or plays_on(record.wins, record.losses + 1)
