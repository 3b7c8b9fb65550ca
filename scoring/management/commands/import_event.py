import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.archive.selectors.files import ArchiveRefused
from scoring.archive.selectors.installations import InstallationReader, open_archive_file
from scoring.archive.services.imports import ImportMode, import_open_archive
from scoring.archive.services.installations import import_installation
from scoring.management.passphrases import add_passphrase_arguments, read_passphrase
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict


class Command(BaseCommand):
    help = (
        "Import an event, a tournament, or everything from a file that this program exported. The file is checked "
        "completely first."
    )

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
        file, mode, passphrase = options["file"], options["mode"], read_passphrase(options)
        answer: dict[str, Any]
        try:
            with open_archive_file(file, passphrase) as archive:
                if isinstance(archive, InstallationReader):
                    results = import_installation(archive, mode=mode, by=SYSTEM_ACTOR, name=file.name)
                    answer = {"tournaments": [result.tournament.slug for result in results]}
                else:
                    results = [import_open_archive(archive, mode=mode, by=SYSTEM_ACTOR)]
                    answer = {"tournament": results[0].tournament.slug, "new_keys": results[0].has_new_keys}
        except (ArchiveRefused, Conflict) as error:
            raise CommandError(error.message) from None
        counts = {"rows": sum(each.rows for each in results), "log_rows": sum(each.log_rows for each in results)}
        answer = {"ok": True, **answer, **counts}
        self.stdout.write(json.dumps(answer, ensure_ascii=False))
