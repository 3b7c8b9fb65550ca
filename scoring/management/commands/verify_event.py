from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from scoring.selectors.verification import verify_event
from tournament.selectors.events import load_event


class Command(BaseCommand):
    help = "Walk the log's chain of an event and recompute every derived figure from the recorded facts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tournament")
        parser.add_argument("event")

    def handle(self, *args: Any, **options: Any) -> None:
        checks = verify_event(load_event(options["tournament"], options["event"]))
        for check in checks:
            self.stdout.write(f"{'ok  ' if check.good else 'BAD '} {check.what}: {check.found}")
        if not all(check.good for check in checks):
            sys.exit(1)
