import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.archive.selectors.encryption import add_encrypted_extension, export_encrypted_tournament
from scoring.archive.selectors.export import export_tournament
from scoring.archive.selectors.installations import export_installation
from scoring.management.passphrases import add_passphrase_arguments, read_passphrase
from tournament.core.selectors.events import load_event, load_tournament
from tournament.errors import DomainError


class Command(BaseCommand):
    help = (
        "Write a tournament, one of its events, or everything here into one file, with all facts, logs and attached "
        "files (docs/format.md)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tournament", nargs="?", help="the tournament's name in addresses")
        parser.add_argument("event", nargs="?", help="the event's name in addresses, for a file of this event alone")
        parser.add_argument(
            "--everything", action="store_true", help="write all tournaments and accounts into one file"
        )
        parser.add_argument("--to", type=Path, required=True, help="the file to write")
        parser.add_argument(
            "--without-persons",
            action="store_true",
            help="replace all names, and leave out addresses, notes, photos, signatures, links and everything typed",
        )
        add_passphrase_arguments(parser, "that encrypts the file")

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["tournament"]) == options["everything"]:
            raise CommandError("Name a tournament, or use --everything.", returncode=2)
        target, passphrase = options["to"], read_passphrase(options, twice=True)
        if passphrase:
            target = add_encrypted_extension(target)
        try:
            about = self._export(target, passphrase, options)
        except DomainError as error:
            raise CommandError(error.message, returncode=2) from None
        except OSError as error:
            raise CommandError(f"{target}: {error.strerror}", returncode=2) from None
        result = {
            "ok": True,
            "file": str(target),
            "bytes": target.stat().st_size,
            "encrypted": bool(passphrase),
            **about,
        }
        self.stdout.write(json.dumps(result, ensure_ascii=False))

    def _export(self, target: Path, passphrase: str, options: dict[str, Any]) -> dict[str, Any]:
        """Write the requested data to the file `target`, and return a summary of the file's content."""
        without_persons = options["without_persons"]
        if options["everything"]:
            everything = export_installation(target, without_persons=without_persons, passphrase=passphrase)
            return {
                "persons": everything["persons"],
                "passwords": everything["passwords"],
                "tournaments": [each["slug"] for each in everything["tournaments"]],
                "accounts": len(everything["accounts"]),
                "log_rows": sum(each["log_rows"] for each in everything["tournaments"]),
            }
        tournament = load_tournament(options["tournament"])
        event = load_event(tournament.slug, options["event"]) if options["event"] else None
        size: Any = {"event": event, "without_persons": without_persons}
        manifest = (
            export_encrypted_tournament(tournament, target, passphrase, **size)
            if passphrase
            else export_tournament(tournament, target, **size)
        )
        return {
            "event": manifest["event"]["slug"] if event is not None else None,
            "persons": manifest["persons"],
            "rows": manifest["members"]["facts.jsonl"]["rows"],
            "log_rows": manifest["log"]["rows"],
        }
