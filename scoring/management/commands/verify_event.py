from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.selectors.checks import Check
from scoring.selectors.log_files import check_log
from scoring.selectors.verification import verify_event
from tournament.models import Tournament
from tournament.selectors.events import load_event


class Command(BaseCommand):
    help = "Walk the log's chain of an event and recompute every derived figure from the recorded facts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tournament")
        parser.add_argument("event")
        parser.add_argument("--log", type=Path, help="a log that was downloaded, held against the one on record")

    def handle(self, *args: Any, **options: Any) -> None:
        event = load_event(options["tournament"], options["event"])
        checks = [*verify_event(event), *(_log_file(options["log"], event.tournament) if options["log"] else [])]
        for check in checks:
            self.stdout.write(f"{'ok  ' if check.good else 'BAD '} {check.what}: {check.found}")
        if not all(check.good for check in checks):
            sys.exit(1)


def _log_file(path: Path, tournament: Tournament) -> list[Check]:
    try:
        verdict = check_log(path.read_bytes())
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", returncode=2) from None
    if verdict.tournament != tournament:
        return [Check("log file", False, "it is the log of another tournament")]
    found = [Check(f"log file, {fault.place}", False, fault.said) for fault in verdict.faults]
    return found or [Check("log file", True, f"{verdict.rows} rows, as they are on record")]
