"""Make, rotate, copy and restore backups.

Each backup is written under a temporary name first, so that an incomplete file is never taken for a backup.
"""

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

from tournament.backups.selectors import (
    BACKUP_FOLDER_NAME,
    BACKUP_FORMAT,
    DATABASE,
    MANIFEST,
    MARKER_FILE_NAME,
    SECRETS,
    Backup,
    BackupState,
    count_rows,
    find_backup_copy_folders,
    find_database_fault,
    find_log_fault,
    find_newest_log_row,
    is_backup_due,
    list_backups,
    load_installation_digest,
    make_backup_name,
    open_backup,
    read_backup_state,
    select_expired_backups,
)


class BackupFailed(Exception):
    """Raised if a backup could not be made or restored. The message gives the reason and can be shown to users."""


def make_due_backup() -> Backup | None:
    """Make a backup if one is due. If another process is making one, do nothing."""
    return make_backup() if is_backup_due(timezone.now()) else None


def make_backup() -> Backup | None:
    """Make a backup, check it, copy it to the other backup folders, and delete expired backups.

    Return None if another process is making a backup. A failure is recorded for *Today* and the page *Backups*.

    Raises:
        BackupFailed: the disk is full, the database is damaged, or it is not an SQLite database.
    """
    with _only_one() as is_free:
        if not is_free:
            return None
        try:
            backup = _write_backup(Path(settings.BACKUP_DIR))
        except (BackupFailed, OSError, sqlite3.Error) as error:
            _save_state(replace(read_backup_state(), failure=str(error), failed_at=timezone.now()))
            raise BackupFailed(str(error)) from error
        _save_state(_copy_to_second_places(backup, replace(read_backup_state(), failure="", failed_at=None)))
        _delete_expired(Path(settings.BACKUP_DIR))
        return backup


@contextmanager
def _only_one() -> Iterator[bool]:
    """Hold the backup lock in this block, and remove temporary files left by a killed process.

    Yield True, or False if another process holds the lock. In that case, nothing is removed.
    """
    folder = Path(settings.BACKUP_DIR)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(folder / "lock", "a", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        for left in folder.glob(f"{_PART}*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
        yield True


_PART: Final = ".part-"
"""The beginning of the names of unfinished files and folders."""


def _write_backup(folder: Path) -> Backup:
    if connection.vendor != "sqlite":
        raise BackupFailed("This database is not a file. Back it up with pg_dump, as docs/operations.md explains.")
    with tempfile.TemporaryDirectory(prefix=_PART, dir=folder) as name:
        copy = Path(name) / DATABASE
        made_at = timezone.now()
        _copy_database(Path(str(connection.settings_dict["NAME"])), copy)
        manifest = _check_copy(copy) | {"made_at": made_at.isoformat()}
        part = Path(name) / MANIFEST
        part.write_text(json.dumps(manifest, indent=1))
        archive = Path(name) / "archive"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
            file.write(part, MANIFEST)
            file.write(copy, DATABASE)
            secrets = Path(settings.VAR_DIR) / SECRETS
            file.writestr(SECRETS, secrets.read_bytes() if secrets.exists() else b"")
        path = folder / make_backup_name(made_at, manifest["log_row"])
        _finish_file(archive, path, manifest["sha256"])
        return Backup(path, made_at.replace(microsecond=0), manifest["log_row"])


def _copy_database(source: Path, copy: Path) -> None:
    """Copy the database with SQLite's online backup, while others read and write."""
    with closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as old, closing(sqlite3.connect(copy)) as new:
        old.backup(new)
        new.execute("PRAGMA journal_mode=DELETE")  # one file, without a write-ahead log beside it


def _check_copy(copy: Path) -> dict[str, Any]:
    """Check the copied database and every log in it, and return the manifest.

    The caller adds the time of the backup (`made_at`) to the manifest.

    Raises:
        BackupFailed: SQLite finds a fault, or a log's chain is broken.
    """
    if fault := find_database_fault(copy):
        raise BackupFailed(f"The database is damaged: {fault}")
    if fault := find_log_fault(copy):
        raise BackupFailed(fault)
    return {
        "format": BACKUP_FORMAT,
        "installation": load_installation_digest(),
        "log_row": find_newest_log_row(copy),
        "rows": count_rows(copy),
        "sha256": _sha256(copy),
    }


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _finish_file(part: Path, path: Path, sha256: str) -> None:
    """Read back the archive, compare its database with the digest, and rename the file to its final name.

    Raises:
        BackupFailed: the data read from the disk differs from the data that was written.
    """
    with open(part, "rb") as file:
        os.fsync(file.fileno())
    with zipfile.ZipFile(part) as archive, archive.open(DATABASE) as member:
        if hashlib.file_digest(member, "sha256").hexdigest() != sha256:  # type: ignore[arg-type]
            raise BackupFailed("The disk returned something else than was written. It may be about to fail.")
    os.replace(part, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _delete_expired(folder: Path) -> None:
    for backup in select_expired_backups(list_backups(folder), timezone.now()):
        backup.path.unlink(missing_ok=True)


def _save_state(state: BackupState) -> None:
    """Record the state, and ignore write errors.

    If the disk is full, `make_backup` raises an error anyway.
    """
    folder = Path(settings.BACKUP_DIR)
    with suppress(OSError):
        part = folder / f"{_PART}state"
        part.write_text(json.dumps(state.as_json()))
        os.replace(part, folder / "state.json")


# --- The second place ------------------------------------------------------------------------------------------------


def register_backup_copy_folder(folder: Path) -> Path:
    """Register a folder, such as a USB drive, as a second place to which backups are copied.

    Return the subfolder that receives the backups. A registered drive is recognized whenever it is plugged in again.

    Raises:
        BackupFailed: the folder is missing or cannot be written to.
    """
    place = folder / BACKUP_FOLDER_NAME
    try:
        place.mkdir(exist_ok=True)
        (place / MARKER_FILE_NAME).write_text(json.dumps({"installation": load_installation_digest()}))
    except OSError as error:
        raise BackupFailed(f"{folder} cannot be used: {error.strerror}. Choose another folder.") from error
    return place


def _copy_to_second_places(backup: Backup, state: BackupState) -> BackupState:
    """Copy the backup to each additional backup folder, even if copying to another one failed.

    A folder that is missing is not created, because its disk may not be mounted. Return the state, updated with the
    place and time of the last copy, and with the error messages.
    """
    failures = []
    for place in find_backup_copy_folders():
        part = place / f"{_PART}{backup.path.name}"
        try:
            shutil.copyfile(backup.path, part)
            with zipfile.ZipFile(backup.path) as archive:
                sha256 = json.loads(archive.read(MANIFEST))["sha256"]
            _finish_file(part, place / backup.path.name, sha256)
            _delete_expired(place)
            state = replace(state, place=str(place), copied_at=timezone.now())
        except (OSError, BackupFailed, zipfile.BadZipFile) as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            failures.append(f"{place}: {error}")
    return replace(state, copy_failure=" ".join(failures))


# --- Restore ---------------------------------------------------------------------------------------------------------


def restore_backup(path: Path) -> Path:
    """Replace the database and the secrets with those from a backup. Return the folder that contains the old ones.

    The program must not be running. The backup is checked before anything is replaced.

    Raises:
        BackupUnreadable: the file is damaged, or was not made by this program.
        BackupFailed: the program is running, or the database is not an SQLite database.
    """
    if connection.vendor != "sqlite":
        raise BackupFailed("This database is not a file. Restore it with pg_restore, as docs/operations.md explains.")
    database, secrets = Path(str(connection.settings_dict["NAME"])), Path(settings.VAR_DIR) / SECRETS
    with _stopped(), open_backup(path) as (_manifest, folder):
        connections.close_all()
        aside = Path(settings.VAR_DIR) / "replaced" / f"{timezone.now():%Y%m%dT%H%M%SZ}"
        aside.mkdir(mode=0o700, parents=True)
        for current in (database, *(database.with_name(database.name + end) for end in ("-wal", "-shm")), secrets):
            if current.exists():
                os.replace(current, aside / current.name)
        if (folder / SECRETS).stat().st_size:
            os.chmod(folder / SECRETS, 0o600)
            os.replace(folder / SECRETS, secrets)
        os.replace(folder / DATABASE, database)
    _migrate()
    return aside


@contextmanager
def _stopped() -> Iterator[None]:
    """Hold the lock of `make run` in this block, so that the program cannot be started in the meantime.

    Raises:
        BackupFailed: the program is running.
    """
    with open(Path(settings.VAR_DIR) / "run.lock", "a", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupFailed("The program is running. Stop it with Ctrl-C first, then restore.") from None
        yield


def _migrate() -> None:
    """Bring a database of an earlier release up to date, in a process that reads the restored secrets."""
    subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], cwd=settings.BASE_DIR, check=True)
