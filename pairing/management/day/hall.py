from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pairing.draws.forecast.forecast import TimedGame
from pairing.draws.results import Cause, Removal
from pairing.draws.stages.qualifier import Qualifying

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of the stage that the desk sees at one moment.

    `since` is when each entry began to wait, and `pairs` are the pairs that the desk would send. `alone` is an entry
    that is owed a game although nobody is left to play it.
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
    """A place where a simulated day is recorded. Every method takes the moment at which it happens."""

    def open(self, entries: list[int], absent: list[int], at: datetime) -> None:
        """Open the stage for these entries, and hold those that have not arrived yet."""

    def arrive(self, entries: list[int], at: datetime) -> None: ...

    def look(self, at: datetime) -> Moment: ...

    def send(self, pairs: tuple[Pair, ...], at: datetime) -> list[Sent]: ...

    def decide(self, sent: Sent, winner: int, cause: Cause, at: datetime) -> None: ...

    def bye(self, entry: int, at: datetime) -> None: ...

    def remove(self, entry: int, why: Removal, at: datetime) -> None: ...


def full_minute(at: datetime) -> datetime:
    """Round down to the minute, as the desk reads a clock on the wall."""
    return at.replace(second=0, microsecond=0)


def has_games_after(qualifying: Qualifying, entry: int) -> bool:
    """Return whether an entry that sits at a table may have another game afterwards."""
    plays_on, record = qualifying.terms.plays_on, qualifying[entry].record
    return plays_on(record.wins + 1, record.losses) or plays_on(record.wins, record.losses + 1)
