"""Find the backups on this computer, the additional folders to which they are copied, and problems with backups.

Other functions tell whether a backup is due, which backups have expired, and what a restore would lose.
"""

import datetime as dt
import glob
import json
import os
import re
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import DatabaseError
from django.db.models import QuerySet

from tournament.core.selectors.log import GENESIS_DIGEST, check_log_entries
from tournament.models import AuditEntry, SecretDigest, Tournament

BACKUP_TRIGGER_VERBS: Final = frozenset({
    *("draw.posted", "partners.posted", "seating.posted", "round.begun", "stage.opened", "pairs.sent"),
    *("event.finished", "event.ended-early", "day.closed"),
})  # fmt: skip
"""The log verbs after which a backup is due at once."""

BACKUP_FORMAT: Final = "gin-rummy-backup/1"
MANIFEST, DATABASE, SECRETS = "manifest.json", "db.sqlite3", "secrets.env"
"""The members of a backup file."""
BACKUP_FOLDER_NAME: Final = "gin-rummy-backups"
"""The folder for backups in a second place."""
MARKER_FILE_NAME: Final = "second-place.json"
"""A file in that folder. It names the installation whose backups belong there."""
_NAME: Final = re.compile(r"(\d{8}T\d{6})Z-log-(\d+)\.backup\.zip")
_NAME_TIME: Final = "%Y%m%dT%H%M%S"


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup file, and the primary key of the newest log row in it (0 if the log is empty)."""

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
    return f"{made_at.astimezone(dt.UTC):{_NAME_TIME}}Z-log-{log_row}.backup.zip"


def list_backups(folder: Path) -> list[Backup]:
    """Return the folder's backups, newest first. Other files are ignored."""
    found = []
    with suppress(OSError):
        for path in folder.iterdir():
            if match := _NAME.fullmatch(path.name):
                made_at = dt.datetime.strptime(match[1], _NAME_TIME).replace(tzinfo=dt.UTC)
                found.append(Backup(path, made_at, int(match[2])))
    return sorted(found, key=lambda backup: (backup.made_at, backup.log_row), reverse=True)


# --- When one is due, and which expire -------------------------------------------------------------------------------


def is_backup_due(now: dt.datetime) -> bool:
    """Return whether a backup is due.

    A backup is due if something was written since the last backup, and either a milestone was reached or `BACKUP_EVERY`
    has passed. The first backup is due as soon as anything is written.
    """
    newest = _newest_log_row()
    last = next(iter(list_backups(settings.BACKUP_DIR)), None)
    if last is None:
        return newest > 0
    if newest == last.log_row:
        return False
    if last.made_at > now or now - last.made_at >= settings.BACKUP_EVERY:  # in the future: the clock was set back
        return True
    return AuditEntry.objects.filter(pk__gt=last.log_row, verb__in=BACKUP_TRIGGER_VERBS).exists()


def _newest_log_row() -> int:
    return AuditEntry.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


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


# --- The second place ------------------------------------------------------------------------------------------------


def find_backup_copy_folders() -> list[Path]:
    """Return the additional folders to which each backup is copied.

    These are `BACKUP_COPY_DIR`, if it is set, and the backup folder on each registered USB drive or disk that is
    plugged in.
    """
    places = [Path(settings.BACKUP_COPY_DIR)] if settings.BACKUP_COPY_DIR else []
    identity = load_installation_digest()
    for pattern in settings.BACKUP_MOUNT_FOLDERS:
        for found in sorted(glob.glob(f"{pattern}/{BACKUP_FOLDER_NAME}/{MARKER_FILE_NAME}")):
            with suppress(OSError, ValueError, AttributeError):
                if json.loads(Path(found).read_text()).get("installation") == identity:
                    places.append(Path(found).parent)
    return places


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

    `failure` is the message of the last attempt, if it failed. `copied_at` is the time when a backup was last copied to
    a second place, and `place` is that location. `copy_failure` is the message of the last copy, if it failed.
    """

    failure: str = ""
    failed_at: dt.datetime | None = None
    place: str = ""
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


class BackupProblem(StrEnum):
    FAILED = "failed"
    OLD = "old"
    NO_SECOND_PLACE = "no-second-place"
    COPY_FAILED = "copy-failed"


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
        problems.append(BackupProblem.NO_SECOND_PLACE)
    return problems


# --- What a backup contains, and what a restore would lose -----------------------------------------------------------


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
                    raise BackupUnreadable(f"{path.name} was made by another version of the program.")
                for member in (DATABASE, SECRETS):
                    archive.extract(member, folder)
        except (OSError, zipfile.BadZipFile, KeyError, ValueError, AttributeError) as error:
            raise BackupUnreadable(f"{path.name} is damaged, or it is no backup: {error}") from error
        if find_database_fault(folder / DATABASE):
            raise BackupUnreadable(f"{path.name} is damaged: {find_database_fault(folder / DATABASE)}")
        yield manifest, folder


def find_database_fault(database: Path) -> str:
    """Return the first fault that SQLite finds in the file, or "" if the file is intact."""
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            return "" if found == "ok" else str(found)
    except sqlite3.Error as error:
        return str(error)


def find_log_fault(database: Path) -> str:
    """Return a sentence about the first log in this database file whose chain is broken, or "" if there is none."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        found = connection.execute("SELECT tournament_id, seq, digest FROM tournament_audithead").fetchall()
        heads = {pk: (seq, digest) for pk, seq, digest in found}
        columns = [column for column in _list_columns(connection) if column in _LOG_COLUMNS]
        query = f"SELECT {', '.join(columns)} FROM tournament_auditentry WHERE tournament_id = ? ORDER BY seq"
        for pk, name in connection.execute("SELECT id, name FROM tournament_tournament ORDER BY id").fetchall():
            entries = (_make_entry(dict(zip(columns, row, strict=True))) for row in connection.execute(query, (pk,)))
            checked = check_log_entries(entries, heads.get(pk, (0, GENESIS_DIGEST)))
            if not checked.whole:
                return f"The log of {name} is broken at row {checked.broken_at}."
    return ""


_LOG_COLUMNS: Final = frozenset(field.attname for field in AuditEntry._meta.concrete_fields)


def _list_columns(connection: sqlite3.Connection) -> list[str]:
    """Return the log table's columns. A database that has not been migrated yet may lack the newest ones."""
    return [row[1] for row in connection.execute("PRAGMA table_info(tournament_auditentry)")]


def _make_entry(columns: dict[str, Any]) -> AuditEntry:
    for name in columns.keys() & {"data", "row_digests"}:
        columns[name] = json.loads(columns[name])
    return AuditEntry(**{**columns, "at": dt.datetime.fromisoformat(columns["at"]).replace(tzinfo=dt.UTC)})


def find_newest_log_row(database: Path) -> int:
    """Return the largest primary key of the log rows in this database file, or 0 if it has none."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT coalesce(max(id), 0) FROM tournament_auditentry").fetchone()[0])


def count_rows(database: Path) -> dict[str, int]:
    """Return the number of rows of each table."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in tables}


def load_log_entries_since(log_row: int, tournament: Tournament | None = None) -> QuerySet[AuditEntry]:
    """Return the log rows after a backup's newest row, newest first.

    A restore of the backup would lose these rows. `log_row` is the primary key of the backup's newest row. If
    `tournament` is given, return only its rows.
    """
    entries = AuditEntry.objects.filter(pk__gt=log_row).select_related("event", "tournament")
    return (entries.filter(tournament=tournament) if tournament is not None else entries).order_by("-pk")
