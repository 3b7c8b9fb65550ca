"""A simulated day is the same with and without a database, and has no rematch that could be avoided."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from pairing.desk.selectors.desk import load_pairing_desk
from pairing.desk.selectors.forecast import load_forecast
from pairing.draws.desk.desk import DeskTerms
from scoring.rehearsal.services.day import (
    MAX_GOOD_FORECAST_ERROR_MINUTES,
    SIMULATED_DAY_START,
    RandomDayOutcomes,
    SimulatedDay,
    make_day_parameters,
    make_simulation_report,
    run_simulated_day,
)
from scoring.rehearsal.services.halls import DatabaseDayRecorder, InMemoryDayRecorder
from tests.chance import examples
from tournament.models import AuditEntry, Event

DESK = DeskTerms(last_table=40)
MOST_DAYS = 30
DAYS = min(MOST_DAYS, examples(40))


def a_day(seed: int) -> SimulatedDay:
    return run_simulated_day(
        InMemoryDayRecorder(DESK, f"day {seed}"), RandomDayOutcomes(seed, make_day_parameters(seed))
    )


def games_of(day: SimulatedDay) -> list[str]:
    return sorted(str((game.began, game.ended, sorted(game.sides))) for game in day.snapshots[-1].games)


def test_a_day_of_128_ends_with_everybody_through_or_out() -> None:
    day = a_day(5)
    last = day.snapshots[-1].qualifying
    assert last.is_complete and len(last.entrants) == 128
    assert games_of(day) == games_of(a_day(5)) != games_of(a_day(6))
    for moment in day.snapshots:
        assert len(moment.qualifying.playing_entries) <= 2 * 40


def test_no_rematch_could_be_avoided_and_the_forecast_is_near_in_nine_of_ten_days() -> None:
    """The tested days use other seeds than the days with which the forecast was tuned."""
    found = [make_simulation_report(a_day(seed), DESK, 40) for seed in range(2001, 2001 + DAYS)]
    assert sum(one.avoidable for one in found) == 0
    assert sum(abs(one.error) <= MAX_GOOD_FORECAST_ERROR_MINUTES for one in found) >= 0.9 * DAYS
    ends = [one.forecast.ends_at - timedelta(minutes=one.error) for one in found]
    inside = [one.forecast.earliest <= end <= one.forecast.latest for one, end in zip(found, ends, strict=True)]
    assert sum(inside) >= 0.8 * DAYS
    assert DAYS < MOST_DAYS or not all(inside), "a range that everything falls into says nothing"
    for one in found:
        assert one.waited < 10 and 0.5 < one.tables_used < 1


@pytest.mark.django_db
def test_the_services_play_the_same_day() -> None:
    terms = replace(make_day_parameters(5, entrants=10, tables=3), late=0.3, leave=0.05, vanish=0.1)
    hall = DatabaseDayRecorder(replace(DESK, last_table=3), terms.entrants, SIMULATED_DAY_START)
    day = run_simulated_day(hall, RandomDayOutcomes(5, terms))
    twin = run_simulated_day(InMemoryDayRecorder(hall.desk, hall.lots), RandomDayOutcomes(5, terms))
    assert games_of(day) == games_of(twin) and day.ended == twin.ended
    assert make_simulation_report(day, hall.desk, 3).avoidable == 0
    written = AuditEntry.objects.filter(event=hall.event).order_by("-seq")
    assert written[0].at == day.ended and written.filter(verb="desk.sent").exists()
    desk = load_pairing_desk(hall.event, day.snapshots[len(day.snapshots) // 2].at)
    assert desk is not None
    forecast = load_forecast(desk)
    assert forecast is None or forecast.overall.earliest <= forecast.overall.latest


@pytest.mark.django_db
def test_the_command_plays_a_day_through_the_services_and_says_how_it_was() -> None:
    out = StringIO()
    call_command("simulate_day", "--seed", "3", "--entrants", "8", "--tables", "3", "--keep", stdout=out)
    said = out.getvalue()
    assert "of which could be avoided: 0" in said
    assert re.search(r"waited: median \d+\.\d min, nine of ten under \d+\.\d min", said)
    assert re.search(
        r"forecast an hour before the end: [+-]\d+\.\d min \(\d\d:\d\d to \d\d:\d\d; (No|\d+) games? ", said
    )
    assert "the same day without a database: the same games" in said
    event = Event.objects.get(tournament__is_demo=True)
    assert event.tournament.name == "Made-up day 1" and f"/t/{event.tournament.slug}/qualifying/" in said


def test_the_command_prints_what_many_days_show() -> None:
    out = StringIO()
    call_command("simulate_day", "--seed", "1", "--days", "2", "--entrants", "24", "--tables", "8", stdout=out)
    assert "2 days of" in out.getvalue() and "of which could be avoided: 0" in out.getvalue()
