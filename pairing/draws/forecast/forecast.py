"""Forecast the end of a stage from the pace so far: the rest of it is simulated many times.

    qualifying + timed games ──make_forecast──► when it ends, a range, and the reason
    the same at several sites ──make_site_forecasts──► the same for each site, and for the whole
    games known to come (bracket, groups, rounds) ──make_hall_forecast──► the same

The simulated games take as long as the games of today did. A game at a table takes as long as those that were not over
by then. The desk pairs by its terms. The same facts always give the same forecast.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, floor
from statistics import median
from typing import Final

from pairing.draws.forecast.hall import Hall, ToPlay
from pairing.draws.forecast.pace import Pace
from pairing.draws.forecast.qualifying import DeskPace, EntryClock, Rest, Run
from pairing.draws.stages.qualifier import Qualifying
from tournament.said import worded, worded_plural

# --- Forecast values -------------------------------------------------------------------------------------------------
# The values of a forecast: the games it is based on, the result, and the sentence about it.

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


def _pace_in_words(games: Sequence[TimedGame], now: datetime, *, left: int, playing: int | None = None) -> str:
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
    >>> from pairing.draws.results import Meeting
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
    pace = _pace_of(seen, now)
    rests = [_rest(_at(qualifying, site), _games_at(seen, site), site.desk, now, since or {}) for site in sites]
    turns = _how_often(sum(rest.games_at_most for rest in rests))
    runs = [[rest.play(pace, place * MOST_RUNS + turn) for turn in range(turns)] for place, rest in enumerate(rests)]
    last = [max(each, key=lambda run: run.minutes) for each in zip(*runs, strict=True)]
    left = sum(_left(each) for each in runs)
    whole = forecast_of([run.minutes for run in last], now, left, _pace_in_words(seen, now, left=left))
    if len(sites) == 1:
        return StageForecast(whole)
    each_site = zip(sites, runs, strict=True)
    return StageForecast(whole, tuple((site.name, _site(site, seen, each, now)) for site, each in each_site))


def _site(site: SiteDesk, games: Sequence[TimedGame], runs: Sequence[Run], now: datetime) -> Forecast:
    left = _left(runs)
    playing = sum(game.ended is None for game in _games_at(games, site))
    why = _pace_in_words(games, now, left=left, playing=playing)
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
    hall = Hall(tuple(to_play), tables, _pause_of(seen))
    pace = _pace_of(seen, now)
    turns = _how_often(len(hall.games))
    ends = hall.ends(pace, turns)
    playing = sum(game.elapsed is not None for game in hall.games)
    why = _pace_in_words(seen, now, left=hall.to_come, playing=playing)
    return forecast_of(ends, now, hall.to_come, why)


def _pace_of(games: Sequence[TimedGame], now: datetime) -> Pace:
    """Return the pace of games of the usual length."""
    return Pace.of(
        [game.usual_minutes(now) for game in games if game.ended and game.says_the_pace(now)],
        [game.usual_minutes(now) for game in games if not game.ended],
    )


def _pause_of(games: Sequence[TimedGame]) -> float:
    """Return the median pause in minutes between two games of a side. With few games, it is close to the usual one.

    >>> from datetime import UTC, timedelta
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> first = TimedGame((1, 2), noon, noon + timedelta(minutes=20))
    >>> again = [TimedGame((1, other), noon + timedelta(minutes=26)) for other in range(3, 12)]
    >>> _pause_of([first]), pause_of([first, *again])
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


# --- Forecast next ---------------------------------------------------------------------------------------------------
# Estimate when an entry plays next: after matches at the tables that take as long as earlier ones did.

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
