"""Make, rotate, copy and restore backups.

Each backup is written under a temporary name first, so that an incomplete file is never taken for a backup.
"""

import datetime as dt
import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection, connections
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.backups.selectors import (
    BACKUP_FOLDER_NAME,
    BACKUP_FORMAT,
    DATABASE,
    MANIFEST,
    MARKER_FILE_NAME,
    SECRETS,
    UNREADABLE_ZIP_ERRORS,
    Backup,
    BackupState,
    compute_sha256,
    find_backup_copy_folders,
    find_database_fault,
    is_backup_due,
    list_backups,
    load_installation_digest,
    make_backup_name,
    open_backup,
    read_backup_state,
    select_expired_backups,
)
from tournament.core.selectors.log import GENESIS_DIGEST, check_log_entries
from tournament.models import AuditEntry


class BackupFailed(Exception):
    """Raised if a backup could not be made or restored. The message gives the reason and can be shown to users."""


class BrokenLog(BackupFailed):
    """Raised after a backup was made, because the hash chain of one of its logs is broken."""


def make_backup(*, only_if_due: bool = False) -> Backup | None:
    """Make a backup, check it, copy it to the other backup folders, and delete expired backups.

    Return None if another process is making a backup, or if `only_if_due` is true and none is due. A failure is
    recorded for *Today* and the page *Backups*.

    Raises:
        BrokenLog: the backup was made, but somebody has changed a log outside the program.
        BackupFailed: the disk is full, the database is damaged, or it is not an SQLite database.
    """
    folder = Path(settings.BACKUP_DIR)
    try:
        with _lock_backups(folder) as is_free:
            if not is_free or (only_if_due and not is_backup_due(timezone.now())):
                return None
            backup, log_fault = _write_backup(folder)
            state = replace(read_backup_state(), failure=log_fault, failed_at=timezone.now() if log_fault else None)
            _save_state(_copy_to_additional_folders(backup, state))
            _delete_expired_backups(folder)
    except (BackupFailed, OSError, sqlite3.Error) as error:
        _save_state(replace(read_backup_state(), failure=str(error), failed_at=timezone.now()))
        raise BackupFailed(str(error)) from error
    if log_fault:
        raise BrokenLog(log_fault)
    return backup


@contextmanager
def _lock_backups(folder: Path) -> Iterator[bool]:
    """Hold the backup lock in this block, and remove temporary files left by a killed process.

    Yield True, or False if another process holds the lock. In that case, nothing is removed.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(folder / "lock", "a", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        for left in folder.glob(f"{_TEMPORARY_PREFIX}*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
        yield True


_TEMPORARY_PREFIX: Final = ".part-"
"""The beginning of the names of unfinished files and folders."""


def _write_backup(folder: Path) -> tuple[Backup, str]:
    """Write a backup into the folder. Also return a sentence about the first broken log, or "" if no log is broken."""
    if connection.vendor != "sqlite":
        raise BackupFailed(_("This database is not a file. Back it up with pg_dump (docs/operations.md)."))
    with tempfile.TemporaryDirectory(prefix=_TEMPORARY_PREFIX, dir=folder) as name:
        copy, archive = Path(name) / DATABASE, Path(name) / "archive"
        made_at = timezone.now()
        _copy_database(Path(str(connection.settings_dict["NAME"])), copy)
        if fault := find_database_fault(copy):
            raise BackupFailed(_("The database is damaged: %(fault)s") % {"fault": fault})
        log_row, rows = _read_row_counts(copy)
        manifest = {
            "format": BACKUP_FORMAT,
            "installation": load_installation_digest(),
            "made_at": made_at.isoformat(),
            "log_row": log_row,
            "rows": rows,
            "sha256": compute_sha256(copy),
        }
        secrets = Path(settings.VAR_DIR) / SECRETS
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
            file.writestr(MANIFEST, json.dumps(manifest, indent=1))
            file.write(copy, DATABASE)
            file.writestr(SECRETS, secrets.read_bytes() if secrets.exists() else b"")
        path = folder / make_backup_name(made_at, log_row)
        _verify_and_rename_backup(archive, path)
        return Backup(path, made_at.replace(microsecond=0), log_row), _find_log_fault(copy)


def _copy_database(source: Path, copy: Path) -> None:
    """Copy the database with SQLite's online backup, while others read and write."""
    with closing(_open_read_only(source)) as old, closing(sqlite3.connect(copy)) as new:
        old.backup(new)
        new.execute("PRAGMA journal_mode=DELETE")  # one file, without a write-ahead log beside it


def _open_read_only(database: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{database}?mode=ro", uri=True)


def _read_row_counts(database: Path) -> tuple[int, dict[str, int]]:
    """Return the primary key of the newest log row (0 if the log is empty), and each table's number of rows."""
    with closing(_open_read_only(database)) as connection:
        (log_row,) = connection.execute("SELECT coalesce(max(id), 0) FROM tournament_auditentry").fetchone()
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        rows = {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in tables}
        return log_row, rows


_LOG_COLUMNS: Final = frozenset(field.attname for field in AuditEntry._meta.concrete_fields)


def _find_log_fault(database: Path) -> str:
    """Return a sentence about the first log in this database file whose chain is broken, or "" if there is none.

    A database that has not been migrated yet may lack the newest columns of the log.
    """
    message = _("The log of %(name)s was changed outside this program, from row %(row)s. Look at the page Log.")
    with closing(_open_read_only(database)) as connection:
        found = connection.execute("SELECT tournament_id, seq, digest FROM tournament_audithead").fetchall()
        heads = {pk: (seq, digest) for pk, seq, digest in found}
        table = connection.execute("PRAGMA table_info(tournament_auditentry)").fetchall()
        columns = [name for _place, name, *_more in table if name in _LOG_COLUMNS]
        query = f"SELECT {', '.join(columns)} FROM tournament_auditentry WHERE tournament_id = ? ORDER BY seq"
        for pk, name in connection.execute("SELECT id, name FROM tournament_tournament ORDER BY id").fetchall():
            entries = (
                _make_log_entry(dict(zip(columns, row, strict=True))) for row in connection.execute(query, (pk,))
            )
            checked = check_log_entries(entries, heads.get(pk, (0, GENESIS_DIGEST)))
            if not checked.is_intact:
                return message % {"name": name, "row": checked.broken_at}
    return ""


def _make_log_entry(columns: dict[str, Any]) -> AuditEntry:
    for name in columns.keys() & {"data", "row_digests"}:
        columns[name] = json.loads(columns[name])
    return AuditEntry(**{**columns, "at": dt.datetime.fromisoformat(columns["at"]).replace(tzinfo=dt.UTC)})


def _verify_and_rename_backup(part: Path, path: Path) -> None:
    """Read the backup back from the disk, compare its database with the digest in it, and give the file its final name.

    Raises:
        BackupFailed: the data read from the disk differs from the data that was written.
    """
    with open(part, "rb") as file:
        os.fsync(file.fileno())
    try:
        with zipfile.ZipFile(part) as archive, archive.open(DATABASE) as member:
            digest = hashlib.file_digest(member, "sha256").hexdigest()  # type: ignore[arg-type]
            is_same = digest == json.loads(archive.read(MANIFEST))["sha256"]
    except UNREADABLE_ZIP_ERRORS:
        is_same = False
    if not is_same:
        raise BackupFailed(_("The disk did not return what was written to it. Use another disk."))
    os.replace(part, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _delete_expired_backups(folder: Path) -> None:
    for backup in select_expired_backups(list_backups(folder), timezone.now()):
        backup.path.unlink(missing_ok=True)


def _save_state(state: BackupState) -> None:
    """Record the state, and ignore write errors.

    If the disk is full, `make_backup` raises an error anyway.
    """
    folder = Path(settings.BACKUP_DIR)
    with suppress(OSError):
        part = folder / f"{_TEMPORARY_PREFIX}state"
        part.write_text(json.dumps(state.as_json()))
        os.replace(part, folder / "state.json")


# --- Copies on other disks -------------------------------------------------------------------------------------------


def register_backup_copy_folder(folder: Path) -> Path:
    """Register a USB drive or another disk, to which every backup is copied while it is plugged in.

    Return the subfolder that receives the copies.

    Raises:
        BackupFailed: the folder is missing, cannot be written to, or is not where drives are mounted.
    """
    copies = folder / BACKUP_FOLDER_NAME
    try:
        copies.mkdir(exist_ok=True)
        (copies / MARKER_FILE_NAME).write_text(json.dumps({"installation": load_installation_digest()}))
    except OSError as error:
        message = _("%(folder)s cannot be written to: %(reason)s. Choose another stick or disk.")
        raise BackupFailed(message % {"folder": folder, "reason": error.strerror}) from error
    if copies not in find_backup_copy_folders():
        shutil.rmtree(copies)
        message = _("%(folder)s is no stick or disk that was plugged in. For another folder, set BACKUP_COPY_DIR.")
        raise BackupFailed(message % {"folder": folder})
    return copies


def _copy_to_additional_folders(backup: Backup, state: BackupState) -> BackupState:
    """Copy the backup to each additional backup folder, even if copying to another one failed.

    A folder that is missing is not created, because its disk may not be mounted. Return the state, updated with this
    backup, the folder and time of the last copy, and the error messages.
    """
    failures = []
    for folder in find_backup_copy_folders():
        part = folder / f"{_TEMPORARY_PREFIX}{backup.path.name}"
        try:
            shutil.copyfile(backup.path, part)
            _verify_and_rename_backup(part, folder / backup.path.name)
            _delete_expired_backups(folder)
            state = replace(state, copied_to=str(folder), copied_at=timezone.now())
        except (OSError, BackupFailed) as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            failures.append(f"{folder}: {error}")
    return replace(state, finished=backup.path.name, copy_failure=" ".join(failures))


# --- Restore ---------------------------------------------------------------------------------------------------------


def restore_backup(path: Path) -> Path:
    """Replace the database and the secrets with those from a backup. Return the folder that contains the old ones.

    The program must not be running. The backup is checked before anything is replaced. The current files are copied
    before they are replaced, so a power failure at any moment leaves either the old database or the restored one.

    Raises:
        BackupUnreadable: the file is damaged, or was not made by this program.
        BackupFailed: the program is running, the database is not an SQLite database, or the disk is full.
    """
    if connection.vendor != "sqlite":
        raise BackupFailed(_("This database is not a file. Restore it with pg_restore (docs/operations.md)."))
    database, secrets = Path(str(connection.settings_dict["NAME"])), Path(settings.VAR_DIR) / SECRETS
    journals = [database.with_name(database.name + end) for end in ("-wal", "-shm")]
    with _hold_run_lock(), open_backup(path) as (_manifest, unpacked):
        connections.close_all()  # this also writes the write-ahead log into the database
        aside = Path(settings.VAR_DIR) / "replaced" / f"{timezone.now():%Y%m%dT%H%M%SZ}"
        try:
            aside.mkdir(mode=0o700, parents=True)
            for current in (database, *journals, secrets):
                if current.exists():
                    shutil.copy2(current, aside)
            parts = {database: unpacked / DATABASE, secrets: unpacked / SECRETS}
            for current, restored in parts.items():
                shutil.copyfile(restored, current.with_name(f"{_TEMPORARY_PREFIX}{current.name}"))
            for journal in journals:
                journal.unlink(missing_ok=True)
            for current, restored in parts.items():
                part = current.with_name(f"{_TEMPORARY_PREFIX}{current.name}")
                part.chmod(0o600)
                part.replace(current) if restored.stat().st_size else part.unlink()
        except OSError as error:
            message = _("The backup could not be restored: %(reason)s. The files from before are in %(folder)s.")
            raise BackupFailed(message % {"reason": error.strerror, "folder": aside}) from error
    # In another process, which reads the restored secrets. A database of an earlier release is brought up to date.
    subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], cwd=settings.BASE_DIR, check=True)
    return aside


@contextmanager
def _hold_run_lock() -> Iterator[None]:
    """Hold the lock of `make run` in this block, so that the program cannot be started in the meantime.

    Raises:
        BackupFailed: the program is running.
    """
    with open(Path(settings.VAR_DIR) / "run.lock", "a", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupFailed(_("The program is running. Stop it with Ctrl-C first, then restore.")) from None
        yield
