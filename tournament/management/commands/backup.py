import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from tournament.backups.selectors import Backup, list_backups, read_backup_state
from tournament.backups.services import BackupFailed, make_backup, register_backup_copy_folder


class Command(BaseCommand):
    help = (
        "Make a backup of the whole installation now. With --list, name the backups that exist. With --second-place, "
        "name a folder or a stick that receives every backup from now on. Answers with one JSON line."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--list", action="store_true", help="name the backups, the newest first")
        parser.add_argument("--second-place", type=Path, metavar="FOLDER", help="a folder or a stick for copies")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["list"]:
            self._answer({"ok": True, "backups": [_as_json(each) for each in list_backups(settings.BACKUP_DIR)]})
            return
        try:
            if options["second_place"]:
                register_backup_copy_folder(options["second_place"])
            backup = make_backup()
        except BackupFailed as error:
            raise CommandError(str(error), returncode=1) from None
        if backup is None:
            raise CommandError("Another process is making a backup. Wait a moment, then try again.", returncode=1)
        state = read_backup_state()
        self._answer({"ok": True, **_as_json(backup), "second_place": state.place, "problem": state.copy_failure})

    def _answer(self, answer: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(answer, ensure_ascii=False))


def _as_json(backup: Backup) -> dict[str, Any]:
    return {
        "file": str(backup.path),
        "made_at": backup.made_at.isoformat(),
        "log_row": backup.log_row,
        "bytes": backup.size,
    }
