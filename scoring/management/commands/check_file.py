import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from scoring.archive.selectors.checks import check_archive
from scoring.archive.selectors.files import ArchiveReader, ArchiveRefused
from scoring.archive.selectors.installations import InstallationReader, check_installation, open_archive_file
from scoring.management.passphrases import add_passphrase_arguments, read_passphrase


class Command(BaseCommand):
    help = (
        "Check the file of an event, a tournament or an installation without a database: its digests, its seal, its "
        "log, and every fact against the log. Exit status 0: the file is whole; 1: it is not."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        add_passphrase_arguments(parser, "if the file is encrypted")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with open_archive_file(options["file"], read_passphrase(options)) as archive:
                result = _check(archive)
        except ArchiveRefused as error:
            result = {"ok": False, "problems": [error.message]}
        self.stdout.write(json.dumps(result, ensure_ascii=False))
        if not result["ok"]:
            sys.exit(1)


def _check(archive: ArchiveReader | InstallationReader) -> dict[str, Any]:
    manifest = archive.manifest
    about: dict[str, Any]
    if isinstance(archive, InstallationReader):
        everything = check_installation(archive)
        faults, rows, log_rows = everything.faults, everything.rows, everything.log_rows
        about = {"tournaments": [each["name"] for each in archive.tournaments], "epoch": manifest.content["epoch"]}
    else:
        check = check_archive(archive)
        faults, rows, log_rows = check.faults, check.rows, check.log_rows
        event = manifest.event["name"] if manifest.event is not None else None
        about = {"tournament": manifest.content["tournament"]["name"], "event": event}
    return {
        "ok": not faults,
        "problems": faults,
        **about,
        "made_at": manifest.content["made_at"],
        "sealed_by": manifest.seal["key"],
        "persons": manifest.has_persons,
        "rows": rows,
        "log_rows": log_rows,
    }
