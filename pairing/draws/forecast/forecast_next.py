"""Estimate when an entry plays next: after matches at the tables that take as long as earlier ones did.

Games that end or begin after `since` are ignored, so the same question always has the same answer.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from math import ceil
from statistics import median
from typing import Final

from pairing.draws.forecast.forecast_values import SHORTEST, TimedGame

FEWEST: Final = 3
"""The fewest matches for an estimate."""
STEP: Final = timedelta(minutes=5)
"""The precision of an estimate."""


def about_when(before: Iterable[TimedGame], seen: Iterable[TimedGame], since: datetime) -> datetime | None:
    """Return when the last of the matches `before` ends, judging by matches that were over at `since`.

    Return None if there is no estimate.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> played = [TimedGame((1, 2), noon - timedelta(minutes=took), noon) for took in (30, 41, 47)]
    >>> print(about_when([TimedGame((3, 4), noon - timedelta(minutes=8))], played, noon).time())
    12:35:00
    >>> about_when([TimedGame((3, 4), noon - timedelta(minutes=50))], played, noon) is None  # it is overdue
    True
    """
    usual = _usual(seen, since)
    ends = [game.began + usual * game.length for game in before] if usual is not None else []
    return _rounded(max(ends, default=since), since)


def about_table(ahead: int, games: Sequence[TimedGame], since: datetime) -> datetime | None:
    """Return when a table is free for a match that could be played from `since` on, with `ahead` others before it.

    `games` holds all games that are or were at a table. The number of tables is the most that were ever busy at once.
    Return None while one of them is free for this match.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> played = [TimedGame((1, 2), noon - timedelta(minutes=70), noon - timedelta(minutes=30))] * 3
    >>> now = [TimedGame((3, 4), noon - timedelta(minutes=ago)) for ago in (30, 20, 5)]
    >>> print(about_table(0, [*played, *now], noon).time(), about_table(1, [*played, *now], noon).time())
    12:10:00 12:20:00
    """
    usual, begun = _usual(games, since), [game for game in games if game.began <= since]
    busy = [game for game in begun if game.ended is None or game.ended > since]
    place = ahead - (_most_at_once(begun) - len(busy))
    if usual is None or not 0 <= place < len(busy):
        return None
    return _rounded(sorted(game.began + usual * game.length for game in busy)[place], since)


def _usual(seen: Iterable[TimedGame], since: datetime) -> timedelta | None:
    """Return how long a match of the usual length took until then."""
    took = [
        game.usual_minutes(since)
        for game in seen
        if game.ended is not None and game.ended <= since and game.minutes(since) >= SHORTEST
    ]
    return timedelta(minutes=median(took)) if len(took) >= FEWEST else None


def _most_at_once(games: Sequence[TimedGame]) -> int:
    steps = [(game.began, 1) for game in games] + [(game.ended, -1) for game in games if game.ended is not None]
    most = now = 0
    for _moment, step in sorted(steps):
        now += step
        most = max(most, now)
    return most


def _rounded(ends: datetime, since: datetime) -> datetime | None:
    if ends <= since:
        return None
    midnight = ends.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + STEP * ceil((ends - midnight) / STEP)
