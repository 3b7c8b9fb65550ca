"""The values of a forecast: the games it is based on, the result, and the sentence about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, floor
from statistics import median
from typing import Final

from tournament.said import worded, worded_plural

BEYOND: Final = 0.04
"""The share of runs before the range, and of runs after it. On past days, nine of ten ends were inside such a range."""


SHORTEST: Final = 1.0
"""The shortest length in minutes. A shorter game is a slip handed in late, and does not count for the pace."""


@dataclass(frozen=True, slots=True)
class TimedGame:
    """A game that was played at a table, with its beginning and its end. `ended` is None while it is played.

    A match that was not played (a bye, a walkover, a no-show) is not a timed game. `length` is a multiple of the usual
    length by its points, as for a final to 500.
    """

    sides: tuple[int, ...]
    began: datetime
    ended: datetime | None = None
    length: float = 1.0

    def minutes(self, now: datetime) -> float:
        """Return how many minutes it took, or has taken until now."""
        return max(0.0, ((self.ended or now) - self.began).total_seconds() / 60)

    def says_the_pace(self, now: datetime) -> bool:
        return self.ended is None or self.minutes(now) >= SHORTEST

    def usual_minutes(self, now: datetime) -> float:
        """Return the minutes, scaled to a game of the usual length."""
        return self.minutes(now) / self.length


@dataclass(frozen=True, slots=True)
class Forecast:
    """The end of a stage: half of the runs ended before `ends_at`, nine of ten between `earliest` and `latest`.

    `games_left` is the number of games that have not begun. `why` says how the forecast was made.
    """

    ends_at: datetime
    earliest: datetime
    latest: datetime
    games_left: int
    why: str


def forecast_of(ends: Sequence[float], now: datetime, games_left: int, why: str) -> Forecast:
    """Return the forecast from the minutes after which each run ended."""
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
    """Return the time after so many minutes, in whole minutes and never before now."""
    ends = now + timedelta(minutes=minutes)
    return max(now, ends.replace(second=0, microsecond=0))


def pace_in_words(games: Sequence[TimedGame], now: datetime, *, left: int, playing: int | None = None) -> str:
    """Return the basis of a forecast: “31 games are being played, about 30 follow (17 minutes a game so far).”"""
    ended = [game.usual_minutes(now) for game in games if game.ended and game.says_the_pace(now)]
    at_table = sum(game.ended is None for game in games) if playing is None else playing
    if at_table:
        now_playing = worded_plural("%(number)s game is being played", "%(number)s games are being played", at_table)
    else:
        now_playing = worded("No game is being played")
    follow = (
        worded_plural("about %(number)s follows", "about %(number)s follow", left) if left else worded("none follows")
    )
    if not ended:
        return worded("%(playing)s, %(follow)s.", playing=now_playing, follow=follow)
    minutes = round(median(ended))
    pace = worded_plural("%(number)s minute a game so far", "%(number)s minutes a game so far", minutes)
    return worded("%(playing)s, %(follow)s (%(pace)s).", playing=now_playing, follow=follow, pace=pace)
