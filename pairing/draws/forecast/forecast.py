"""Forecast the end of a stage. Its remaining games are simulated many times at the pace of the games so far.

    qualifying + timed games ──make_stage_forecast──► when the stage and each site end, a range, and the reason
    games known in advance (bracket, groups, rounds) ──forecast_known_games──► the same
    games at the tables ──estimate_end_of_matches, estimate_free_table_time──► when an entry plays next

Simulated games take as long as today's games did. A game in progress always takes longer than its time so far. The
simulated desk uses the real desk's settings. The same facts always give the same forecast.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, floor
from statistics import median
from typing import Final

from pairing.draws.desk.desk import DEFAULT_DESK_TERMS, DeskTerms
from pairing.draws.forecast.pace import GameLengthDistribution
from pairing.draws.forecast.simulation import RemainingGame, SimulationStart, TableSchedule
from pairing.draws.knockout.bracket import DrawnSide
from pairing.draws.knockout.progress import BracketMatchProgress, BracketMatchState, BracketProgress
from pairing.draws.results import Meeting
from pairing.draws.stages.play_off import PlayOff
from pairing.draws.stages.pools import Pool
from pairing.draws.stages.qualifier import QualifyingStage
from tournament.lazy_text import lazy_plural, lazy_text

_TAIL_SHARE: Final = 0.04
"""The share of simulated runs that end before the forecast range. An equal share ends after it.

On past days, nine out of ten actual ends were inside the range.
"""

MIN_MINUTES_FOR_PACE: Final = 1.0
"""The length, in minutes, below which a finished game is ignored when the pace is estimated.

Such a short game was probably recorded late.
"""


_GAMES_TO_SIMULATE: Final = 9000
"""The total number of games to simulate, chosen so that a page does not have to wait too long."""

MIN_SIMULATION_RUNS, MAX_SIMULATION_RUNS = 24, 160
_MIN_RUNS_OF_LARGE_BRACKET: Final = 8
"""The minimum number of runs for a bracket with thousands of games."""

TYPICAL_PAUSE_MINUTES, PAUSE_WEIGHT, MAX_PAUSE_MINUTES = 2.0, 3, 20.0
"""The usual pause between two games in minutes, its weight, and the longest pause that is not ignored.

The weight is the number of observed pauses that have the same influence as the usual pause. A longer pause than the
maximum is assumed to be lunch.
"""


@dataclass(frozen=True, slots=True)
class TimedGame:
    """A game played at a table, with its start and end times. `ended` is None while it is in progress.

    A match that was not played (a bye, walkover, or no-show) is not a timed game. `length` is relative to a usual game.
    For example, it is larger for a final to 500 points.
    """

    sides: tuple[int, ...]
    began: datetime
    ended: datetime | None = None
    length: float = 1.0

    def compute_minutes(self, now: datetime) -> float:
        """Return how many minutes the game took, or has taken so far."""
        return max(0.0, ((self.ended or now) - self.began).total_seconds() / 60)

    def counts_for_pace(self, now: datetime) -> bool:
        return self.ended is None or self.compute_minutes(now) >= MIN_MINUTES_FOR_PACE

    def compute_usual_minutes(self, now: datetime) -> float:
        """Return the game's minutes, scaled to a game of the usual length."""
        return self.compute_minutes(now) / self.length


@dataclass(frozen=True, slots=True)
class EndTimeForecast:
    """The expected end of a stage, estimated from many simulated runs.

    Half of the runs end before `ends_at`, and most end between `earliest` and `latest`. `games_left` is the number of
    games that have not started. `why` describes what the forecast is based on.
    """

    ends_at: datetime
    earliest: datetime
    latest: datetime
    games_left: int
    why: str


def _make_forecast(ends: Sequence[float], now: datetime, games_left: int, why: str) -> EndTimeForecast:
    ordered = sorted(ends)
    outside = int(_TAIL_SHARE * (len(ordered) - 1))
    return EndTimeForecast(
        ends_at=_add_minutes(now, round(median(ordered))),
        earliest=_add_minutes(now, floor(ordered[outside])),
        latest=_add_minutes(now, ceil(ordered[-1 - outside])),
        games_left=games_left,
        why=why,
    )


def _add_minutes(now: datetime, minutes: int) -> datetime:
    ends = now + timedelta(minutes=minutes)
    return max(now, ends.replace(second=0, microsecond=0))


def _describe_pace(games: Sequence[TimedGame], now: datetime, *, left: int, playing: int | None = None) -> str:
    """Describe what a forecast is based on, such as “31 games are being played (17 minutes a game so far)”."""
    ended = [game.compute_usual_minutes(now) for game in games if game.ended and game.counts_for_pace(now)]
    at_table = sum(game.ended is None for game in games) if playing is None else playing
    if at_table:
        now_playing = lazy_plural("%(number)s game is being played", "%(number)s games are being played", at_table)
    else:
        now_playing = lazy_text("No game is being played")
    follow = (
        lazy_plural("about %(number)s follows", "about %(number)s follow", left)
        if left
        else lazy_text("no more follow")
    )
    if not ended:
        return lazy_text("%(playing)s, %(follow)s.", playing=now_playing, follow=follow)
    minutes = round(median(ended))
    pace = lazy_plural("%(number)s minute a game so far", "%(number)s minutes a game so far", minutes)
    return lazy_text("%(playing)s, %(follow)s (%(pace)s).", playing=now_playing, follow=follow, pace=pace)


@dataclass(frozen=True, slots=True)
class SiteDeskSetup:
    """A site's entries, number of tables, and desk settings."""

    name: str
    entries: tuple[int, ...]
    tables: int
    terms: DeskTerms = DEFAULT_DESK_TERMS


@dataclass(frozen=True, slots=True)
class StageForecast:
    """The forecast for a stage, and for each site if the stage is played at several."""

    overall: EndTimeForecast
    sites: tuple[tuple[str, EndTimeForecast], ...] = ()


def make_stage_forecast(
    qualifying: QualifyingStage,
    games: Iterable[TimedGame],
    sites: Sequence[SiteDeskSetup],
    *,
    now: datetime,
    since: Mapping[int, datetime] | None = None,
) -> StageForecast:
    """Return the forecast for a qualifying stage, assuming that it continues at the same pace.

    The stage ends when its last site ends. All sites share one pace, but each has its own waiting entries and tables.
    `games` are all games that were played at a table or are being played. An entry has been waiting since its last game
    ended, or since its time in `since` if that is later. Entries that have not arrived are left out. The share of
    entries that have left predicts how many more will leave.

    >>> from datetime import UTC
    >>> from pairing.draws.stages.qualifier import QualifierTerms, make_qualifying_stage
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> one_game = QualifierTerms(games=1, losses=None, wins=None, byes_to=())
    >>> at_the_table = make_qualifying_stage(one_game, [4, 9], [Meeting("G1", (4, 9))])
    >>> hall = [SiteDeskSetup("", (4, 9), tables=1)]
    >>> found = make_stage_forecast(at_the_table, [TimedGame((4, 9), noon)], hall, now=noon).overall
    >>> print(found.ends_at.time(), found.why)
    12:18:00 1 game is being played, no more follow.

    Raises:
        ValueError: there is no site.
    """
    if not sites:
        raise ValueError("it is played somewhere")
    seen = list(games)
    pace = _estimate_pace(seen, now)
    rests = []
    for site in sites:
        inside = set(site.entries)
        entrants = {entry: found for entry, found in qualifying.entrants.items() if entry in inside}
        here = QualifyingStage(qualifying.terms, entrants)
        rests.append(_make_simulation_start(here, _list_games_at_site(seen, site), site, now, since or {}))
    turns = _count_runs(sum(rest.max_games for rest in rests))
    runs = [
        [rest.simulate(pace, place * MAX_SIMULATION_RUNS + turn) for turn in range(turns)]
        for place, rest in enumerate(rests)
    ]
    last = [max(minutes for minutes, _games in each) for each in zip(*runs, strict=True)]
    left = sum(_count_games_left(each) for each in runs)
    whole = _make_forecast(last, now, left, _describe_pace(seen, now, left=left))
    if len(sites) == 1:
        return StageForecast(whole)
    forecasts = []
    for site, own in zip(sites, runs, strict=True):
        left = _count_games_left(own)
        playing = sum(game.ended is None for game in _list_games_at_site(seen, site))
        why = _describe_pace(seen, now, left=left, playing=playing)
        forecasts.append((site.name, _make_forecast([minutes for minutes, _games in own], now, left, why)))
    return StageForecast(whole, tuple(forecasts))


def _count_games_left(runs: Sequence[tuple[float, int]]) -> int:
    return round(sum(games for _minutes, games in runs) / len(runs))


def _list_games_at_site(games: Sequence[TimedGame], site: SiteDeskSetup) -> list[TimedGame]:
    inside = set(site.entries)
    return [game for game in games if not inside.isdisjoint(game.sides)]


def forecast_known_games(
    to_play: Sequence[RemainingGame], games: Iterable[TimedGame], tables: int, *, now: datetime
) -> EndTimeForecast:
    """Return the forecast for games that are known in advance, such as a bracket or groups.

    Each game starts after the games that it depends on.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> played = [TimedGame((1, 2), noon - timedelta(minutes=40), noon)] * 60
    >>> semifinal = RemainingGame(name="R1M1", elapsed=30.0)
    >>> final = RemainingGame(name="R2M1", predecessors=("R1M1",), length=2.0)
    >>> found = forecast_known_games([semifinal, final], played, 1, now=noon)
    >>> 80 < (found.ends_at - noon).total_seconds() / 60 < 100, found.games_left
    (True, 1)

    Raises:
        ValueError: `TableSchedule` rejects the games.
    """
    seen = list(games)
    hall = TableSchedule(tuple(to_play), tables, _compute_median_pause(seen))
    pace = _estimate_pace(seen, now)
    turns = _count_runs(len(hall.games))
    ends = hall.simulate(pace, turns)
    playing = sum(game.elapsed is not None for game in hall.games)
    why = _describe_pace(seen, now, left=hall.unstarted_game_count, playing=playing)
    return _make_forecast(ends, now, hall.unstarted_game_count, why)


def _estimate_pace(games: Sequence[TimedGame], now: datetime) -> GameLengthDistribution:
    return GameLengthDistribution.estimate(
        [game.compute_usual_minutes(now) for game in games if game.ended and game.counts_for_pace(now)],
        [game.compute_usual_minutes(now) for game in games if not game.ended],
    )


def _compute_median_pause(games: Sequence[TimedGame]) -> float:
    """Return the median pause, in minutes, between two games of the same entry.

    A few typical pauses are added to the observed ones, and very long pauses are left out.
    """
    found = [TYPICAL_PAUSE_MINUTES] * PAUSE_WEIGHT
    free_since: dict[int, datetime] = {}
    for game in sorted(games, key=lambda one: one.began):
        ended = [free_since[side] for side in game.sides if side in free_since]
        gap = (game.began - max(ended)).total_seconds() / 60 if ended else MAX_PAUSE_MINUTES
        if 0 <= gap < MAX_PAUSE_MINUTES:
            found.append(gap)
        free_since |= {side: game.ended for side in game.sides if game.ended is not None}
    return median(found)


def _count_runs(games: int) -> int:
    fewest = (
        MIN_SIMULATION_RUNS if games < _GAMES_TO_SIMULATE // _MIN_RUNS_OF_LARGE_BRACKET else _MIN_RUNS_OF_LARGE_BRACKET
    )
    return max(fewest, min(MAX_SIMULATION_RUNS, _GAMES_TO_SIMULATE // max(1, games)))


def _make_simulation_start(
    qualifying: QualifyingStage,
    games: Sequence[TimedGame],
    site: SiteDeskSetup,
    now: datetime,
    since: Mapping[int, datetime],
) -> SimulationStart:
    free_since = dict(since)
    for game in games:
        for side in game.sides:
            free_since[side] = max(game.ended, free_since.get(side, game.ended)) if game.ended else now
    playing = {side: game.compute_minutes(now) for game in games if not game.ended for side in game.sides}
    opponents = {game.sides[0]: game.sides[-1] for game in games if not game.ended}
    seats = tuple(found.record for found in qualifying.entrants.values() if found.is_ready or found.is_playing)
    minutes = tuple(
        playing.get(seat.entry, max(0.0, (now - free_since.get(seat.entry, now)).total_seconds() / 60))
        for seat in seats
    )
    gone = sum(found.removal is not None for found in qualifying.entrants.values())
    finished = sum(len(game.sides) for game in games)
    return SimulationStart(qualifying.terms, site.terms, site.tables, seats, minutes, opponents, gone, finished)


# --- When an entry plays next ----------------------------------------------------------------------------------------

_MIN_MATCHES_FOR_ESTIMATE: Final = 3
ESTIMATE_ROUNDING_STEP: Final = timedelta(minutes=5)


def estimate_end_of_matches(before: Iterable[TimedGame], seen: Iterable[TimedGame], since: datetime) -> datetime | None:
    """Estimate when the last of the matches in `before` ends, judging by the lengths of the finished matches in `seen`.

    Only matches that ended at or before `since` are used. Return None if they are too few, or if the estimated time is
    not after `since`.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> played = [TimedGame((1, 2), noon - timedelta(minutes=took), noon) for took in (30, 41, 47)]
    >>> print(estimate_end_of_matches([TimedGame((3, 4), noon - timedelta(minutes=8))], played, noon).time())
    12:35:00
    >>> overdue = TimedGame((3, 4), noon - timedelta(minutes=50))
    >>> estimate_end_of_matches([overdue], played, noon) is None
    True
    """
    usual = _estimate_usual_length(seen, since)
    ends = [game.began + usual * game.length for game in before] if usual is not None else []
    return _round_up_estimate(max(ends, default=since), since)


def estimate_free_table_time(ahead: int, games: Sequence[TimedGame], since: datetime) -> datetime | None:
    """Estimate when a table will be free for a match that became ready at `since`.

    `ahead` is the number of other matches that get a table before it. `games` are all games that were played at a table
    or are being played. The number of tables is assumed to be the most that were ever in use at the same time. Return
    None if a table is already free.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> played = [TimedGame((1, 2), noon - timedelta(minutes=70), noon - timedelta(minutes=30))] * 3
    >>> now = [TimedGame((3, 4), noon - timedelta(minutes=ago)) for ago in (30, 20, 5)]
    >>> [str(estimate_free_table_time(ahead, [*played, *now], noon).time()) for ahead in (0, 1)]
    ['12:10:00', '12:20:00']
    """
    usual, begun = _estimate_usual_length(games, since), [game for game in games if game.began <= since]
    busy = [game for game in begun if game.ended is None or game.ended > since]
    place = ahead - (_count_most_tables_in_use(begun) - len(busy))
    if usual is None or not 0 <= place < len(busy):
        return None
    return _round_up_estimate(sorted(game.began + usual * game.length for game in busy)[place], since)


def _estimate_usual_length(seen: Iterable[TimedGame], since: datetime) -> timedelta | None:
    took = [
        game.compute_usual_minutes(since)
        for game in seen
        if game.ended is not None and game.ended <= since and game.compute_minutes(since) >= MIN_MINUTES_FOR_PACE
    ]
    return timedelta(minutes=median(took)) if len(took) >= _MIN_MATCHES_FOR_ESTIMATE else None


def _count_most_tables_in_use(games: Sequence[TimedGame]) -> int:
    steps = [(game.began, 1) for game in games] + [(game.ended, -1) for game in games if game.ended is not None]
    most = now = 0
    for _add_minutes, step in sorted(steps):
        now += step
        most = max(most, now)
    return most


def _round_up_estimate(ends: datetime, since: datetime) -> datetime | None:
    if ends <= since:
        return None
    midnight = ends.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + ESTIMATE_ROUNDING_STEP * ceil((ends - midnight) / ESTIMATE_ROUNDING_STEP)


# --- The open games of a stage ---------------------------------------------------------------------------------------

_RESET_SHARE = 0.5
"""The share of finals won by the side from the losers' bracket, which makes the reset (a second final) necessary."""


def list_bracket_games(
    progress: BracketProgress, lengths: Mapping[str, float], elapsed: Mapping[str, float]
) -> tuple[RemainingGame, ...]:
    """Return a bracket's open matches in the form that the simulation needs.

    `lengths` maps matches to their relative lengths, and `elapsed` maps them to their minutes at a table.

    >>> from pairing.draws.knockout.bracket import make_bracket
    >>> from pairing.draws.knockout.progress import make_bracket_progress
    >>> games = list_bracket_games(make_bracket_progress(make_bracket((4, None, 1, 3))), {"R2M1": 2.0}, {"R1M1": 12.0})
    >>> [(game.name, game.predecessors, game.length, game.elapsed) for game in games]
    [('R1M1', (), 1.0, 12.0), ('R2M1', ('R1M1',), 2.0, None)]
    """
    open_states = (BracketMatchState.READY, BracketMatchState.WAITING)
    return tuple(
        RemainingGame(
            name=view.match.id,
            predecessors=tuple(
                dict.fromkeys(side.match for side in view.match.sides if not isinstance(side, DrawnSide))
            ),
            length=lengths.get(view.match.id, 1.0),
            elapsed=elapsed.get(view.match.id) if view.state is BracketMatchState.READY else None,
            probability=_estimate_chance_of_play(view),
        )
        for view in progress.views.values()
        if view.state in open_states
    )


def _estimate_chance_of_play(view: BracketMatchProgress) -> float:
    if any(side.vacant for side in view.sides):
        return 0.0
    is_reset = view.match.if_needed
    return _RESET_SHARE if is_reset and view.state is BracketMatchState.WAITING else 1.0


def count_games_per_round(pool: Pool) -> list[int]:
    """Return the number of games in each future round of a Swiss stage, assuming that all remaining entries play.

    >>> from pairing.draws.stages.plan import read_stage_plan
    >>> from pairing.draws.stages.pools import PoolFacts, make_pool
    >>> swiss = read_stage_plan({"kind": "swiss", "rounds": 3})
    >>> count_games_per_round(make_pool(swiss.kind, swiss.pool, PoolFacts(entries=(4, 9, 2, 7, 5))))
    [2, 2, 2]
    """
    still_in = sum(one.removal is None for one in pool.qualifying.entrants.values())
    return [still_in // 2] * max(0, pool.terms.qualifier.games - pool.max_started_games)


def list_games_in_waves(
    now: Sequence[tuple[str, float | None]], waves: Iterable[int], *, length: float = 1.0
) -> tuple[RemainingGame, ...]:
    """Return the games of the current round and all later rounds in the form that the simulation needs.

    `now` lists the open games with their minutes at a table, or None if they have not started. `waves` has the number
    of games in each later round.

    >>> [(game.name, game.wave) for game in list_games_in_waves([("G7", 4.0), ("G8", None)], [2, 1])]
    [('G7', 0), ('G8', 0), ('round +1 game 1', 1), ('round +1 game 2', 1), ('round +2 game 1', 2)]
    """
    games = [RemainingGame(name=name, elapsed=elapsed, length=length) for name, elapsed in now]
    for wave, count in enumerate(waves, start=1):
        games += [
            RemainingGame(name=f"round +{wave} game {number}", wave=wave, length=length)
            for number in range(1, count + 1)
        ]
    return tuple(games)


def count_play_off_matches_per_round(play_off: PlayOff, contenders: int) -> tuple[int, ...]:
    """Return the number of matches in each later round of a play-off.

    >>> count_play_off_matches_per_round(PlayOff(places=2, rounds=()), 7)
    (3, 2)
    """
    left, found = contenders, []
    for played in play_off.rounds:
        left -= len(played.matches)
    while 0 < play_off.places < left:
        target = play_off.places
        while 2 * target < left:
            target *= 2
        found.append(left - target)
        left = target
    return tuple(found)


def list_scheduled_games(
    scheduled: Iterable[Meeting], playing: Iterable[Meeting], elapsed: Mapping[str, float], *, length: float = 1.0
) -> tuple[RemainingGame, ...]:
    """Return the games of groups in the form that the simulation needs.

    >>> at_table, next_one = Meeting("G1", (2, 3)), Meeting("G2", (1, 2))
    >>> [(game.name, game.elapsed) for game in list_scheduled_games([next_one], [at_table], {"G1": 8.0})]
    [('G1', 8.0), ('G2', None)]
    """
    at_tables = [
        RemainingGame(name=meeting.match, sides=meeting.sides, elapsed=elapsed.get(meeting.match, 0.0), length=length)
        for meeting in playing
    ]
    to_come = [RemainingGame(name=meeting.match, sides=meeting.sides, length=length) for meeting in scheduled]
    return (*at_tables, *to_come)
