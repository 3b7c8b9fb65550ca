"""The `manage.py simulate_day` command, which simulates a qualifying day in fast-forward."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from pairing.draws.desk.desk import DeskTerms
from scoring.rehearsal.services.day import (
    DEFAULT_ENTRANT_COUNT,
    DEFAULT_TABLE_COUNT,
    SIMULATED_DAY_START,
    RandomDayOutcomes,
    format_simulation_report,
    format_simulation_summary,
    make_day_parameters,
    make_simulation_report,
    run_simulated_day,
)
from scoring.rehearsal.services.halls import DatabaseDayRecorder, InMemoryDayRecorder


class Command(BaseCommand):
    help = (
        "Play a made-up qualifying day in fast time: late arrivals, games of random length, dropouts. One day goes "
        "through the services, into a database that is thrown away; --keep leaves it in this installation's, as a "
        "tournament marked DEMO. Many days (--days) are played without a database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seed", type=int, default=1, help="the day; with --days the first of them")
        parser.add_argument("--days", type=int, default=1, help="so many days, of the seeds that follow each other")
        parser.add_argument("--entrants", type=int, default=DEFAULT_ENTRANT_COUNT)
        parser.add_argument("--tables", type=int, default=DEFAULT_TABLE_COUNT)
        parser.add_argument("--pure", action="store_true", help="one day without a database, too")
        parser.add_argument("--keep", action="store_true", help="in this installation's database")

    def handle(self, *args: Any, **options: Any) -> None:
        seed, desk = options["seed"], DeskTerms(last_table=options["tables"])
        size = {"entrants": options["entrants"], "tables": options["tables"]}
        if options["days"] > 1 or options["pure"]:
            self._run_without_database(range(seed, seed + max(1, options["days"])), desk, size)
        elif options["keep"]:
            self._run_through_services(seed, desk, size)
        else:
            _run_in_temporary_database(["--seed", str(seed), *(f"--{name}={count}" for name, count in size.items())])

    def _run_without_database(self, seeds: range, desk: DeskTerms, size: dict[str, int]) -> None:
        reports = []
        for seed in seeds:
            terms = make_day_parameters(seed, **size)
            day = run_simulated_day(InMemoryDayRecorder(desk, f"day {seed}"), RandomDayOutcomes(seed, terms))
            reports.append(make_simulation_report(day, desk, terms.tables))
            if len(seeds) == 1:
                self.stdout.write(str(terms))
                self.stdout.write("\n".join(format_simulation_report(reports[0])))
        if len(seeds) > 1:
            self.stdout.write("\n".join(format_simulation_summary(reports)))

    def _run_through_services(self, seed: int, desk: DeskTerms, size: dict[str, int]) -> None:
        began = time.perf_counter()
        terms = make_day_parameters(seed, **size)
        hall = DatabaseDayRecorder(desk, terms.entrants, SIMULATED_DAY_START)
        day = run_simulated_day(hall, RandomDayOutcomes(seed, terms))
        took = time.perf_counter() - began
        self.stdout.write(str(terms))
        self.stdout.write("\n".join(format_simulation_report(make_simulation_report(day, desk, terms.tables))))
        twin = run_simulated_day(InMemoryDayRecorder(desk, hall.lots), RandomDayOutcomes(seed, terms))
        same = sorted(twin.snapshots[-1].games, key=str) == sorted(day.snapshots[-1].games, key=str)
        self.stdout.write(f"the same day without a database: {'the same games' if same else 'OTHER GAMES'}")
        self.stdout.write(f"took {took:.0f} seconds, /t/{hall.event.tournament.slug}/{hall.event.slug}/")


def _run_in_temporary_database(arguments: list[str]) -> None:
    """Run the same command in a subprocess with an empty SQLite database that is deleted afterward."""
    manage = str(Path(settings.BASE_DIR) / "manage.py")
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "DATABASE_URL": f"sqlite:///{folder}/day.sqlite3"}
        for command in (["migrate", "--verbosity=0"], ["simulate_day", "--keep", *arguments]):
            subprocess.run([sys.executable, manage, *command], env=environment, check=True)
