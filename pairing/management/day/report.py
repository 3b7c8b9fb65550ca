"""Figures about a simulated day: rematches with their reasons, waits, and the error of the forecast."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median, quantiles
from typing import Final

from pairing.draws.desk.desk import DeskTerms
from pairing.draws.forecast.forecast import Forecast, make_forecast
from pairing.draws.forecast.qualifying import DeskPace
from pairing.management.day.hall import Moment, Pair, has_games_after
from pairing.management.day.play import BEGINS, MINUTE, DayPlayed

BEFORE: Final = timedelta(hours=1)
NEAR: Final = 10.0
"""A forecast is good if it is within this many minutes of the end."""


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of one day. Times are in minutes, and `error` is positive if the forecast was too late."""

    minutes: float
    games: int
    waited: float
    waited_by_nine: float
    tables_used: float
    error: float
    forecast: Forecast
    rematches: tuple[str, ...]
    avoidable: int


def report_on(day: DayPlayed, desk: DeskTerms, tables: int) -> Report:
    """Return the figures of one day. If it took less than an hour, the forecast is made at its beginning."""
    games = day.moments[-1].games
    busy = sum(game.minutes(day.ended) for game in games)
    found = forecast_before(day, desk, tables, BEFORE)
    said = [(why, avoidable) for moment, pair in day.rematches for why, avoidable in [_rematch(moment, pair)]]
    return Report(
        minutes=day.minutes,
        games=len(games),
        waited=median(day.waits),
        waited_by_nine=quantiles(day.waits, n=10)[-1],
        tables_used=busy / (tables * day.minutes),
        error=(found.ends_at - day.ended) / MINUTE,
        forecast=found,
        rematches=tuple(why for why, _ in said),
        avoidable=sum(avoidable for _, avoidable in said),
    )


def forecast_before(day: DayPlayed, desk: DeskTerms, tables: int, before: timedelta) -> Forecast:
    """Return the forecast made this long before the end, from what had been recorded by then."""
    at = max(BEGINS, day.ended - before)
    seen = [moment for moment in day.moments if moment.at <= at][-1]
    pairs = DeskPace(
        tables=tables,
        pair_at=desk.wait_for,
        longest_wait=desk.longest_wait,
        difference=99 if desk.difference is None else desk.difference,
        grows_every=desk.grow_every or 0,
    )
    return make_forecast(seen.qualifying, seen.games, pairs, now=at, since=seen.since)


def _rematch(moment: Moment, pair: Pair) -> tuple[str, bool]:
    """Return why a rematch happened, and whether it was avoidable by waiting for a new opponent."""
    entrants = moment.qualifying.entrants
    others = {
        entry
        for entry, found in entrants.items()
        if entry not in pair and found.way.is_in_play and (found.is_ready or has_games_after(moment.qualifying, entry))
    }
    new = [entry for entry in pair if others - entrants[entry].record.met]
    record = ", ".join(f"{entry} ({entrants[entry].record})" for entry in pair)
    if not others:
        return f"{record}: nobody else had a game to come", False
    if not new:
        return f"{record}: both had met everybody else who had a game to come, {sorted(others)}", False
    partners = sorted({other for entry in new for other in others - entrants[entry].record.met})
    return f"{record}: could have newly met {partners}", True


def said_of(report: Report) -> list[str]:
    low, high = (f"{moment:%H:%M}" for moment in (report.forecast.earliest, report.forecast.latest))
    return [
        f"{report.games} games in {report.minutes:.0f} minutes, tables used {report.tables_used:.0%}",
        f"waited: median {report.waited:.1f} min, nine of ten under {report.waited_by_nine:.1f} min",
        f"rematches: {len(report.rematches)}, of which could be avoided: {report.avoidable}",
        *(f"  {why}" for why in report.rematches),
        f"forecast an hour before the end: {report.error:+.1f} min ({low} to {high}; {report.forecast.why})",
    ]


def said_of_all(reports: Sequence[Report]) -> list[str]:
    errors = sorted(abs(report.error) for report in reports)
    near = sum(error <= NEAR for error in errors)
    inside = sum(
        report.forecast.earliest <= report.forecast.ends_at - report.error * MINUTE <= report.forecast.latest
        for report in reports
    )
    each = ", ".join(f"{share:.0%}: {errors[min(len(errors) - 1, int(share * len(errors)))]:.1f}" for share in SHARES)
    return [
        f"{len(reports)} days of {median([report.minutes for report in reports]):.0f} minutes (median)",
        f"forecast an hour before the end within {NEAR:.0f} minutes: "
        f"{near} of {len(reports)} ({near / len(reports):.1%})",
        f"its error in minutes, without sign: {each}",
        f"end within the range that was said: {inside / len(reports):.1%}",
        f"waited: median {median([report.waited for report in reports]):.1f} min",
        f"rematches: {sum(len(report.rematches) for report in reports)}, "
        f"of which could be avoided: {sum(report.avoidable for report in reports)}",
    ]


SHARES: Final = (0.5, 0.75, 0.9, 0.95)
