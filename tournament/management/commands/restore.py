import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from tournament.backups.selectors import BackupUnreadable, load_log_entries_since, open_backup
from tournament.backups.services import BackupFailed, restore_backup

MAX_LISTED_LOG_ENTRIES = 20


class Command(BaseCommand):
    help = (
        "Replace the database and the secrets by those of a backup. Without --yes, say only what would be lost. "
        "Stop the program first. What is replaced is kept in VAR_DIR/replaced. Answers with one JSON line."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("backup", type=Path, help="a backup file, or the name of one in VAR_DIR/backups")
        parser.add_argument("--yes", action="store_true", help="restore it")

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["backup"] if options["backup"].exists() else Path(settings.BACKUP_DIR) / options["backup"]
        try:
            lost = self._describe_loss(path)
            if options["yes"]:
                lost["replaced"] = str(restore_backup(path))
        except (BackupFailed, BackupUnreadable) as error:
            raise CommandError(str(error), returncode=1) from None
        self.stdout.write(json.dumps({"ok": True, "restored": options["yes"], **lost}, ensure_ascii=False))

    def _describe_loss(self, path: Path) -> dict[str, Any]:
        """Return the number of log rows that are missing from the backup, and describe the newest of them.

        At most `MAX_LISTED_LOG_ENTRIES` rows are described. The result also has the backup's name and the time when it
        was made.
        """
        with open_backup(path) as (manifest, _folder):
            entries = load_log_entries_since(manifest["log_row"])
        named = [
            {"at": entry.at.isoformat(), "by": entry.by_name, "verb": entry.verb, "about": entry.about}
            for entry in entries[:MAX_LISTED_LOG_ENTRIES]
        ]
        return {"backup": path.name, "made_at": manifest["made_at"], "lost": entries.count(), "last_lost": named}
