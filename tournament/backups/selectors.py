"""Find the backups on this computer, the additional folders to which they are copied, and problems with backups.

Other functions tell whether a backup is due, which backups have expired, and what a restore would lose.
"""

import datetime as dt
import glob
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import QuerySet, TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.core.selectors.disk import has_no_disk_space, is_disk_full
from tournament.core.selectors.installation import (
    InstallationEpoch,
    compute_last_shared_log_row,
    load_installation,
    load_installation_history,
)
from tournament.core.selectors.program import format_command
from tournament.models import AuditEntry, Tournament
from tournament.ports import archive_provider

BACKUP_TRIGGER_VERBS: Final = frozenset({
    *("draw.posted", "partners.posted", "desk.sent", "round.begun", "stage.opened", "pairs.sent"),
    *("event.finished", "event.ended-early", "day.closed"),
})  # fmt: skip
"""The log verbs after which a backup is due at once."""

BACKUP_FORMAT: Final = "gin-rummy-backup/1"
MANIFEST, DATABASE, DUMP, SECRETS = "manifest.json", "db.sqlite3", "db.pgdump", "secrets.env"
INSTALLATION_MEMBER_NAME: Final = "everything.installation.zip"
"""The name of the installation file in a backup. Other backups have an SQLite database or the output of `pg_dump`."""
AUTHORITY_FILES: Final = ("https/authority.crt", "https/authority.key")
"""The files of a site's certificate authority (`HTTPS=1`). Their paths in a backup are the same as in VAR_DIR.

After a restore on another computer, phones that trust the certificate authority also trust that computer.
"""
SECRET_NAMES: Final = ("SECRET_KEY", "SEAL_SECRET", "CARD_WEBHOOK_SECRET")
"""The names of the secret settings. They are in `secrets.env` unless they are set as environment variables."""
_SECRET_PATTERN: Final = re.compile(r"[!-~]{1,500}")
POSTGRES_PROGRAMS: Final = ("pg_dump", "pg_restore", "psql")
"""The programs that back up and restore a PostgreSQL database."""
BACKUP_FOLDER_NAME: Final = "gin-rummy-backups"
"""The folder on a USB stick or disk that receives the copies of backups."""
MARKER_FILE_NAME: Final = "copies.json"
"""A file in the folder for copies. It lists the identities of the installations whose backups belong there."""
_BACKUP_NAME_PATTERN: Final = re.compile(r"(\d{8}T\d{6})Z(?:-([0-9a-f]{8}))?-log-(\d+)\.backup\.zip")
_BACKUP_NAME_TIME_FORMAT: Final = "%Y%m%dT%H%M%S"
_PAUSE_AFTER_FAILURE: Final = dt.timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup file, and the primary key of the newest log row in it (0 if the log is empty).

    `installation_prefix` is the beginning of the identity of the installation that made it, or "" if it had no identity
    yet.
    """

    path: Path
    made_at: dt.datetime
    log_row: int
    installation_prefix: str = ""

    @property
    def size(self) -> int:
        """The file's size in bytes."""
        return self.path.stat().st_size


def make_backup_name(made_at: dt.datetime, maker: str, log_row: int) -> str:
    """Return the file name of a backup, which sorts by time.

    The maker is part of the name, so that the backups of two installations never have the same name.

    >>> make_backup_name(dt.datetime(2026, 11, 30, 14, 5, tzinfo=dt.UTC), "3f9a2c1b", 1204)
    '20261130T140500Z-3f9a2c1b-log-1204.backup.zip'
    """
    return f"{made_at.astimezone(dt.UTC):{_BACKUP_NAME_TIME_FORMAT}}Z-{maker and f'{maker}-'}log-{log_row}.backup.zip"


def load_identity_prefix() -> str:
    """Return the first characters of this installation's identity, or "" if it has no identity yet.

    These characters are part of the names of its backups.
    """
    installation = load_installation()
    return installation.identity[:8] if installation else ""


def list_backups(folder: Path, maker: str | None = None) -> list[Backup]:
    """Return the folder's backups, newest first. Other files are ignored.

    If `maker` is given, return only the backups of that installation.
    """
    found = []
    with suppress(OSError):
        for path in folder.iterdir():
            if match := _BACKUP_NAME_PATTERN.fullmatch(path.name):
                made_at = dt.datetime.strptime(match[1], _BACKUP_NAME_TIME_FORMAT).replace(tzinfo=dt.UTC)
                found.append(Backup(path, made_at, int(match[3]), match[2] or ""))
    found = [backup for backup in found if maker is None or backup.installation_prefix == maker]
    return sorted(found, key=lambda backup: (backup.made_at, backup.log_row), reverse=True)


# --- When one is due, and which expire -------------------------------------------------------------------------------


def is_backup_due(now: dt.datetime) -> bool:
    """Return whether a backup is due.

    A backup is due if something was written since the last backup, and either a milestone was reached or `BACKUP_EVERY`
    has passed. The first backup is due as soon as anything is written. After a failure, none is due for a minute.
    Backups from before a restore don't count, because their rows may differ.
    """
    if is_too_early_to_retry(read_backup_state().failed_at, now):
        return False
    if is_backup_an_archive() and not Tournament.objects.filter(is_demo=False).exists():
        return False  # an installation file leaves demos out
    newest = AuditEntry.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    last = find_last_backup()
    if last is None:
        return newest > 0
    if newest == last.log_row:
        return False
    if not dt.timedelta(0) <= now - last.made_at < settings.BACKUP_EVERY:  # in the future: the clock was set back
        return True
    return AuditEntry.objects.filter(pk__gt=last.log_row, verb__in=BACKUP_TRIGGER_VERBS).exists()


def find_last_backup() -> Backup | None:
    """Return this installation's backup with the newest log row.

    A backup with a later time may be older, because somebody may have set the clock back.
    """
    backups = list_backups(settings.BACKUP_DIR, load_identity_prefix())
    return max(backups, key=lambda backup: (backup.log_row, backup.made_at), default=None)


def is_too_early_to_retry(failed_at: dt.datetime | None, now: dt.datetime) -> bool:
    """Return whether the last attempt failed so recently that it is too early to try again."""
    return failed_at is not None and dt.timedelta(0) <= now - failed_at < _PAUSE_AFTER_FAILURE


def select_expired_backups(backups: Sequence[Backup], now: dt.datetime) -> list[Backup]:
    """Return the backups that rotation deletes.

    Rotation keeps all recent backups, then the last one of each hour, then the last one of each day. The settings
    determine how long each kind is kept. The newest backup is always kept. Backups dated in the future are also kept,
    because the clock may be wrong. Backups from before and after a restore are rotated separately.
    """
    kept: set[Path] = set()
    hours: set[tuple[str, dt.datetime]] = set()
    days: set[tuple[str, dt.date]] = set()
    for backup in sorted(backups, key=lambda each: each.made_at, reverse=True):
        age = now - backup.made_at
        hour = (backup.installation_prefix, backup.made_at.replace(minute=0, second=0, microsecond=0))
        day = (backup.installation_prefix, backup.made_at.date())
        if (
            not kept
            or age <= settings.BACKUP_KEEP_ALL
            or (age <= settings.BACKUP_KEEP_HOURLY and hour not in hours)
            or (age <= settings.BACKUP_KEEP_DAILY and day not in days)
        ):
            kept.add(backup.path)
        hours.add(hour)
        days.add(day)
    return [backup for backup in backups if backup.path not in kept]


# --- Copies and problems ---------------------------------------------------------------------------------------------


def find_backup_copy_folders() -> list[Path]:
    """Return the additional folders to which each backup is copied.

    These are `BACKUP_COPY_DIR`, if it is set, and the backup folder on each registered USB drive or disk that is
    plugged in. A USB stick that was registered before a restore stays registered afterward, on any computer.
    """
    folders = [Path(settings.BACKUP_COPY_DIR)] if settings.BACKUP_COPY_DIR else []
    identities = {epoch.identity for epoch in load_installation_history()}
    for folder in list_drive_folders():
        copies = folder / BACKUP_FOLDER_NAME
        if not identities.isdisjoint(read_backup_copy_marker(copies / MARKER_FILE_NAME)):
            folders.append(copies)
    return folders


def list_drive_folders() -> list[Path]:
    """Return the folders where USB drives may be mounted. On Windows, these are all drives but the data's own."""
    folders = {Path(path) for pattern in settings.BACKUP_MOUNT_FOLDERS for path in glob.glob(pattern)}
    if own_drive := Path(settings.VAR_DIR).drive:
        import psutil  # not at the top, because only Windows needs it

        drives = (Path(partition.mountpoint) for partition in psutil.disk_partitions())
        folders |= {drive for drive in drives if drive.drive != own_drive}
    return sorted(folders)


def read_backup_copy_marker(path: Path) -> list[str]:
    """Return the identities of the installations in a marker file, or [] if the file is missing or unreadable."""
    with suppress(OSError, ValueError, AttributeError):
        return [str(identity) for identity in json.loads(path.read_text(encoding="utf-8")).get("installations", [])]
    return []


def list_mounted_folders() -> list[Path]:
    """Return the writable USB drives and disks that are plugged in."""
    folders = list_drive_folders()
    return [path for path in folders if path.is_dir() and os.path.ismount(path) and os.access(path, os.W_OK)]


@dataclass(frozen=True, slots=True)
class BackupState:
    """The outcomes of the latest backup and the latest copy, as recorded in the backup folder (`state.json`).

    `finished` is the file name of the last backup that was made and copied. `failure` is the error message of the last
    attempt, if it failed. `copied_at` and `copied_to` are the time and the folder of the last copy. `copy_failure` is
    the message of the last copy, if it failed at `copy_failed_at`.
    """

    finished: str = ""
    failure: str = ""
    failed_at: dt.datetime | None = None
    copied_to: str = ""
    copied_at: dt.datetime | None = None
    copy_failure: str = ""
    copy_failed_at: dt.datetime | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            name: value.isoformat() if isinstance(value, dt.datetime) else value
            for name in self.__slots__
            if (value := getattr(self, name))
        }


def read_backup_state() -> BackupState:
    """Return the recorded state. It is empty if the file is missing or cannot be read."""
    with suppress(OSError, ValueError, TypeError):
        found: dict[str, Any] = json.loads((Path(settings.BACKUP_DIR) / "state.json").read_text(encoding="utf-8"))
        for name in found.keys() & {"failed_at", "copied_at", "copy_failed_at"}:
            found[name] = dt.datetime.fromisoformat(found[name])
        return BackupState(**found)
    return BackupState()


class BackupProblem(TextChoices):
    """A problem with the backups. The pages *Today* and *Backups* show its label."""

    FAILED = "failed", gettext_lazy("The last backup failed.")
    DISK_FULL = "disk-full", gettext_lazy("The disk is full, so no backup can be made.")
    OLD = "old", gettext_lazy("Something that was recorded more than half an hour ago is in no backup.")
    COPY_FAILED = "copy-failed", gettext_lazy("The last backup could not be copied.")
    NOT_COPIED = "not-copied", gettext_lazy("Backups are only on this computer.")


def list_backup_problems(now: dt.datetime) -> list[BackupProblem]:
    """Return all current problems, worst first.

    `BackupProblem.OLD` means that something was written more than `BACKUP_OLD_AFTER` ago and is in no backup.
    """
    state = read_backup_state()
    problems = [BackupProblem.FAILED] if state.failure else []
    if has_no_disk_space(settings.BACKUP_DIR):  # then not even the failure could be recorded
        problems = [BackupProblem.DISK_FULL]
    last = find_last_backup()
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
"""The errors that can occur when a damaged zip file, or a file that is not a zip file, is read."""


class BackupUnreadable(Exception):
    """Raised if a file is not a backup of this program, or is damaged. The message can be shown to users."""


def read_backup_manifest(path: Path) -> dict[str, Any]:
    """Return a backup's manifest, without checking the rest of the file.

    Raises:
        BackupUnreadable: the file is damaged, or was not made by this version of the program.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            manifest: dict[str, Any] = json.loads(archive.read(MANIFEST))
            is_known = manifest.get("format") == BACKUP_FORMAT
    except UNREADABLE_ZIP_ERRORS as error:
        raise BackupUnreadable(_("%(name)s is no backup, or it is damaged.") % {"name": path.name}) from error
    if not is_known:
        message = _("%(name)s was made by another version of the program. Install that version to restore it.")
        raise BackupUnreadable(message % {"name": path.name})
    return manifest


def describe_archive_restore(name: str) -> str:
    """Return a sentence that explains how to restore a backup that contains an installation file."""
    message = _(
        "%(name)s has a file of all tournaments, which cannot replace what is here. In an installation without "
        "tournaments, run this command: %(command)s"
    )
    return message % {"name": name, "command": format_command("take_over_from_file", name)}


@contextmanager
def open_backup(path: Path) -> Iterator[tuple[dict[str, Any], Path]]:
    """Unpack a backup into a temporary folder, and yield its manifest and that folder.

    Raises:
        BackupUnreadable: the file is damaged, or was not made by this program.
        OSError: the disk is full.
    """
    Path(settings.VAR_DIR).mkdir(parents=True, exist_ok=True)  # missing if the program was never started here
    with tempfile.TemporaryDirectory(prefix="backup-", dir=settings.VAR_DIR) as name:
        folder, manifest = Path(name), read_backup_manifest(path)
        try:
            with zipfile.ZipFile(path) as archive:
                authority = [member for member in AUTHORITY_FILES if member in archive.namelist()]
                for member in (database := get_database_member(manifest), SECRETS, *authority):
                    archive.extract(member, folder)
        except UNREADABLE_ZIP_ERRORS as error:
            if is_disk_full(error):
                raise
            raise BackupUnreadable(_("%(name)s is no backup, or it is damaged.") % {"name": path.name}) from error
        if compute_sha256(folder / database) != manifest.get("sha256") or find_copy_fault(folder / database):
            raise BackupUnreadable(
                _("The database in %(name)s is damaged. Choose another backup.") % {"name": path.name}
            )
        yield manifest, folder


def find_copy_fault(copy: Path) -> str:
    """Return what is wrong with the database in a backup, or "" if it is intact. The file's name tells its format."""
    if copy.name == INSTALLATION_MEMBER_NAME:
        return archive_provider().find_installation_file_fault(copy)
    return find_dump_fault(copy) if copy.name == DUMP else find_database_fault(copy)


def compute_sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def open_read_only(database: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)


def find_database_fault(database: Path) -> str:
    """Return the first fault that SQLite finds in the file, or "" if the file is intact."""
    try:
        with closing(open_read_only(database)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            return "" if found == "ok" else str(found)
    except sqlite3.Error as error:
        return str(error)


def list_newer_migrations() -> list[str]:
    """Return the database's migrations that are newer than this program, such as “tournament.0050_club”.

    An earlier version may have applied migrations that were later squashed. The program does not know these, either,
    but their numbers are lower than the number of its last migration.
    """
    loader = MigrationLoader(connection)
    last: dict[str, str] = {}
    for app, name in loader.graph.leaf_nodes():
        last[app] = max(name, last.get(app, ""))
    applied = sorted(loader.applied_migrations.keys() - loader.disk_migrations.keys())
    return [f"{app}.{name}" for app, name in applied if name > last.get(app, name)]


def get_database_member(manifest: Mapping[str, Any]) -> str:
    """Return the name that the database file has inside a backup."""
    database = manifest.get("database")
    return str(database) if database in (DUMP, INSTALLATION_MEMBER_NAME) else DATABASE


def find_dump_fault(dump: Path) -> str:
    """Return a description of the fault in a file made by `pg_dump`, or "" if `pg_restore` can list its contents."""
    try:
        done = subprocess.run(["pg_restore", "--list", dump], check=False, capture_output=True, text=True)
    except OSError as error:
        return str(error)
    return done.stderr.strip() or "pg_restore --list" if done.returncode else ""


def is_backup_an_archive() -> bool:
    """Return whether a new backup would contain an installation file instead of a copy of the database.

    An installation file contains all tournaments and accounts in the program's own format. It is used if the database
    is PostgreSQL, but PostgreSQL's programs, such as `pg_dump`, are missing on this computer.
    """
    return connection.vendor == "postgresql" and bool(find_missing_postgres_programs())


def find_missing_postgres_programs() -> list[str]:
    return [program for program in POSTGRES_PROGRAMS if shutil.which(program) is None]


def load_lost_log_entries(manifest: Mapping[str, Any]) -> QuerySet[AuditEntry]:
    """Return the log rows that restoring the backup with this manifest would lose, newest first."""
    return AuditEntry.objects.filter(pk__gt=find_last_shared_log_row(manifest) or 0).order_by("-pk")


def find_last_shared_log_row(manifest: Mapping[str, Any]) -> int | None:
    """Return the primary key of the newest log row that is both in the database and in the backup with this manifest.

    Return None if the backup is from another installation.
    """
    if AuditEntry.objects.filter(pk=manifest["log_row"], digest=manifest.get("log_digest")).exists():
        return int(manifest["log_row"])
    theirs = [InstallationEpoch(**epoch) for epoch in manifest.get("epochs", ())]
    return compute_last_shared_log_row(load_installation_history(), theirs, manifest["log_row"])


# --- A restore that somebody requested by the page -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RestoreRequest:
    """A director's request to restore a backup. `laptop.run` carries it out while the program is stopped.

    The random `pk` is part of the URL of the page that shows the outcome. `made_at` is the time of the backup in ISO
    form. The page shows this time in `time_zone`.

    If `file` is given, the installation file at this path is imported instead of a backup. `backup` is then the
    file's name, and `passphrase` decrypts it. `is_takeover` is true if this computer continues in place of another one.
    """

    pk: str
    backup: str
    made_at: str
    by_name: str
    reason: str
    time_zone: str
    file: str = ""
    passphrase: str = ""
    is_takeover: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RestoreOutcome:
    """The outcome of the last restore.

    If it failed, nothing was changed, and `failure` gives the reason. Otherwise, `failure` is "". `kept` is the file
    name of the backup of the replaced database, or "" if none was made.
    """

    request: RestoreRequest
    at: dt.datetime
    kept: str = ""
    failure: str = ""

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "at": self.at.isoformat()}


def make_restore_request_path() -> Path:
    return Path(settings.VAR_DIR) / "restore-request.json"


def make_restore_outcome_path() -> Path:
    return Path(settings.VAR_DIR) / "restore-outcome.json"


def read_restore_request() -> RestoreRequest | None:
    """Return the restore request that has not been carried out yet, or None if there is no readable request."""
    with suppress(OSError, ValueError, TypeError):
        return RestoreRequest(**json.loads(make_restore_request_path().read_text(encoding="utf-8")))
    return None


def read_restore_outcome() -> RestoreOutcome | None:
    """Return the outcome of the last restore that was requested on the page, or None if there was none."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        found = json.loads(make_restore_outcome_path().read_text(encoding="utf-8"))
        request, at = RestoreRequest(**found.pop("request")), dt.datetime.fromisoformat(found.pop("at"))
        return RestoreOutcome(request, at, **found)
    return None


# --- The secrets of this installation --------------------------------------------------------------------------------


def read_own_secrets() -> dict[str, dict[str, str]]:
    """Return the secrets of this installation, and the files of its certificate authority if it has one.

    With them, another computer can recognize this installation's seals and prove that it took over. Phones that trust
    this installation then trust that computer, too.
    """
    files = {member: Path(settings.VAR_DIR) / member for member in AUTHORITY_FILES}
    return {
        "settings": {name: str(getattr(settings, name)) for name in SECRET_NAMES},
        "files": {member: file.read_text(encoding="ascii") for member, file in files.items() if file.exists()},
    }


def validate_secrets(content: Mapping[str, Any]) -> None:
    """Check the format of secrets that `read_own_secrets` returned on another computer.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: a part is missing, unknown, or has the wrong type.
    """
    if set(content["settings"]) != set(SECRET_NAMES) or not set(content["files"]) <= set(AUTHORITY_FILES):
        raise ValueError("secrets")
    if not all(_SECRET_PATTERN.fullmatch(value) for value in content["settings"].values()):
        raise ValueError("secrets")
    if not all(value.isascii() for value in content["files"].values()):
        raise ValueError("secrets")
