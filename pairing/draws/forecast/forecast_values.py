"""What a forecast is made of, and what it says."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, floor
from statistics import median
from typing import Final

from tournament.said import worded

BEYOND: Final = 0.04
"""So many of the runs may end before the range, and so many after it: of the days it was made with nine of ten ended
inside then."""


SHORTEST: Final = 1.0
"""Minutes: what ended sooner was a slip handed in late, and says nothing about the pace."""


@dataclass(frozen=True, slots=True)
class TimedGame:
    """A game that was played at a table: since when, and when it ended; `ended` is None while it is played.

    What was never played (a bye, a walk-over, a no-show) is none, and says nothing about the pace. `length`: how many
    times as long as a usual one it is by its points, for a final to 500.
    """

    sides: tuple[int, ...]
    began: datetime
    ended: datetime | None = None
    length: float = 1.0

    def minutes(self, now: datetime) -> float:
        """How long it took, or has taken till now."""
        return max(0.0, ((self.ended or now) - self.began).total_seconds() / 60)

    def says_the_pace(self, now: datetime) -> bool:
        return self.ended is None or self.minutes(now) >= SHORTEST

    def usual_minutes(self, now: datetime) -> float:
        """The same for a game of the usual length."""
        return self.minutes(now) / self.length


@dataclass(frozen=True, slots=True)
class Forecast:
    """When the stage ends: half of the runs ended before `ends_at`, nine of ten between the other two.

    `games_left` are those that have not begun; `why` says how it was found.
    """

    ends_at: datetime
    earliest: datetime
    latest: datetime
    games_left: int
    why: str


def forecast_of(ends: Sequence[float], now: datetime, games_left: int, why: str) -> Forecast:
    """From the minutes after which each run ended."""
    ordered = sorted(ends)
    outside = int(BEYOND * (len(ordered) - 1))
    return Forecast(
        ends_at=_moment(now, round(median(ordered))),
        earliest=_moment(now, floor(ordered[outside])),
        latest=_moment(now, ceil(ordered[-1 - outside])),
        games_left=games_left,
        why=why,
    )


def _moment(now: datetime, minutes: int) -> datetime:
    """By the clock on the wall, never before now."""
    ends = now + timedelta(minutes=minutes)
    return max(now, ends.replace(second=0, microsecond=0))


def pace_in_words(games: Sequence[TimedGame], now: datetime, *, left: int, playing: int | None = None) -> str:
    """“from 143 games so far, median 17 min: 31 games at a table, about 30 to come”."""
    ended = [game.usual_minutes(now) for game in games if game.ended and game.says_the_pace(now)]
    at_table = sum(game.ended is None for game in games) if playing is None else playing
    seen = _games(len(ended))
    pace = (
        worded("from %(ended)s so far, median %(minutes)s min", ended=seen, minutes=round(median(ended)))
        if ended
        else worded("from %(ended)s so far", ended=seen)
    )
    at_tables = (
        worded("%(at_table)s at a table", at_table=_games(at_table)) if at_table else worded("no game at a table")
    )
    return worded(
        "%(pace)s: %(at_tables)s, %(what)s to come",
        pace=pace,
        at_tables=at_tables,
        what=worded("about %(number)s", number=left) if left else worded("none"),
    )


def _games(number: int) -> str:
    if number < 2:
        return worded("1 game") if number else worded("no game")
    return worded("%(number)s games", number=number)
