import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.archive.selectors.files import ArchiveRefused
from scoring.archive.services.imports import ImportMode, import_tournament
from scoring.management.passphrases import add_passphrase_arguments, read_passphrase
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict


class Command(BaseCommand):
    help = "Import a tournament from a file that export_event wrote. The file is checked completely first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        add_passphrase_arguments(parser, "if the file is encrypted")
        mode = parser.add_mutually_exclusive_group()
        mode.add_argument(
            "--as-copy",
            action="store_const",
            dest="mode",
            const=ImportMode.COPY,
            default=ImportMode.ORIGINAL,
            help="import it beside the original, marked COPY",
        )
        mode.add_argument(
            "--replace",
            action="store_const",
            dest="mode",
            const=ImportMode.REPLACE,
            help="replace the tournament that is here with the file's state",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            result = import_tournament(
                options["file"], mode=options["mode"], by=SYSTEM_ACTOR, passphrase=read_passphrase(options)
            )
        except (ArchiveRefused, Conflict) as error:
            raise CommandError(error.message) from None
        answer = {
            "ok": True,
            "tournament": result.tournament.slug,
            "rows": result.rows,
            "log_rows": result.log_rows,
            "new_keys": result.has_new_keys,
        }
        self.stdout.write(json.dumps(answer, ensure_ascii=False))
