import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.archive.selectors.encryption import add_encrypted_extension, export_encrypted_tournament
from scoring.archive.selectors.export import export_tournament
from scoring.management.passphrases import add_passphrase_arguments, read_passphrase
from tournament.core.selectors.events import load_tournament
from tournament.errors import DomainError


class Command(BaseCommand):
    help = "Write a tournament with all its facts, its log and its files into one file (docs/format.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tournament", help="the tournament's name in addresses")
        parser.add_argument("--to", type=Path, required=True, help="the file to write")
        parser.add_argument(
            "--without-persons",
            action="store_true",
            help="replace all names, and leave out addresses, notes, photos, signatures, links and everything typed",
        )
        add_passphrase_arguments(parser, "that encrypts the file")

    def handle(self, *args: Any, **options: Any) -> None:
        target, passphrase = options["to"], read_passphrase(options, twice=True)
        try:
            tournament = load_tournament(options["tournament"])
            if passphrase:
                target = add_encrypted_extension(target)
                manifest = export_encrypted_tournament(
                    tournament, target, passphrase, without_persons=options["without_persons"]
                )
            else:
                manifest = export_tournament(tournament, target, without_persons=options["without_persons"])
        except DomainError as error:
            raise CommandError(error.message, returncode=2) from None
        except OSError as error:
            raise CommandError(f"{target}: {error.strerror}", returncode=2) from None
        result = {
            "ok": True,
            "file": str(target),
            "bytes": target.stat().st_size,
            "persons": manifest["persons"],
            "encrypted": bool(passphrase),
            "rows": manifest["members"]["facts.jsonl"]["rows"],
            "log_rows": manifest["log"]["rows"],
        }
        self.stdout.write(json.dumps(result, ensure_ascii=False))
