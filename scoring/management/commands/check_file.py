import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from scoring.archive.selectors.checks import check_archive
from scoring.archive.selectors.encryption import open_archive
from scoring.archive.selectors.files import ArchiveRefused
from scoring.management.passphrases import add_passphrase_arguments, read_passphrase


class Command(BaseCommand):
    help = (
        "Check the file of a tournament without a database: its digests, its seal, its log, and every fact against the "
        "log. Exit status 0: the file is whole; 1: it is not."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        add_passphrase_arguments(parser, "if the file is encrypted")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with open_archive(options["file"], read_passphrase(options)) as archive:
                check, manifest = check_archive(archive), archive.manifest
        except ArchiveRefused as error:
            result: dict[str, Any] = {"ok": False, "problems": [error.message]}
        else:
            result = {
                "ok": not check.faults,
                "problems": check.faults,
                "tournament": manifest.content["tournament"]["name"],
                "made_at": manifest.content["made_at"],
                "sealed_by": manifest.seal["key"],
                "persons": manifest.has_persons,
                "rows": check.rows,
                "log_rows": check.log_rows,
            }
        self.stdout.write(json.dumps(result, ensure_ascii=False))
        if not result["ok"]:
            sys.exit(1)
