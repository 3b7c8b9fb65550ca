"""Make, rotate, copy and restore backups.

Each backup is written under a temporary name first, so that an incomplete file is never taken for a backup.
"""

import datetime as dt
import gc
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Final

from django.conf import settings
from django.db import DatabaseError, connection, connections, transaction
from django.db.models import JSONField, Max
from django.utils import timezone
from django.utils.translation import gettext as _
from filelock import FileLock, Timeout
from psycopg.conninfo import make_conninfo

from tournament import __version__
from tournament.backups.selectors import (
    AUTHORITY_FILES,
    BACKUP_FOLDER_NAME,
    BACKUP_FORMAT,
    DATABASE,
    DUMP,
    INSTALLATION_MEMBER_NAME,
    MANIFEST,
    MARKER_FILE_NAME,
    SECRET_NAMES,
    SECRETS,
    UNREADABLE_ZIP_ERRORS,
    Backup,
    BackupState,
    BackupUnreadable,
    RestoreOutcome,
    RestoreRequest,
    compute_sha256,
    describe_archive_restore,
    find_backup_copy_folders,
    find_database_fault,
    find_dump_fault,
    find_last_backup,
    find_missing_postgres_programs,
    get_database_member,
    is_backup_an_archive,
    is_backup_due,
    is_too_early_to_retry,
    list_backups,
    load_identity_prefix,
    make_backup_name,
    make_restore_outcome_path,
    make_restore_request_path,
    open_backup,
    open_read_only,
    read_backup_copy_marker,
    read_backup_state,
    read_restore_outcome,
    read_restore_request,
    select_expired_backups,
)
from tournament.core.permissions import SYSTEM_ACTOR, Actor, require_installation_permission
from tournament.core.selectors.disk import describe_file_error, is_disk_full, require_disk_space
from tournament.core.selectors.installation import load_installation, load_installation_history
from tournament.core.selectors.log import GENESIS_DIGEST, ChainCheckResult, check_log_chain, check_log_entries
from tournament.core.services.durable_files import replace_durably, replace_file, sync_folder, write_durably
from tournament.core.services.installation import begin_installation_epoch, log_for_all_tournaments
from tournament.core.services.record import require_reason
from tournament.core.services.secrets import store_current_secrets
from tournament.errors import Conflict, DomainError
from tournament.models import AuditEntry, Installation, RowChange, StoredTask, Tournament
from tournament.ports import archive_provider


class BackupFailed(Exception):
    """Raised if a backup could not be made or restored. The message gives the reason and can be shown to users."""


class BrokenLog(BackupFailed):
    """Raised if a backup was made, but the hash chain of one of its logs is broken."""

    def __init__(self, message: str, backup: Backup) -> None:
        super().__init__(message)
        self.backup = backup


def make_backup(*, only_if_due: bool = False, deletes_expired: bool = True) -> Backup | None:
    """Make a backup, check it, copy it to the other backup folders, and delete expired backups.

    Return None if another process is making a backup, or if `only_if_due` is true and none is due. In the latter case,
    the last backup is copied to each folder that lacks it, such as one on a stick that was full or not plugged in. A
    failure is recorded for *Today* and the page *Backups*.

    Raises:
        BrokenLog: the backup was made, but somebody has changed a log outside the program.
        BackupFailed: the disk is full, the database is damaged, or PostgreSQL's client programs are missing.
    """
    folder = Path(settings.BACKUP_DIR)
    try:
        with _lock_backups(folder) as is_free:
            if not is_free:
                return None
            if only_if_due and not is_backup_due(timezone.now()):
                _copy_last_backup_where_missing()
                return None
            backup, log_fault = _write_backup(folder)
            state = replace(read_backup_state(), failure=log_fault, failed_at=timezone.now() if log_fault else None)
            _save_state(_copy_to_additional_folders(backup, state))
            if deletes_expired:
                _delete_expired_backups(list_backups(folder))
    except (BackupFailed, DomainError, OSError, sqlite3.Error, DatabaseError) as error:
        _save_state(replace(read_backup_state(), failure=describe_file_error(error), failed_at=timezone.now()))
        raise BackupFailed(describe_file_error(error)) from error
    if log_fault:
        raise BrokenLog(log_fault, backup)
    return backup


@contextmanager
def _lock_backups(folder: Path) -> Iterator[bool]:
    """Hold the backup lock in this block, and remove temporary files left by a killed process.

    Yield True, or False if another process holds the lock. In that case, nothing is removed.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        lock = FileLock(folder / "lock", mode=0o600).acquire(blocking=False)
    except Timeout:
        yield False
        return
    with lock:
        for left in folder.glob(f"{_TEMPORARY_PREFIX}*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
        yield True


_TEMPORARY_PREFIX: Final = ".part-"
"""The beginning of the names of unfinished files and folders."""


@dataclass(frozen=True, slots=True)
class _DatabaseCopy:
    """A copy of the database, with the state of a single moment.

    `log_row` and `log_digest` are the newest log row's primary key and digest, or 0 and "" if the log is empty.
    `log_fault` is a sentence about the first log whose chain is broken, or "".
    """

    file: Path
    log_row: int
    log_digest: str
    rows: dict[str, int]
    log_fault: str


def _write_backup(folder: Path) -> tuple[Backup, str]:
    """Write a backup into the folder. Return the backup, and a sentence about the first broken log or ""."""
    with tempfile.TemporaryDirectory(prefix=_TEMPORARY_PREFIX, dir=folder) as name:
        archive = Path(name) / "archive"
        made_at, maker, epochs = timezone.now(), load_identity_prefix(), load_installation_history()
        copy = _copy_database(Path(name))
        manifest = {
            "format": BACKUP_FORMAT,
            "program": __version__,
            "epochs": [epoch.as_json() for epoch in epochs],
            "made_at": made_at.isoformat(),
            "log_row": copy.log_row,
            "log_digest": copy.log_digest,
            "rows": copy.rows,
            "database": copy.file.name,
            "sha256": compute_sha256(copy.file),
        }
        secrets = _secrets_file()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
            file.writestr(MANIFEST, json.dumps(manifest, indent=1))
            file.write(copy.file, copy.file.name)
            file.writestr(SECRETS, secrets.read_bytes() if secrets.exists() else b"")
            for member, authority in _authority_files().items():
                if authority.exists():
                    file.write(authority, member)
        path = folder / make_backup_name(made_at, maker, copy.log_row)
        _verify_and_rename_backup(archive, path)
        return Backup(path, made_at.replace(microsecond=0), copy.log_row, maker), copy.log_fault


def _copy_database(folder: Path) -> _DatabaseCopy:
    if connection.vendor == "sqlite":
        return _copy_sqlite(folder)
    return _copy_everything(folder) if is_backup_an_archive() else _copy_postgres(folder)


def _copy_sqlite(folder: Path) -> _DatabaseCopy:
    """Copy the database with SQLite's online backup, while other processes read and write.

    Raises:
        BackupFailed: the database is damaged.
    """
    copy = folder / DATABASE
    require_disk_space(folder, 2 * _database_file().stat().st_size)  # for the copy, and for the backup file
    with closing(open_read_only(_database_file())) as old, closing(sqlite3.connect(copy)) as new:
        old.backup(new)
        new.execute("PRAGMA journal_mode=DELETE")  # one file, without a write-ahead log beside it
    if fault := find_database_fault(copy):
        raise BackupFailed(_("The database is damaged: %(fault)s") % {"fault": fault})
    return _DatabaseCopy(copy, *read_row_counts(copy), find_log_fault(copy))


def read_row_counts(database: Path) -> tuple[int, str, dict[str, int]]:
    """Return the newest log row's primary key and digest, and each table's number of rows.

    If the log is empty, the primary key is 0 and the digest is "".
    """
    with closing(open_read_only(database)) as connection:
        newest = connection.execute("SELECT id, digest FROM tournament_auditentry ORDER BY id DESC LIMIT 1").fetchone()
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        rows = {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in tables}
        return *(newest or (0, "")), rows


_LOG_COLUMNS: Final = frozenset(field.attname for field in AuditEntry._meta.concrete_fields)
_JSON_LOG_COLUMNS: Final = frozenset(
    field.attname for field in AuditEntry._meta.concrete_fields if isinstance(field, JSONField)
)


def find_log_fault(database: Path) -> str:
    """Return a sentence about the first log in this database file whose chain is broken, or "" if there is none.

    If the database has not been migrated yet, its log may lack the newest columns.
    """
    with closing(open_read_only(database)) as connection:
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
                return _describe_log_fault(name, checked)
    return ""


def _describe_log_fault(name: str, checked: ChainCheckResult) -> str:
    message = _("The log of %(name)s was changed outside this program, from row %(row)s. Look at the page Log.")
    return message % {"name": name, "row": checked.broken_at}


def _make_log_entry(columns: dict[str, Any]) -> AuditEntry:
    for name in columns.keys() & _JSON_LOG_COLUMNS:
        columns[name] = json.loads(columns[name])
    return AuditEntry(**{**columns, "at": dt.datetime.fromisoformat(columns["at"]).replace(tzinfo=dt.UTC)})


def _verify_and_rename_backup(part: Path, path: Path, *, source: Path | None = None) -> None:
    """Read the backup back from the disk, compare its database with the digest in it, and give the file its final name.

    If the file is a copy, `source` is the original, and every byte is compared with it.

    Raises:
        BackupFailed: the data read from the disk differs from the data that was written.
    """
    with open(part, "r+b") as file:  # Windows syncs only a file that is open for writing
        os.fsync(file.fileno())
    try:
        with zipfile.ZipFile(part) as archive:
            manifest = json.loads(archive.read(MANIFEST))
            with archive.open(get_database_member(manifest)) as member:
                digest = hashlib.file_digest(member, "sha256").hexdigest()  # type: ignore[arg-type]
        is_same = digest == manifest["sha256"] and (source is None or compute_sha256(part) == compute_sha256(source))
    except UNREADABLE_ZIP_ERRORS:
        is_same = False
    if not is_same:
        raise BackupFailed(_("The disk did not return what was written to it. Use another disk."))
    replace_durably(part, path)


def _delete_expired_backups(backups: list[Backup]) -> None:
    for backup in select_expired_backups(backups, timezone.now()):
        backup.path.unlink(missing_ok=True)


def _save_state(state: BackupState) -> None:
    """Record the state, and ignore write errors. Pages notice a full disk by checking the disk itself."""
    with suppress(OSError):
        write_durably(Path(settings.BACKUP_DIR) / "state.json", json.dumps(state.as_json()))


# --- Copies on other disks -------------------------------------------------------------------------------------------


def register_backup_copy_folder(folder: Path) -> Path:
    """Register a USB stick or another disk. While it is plugged in, every backup is copied to it.

    Return the subfolder that receives the copies.

    Raises:
        BackupFailed: the folder is missing, cannot be written to, or is not where drives are mounted.
    """
    copies = folder / BACKUP_FOLDER_NAME
    installation = load_installation() or begin_installation_epoch(Installation.Origin.STARTED)
    try:
        copies.mkdir(exist_ok=True)
        others = read_backup_copy_marker(copies / MARKER_FILE_NAME)
        identities = [*(identity for identity in others if identity != installation.identity), installation.identity]
        write_durably(copies / MARKER_FILE_NAME, json.dumps({"installations": identities}))
    except OSError as error:
        message = _("%(folder)s cannot be written to: %(reason)s. Choose another stick or disk.")
        raise BackupFailed(message % {"folder": folder, "reason": error.strerror}) from error
    if copies not in find_backup_copy_folders():
        (copies / MARKER_FILE_NAME).unlink()
        with suppress(OSError):  # the folder has other files
            copies.rmdir()
        message = _("%(folder)s is no stick or disk that was plugged in. For another folder, set BACKUP_COPY_DIR.")
        raise BackupFailed(message % {"folder": folder})
    return copies


def _copy_last_backup_where_missing() -> None:
    state, last = read_backup_state(), find_last_backup()
    if last is None or is_too_early_to_retry(state.copy_failed_at, timezone.now()):
        return
    if not all((folder / last.path.name).exists() for folder in find_backup_copy_folders()):
        _save_state(_copy_to_additional_folders(last, state))


def _copy_to_additional_folders(backup: Backup, state: BackupState) -> BackupState:
    """Copy the backup to each additional backup folder. A failure in one folder does not affect the others.

    A folder that is missing is not created, because its disk may not be mounted. Copies that another installation made
    there are neither overwritten nor deleted. An incomplete copy on a stick that was pulled out is deleted. Return the
    state, updated with this backup, the folder and time of the last copy, and the error messages.
    """
    failures = []
    for folder in find_backup_copy_folders():
        part = folder / f"{_TEMPORARY_PREFIX}{backup.path.name}"
        try:
            for left in folder.glob(f"{_TEMPORARY_PREFIX}*-{backup.installation_prefix}-*"):
                left.unlink()
            if not (folder / backup.path.name).exists():
                require_disk_space(folder, backup.size)
                shutil.copyfile(backup.path, part)
                _verify_and_rename_backup(part, folder / backup.path.name, source=backup.path)
            _delete_expired_backups(list_backups(folder, backup.installation_prefix))
            state = replace(state, copied_to=str(folder), copied_at=timezone.now())
        except (OSError, BackupFailed) as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            failures.append(f"{folder}: {describe_file_error(error)}")
    failed_at = timezone.now() if failures else None
    return replace(state, finished=backup.path.name, copy_failure=" ".join(failures), copy_failed_at=failed_at)


# --- Restore ---------------------------------------------------------------------------------------------------------


def restore_backup(
    path: Path, outcome: RestoreOutcome | None = None, *, is_stopped: bool = False, keeps_identity: bool = False
) -> Path:
    """Replace the database and the secrets with those from a backup. Return the folder with the replaced files.

    The program must not be running. `is_stopped` means that the supervisor has already stopped all other processes. If
    a director requested the restore, `outcome` is recorded as soon as the restore can no longer fail.

    An SQLite database is checked and brought up to date before anything is replaced. It also gets a new identity,
    unless `keeps_identity` is true, because a second laptop keeps the identity of the first one. A power failure at any
    moment leaves either the old files or, after `finish_interrupted_restore`, the restored ones.

    Raises:
        BackupUnreadable: the file is damaged, or was not made by this program.
        BackupFailed: the program is running, the backup is of another kind of database, or the disk is full.
    """
    aside = Path(settings.VAR_DIR) / "replaced" / f"{timezone.now():%Y%m%dT%H%M%SZ}"
    with nullcontext() if outcome or is_stopped else _hold_run_lock():
        try:
            require_room_for_restore(path)
            with open_backup(path) as (manifest, unpacked):
                if get_database_member(manifest) == INSTALLATION_MEMBER_NAME:
                    raise BackupFailed(describe_archive_restore(path.name))
                if get_database_member(manifest) != (DATABASE if connection.vendor == "sqlite" else DUMP):
                    message = _(
                        "%(name)s is a backup of another kind of database. Set DATABASE_URL to such a database first."
                    )
                    raise BackupFailed(message % {"name": path.name})
                finish_interrupted_restore()
                replaced = load_installation()
                begin_epoch = [f"--came-from={path.name}", f"--above={replaced.epoch if replaced else 0}"]
                begin_epoch.append(f"--changes-above={load_last_change_number()}")
                if outcome is not None:
                    begin_epoch += [f"--by={outcome.request.by_name}", f"--reason={outcome.request.reason}"]
                if connection.vendor == "sqlite":
                    _restore_sqlite(unpacked, aside, None if keeps_identity else begin_epoch, outcome)
                else:
                    _restore_postgres(unpacked, aside, begin_epoch, outcome)
        except OSError as error:
            if is_disk_full(error):
                raise BackupFailed(describe_file_error(error)) from error
            message = _("The backup could not be restored: %(reason)s. The files from before are in %(folder)s.")
            raise BackupFailed(message % {"reason": error.strerror, "folder": aside}) from error
    return aside


def load_last_change_number() -> int:
    """Return the number of the last change recorded for a second laptop, or 0 if there is none or it cannot be read."""
    with suppress(DatabaseError):  # a damaged database, or one of an earlier release
        return int(RowChange.objects.aggregate(last=Max("pk"))["last"] or 0)
    return 0


def require_room_for_restore(path: Path) -> None:
    """Refuse to restore a backup if the disk has no room for it in addition to the current data.

    Restoring needs room for the unpacked backup, a second copy of its files, and a copy of the current database.

    Raises:
        OSError: the disk has too little room.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except UNREADABLE_ZIP_ERRORS:
        return  # whoever opens the backup says what is wrong with it
    current = _database_file()
    require_disk_space(Path(settings.VAR_DIR), 2 * unpacked + (current.stat().st_size if current.exists() else 0))


def _restore_sqlite(
    unpacked: Path, aside: Path, begin_epoch: Sequence[str] | None, outcome: RestoreOutcome | None
) -> None:
    connections.close_all()  # this also writes the write-ahead log into the database
    gc.collect()  # closes connections that could not read a damaged database. Windows replaces no open file.
    if begin_epoch is not None:
        environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        _begin_epoch(begin_epoch, {**environment, "VAR_DIR": str(unpacked)})
    with closing(sqlite3.connect(unpacked / DATABASE)) as restored:
        restored.execute("PRAGMA journal_mode=DELETE")  # one file, without a write-ahead log beside it
    aside.mkdir(mode=0o700, parents=True)
    files = {_database_file(): unpacked / DATABASE, _secrets_file(): unpacked / SECRETS}
    for member, authority in _authority_files().items():
        if (unpacked / member).exists():
            authority.parent.mkdir(mode=0o700, exist_ok=True)
            files[authority] = unpacked / member
    for current in (*_list_journals(), *files):
        if current.exists():
            _write_to_disk(current, aside / current.name)
    for current, restored_file in files.items():
        if restored_file.stat().st_size:
            _write_to_disk(restored_file, current.with_name(f"{_RESTORED}{current.name}"))
    _write_outcome(outcome, _restore_marker())
    finish_interrupted_restore()


def replace_database(database: Path) -> None:
    """Replace the SQLite database with a copy of this file. The program must not be running.

    If the power fails, either the old database is complete, or `finish_interrupted_restore` completes the replacement.
    """
    connections.close_all()
    finish_interrupted_restore()
    _write_to_disk(database, _database_file().with_name(f"{_RESTORED}{_database_file().name}"))
    _write_outcome(None, _restore_marker())
    finish_interrupted_restore()


def _begin_epoch(arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Migrate a restored database if it is from an earlier release, and give it a new identity.

    A subprocess does this with the given arguments and environment variables.
    """
    command = [sys.executable, "manage.py", "begin_epoch", *arguments]
    done = subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        message = _("The restored database could not be brought up to date: %(reason)s")
        raise BackupFailed(message % {"reason": done.stderr.strip().rpartition("\n")[2]})


_RESTORED: Final = ".restored-"
"""The prefix of restored files that have not replaced the old files yet."""


def finish_interrupted_restore() -> None:
    """Complete a restore that was interrupted after all files were written, or delete incomplete restored files.

    The program must not be running. If the power fails again, another call completes the restore.
    """
    if connection.vendor != "sqlite":
        return
    files = (_database_file(), _secrets_file(), *_authority_files().values())
    restored = {file.with_name(f"{_RESTORED}{file.name}"): file for file in files}
    if not _restore_marker().exists():
        for part in restored:
            part.unlink(missing_ok=True)
        return
    for journal in _list_journals():
        journal.unlink(missing_ok=True)
    for part, file in restored.items():
        if part.exists():
            replace_file(part, file)
            sync_folder(file.parent)
    if _restore_marker().stat().st_size:
        make_restore_request_path().unlink(missing_ok=True)
        replace_file(_restore_marker(), make_restore_outcome_path())
    _restore_marker().unlink(missing_ok=True)
    sync_folder(Path(settings.VAR_DIR))


def _restore_marker() -> Path:
    """Return the path of the file that marks a restore in progress.

    The file exists while the complete restored files replace the old ones. If the restore was requested on the page,
    the file contains the outcome of the restore.
    """
    return Path(settings.VAR_DIR) / f"{_RESTORED}complete"


def _write_to_disk(source: Path, file: Path) -> None:
    """Copy a file, and wait until the copy is stored on the disk."""
    with open(source, "rb") as read, open(file, "wb", opener=partial(os.open, mode=0o600)) as written:
        shutil.copyfileobj(read, written)
        written.flush()
        os.fsync(written.fileno())
    sync_folder(file.parent)


def _write_outcome(outcome: RestoreOutcome | None, file: Path) -> None:
    """Write the outcome into the file, or nothing if there is no outcome."""
    write_durably(file, json.dumps(outcome.as_json()) if outcome else "")


def _database_file() -> Path:
    return Path(str(connection.settings_dict["NAME"]))


def _secrets_file() -> Path:
    return Path(settings.VAR_DIR) / SECRETS


def _authority_files() -> dict[str, Path]:
    """Return the paths of the certificate authority's files, by their names in a backup.

    The files do not exist without HTTPS.
    """
    return {member: Path(settings.VAR_DIR) / member for member in AUTHORITY_FILES}


def _list_journals() -> list[Path]:
    """Return the paths of SQLite's journal files. They are empty after the database was closed properly."""
    database = _database_file()
    return [database.with_name(database.name + end) for end in ("-wal", "-shm")]


@contextmanager
def _hold_run_lock() -> Iterator[None]:
    """Hold the lock of the running program in this block, so that the program cannot be started in the meantime.

    Raises:
        BackupFailed: the program is running.
    """
    try:
        lock = FileLock(Path(settings.VAR_DIR) / "run.lock", mode=0o600).acquire(blocking=False)
    except Timeout:
        raise BackupFailed(_("The program is running. Stop it with Ctrl-C first, then restore.")) from None
    with lock:
        yield


def adopt_restored_database(
    came_from: str, *, above: int = 0, changes_above: int = 0, by_name: str = "", reason: str = ""
) -> Installation:
    """Give a restored database a new identity, and add a row about the restore to the log of each tournament.

    `above` is the epoch of the database that the restore replaced. The new identity's epoch is higher. `changes_above`
    is the number of the last change in the replaced database. A second laptop may already have that change. New changes
    get higher numbers, so that the second laptop does not miss any.
    """
    if changes_above > load_last_change_number():
        RowChange.objects.create(pk=changes_above)
    StoredTask.objects.all().delete()  # their emails may have been sent since the backup
    begun = begin_installation_epoch(Installation.Origin.RESTORED, came_from, above=above)
    actor = Actor(by_name) if by_name else SYSTEM_ACTOR
    log_for_all_tournaments(verb="installation.restored", by=actor, about=came_from, reason=reason, with_demos=True)
    return begun


# --- The secrets of another installation -----------------------------------------------------------------------------


def keeps_secrets_in_file() -> bool:
    """Return whether this computer's secrets are in `secrets.env` and not in environment variables."""
    return not any(os.environ.get(name) for name in SECRET_NAMES)


@contextmanager
def use_and_store_secrets(secrets: Mapping[str, Mapping[str, str]]) -> Iterator[None]:
    """Use another installation's secrets in this block. If the block succeeds, store the secrets in VAR_DIR.

    The program must not be running. If the power fails before the block ends, the caller must run it again.
    """
    own = {name: getattr(settings, name) for name in SECRET_NAMES}
    try:
        for name, value in secrets["settings"].items():
            setattr(settings, name, value)
        yield
        lines = "".join(f"{name}={value}\n" for name, value in secrets["settings"].items())
        for member, content in {**secrets["files"], SECRETS: lines}.items():
            write_durably(Path(settings.VAR_DIR) / member, content)
        store_current_secrets()
    finally:
        for name, value in own.items():
            setattr(settings, name, value)


# --- PostgreSQL ------------------------------------------------------------------------------------------------------


def _copy_postgres(folder: Path) -> _DatabaseCopy:
    """Copy the database with `pg_dump`, while other processes read and write.

    The copy has the state of a single moment.

    Raises:
        BackupFailed: PostgreSQL's client programs are missing, or do not work.
    """
    copy = folder / DUMP
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        _dump_postgres(copy, f"--snapshot={cursor.fetchone()[0]}")
        moment = _describe_moment(cursor)
    if dump_fault := find_dump_fault(copy):
        raise BackupFailed(_("The database could not be copied: %(reason)s") % {"reason": dump_fault})
    return _DatabaseCopy(copy, *moment)


def _copy_everything(folder: Path) -> _DatabaseCopy:
    """Write an installation file, because PostgreSQL's client programs are missing.

    Raises:
        BackupFailed: a tournament could not be exported.
    """
    copy = folder / INSTALLATION_MEMBER_NAME
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        archive_provider().export_for_backup(copy)
        moment = _describe_moment(cursor)
    if fault := archive_provider().find_installation_file_fault(copy):
        raise BackupFailed(_("The database could not be copied: %(reason)s") % {"reason": fault})
    return _DatabaseCopy(copy, *moment)


def _describe_moment(cursor: Any) -> tuple[int, str, dict[str, int], str]:
    """Return the newest log row's primary key and digest, each table's number of rows, and the first fault in a log.

    The fault is a sentence about the first log whose chain is broken, or "".
    """
    tables = sorted(connection.introspection.table_names(cursor))
    cursor.execute("SELECT id, digest FROM tournament_auditentry ORDER BY id DESC LIMIT 1")
    log_row, log_digest = cursor.fetchone() or (0, "")
    rows = {}
    for table in tables:
        cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")
        rows[table] = cursor.fetchone()[0]
    fault = ""
    with suppress(DatabaseError):  # an earlier release's database may lack the newest columns of the log
        for tournament in Tournament.objects.order_by("pk"):
            if not fault and not (checked := check_log_chain(tournament)).is_intact:
                fault = _describe_log_fault(tournament.name, checked)
    return log_row, log_digest, rows, fault


def _dump_postgres(file: Path, *options: str) -> None:
    _run_postgres_program("pg_dump", "--format=custom", f"--file={file}", *options)


_CONNECTION_PARAMETERS: Final = frozenset(
    {"host", "hostaddr", "port", "user", "dbname", "service", "sslmode", "sslrootcert", "sslcert", "sslkey"}
)


def _run_postgres_program(program: str, *arguments: str) -> None:
    """Run a program that connects to the configured database.

    Raises:
        BackupFailed: the program is missing, or it failed.
    """
    if missing := find_missing_postgres_programs():
        message = _("%(programs)s is missing. Install PostgreSQL’s client programs, then start this program again.")
        raise BackupFailed(message % {"programs": ", ".join(missing)})
    connection.ensure_connection()
    info = connection.connection.info
    # Only these, because the driver may know options that an older program does not.
    place = {name: value for name, value in info.get_parameters().items() if name in _CONNECTION_PARAMETERS}
    command = [program, *arguments, f"--dbname={make_conninfo(**place)}", "--no-password"]
    environment = {**os.environ, "PGPASSWORD": info.password}
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        message = _("%(program)s failed: %(reason)s")
        raise BackupFailed(message % {"program": program, "reason": done.stderr.strip()})


_DROP_ALL_TABLES: Final = """\
DO $$ DECLARE found record; BEGIN
    FOR found IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
        EXECUTE format('DROP TABLE %I CASCADE', found.tablename);
    END LOOP;
END $$;
"""
"""SQL that drops all tables, even those that a later release added.

`pg_restore --clean` only drops those in the backup.
"""


DISCONNECT_TIMEOUT_S: Final = 5.0
"""Seconds that PostgreSQL has to notice that the stopped processes have disconnected."""


def _count_other_connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        (count,) = cursor.fetchone()
    return int(count)


def _restore_postgres(unpacked: Path, aside: Path, begin_epoch: Sequence[str], outcome: RestoreOutcome | None) -> None:
    """Replace all tables in one transaction.

    If the power fails before the database gets its new identity, the restore has to be repeated.
    """
    until = time.monotonic() + DISCONNECT_TIMEOUT_S
    while _count_other_connections():
        if time.monotonic() > until:
            raise BackupFailed(_("The database is in use. Stop the program on all servers first, then restore."))
        time.sleep(0.2)
    aside.mkdir(mode=0o700, parents=True)
    _dump_postgres(aside / DUMP)
    if _secrets_file().exists():
        shutil.copy2(_secrets_file(), aside)
    (unpacked / "drop.sql").write_text(_DROP_ALL_TABLES, encoding="utf-8")
    script = ("--clean", "--if-exists", "--no-owner", "--no-privileges", f"--file={unpacked / 'restore.sql'}")
    if subprocess.run(["pg_restore", *script, unpacked / DUMP], check=False, capture_output=True).returncode:
        raise BackupFailed(_("The database in this backup is damaged. Choose another backup."))
    files = (f"--file={unpacked / 'drop.sql'}", f"--file={unpacked / 'restore.sql'}", "--single-transaction")
    _run_postgres_program("psql", "--quiet", "--no-psqlrc", f"--output={os.devnull}", "--set=ON_ERROR_STOP=1", *files)
    connections.close_all()
    if (unpacked / SECRETS).stat().st_size:
        part = _secrets_file().with_name(f"{_RESTORED}{SECRETS}")
        _write_to_disk(unpacked / SECRETS, part)
        replace_file(part, _secrets_file())
    _begin_epoch(begin_epoch, os.environ)
    if outcome is not None:
        _write_outcome(outcome, make_restore_outcome_path())
        make_restore_request_path().unlink(missing_ok=True)


# --- A restore that somebody requested by the page -------------------------------------------------------------------


def request_restore(backup: Backup, *, by: Actor, reason: str, time_zone: str) -> RestoreRequest:
    """Ask the supervisor to stop the program, restore this backup, and start the program again.

    Raises:
        NotAllowed: the actor is neither an administrator nor a director of all tournaments.
        DomainError: `reason-needed`.
        Conflict: `restore-requested`: somebody else has just requested a restore.
    """
    require_installation_permission(by)
    require_reason(reason, _("Enter why you restore this backup. The reason stays on record."))
    made_at = backup.made_at.isoformat()
    return _place_restore_request(
        RestoreRequest(token_urlsafe(16), backup.path.name, made_at, by.name, reason, time_zone)
    )


def request_file_takeover(
    *, backup: str, made_at: dt.datetime, by_name: str, reason: str, file: Path | None = None, passphrase: str = ""
) -> RestoreRequest:
    """Ask the supervisor to restore a backup or import an installation file into this empty installation.

    The backup must be in the backup folder. The caller must have checked that the installation is empty.

    Raises:
        Conflict: `restore-requested`.
    """
    path = str(file) if file is not None else ""
    made = made_at.isoformat()
    request = RestoreRequest(
        token_urlsafe(16), backup, made, by_name, reason, settings.TIME_ZONE, path, passphrase, is_takeover=True
    )
    return _place_restore_request(request)


def _place_restore_request(request: RestoreRequest) -> RestoreRequest:
    """Store the request in the file where the supervisor looks for it.

    Raises:
        Conflict: `restore-requested`: somebody else has just requested a restore.
    """
    path = make_restore_request_path()
    part = path.with_name(f"{_TEMPORARY_PREFIX}{request.pk}")
    write_durably(part, json.dumps(request.as_json()))
    try:
        os.link(part, path)  # unlike a replacement, this fails if there is another request
        sync_folder(path.parent)
    except FileExistsError:
        message = _("Somebody else is restoring a backup now. Wait a minute, then load this page again.")
        raise Conflict("restore-requested", message) from None
    finally:
        part.unlink()
    return request


def carry_out_restore_request(import_file: Callable[[RestoreRequest], None]) -> None:
    """Carry out the restore request while the program is stopped, and record its outcome.

    `import_file` imports the request's installation file, or does nothing if the file was already imported.

    A backup of the current state is made first. Each request is carried out once. After a power failure, another call
    completes the restore or starts it again.
    """
    finish_interrupted_restore()
    request, last = read_restore_request(), read_restore_outcome()
    if request is None or (last and last.request.pk == request.pk):
        make_restore_request_path().unlink(missing_ok=True)
        return
    outcome = RestoreOutcome(request, timezone.now())
    try:
        if not (request.file and is_backup_an_archive()):  # an empty installation has nothing for an archive
            with suppress(BrokenLog):  # the backup was made
                backup = make_backup(deletes_expired=False)
                if backup is None:
                    raise BackupFailed(_("Another process is making a backup. Wait a moment, then try again."))
            outcome = replace(outcome, kept=read_backup_state().finished)
        if request.file:
            import_file(request)
            outcome = replace(outcome, request=replace(request, passphrase=""))
            _write_outcome(outcome, make_restore_outcome_path())
            make_restore_request_path().unlink(missing_ok=True)
        else:
            restore_backup(Path(settings.BACKUP_DIR) / request.backup, outcome)
    except (BackupFailed, BackupUnreadable, DomainError, OSError) as error:
        record_restore_failure(str(error) if isinstance(error, BackupFailed) else describe_file_error(error))


def record_restore_failure(reason: str = "") -> None:
    """Record that the restore request could not be carried out. Do nothing if there is no request."""
    request = read_restore_request()
    reason = reason or _("The restore ended unexpectedly. Look at the program’s output for the reason.")
    if request is not None:
        request = replace(request, passphrase="")
        _write_outcome(RestoreOutcome(request, timezone.now(), failure=reason), make_restore_outcome_path())
    make_restore_request_path().unlink(missing_ok=True)
