import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from tournament.backups.selectors import Backup, list_backups, read_backup_state
from tournament.backups.services import BackupFailed, make_backup, register_backup_copy_folder


class Command(BaseCommand):
    help = (
        "Make a backup of the whole installation now. With --list, list the backups instead. With --copy-to, also "
        "register a folder or a stick that receives a copy of every backup. Prints one JSON line."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--list", action="store_true", help="list the backups, newest first")
        parser.add_argument("--copy-to", type=Path, metavar="FOLDER", help="copy every backup to this folder or stick")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["list"]:
            self._print({"backups": [_backup_to_json(each) for each in list_backups(settings.BACKUP_DIR)]})
            return
        connection.ensure_connection()  # fails before any folder is created if the program was never started
        try:
            if options["copy_to"]:
                register_backup_copy_folder(options["copy_to"])
            backup = make_backup()
        except BackupFailed as error:
            raise CommandError(str(error)) from None
        if backup is None:
            raise CommandError("Another process is making a backup. Wait a moment, then try again.")
        state = read_backup_state()
        self._print({**_backup_to_json(backup), "copied_to": state.copied_to, "copy_failure": state.copy_failure})

    def _print(self, answer: dict[str, Any]) -> None:
        self.stdout.write(json.dumps({"ok": True, **answer}, ensure_ascii=False))


def _backup_to_json(backup: Backup) -> dict[str, Any]:
    about = {"made_at": backup.made_at.isoformat(), "log_row": backup.log_row, "bytes": backup.size}
    return {"file": str(backup.path), **about}
