"""Find the backups on this computer, the additional folders to which they are copied, and problems with backups.

Other functions tell whether a backup is due, which backups have expired, and what a restore would lose.
"""

import datetime as dt
import glob
import hashlib
import json
import os
import re
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import DatabaseError
from django.db.models import QuerySet, TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.models import AuditEntry, SecretDigest

BACKUP_TRIGGER_VERBS: Final = frozenset({
    *("draw.posted", "partners.posted", "seating.posted", "round.begun", "stage.opened", "pairs.sent"),
    *("event.finished", "event.ended-early", "day.closed"),
})  # fmt: skip
"""The log verbs after which a backup is due at once."""

BACKUP_FORMAT: Final = "gin-rummy-backup/1"
MANIFEST, DATABASE, SECRETS = "manifest.json", "db.sqlite3", "secrets.env"
"""The members of a backup file."""
BACKUP_FOLDER_NAME: Final = "gin-rummy-backups"
"""The folder on a stick or disk that receives the copies."""
MARKER_FILE_NAME: Final = "copies.json"
"""A file in that folder. It names the installation whose backups belong there."""
_BACKUP_NAME_PATTERN: Final = re.compile(r"(\d{8}T\d{6})Z-log-(\d+)\.backup\.zip")
_BACKUP_NAME_TIME_FORMAT: Final = "%Y%m%dT%H%M%S"
_PAUSE_AFTER_FAILURE: Final = dt.timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup file. `log_row` is the primary key of the newest log row in it, or 0 if its log is empty."""

    path: Path
    made_at: dt.datetime
    log_row: int

    @property
    def size(self) -> int:
        """The file's size in bytes."""
        return self.path.stat().st_size


def make_backup_name(made_at: dt.datetime, log_row: int) -> str:
    """Return the file name of a backup, which sorts by time.

    >>> make_backup_name(dt.datetime(2026, 11, 30, 14, 5, tzinfo=dt.UTC), 1204)
    '20261130T140500Z-log-1204.backup.zip'
    """
    return f"{made_at.astimezone(dt.UTC):{_BACKUP_NAME_TIME_FORMAT}}Z-log-{log_row}.backup.zip"


def list_backups(folder: Path) -> list[Backup]:
    """Return the folder's backups, newest first. Other files are ignored."""
    found = []
    with suppress(OSError):
        for path in folder.iterdir():
            if match := _BACKUP_NAME_PATTERN.fullmatch(path.name):
                made_at = dt.datetime.strptime(match[1], _BACKUP_NAME_TIME_FORMAT).replace(tzinfo=dt.UTC)
                found.append(Backup(path, made_at, int(match[2])))
    return sorted(found, key=lambda backup: (backup.made_at, backup.log_row), reverse=True)


# --- When one is due, and which expire -------------------------------------------------------------------------------


def is_backup_due(now: dt.datetime) -> bool:
    """Return whether a backup is due.

    A backup is due if something was written since the last backup, and either a milestone was reached or `BACKUP_EVERY`
    has passed. The first backup is due as soon as anything is written. After a failure, no backup is due for one
    minute.
    """
    failed_at = read_backup_state().failed_at
    if failed_at is not None and dt.timedelta(0) <= now - failed_at < _PAUSE_AFTER_FAILURE:
        return False
    newest = AuditEntry.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    last = next(iter(list_backups(settings.BACKUP_DIR)), None)
    if last is None:
        return newest > 0
    if newest == last.log_row:
        return False
    if last.made_at > now or now - last.made_at >= settings.BACKUP_EVERY:  # in the future: the clock was set back
        return True
    return AuditEntry.objects.filter(pk__gt=last.log_row, verb__in=BACKUP_TRIGGER_VERBS).exists()


def select_expired_backups(backups: Sequence[Backup], now: dt.datetime) -> list[Backup]:
    """Return the backups that rotation deletes.

    Rotation keeps all recent backups, then the last one of each hour, then the last one of each day. The settings
    determine how long each kind is kept. The newest backup is always kept. Backups dated in the future are also kept,
    because the clock may be wrong.
    """
    kept: set[Path] = set()
    hours: set[dt.datetime] = set()
    days: set[dt.date] = set()
    for backup in sorted(backups, key=lambda each: each.made_at, reverse=True):
        age, made_at = now - backup.made_at, backup.made_at
        hour = made_at.replace(minute=0, second=0, microsecond=0)
        if (
            not kept
            or age <= settings.BACKUP_KEEP_ALL
            or (age <= settings.BACKUP_KEEP_HOURLY and hour not in hours)
            or (age <= settings.BACKUP_KEEP_DAILY and made_at.date() not in days)
        ):
            kept.add(backup.path)
        hours.add(hour)
        days.add(made_at.date())
    return [backup for backup in backups if backup.path not in kept]


# --- Copies and problems ---------------------------------------------------------------------------------------------


def find_backup_copy_folders() -> list[Path]:
    """Return the additional folders to which each backup is copied.

    These are `BACKUP_COPY_DIR`, if it is set, and the backup folder on each registered USB drive or disk that is
    plugged in.
    """
    folders = [Path(settings.BACKUP_COPY_DIR)] if settings.BACKUP_COPY_DIR else []
    identity = load_installation_digest()
    for pattern in settings.BACKUP_MOUNT_FOLDERS:
        for found in sorted(glob.glob(f"{pattern}/{BACKUP_FOLDER_NAME}/{MARKER_FILE_NAME}")):
            with suppress(OSError, ValueError, AttributeError):
                if json.loads(Path(found).read_text()).get("installation") == identity:
                    folders.append(Path(found).parent)
    return folders


def list_mounted_folders() -> list[Path]:
    """Return the writable USB drives and disks that are plugged in."""
    found = {Path(path) for pattern in settings.BACKUP_MOUNT_FOLDERS for path in glob.glob(pattern)}
    return sorted(path for path in found if path.is_dir() and os.path.ismount(path) and os.access(path, os.W_OK))


def load_installation_digest() -> str:
    """Return a digest that is unique to this installation, or "" if this release has never been started on it."""
    with suppress(DatabaseError):  # an earlier release's database may lack the table
        return SecretDigest.objects.filter(name="SEAL_SECRET").values_list("digest", flat=True).first() or ""
    return ""


@dataclass(frozen=True, slots=True)
class BackupState:
    """The outcomes of the last attempts, as recorded in the backup folder (`state.json`).

    `finished` is the file name of the last backup that was made and copied. `failure` is the message of the last
    attempt, if it failed. `copied_at` and `copied_to` are the time and the folder of the last copy. `copy_failure` is
    the message of the last copy, if it failed.
    """

    finished: str = ""
    failure: str = ""
    failed_at: dt.datetime | None = None
    copied_to: str = ""
    copied_at: dt.datetime | None = None
    copy_failure: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            name: value.isoformat() if isinstance(value, dt.datetime) else value
            for name in self.__slots__
            if (value := getattr(self, name))
        }


def read_backup_state() -> BackupState:
    """Return the recorded state. It is empty if the file is missing or cannot be read."""
    with suppress(OSError, ValueError, TypeError):
        found: dict[str, Any] = json.loads((Path(settings.BACKUP_DIR) / "state.json").read_text())
        for name in found.keys() & {"failed_at", "copied_at"}:
            found[name] = dt.datetime.fromisoformat(found[name])
        return BackupState(**found)
    return BackupState()


class BackupProblem(TextChoices):
    """A problem with the backups. *Today* and the page *Backups* show its label."""

    FAILED = "failed", gettext_lazy("The last backup failed.")
    OLD = "old", gettext_lazy("Something that was recorded more than half an hour ago is in no backup.")
    COPY_FAILED = "copy-failed", gettext_lazy("The last backup could not be copied.")
    NOT_COPIED = "not-copied", gettext_lazy("Backups are only on this computer.")


def list_backup_problems(now: dt.datetime) -> list[BackupProblem]:
    """Return all current problems, the worst first.

    `BackupProblem.OLD` means that something was written more than `BACKUP_OLD_AFTER` ago and is in no backup.
    """
    state = read_backup_state()
    problems = [BackupProblem.FAILED] if state.failure else []
    last = next(iter(list_backups(settings.BACKUP_DIR)), None)
    unsaved = AuditEntry.objects.filter(pk__gt=last.log_row if last else 0, at__lt=now - settings.BACKUP_OLD_AFTER)
    if unsaved.exists():
        problems.append(BackupProblem.OLD)
    if state.copy_failure:
        problems.append(BackupProblem.COPY_FAILED)
    elif not find_backup_copy_folders():
        problems.append(BackupProblem.NOT_COPIED)
    return problems


# --- What a backup contains, and what a restore would lose -----------------------------------------------------------


UNREADABLE_ZIP_ERRORS: Final = (
    *(OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError),
    *(KeyError, ValueError, AttributeError),
)
"""The errors that reading a damaged zip file, or another file, can raise."""


class BackupUnreadable(Exception):
    """Raised if a file is not a backup of this program, or is damaged. The message can be shown to users."""


@contextmanager
def open_backup(path: Path) -> Iterator[tuple[dict[str, Any], Path]]:
    """Unpack a backup into a temporary folder, and yield its manifest and that folder.

    Raises:
        BackupUnreadable: the file is damaged, or was not made by this program.
    """
    with tempfile.TemporaryDirectory(prefix="backup-", dir=settings.VAR_DIR) as name:
        folder = Path(name)
        try:
            with zipfile.ZipFile(path) as archive:
                manifest = json.loads(archive.read(MANIFEST))
                if manifest.get("format") != BACKUP_FORMAT:
                    message = _(
                        "%(name)s was made by another version of the program. Install that version to restore it."
                    )
                    raise BackupUnreadable(message % {"name": path.name})
                for member in (DATABASE, SECRETS):
                    archive.extract(member, folder)
        except UNREADABLE_ZIP_ERRORS as error:
            raise BackupUnreadable(_("%(name)s is no backup, or it is damaged.") % {"name": path.name}) from error
        if compute_sha256(folder / DATABASE) != manifest.get("sha256") or find_database_fault(folder / DATABASE):
            raise BackupUnreadable(
                _("The database in %(name)s is damaged. Choose another backup.") % {"name": path.name}
            )
        yield manifest, folder


def compute_sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def find_database_fault(database: Path) -> str:
    """Return the first fault that SQLite finds in the file, or "" if the file is intact."""
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            return "" if found == "ok" else str(found)
    except sqlite3.Error as error:
        return str(error)


def load_log_entries_since(log_row: int) -> QuerySet[AuditEntry]:
    """Return the log rows that restoring a backup would lose, newest first.

    `log_row` is the primary key of the newest log row in the backup.
    """
    return AuditEntry.objects.filter(pk__gt=log_row).order_by("-pk")
