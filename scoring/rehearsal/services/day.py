"""A simulated qualifying day: its parameters, the simulation itself, and the report."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from random import Random
from statistics import median, quantiles
from typing import Final, NamedTuple, Protocol

from pairing.draws.desk.desk import DeskTerms
from pairing.draws.forecast.forecast import EndTimeForecast, SiteDeskSetup, TimedGame, make_stage_forecast
from pairing.draws.results import RemovalReason, ResultCause
from pairing.draws.stages.qualifier import QualifyingStage

DEFAULT_ENTRANT_COUNT: Final = 128
DEFAULT_TABLE_COUNT: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class DayParameters:
    """The parameters of a simulated day. The simulated staff do not know these parameters.

    Times are in minutes, and shares range from 0 to 1. `median` is the median length of a game.

    - `width`: the spread of the lengths of games, relative to the median.
    - `pace`, `skill`: the spread of the players' speed and strength. The difference between two players' strengths is
      the log-odds of winning.
    - `late`: the share of entrants who arrive late, by at most `latest` minutes.
    - `leave`: the share of entrants who go home after a game.
    - `vanish`: the share of pairings in which one side does not come to its table.
    """

    entrants: int = DEFAULT_ENTRANT_COUNT
    tables: int = DEFAULT_TABLE_COUNT
    shape: str = "log-normal"
    median: float = 17.0
    width: float = 0.35
    pace: float = 0.08
    skill: float = 0.5
    late: float = 0.08
    latest: float = 60.0
    leave: float = 0.01
    vanish: float = 0.003


def make_day_parameters(
    seed: int, *, entrants: int = DEFAULT_ENTRANT_COUNT, tables: int = DEFAULT_TABLE_COUNT
) -> DayParameters:
    """Return random parameters for the day with this seed."""
    dice = Random(f"day {seed}")
    return DayParameters(
        entrants=entrants,
        tables=tables,
        shape=dice.choice(("log-normal", "gamma", "Weibull")),
        median=dice.uniform(12, 20),
        width=dice.uniform(0.12, 0.35),
        pace=dice.uniform(0.0, 0.12),
        skill=dice.uniform(0.0, 1.0),
        late=dice.uniform(0.0, 0.15),
        latest=dice.uniform(10, 40),
        leave=dice.uniform(0.0, 0.04),
        vanish=dice.uniform(0.0, 0.01),
    )


class RandomDayOutcomes:
    """The random occurrences of a simulated day.

    Each occurrence has its own seed, so the order in which the occurrences are requested does not matter.
    """

    def __init__(self, seed: int, terms: DayParameters) -> None:
        self.seed, self.terms = seed, terms
        dice = self._make_dice("entrants")
        numbers = range(1, terms.entrants + 1)
        self.skill = {number: dice.gauss(0, terms.skill) for number in numbers}
        self.pace = {number: math.exp(dice.gauss(0, terms.pace)) for number in numbers}
        self.arrives = {
            number: round(dice.uniform(3, max(3.0, terms.latest)), 1) if dice.random() < terms.late else 0.0
            for number in numbers
        }

    def choose_minutes(self, one: int, other: int, game: int) -> float:
        dice = self._make_dice("length", one, other, game)
        length = (
            self.terms.median * _choose_length_factor(self.terms, dice) * math.sqrt(self.pace[one] * self.pace[other])
        )
        return max(3.0, length)

    def choose_winner(self, one: int, other: int, game: int) -> int:
        odds = 1 / (1 + math.exp(self.skill[other] - self.skill[one]))
        return one if self._make_dice("winner", one, other, game).random() < odds else other

    def is_leaving(self, entry: int, games: int) -> bool:
        return self._make_dice("leaves", entry, games).random() < self.terms.leave

    def is_missing(self, entry: int, games: int) -> bool:
        return self._make_dice("vanishes", entry, games).random() < self.terms.vanish

    def _make_dice(self, *about: object) -> Random:
        return Random(f"{self.seed} {about}")


def _choose_length_factor(terms: DayParameters, dice: Random) -> float:
    """Return a random factor for a game's length, with a median of 1 and a spread of about `terms.width`."""
    width = terms.width
    if terms.shape == "log-normal":
        return math.exp(dice.gauss(0, width))
    if terms.shape == "gamma":
        shape = 1 / width**2
        return dice.gammavariate(shape, 1 / (shape - 1 / 3))
    shape = 1.15 / width
    return dice.weibullvariate(1 / math.log(2) ** (1 / shape), shape)


# --- The course of a day ---------------------------------------------------------------------------------------------

EntryPair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class DeskSnapshot:
    """The state of a stage, as the tournament staff see it at one moment.

    `since` is when each entry began to wait. `alone` is an entry that still has a game to play but no possible
    opponent.
    """

    at: datetime
    qualifying: QualifyingStage
    games: tuple[TimedGame, ...]
    since: Mapping[int, datetime]
    pairs: tuple[EntryPair, ...] = ()
    alone: int | None = None


@dataclass(frozen=True, slots=True)
class PairSentToTable:
    ident: str
    pair: EntryPair


class _DayRecorder(Protocol):
    """The interface through which a simulated day records what happens. Every method receives the simulated time."""

    def open_stage(self, entries: list[int], absent: list[int], at: datetime) -> None:
        """Open the stage for these entries. Entries in `absent` are not paired until they arrive."""

    def record_arrivals(self, entries: list[int], at: datetime) -> None: ...

    def take_snapshot(self, at: datetime) -> DeskSnapshot: ...

    def send_pairs_to_tables(self, pairs: tuple[EntryPair, ...], at: datetime) -> list[PairSentToTable]: ...

    def record_game_result(self, sent: PairSentToTable, winner: int, cause: ResultCause, at: datetime) -> None: ...

    def record_bye(self, entry: int, at: datetime) -> None: ...

    def remove_entry(self, entry: int, why: RemovalReason, at: datetime) -> None: ...


def round_down_to_minute(at: datetime) -> datetime:
    """Round a time down to the minute, as staff do when they read a wall clock."""
    return at.replace(second=0, microsecond=0)


def can_have_another_game(qualifying: QualifyingStage, entry: int) -> bool:
    """Return whether an entry may have further games after its current one."""
    plays_on, record = qualifying.terms.has_next_game, qualifying[entry].record
    return plays_on(record.wins + 1, record.losses) or plays_on(record.wins, record.losses + 1)


SIMULATED_DAY_START: Final = datetime(2026, 11, 28, 17, tzinfo=UTC)
_NO_SHOW_WAIT: Final = timedelta(minutes=10)
"""How long staff wait for a player who does not come to the table."""

_MINUTE: Final = timedelta(minutes=1)


class _GameEnd(NamedTuple):
    at: datetime
    turn: int
    sent: PairSentToTable
    winner: int
    cause: ResultCause


@dataclass
class SimulatedDay:
    """The record of a simulated day: snapshots of the stage, waiting times in minutes, rematches, and byes.

    `snapshots` contains a snapshot for each step of the simulation, and another one after new pairs were sent to
    tables.
    """

    ended: datetime = SIMULATED_DAY_START
    snapshots: list[DeskSnapshot] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    rematches: list[tuple[DeskSnapshot, EntryPair]] = field(default_factory=list)
    byes: int = 0

    @property
    def duration_minutes(self) -> float:
        return (self.ended - SIMULATED_DAY_START) / _MINUTE


def run_simulated_day(hall: _DayRecorder, chance: RandomDayOutcomes) -> SimulatedDay:
    """Simulate a day from the first pairings until nobody has a game left."""
    return _DaySimulation(hall, chance).play()


class _DaySimulation:
    """The simulation of a day, which processes one occurrence after another."""

    def __init__(self, hall: _DayRecorder, chance: RandomDayOutcomes) -> None:
        self.hall, self.chance = hall, chance
        self.now = SIMULATED_DAY_START
        self.endings: list[_GameEnd] = []
        self.turns = 0
        late = {entry: minutes for entry, minutes in chance.arrives.items() if minutes > 0}
        self.coming = sorted((SIMULATED_DAY_START + minutes * _MINUTE, entry) for entry, minutes in late.items())
        self.free_since = dict.fromkeys(chance.arrives, SIMULATED_DAY_START)
        hall.open_stage(sorted(chance.arrives), sorted(late), SIMULATED_DAY_START)
        self.games: dict[int, int] = {}
        self.played = SimulatedDay()

    def play(self) -> SimulatedDay:
        while True:
            here = sorted(entry for at, entry in self.coming if at <= self.now)
            if here:
                self.coming = self.coming[len(here) :]
                self.hall.record_arrivals(here, self.now)
                self.free_since |= dict.fromkeys(here, self.now)
            while self.endings and self.endings[0].at <= self.now:
                self._end_game(heappop(self.endings))
            moment = self._record_snapshot()
            if moment.alone is not None:
                self.hall.record_bye(moment.alone, self.now)
                self.played.byes += 1
                self.played.ended = self.now
                continue
            if moment.pairs:
                self._send_pairs(moment)
                moment = self._record_snapshot()
            if not (self.endings or self.coming or moment.qualifying.ready_entries):
                return self.played
            # The next event. While somebody waits, the desk also looks at each full minute.
            times = [round_down_to_minute(self.now) + _MINUTE] if moment.qualifying.ready_entries else []
            times += [ending.at for ending in self.endings[:1]]
            times += [at for at, _entry in self.coming[:1]]
            self.now = min(times)

    def _record_snapshot(self) -> DeskSnapshot:
        moment = self.hall.take_snapshot(self.now)
        self.played.snapshots.append(moment)
        return moment

    def _send_pairs(self, moment: DeskSnapshot) -> None:
        entrants = moment.qualifying.entrants
        again = [pair for pair in moment.pairs if pair[1] in entrants[pair[0]].record.met]
        self.played.rematches += [(moment, pair) for pair in again]
        for sent in self.hall.send_pairs_to_tables(moment.pairs, self.now):
            self._begin_game(sent)

    def _begin_game(self, sent: PairSentToTable) -> None:
        for entry in sent.pair:
            self.games[entry] = self.games.get(entry, 0) + 1
            self.played.waits.append((self.now - self.free_since[entry]) / _MINUTE)
        self.turns += 1
        absent = next((entry for entry in sent.pair if self.chance.is_missing(entry, self.games[entry])), None)
        if absent is not None:
            winner = next(entry for entry in sent.pair if entry != absent)
            ending = _GameEnd(self.now + _NO_SHOW_WAIT, self.turns, sent, winner, ResultCause.NO_SHOW)
        else:
            game = self.games[sent.pair[0]]
            length = timedelta(seconds=round(60 * self.chance.choose_minutes(*sent.pair, game)))
            winner = self.chance.choose_winner(*sent.pair, game)
            ending = _GameEnd(self.now + length, self.turns, sent, winner, ResultCause.PLAYED)
        heappush(self.endings, ending)

    def _end_game(self, ending: _GameEnd) -> None:
        """Record a game's result. Remove players who did not show up or who leave after this game."""
        self.hall.record_game_result(ending.sent, ending.winner, ending.cause, self.now)
        self.played.ended = self.now
        for entry in ending.sent.pair:
            self.free_since[entry] = self.now
            absent = ending.cause is ResultCause.NO_SHOW and entry != ending.winner
            leaves = absent or self.chance.is_leaving(entry, self.games[entry])
            if leaves and self.hall.take_snapshot(self.now).qualifying[entry].status.is_in_play:
                self.hall.remove_entry(entry, RemovalReason.NO_SHOW if absent else RemovalReason.WITHDRAWN, self.now)


# --- The report: rematches with their reasons, waits, and the error of the forecast ----------------------------------

_FORECAST_LEAD_TIME: Final = timedelta(hours=1)
_ERROR_PERCENTILES: Final = (0.5, 0.75, 0.9, 0.95)
MAX_GOOD_FORECAST_ERROR_MINUTES: Final = 10.0
"""The maximum error, in minutes, of a forecast that counts as good."""


@dataclass(frozen=True, slots=True)
class _SimulationReport:
    """Statistics about a simulated day, with times in minutes.

    `error` is the predicted end minus the actual end. It is positive if the day ended earlier than predicted.
    """

    minutes: float
    games: int
    waited: float
    waited_by_nine: float
    tables_used: float
    error: float
    forecast: EndTimeForecast
    rematches: tuple[str, ...]
    avoidable: int


def make_simulation_report(day: SimulatedDay, desk: DeskTerms, tables: int) -> _SimulationReport:
    """Return a simulated day's statistics.

    The `forecast` in the report was made one hour before the end. If the day was shorter than an hour, the forecast was
    made at the start.
    """
    games = day.snapshots[-1].games
    busy = sum(game.compute_minutes(day.ended) for game in games)
    found = _forecast_before_end(day, desk, tables)
    rematches = [_explain_rematch(moment, pair) for moment, pair in day.rematches]
    return _SimulationReport(
        minutes=day.duration_minutes,
        games=len(games),
        waited=median(day.waits),
        waited_by_nine=quantiles(day.waits, n=10)[-1],
        tables_used=busy / (tables * day.duration_minutes),
        error=(found.ends_at - day.ended) / _MINUTE,
        forecast=found,
        rematches=tuple(why for why, _ in rematches),
        avoidable=sum(avoidable for _, avoidable in rematches),
    )


def _forecast_before_end(day: SimulatedDay, desk: DeskTerms, tables: int) -> EndTimeForecast:
    """Return the forecast made one hour before the end, based on the records up to that time."""
    at = max(SIMULATED_DAY_START, day.ended - _FORECAST_LEAD_TIME)
    seen = [moment for moment in day.snapshots if moment.at <= at][-1]
    hall = SiteDeskSetup("", tuple(seen.qualifying.entrants), tables, desk)
    return make_stage_forecast(seen.qualifying, seen.games, [hall], now=at, since=seen.since).overall


def _explain_rematch(moment: DeskSnapshot, pair: EntryPair) -> tuple[str, bool]:
    """Return the reason for a rematch, and whether waiting for a new opponent could have avoided the rematch."""
    entrants = moment.qualifying.entrants
    others = {
        entry
        for entry, found in entrants.items()
        if entry not in pair
        and found.status.is_in_play
        and (found.is_ready or can_have_another_game(moment.qualifying, entry))
    }
    new = [entry for entry in pair if others - entrants[entry].record.met]
    record = ", ".join(f"{entry} ({entrants[entry].record})" for entry in pair)
    if not others:
        return f"{record}: nobody else had a game to come", False
    if not new:
        return f"{record}: both had met everybody else who had a game to come, {sorted(others)}", False
    partners = sorted({other for entry in new for other in others - entrants[entry].record.met})
    return f"{record}: could have newly met {partners}", True


def format_simulation_report(report: _SimulationReport) -> list[str]:
    low, high = (f"{moment:%H:%M}" for moment in (report.forecast.earliest, report.forecast.latest))
    return [
        f"{report.games} games in {report.minutes:.0f} minutes, tables used {report.tables_used:.0%}",
        f"waited: median {report.waited:.1f} min, nine of ten under {report.waited_by_nine:.1f} min",
        f"rematches: {len(report.rematches)}, of which could be avoided: {report.avoidable}",
        *(f"  {why}" for why in report.rematches),
        f"forecast an hour before the end: {report.error:+.1f} min ({low} to {high}; {report.forecast.why})",
    ]


def format_simulation_summary(reports: Sequence[_SimulationReport]) -> list[str]:
    errors = sorted(abs(report.error) for report in reports)
    near = sum(error <= MAX_GOOD_FORECAST_ERROR_MINUTES for error in errors)
    inside = sum(
        report.forecast.earliest <= report.forecast.ends_at - report.error * _MINUTE <= report.forecast.latest
        for report in reports
    )
    each = ", ".join(
        f"{share:.0%}: {errors[min(len(errors) - 1, int(share * len(errors)))]:.1f}" for share in _ERROR_PERCENTILES
    )
    return [
        f"{len(reports)} days of {median([report.minutes for report in reports]):.0f} minutes (median)",
        f"forecast an hour before the end within {MAX_GOOD_FORECAST_ERROR_MINUTES:.0f} minutes: "
        f"{near} of {len(reports)} ({near / len(reports):.1%})",
        f"its error in minutes, without sign: {each}",
        f"end within the range that was said: {inside / len(reports):.1%}",
        f"waited: median {median([report.waited for report in reports]):.1f} min",
        f"rematches: {sum(len(report.rematches) for report in reports)}, "
        f"of which could be avoided: {sum(report.avoidable for report in reports)}",
    ]
