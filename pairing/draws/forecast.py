"""When the qualifying ends, from the pace so far: the rest of it is played through many times, in fast time.

    qualifying + the games as the clock saw them ──make_forecast──► when it ends, a range, and how that was found

The games still to come take as long as those of today did, a game at a table as long as those which took longer than it
has; the desk pairs as it is set. Nothing is left to chance: the same facts give the same forecast.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Final

from pairing.draws.forecast_pace import Pace
from pairing.draws.forecast_rest import FEWEST_WAITING, Desk, Rest, Seat
from pairing.draws.qualifier import Qualifying

__all__ = ["FEWEST_WAITING", "Desk", "Forecast", "TimedGame", "make_forecast"]

WORK: Final = 7000
"""So many games are played in all: what a page can wait for."""

FEWEST_RUNS, MOST_RUNS = 24, 160
RANGE: Final = (0.05, 0.95)


@dataclass(frozen=True, slots=True)
class TimedGame:
    """A game that was played at a table: since when, and when it ended; `ended` is None while it is played.

    What was never played (a bye, a walk-over, a no-show) is none, and says nothing about the pace.
    """

    sides: tuple[int, ...]
    began: datetime
    ended: datetime | None = None

    def minutes(self, now: datetime) -> float:
        """How long it took, or has taken till now."""
        return max(0.0, ((self.ended or now) - self.began).total_seconds() / 60)


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


def make_forecast(
    qualifying: Qualifying,
    games: Iterable[TimedGame],
    desk: Desk,
    *,
    now: datetime,
    since: Mapping[int, datetime] | None = None,
) -> Forecast:
    """When the qualifying ends, if it goes on as it did until now.

    `games` are all that are or were at a table; an entry waits since its last one ended, or since the time that `since`
    gives for it. Nobody is expected to come who has not come yet; who has gone says how many more will go.

    >>> from datetime import UTC
    >>> from pairing.draws.own_credits import Meeting
    >>> from pairing.draws.qualifier import QualifierTerms, make_qualifying
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> one_game = QualifierTerms(games=1, losses=None, wins=None, byes_to=())
    >>> at_the_table = make_qualifying(one_game, [4, 9], [Meeting("G1", (4, 9))])
    >>> found = make_forecast(at_the_table, [TimedGame((4, 9), noon)], Desk(tables=1), now=noon)
    >>> print(found.ends_at.time(), found.why)
    12:17:00 from no game so far: 1 game at a table, none to come
    """
    seen = list(games)
    rest = _rest(qualifying, seen, desk, now, since or {})
    pace = Pace.of(
        [game.minutes(now) for game in seen if game.ended], [game.minutes(now) for game in seen if not game.ended]
    )
    runs = [rest.play(pace, turn) for turn in range(_how_often(rest))]
    ends = sorted(run.minutes for run in runs)
    left = round(sum(run.games for run in runs) / len(runs))
    low, high = (ends[round(share * (len(ends) - 1))] for share in RANGE)
    return Forecast(
        ends_at=_moment(now, median(ends)),
        earliest=_moment(now, low),
        latest=_moment(now, high),
        games_left=left,
        why=_why(seen, left, now),
    )


def _how_often(rest: Rest) -> int:
    return max(FEWEST_RUNS, min(MOST_RUNS, WORK // max(1, rest.games_at_most)))


def _rest(
    qualifying: Qualifying, games: Sequence[TimedGame], desk: Desk, now: datetime, since: Mapping[int, datetime]
) -> Rest:
    """Everybody in play, and for how many minutes each has been waiting or playing."""
    free_since = dict(since)
    for game in games:
        for side in game.sides:
            free_since[side] = max(game.ended, free_since.get(side, game.ended)) if game.ended else now
    playing = {side: game.minutes(now) for game in games if not game.ended for side in game.sides}
    opponents = {game.sides[0]: game.sides[-1] for game in games if not game.ended}
    seats = [
        Seat(
            number=entry,
            wins=found.record.wins,
            losses=found.record.losses,
            met=found.record.met,
            minutes=playing.get(entry, _minutes(now, free_since.get(entry, now))),
        )
        for entry, found in qualifying.entrants.items()
        if found.is_ready or found.is_playing
    ]
    gone = sum(found.removal is not None for found in qualifying.entrants.values())
    return Rest(qualifying.terms, desk, tuple(seats), opponents, gone, sum(len(game.sides) for game in games))


def _minutes(now: datetime, moment: datetime) -> float:
    return max(0.0, (now - moment).total_seconds() / 60)


def _moment(now: datetime, minutes: float) -> datetime:
    """To the full minute, never before now."""
    ends = now + timedelta(minutes=minutes)
    return max(now, ends.replace(second=0, microsecond=0))


def _why(games: Sequence[TimedGame], left: int, now: datetime) -> str:
    ended = [game.minutes(now) for game in games if game.ended]
    playing = len(games) - len(ended)
    pace = f"from {_games(len(ended))} so far" + (f", median {median(ended):.0f} min" if ended else "")
    at_tables = f"{_games(playing)} at a table" if playing else "no game at a table"
    return f"{pace}: {at_tables}, {f'about {left}' if left else 'none'} to come"


def _games(number: int) -> str:
    return f"{number or 'no'} {'game' if number < 2 else 'games'}"
