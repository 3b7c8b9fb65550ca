import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.archive.selectors.export import export_tournament
from tournament.core.selectors.events import load_tournament
from tournament.errors import NotFound


class Command(BaseCommand):
    help = "Write a tournament with all its facts, its log and its files into one file (docs/format.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tournament", help="the tournament's name in addresses")
        parser.add_argument("--to", type=Path, required=True, help="the file to write")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tournament = load_tournament(options["tournament"])
            manifest = export_tournament(tournament, options["to"])
        except NotFound as error:
            raise CommandError(error.message, returncode=2) from None
        except OSError as error:
            raise CommandError(f"{options['to']}: {error.strerror}", returncode=2) from None
        result = {
            "ok": True,
            "file": str(options["to"]),
            "bytes": options["to"].stat().st_size,
            "rows": manifest["members"]["facts.jsonl"]["rows"],
            "log_rows": manifest["log"]["rows"],
        }
        self.stdout.write(json.dumps(result, ensure_ascii=False))
