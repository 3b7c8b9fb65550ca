"""Forecast the end of a stage from the pace so far: the rest of it is simulated many times.

    qualifying + timed games ──make_forecast──► when it ends, a range, and the reason
    the same at several sites ──make_site_forecasts──► the same for each site, and for the whole
    games known to come (bracket, groups, rounds) ──make_hall_forecast──► the same

The simulated games take as long as the games of today did. A game at a table takes as long as those that were not over
by then. The desk pairs by its terms. The same facts always give the same forecast.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Final

from pairing.draws.forecast.forecast_hall import Hall, ToPlay
from pairing.draws.forecast.forecast_pace import Pace
from pairing.draws.forecast.forecast_rest import DeskPace, EntryClock, Rest, Run
from pairing.draws.forecast.forecast_values import Forecast, TimedGame, forecast_of, pace_in_words
from pairing.draws.stages.qualifier import Qualifying

WORK: Final = 9000
"""The number of games simulated in all, which is what a page can wait for."""

FEWEST_RUNS, MOST_RUNS = 24, 160
FEWEST_OF_MANY: Final = 8
"""The fewest runs for a bracket of thousands."""

USUAL_PAUSE, PAUSE_WEIGHS, LONGEST_PAUSE = 2.0, 3, 20.0
"""The usual pause in minutes, how many observed pauses it counts as, and the longest pause. A longer one is lunch."""


@dataclass(frozen=True, slots=True)
class SiteDesk:
    """One of several sites: its entries, and how its desk pairs at its own tables."""

    name: str
    entries: tuple[int, ...]
    desk: DeskPace


@dataclass(frozen=True, slots=True)
class StageForecast:
    """The forecast for the end of a stage, and for each site if it is played at several."""

    whole: Forecast
    sites: tuple[tuple[str, Forecast], ...] = ()


def make_forecast(
    qualifying: Qualifying,
    games: Iterable[TimedGame],
    desk: DeskPace,
    *,
    now: datetime,
    since: Mapping[int, datetime] | None = None,
) -> Forecast:
    """Return the forecast for the end of a qualifying, if it continues as it has until now.

    `games` holds all games that are or were at a table. An entry waits since its last game ended, or since the time in
    `since`. Entries that have not come yet are not expected. The number of entries that left tells how many more will.

    >>> from datetime import UTC
    >>> from pairing.draws.results.win_loss import Meeting
    >>> from pairing.draws.stages.qualifier import QualifierTerms, make_qualifying
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> one_game = QualifierTerms(games=1, losses=None, wins=None, byes_to=())
    >>> at_the_table = make_qualifying(one_game, [4, 9], [Meeting("G1", (4, 9))])
    >>> found = make_forecast(at_the_table, [TimedGame((4, 9), noon)], DeskPace(tables=1), now=noon)
    >>> print(found.ends_at.time(), found.why)
    12:18:00 1 game is being played, none follows.
    """
    whole = SiteDesk("", tuple(qualifying.entrants), desk)
    return make_site_forecasts(qualifying, games, [whole], now=now, since=since).whole


def make_site_forecasts(
    qualifying: Qualifying,
    games: Iterable[TimedGame],
    sites: Sequence[SiteDesk],
    *,
    now: datetime,
    since: Mapping[int, datetime] | None = None,
) -> StageForecast:
    """Return the forecast for a qualifying that is played at several sites: its end is that of the last site.

    The pace is that of all sites together. Each site has its own waiting entries and tables.

    Raises:
        ValueError: there is no site.
    """
    if not sites:
        raise ValueError("it is played somewhere")
    seen = list(games)
    pace = pace_of(seen, now)
    rests = [_rest(_at(qualifying, site), _games_at(seen, site), site.desk, now, since or {}) for site in sites]
    turns = _how_often(sum(rest.games_at_most for rest in rests))
    runs = [[rest.play(pace, place * MOST_RUNS + turn) for turn in range(turns)] for place, rest in enumerate(rests)]
    last = [max(each, key=lambda run: run.minutes) for each in zip(*runs, strict=True)]
    left = sum(_left(each) for each in runs)
    whole = forecast_of([run.minutes for run in last], now, left, pace_in_words(seen, now, left=left))
    if len(sites) == 1:
        return StageForecast(whole)
    each_site = zip(sites, runs, strict=True)
    return StageForecast(whole, tuple((site.name, _site(site, seen, each, now)) for site, each in each_site))


def _site(site: SiteDesk, games: Sequence[TimedGame], runs: Sequence[Run], now: datetime) -> Forecast:
    left = _left(runs)
    playing = sum(game.ended is None for game in _games_at(games, site))
    why = pace_in_words(games, now, left=left, playing=playing)
    return forecast_of([run.minutes for run in runs], now, left, why)


def _left(runs: Sequence[Run]) -> int:
    return round(sum(run.games for run in runs) / len(runs))


def _at(qualifying: Qualifying, site: SiteDesk) -> Qualifying:
    inside = set(site.entries)
    entrants = {entry: found for entry, found in qualifying.entrants.items() if entry in inside}
    return Qualifying(qualifying.terms, entrants)


def _games_at(games: Sequence[TimedGame], site: SiteDesk) -> list[TimedGame]:
    inside = set(site.entries)
    return [game for game in games if not inside.isdisjoint(game.sides)]


def make_hall_forecast(
    to_play: Sequence[ToPlay], games: Iterable[TimedGame], tables: int, *, now: datetime
) -> Forecast:
    """Return the forecast for the end of games that are known to come. Each begins after the games it waits for.

    >>> from datetime import UTC, timedelta
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> played = [TimedGame((1, 2), noon - timedelta(minutes=40), noon)] * 60
    >>> final = [ToPlay(name="R1M1", elapsed=30.0), ToPlay(name="R2M1", after=("R1M1",), length=2.0)]
    >>> found = make_hall_forecast(final, played, 1, now=noon)
    >>> 80 < (found.ends_at - noon).total_seconds() / 60 < 100, found.games_left
    (True, 1)

    Raises:
        ValueError: `Hall` refuses the games.
    """
    seen = list(games)
    hall = Hall(tuple(to_play), tables, pause_of(seen))
    pace = pace_of(seen, now)
    turns = _how_often(len(hall.games))
    ends = hall.ends(pace, turns)
    playing = sum(game.elapsed is not None for game in hall.games)
    why = pace_in_words(seen, now, left=hall.to_come, playing=playing)
    return forecast_of(ends, now, hall.to_come, why)


def pace_of(games: Sequence[TimedGame], now: datetime) -> Pace:
    """Return the pace of games of the usual length."""
    return Pace.of(
        [game.usual_minutes(now) for game in games if game.ended and game.says_the_pace(now)],
        [game.usual_minutes(now) for game in games if not game.ended],
    )


def pause_of(games: Sequence[TimedGame]) -> float:
    """Return the median pause in minutes between two games of a side. With few games, it is close to the usual one.

    >>> from datetime import UTC, timedelta
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> first = TimedGame((1, 2), noon, noon + timedelta(minutes=20))
    >>> again = [TimedGame((1, other), noon + timedelta(minutes=26)) for other in range(3, 12)]
    >>> pause_of([first]), pause_of([first, *again])
    (2.0, 6.0)
    """
    found = [USUAL_PAUSE] * PAUSE_WEIGHS
    free_since: dict[int, datetime] = {}
    for game in sorted(games, key=lambda one: one.began):
        ended = [free_since[side] for side in game.sides if side in free_since]
        gap = (game.began - max(ended)).total_seconds() / 60 if ended else LONGEST_PAUSE
        if 0 <= gap < LONGEST_PAUSE:
            found.append(gap)
        free_since |= {side: game.ended for side in game.sides if game.ended is not None}
    return median(found)


def _how_often(games: int) -> int:
    fewest = FEWEST_RUNS if games < WORK // FEWEST_OF_MANY else FEWEST_OF_MANY
    return max(fewest, min(MOST_RUNS, WORK // max(1, games)))


def _rest(
    qualifying: Qualifying, games: Sequence[TimedGame], desk: DeskPace, now: datetime, since: Mapping[int, datetime]
) -> Rest:
    """Return everybody in play, with the minutes for which each has been waiting or playing."""
    free_since = dict(since)
    for game in games:
        for side in game.sides:
            free_since[side] = max(game.ended, free_since.get(side, game.ended)) if game.ended else now
    playing = {side: game.minutes(now) for game in games if not game.ended for side in game.sides}
    opponents = {game.sides[0]: game.sides[-1] for game in games if not game.ended}
    seats = [
        EntryClock(
            number=entry,
            wins=found.record.wins,
            losses=found.record.losses,
            met=found.record.met,
            minutes=playing.get(entry, max(0.0, (now - free_since.get(entry, now)).total_seconds() / 60)),
        )
        for entry, found in qualifying.entrants.items()
        if found.is_ready or found.is_playing
    ]
    gone = sum(found.removal is not None for found in qualifying.entrants.values())
    return Rest(qualifying.terms, desk, tuple(seats), opponents, gone, sum(len(game.sides) for game in games))
