"""About when somebody sits down next: behind matches that are at a table now, which take as long as others did."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from math import ceil
from statistics import median
from typing import Final

from pairing.draws.forecast.forecast_values import SHORTEST, TimedGame

FEWEST: Final = 3
"""From fewer matches nothing is said."""
STEP: Final = timedelta(minutes=5)
"""What is said is no more exact than this."""


def about_when(before: Iterable[TimedGame], seen: Iterable[TimedGame], since: datetime) -> datetime | None:
    """When the last of the matches `before` ends, by those that were over at `since`; None: nothing can be said.

    What ended later plays no part, so that the same question has the same answer all the while.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> played = [TimedGame((1, 2), noon - timedelta(minutes=took), noon) for took in (30, 41, 47)]
    >>> print(about_when([TimedGame((3, 4), noon - timedelta(minutes=8))], played, noon).time())
    12:35:00
    >>> about_when([TimedGame((3, 4), noon - timedelta(minutes=50))], played, noon) is None  # it is overdue
    True
    """
    took = [
        game.usual_minutes(since)
        for game in seen
        if game.ended is not None and game.ended <= since and game.minutes(since) >= SHORTEST
    ]
    if len(took) < FEWEST:
        return None
    usual = timedelta(minutes=median(took))
    ends = max((game.began + usual * game.length for game in before), default=since)
    if ends <= since:
        return None
    midnight = ends.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + STEP * ceil((ends - midnight) / STEP)
