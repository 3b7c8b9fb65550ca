import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from tournament.backups.selectors import BackupUnreadable, find_last_shared_log_row, load_lost_log_entries, open_backup
from tournament.backups.services import BackupFailed, restore_backup
from tournament.core.words import describe_log_verb

MAX_LISTED_LOG_ENTRIES = 20


class Command(BaseCommand):
    help = (
        "Replace the database and the secrets with those from a backup. Without --yes, only show what would be lost. "
        "Stop the program first. The replaced files are kept in VAR_DIR/replaced. Prints one JSON line."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("backup", type=Path, help="a backup file, or the name of one in VAR_DIR/backups")
        parser.add_argument("--yes", action="store_true", help="restore the backup")

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["backup"] if options["backup"].exists() else Path(settings.BACKUP_DIR) / options["backup"]
        try:
            with open_backup(path) as (manifest, _unpacked):
                answer = {"backup": path.name, "made_at": manifest["made_at"], **_describe_loss(manifest)}
            if options["yes"]:
                answer["replaced"] = str(restore_backup(path))
        except (BackupFailed, BackupUnreadable) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(json.dumps({"ok": True, "restored": options["yes"], **answer}, ensure_ascii=False))


def _describe_loss(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a description of the log rows that restoring a backup would remove from the current database.

    - `same_installation`: whether the backup is from this installation. Otherwise, all log rows would be lost.
    - `lost`: the number of log rows that would be lost. It is None if there is no database, or if it cannot be read.
    - `newest_lost`: the newest of these log rows.
    """
    try:
        is_same = find_last_shared_log_row(manifest) is not None
        entries = load_lost_log_entries(manifest)
        newest = entries[:MAX_LISTED_LOG_ENTRIES].values("at", "by_name", "verb", "about")
        listed = [
            {**entry, "at": entry["at"].isoformat(), "words": describe_log_verb(entry["verb"])} for entry in newest
        ]
        return {"same_installation": is_same, "lost": entries.count(), "newest_lost": listed}
    except DatabaseError:
        return {"same_installation": False, "lost": None, "newest_lost": []}
