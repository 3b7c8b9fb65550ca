"""Update the database of an earlier version at the start, and go back to the previous version (`run --previous`).

An SQLite database is never migrated in place. A copy of it is migrated and checked, and then replaces it:

    db.sqlite3 ──► a backup
               ──► .update/before/db.sqlite3 ──► before-update/ (with update.json)
               ──► .update/db.sqlite3 (migrated, checked) ──► db.sqlite3

If the program is killed or the power fails, the next start finds the old database and begins again, or finds the new
database.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection, models
from django.db.migrations.executor import MigrationExecutor

from config.environment import GO_BACK_COMMAND, IS_CHECKOUT, VAR_DIR
from laptop.prepare import copy_prepared_database
from laptop.programs import (
    PACKAGE_NAME,
    ProgramVersion,
    get_this_version,
    has_startable_copy,
    read_used_versions,
    record_this_version,
    record_used_version,
    run_management_command,
)
from tournament.backups.selectors import (
    find_database_fault,
    list_newer_migrations,
    load_lost_log_entries,
    open_read_only,
)
from tournament.backups.services import (
    BackupFailed,
    BrokenLog,
    find_log_fault,
    finish_interrupted_restore,
    load_last_change_number,
    make_backup,
    read_row_counts,
    replace_database,
)
from tournament.core.selectors.disk import is_disk_full, require_disk_space
from tournament.core.selectors.installation import load_installation, load_installation_history
from tournament.core.selectors.log import check_log_chain
from tournament.core.services.durable_files import sync_folder, write_durably
from tournament.core.words import describe_log_verb
from tournament.models import AuditEntry, Event
from tournament.models.base import Fact

MAX_CHECKED_EVENTS: Final = 20
"""The number of events that an update verifies. Events in play come first, and then the newest."""
MAX_LISTED_ENTRIES: Final = 5


class UpdateFailed(Exception):
    """The copy of the database could not be migrated, or failed a check.

    The message says why. `details` may contain more information for a developer.
    """

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


@dataclass(frozen=True, slots=True)
class UpdateRecord:
    """A description of the database in `before-update`.

    `log_row` and `log_digest` are those of the newest log row after the update, because a migration may add log rows.
    `epochs` is as in the manifest of a backup. `change` is the number of the last change that was recorded for a second
    laptop. `backup` is the name of the backup from before the update, or "".
    """

    came_from: ProgramVersion | None
    went_to: ProgramVersion
    made_at: str
    log_row: int
    log_digest: str
    epochs: Sequence[Mapping[str, Any]]
    change: int
    backup: str


# --- The start -------------------------------------------------------------------------------------------------------


def create_tables() -> None:
    """Create the database, or update the database of an earlier version. Exit if it is from a newer version."""
    file = Path(str(connection.settings_dict["NAME"]))
    if connection.vendor == "sqlite" and "DATABASE_URL" not in os.environ and not file.exists():
        try:
            copy_prepared_database(file)
        except (OSError, sqlite3.OperationalError, subprocess.CalledProcessError) as error:  # a read-only program
            if is_disk_full(error):
                raise
    _remove_work_folder()
    executor = MigrationExecutor(connection)
    if list_newer_migrations():
        sys.exit(_explain_newer_database())
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        if "tournament_tournament" not in connection.introspection.table_names():  # a new database
            call_command("migrate", interactive=False, verbosity=0)
        elif connection.vendor == "sqlite":
            _update_sqlite()
        else:
            _back_up()
            call_command("migrate", interactive=False, verbosity=0)
    record_this_version()


def _explain_newer_database() -> str:
    used, this = read_used_versions(), get_this_version()
    newer = used.current.version if used and used.current != this else ""
    sentences = [
        f"The data in {VAR_DIR} was written by {f'version {newer}' if newer else 'a newer version'} of the program, "
        f"and this is version {this.version}. Nothing was changed.",
        f"Install {f'version {newer}' if newer else 'the newer version'} again.",
    ]
    if read_update_record() is not None:
        sentences.append(f"Or go back to the data from before the update:  {GO_BACK_COMMAND}")
    return "\n".join(sentences)


def _back_up() -> str:
    """Back up the database of an earlier version, and return the backup's name. Exit if that fails."""
    try:
        if settings.AUTOMATIC_BACKUPS:
            backup = make_backup()
            return backup.path.name if backup else ""
    except BrokenLog as error:  # the backup was made, and the page Log shows the broken row
        return error.backup.path.name
    except BackupFailed as error:
        sys.exit(f"The backup before this update failed: {error}\nNothing was changed. Correct this, then start again.")
    return ""


# --- The update of an SQLite database --------------------------------------------------------------------------------


def _update_sqlite() -> None:
    """Migrate a copy of the database, check it, and replace the database with it. Exit if a step fails."""
    used, this = read_used_versions(), get_this_version()
    came_from = used.current if used else None
    was = f"version {came_from.version}" if came_from else "an earlier version"
    print(f"  The data of {was} is being updated to version {this.version}.", flush=True)
    backup = _back_up()
    work = _get_work_folder()
    try:
        before, migrated = work / "before" / "db.sqlite3", work / "db.sqlite3"
        before.parent.mkdir(mode=0o700, parents=True)
        _copy_database(before)
        shutil.copyfile(before, migrated)
        history, change = [epoch.as_json() for epoch in load_installation_history()], load_last_change_number()
        with use_database(migrated):
            _migrate()
            _check_migrated(before, migrated, came_from)
        made_at, (log_row, log_digest, _rows) = datetime.now(UTC), read_row_counts(migrated)
        record = UpdateRecord(came_from, this, made_at.isoformat(), log_row, log_digest, history, change, backup)
        _store_old_database(before.parent, record)
        replace_database(migrated)
    except (UpdateFailed, OSError, sqlite3.Error, DatabaseError) as error:
        if is_disk_full(error):
            sys.exit(
                f"The disk is full, so the data was not updated to version {this.version}. {_UNCHANGED} "
                "Make room, then start again."
            )
        sys.exit(_explain_failed_update(error, came_from, backup))
    finally:
        _remove_work_folder()


_UNCHANGED: Final = "Nothing in your data was changed."


def get_before_update_folder() -> Path:
    """Return the folder with the database from before the last update, and its record."""
    return Path(settings.VAR_DIR) / "before-update"


def _get_work_folder() -> Path:
    return Path(settings.VAR_DIR) / ".update"


def _remove_work_folder() -> None:
    """Remove the folder of an update that is over, or was killed."""
    shutil.rmtree(_get_work_folder(), ignore_errors=True)


def _copy_database(copy: Path) -> None:
    """Copy the database, including its write-ahead log, into one file."""
    database = Path(str(connection.settings_dict["NAME"]))
    require_disk_space(copy.parent, 4 * database.stat().st_size)  # two copies, the migration, and the replacement
    with closing(open_read_only(database)) as old, closing(sqlite3.connect(copy)) as new:
        old.backup(new)
        new.execute("PRAGMA journal_mode=DELETE")


@contextmanager
def use_database(file: Path) -> Iterator[None]:
    """Use another database file in this block."""
    name = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = file
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = name


def _migrate() -> None:
    try:
        call_command("migrate", interactive=False, verbosity=0)
        connection.close()
        with closing(sqlite3.connect(str(connection.settings_dict["NAME"]))) as migrated:
            migrated.execute("PRAGMA journal_mode=DELETE")
    except Exception as error:  # a migration may raise anything
        if is_disk_full(error):
            raise
        reason = str(error).strip() or type(error).__name__
        raise UpdateFailed(f"the data could not be converted ({reason})", traceback.format_exc()) from error


def _check_migrated(before: Path, migrated: Path, came_from: ProgramVersion | None) -> None:
    """Compare the migrated database with the database from before the update. The connection uses the migrated one.

    Raises:
        UpdateFailed: the migrated database is damaged, has other facts, or has an event that does not verify.
    """
    if fault := find_database_fault(migrated):
        raise UpdateFailed(f"the converted database is damaged ({fault})")
    if (fault := _find_dangling_key(migrated)) and fault != _find_dangling_key(before):
        raise UpdateFailed(fault)
    (log_row, log_digest, old), (_row, _digest, new) = read_row_counts(before), read_row_counts(migrated)
    for table in [model._meta.db_table for model in apps.get_models() if issubclass(model, Fact)]:
        if table in old and old[table] != new.get(table):
            raise UpdateFailed(f"the table {table} had {old[table]} rows, and has {new.get(table, 0)} rows now")
    if log_row and not AuditEntry.objects.filter(pk=log_row, digest=log_digest).exists():
        raise UpdateFailed(f"row {log_row} of the log is missing")
    if (fault := find_log_fault(migrated)) and fault != find_log_fault(before):
        raise UpdateFailed(fault)
    if fault := _find_event_fault(before, came_from):
        raise UpdateFailed("an event does not verify", fault)


def _find_dangling_key(database: Path) -> str:
    with closing(open_read_only(database)) as opened:
        row = opened.execute("PRAGMA foreign_key_check").fetchone()
    return f"a row of {row[0]} refers to a row of {row[2]} that does not exist" if row else ""


def _find_event_fault(before: Path, came_from: ProgramVersion | None) -> str:
    """Verify a limited number of events, and return the first problem that the update has caused, or ""."""
    from scoring.verification.selectors.event import verify_event

    in_play_first = models.Case(models.When(state=Event.State.IN_PLAY, then=0), default=1)
    for event in Event.objects.select_related("tournament").order_by(in_play_first, "-pk")[:MAX_CHECKED_EVENTS]:
        if not check_log_chain(event.tournament).is_intact:  # it was broken before, and every check would fail
            continue
        for check in verify_event(event):
            if not check.passed and not _had_fault_before_update(event, before, came_from):
                return f"{event.tournament.slug}, {event.slug}: {check.subject}: {check.finding}"
    return ""


def _had_fault_before_update(event: Event, before: Path, came_from: ProgramVersion | None) -> bool:
    """Return whether the previous version also reports a problem. If there is no copy of that version, return False."""
    if came_from is None or not has_startable_copy(came_from):
        return False
    arguments, url = (event.tournament.slug, event.slug, "--json"), f"sqlite:///{quote(str(before))}"
    try:
        run_management_command(came_from, "verify_event", *arguments, DATABASE_URL=url)
    except subprocess.CalledProcessError as error:
        return error.returncode == 1 and bool(error.stdout)
    return False


def _store_old_database(folder: Path, record: UpdateRecord) -> None:
    """Add the record to the folder with the database from before the update, and give the folder its final name."""
    with open(folder / "db.sqlite3", "r+b") as written:
        os.fsync(written.fileno())
    write_durably(folder / "update.json", json.dumps(asdict(record), indent=1))
    shutil.rmtree(get_before_update_folder(), ignore_errors=True)
    os.replace(folder, get_before_update_folder())
    sync_folder(get_before_update_folder().parent)


def _explain_failed_update(error: Exception, came_from: ProgramVersion | None, backup: str) -> str:
    """Write a report about the failed update, and return a message that says what to do."""
    this, report = get_this_version(), Path(settings.VAR_DIR) / "update-failed.txt"
    details = error.details if isinstance(error, UpdateFailed) else traceback.format_exc()
    lines = [datetime.now(UTC).isoformat(timespec="seconds"), f"from {came_from}", f"to {this}", str(error), details]
    with suppress(OSError):
        write_durably(report, "\n".join(lines))
    sentences = [f"The data was not updated to version {this.version}: {error}. {_UNCHANGED}"]
    if came_from is not None:
        sentences.append(f"To continue with version {came_from.version}, type:  {GO_BACK_COMMAND}")
    else:
        sentences.append("Install the version that you used before, and continue with it.")
    if backup:
        sentences.append(f"The backup from before the update is {Path(settings.BACKUP_DIR) / backup}")
    sentences.append(f"Please report this problem, and send the file {report}")
    return "\n".join(sentences)


# --- Going back ------------------------------------------------------------------------------------------------------


def read_update_record() -> UpdateRecord | None:
    """Return the record of the last update, or None if there is no database from before it."""
    folder = get_before_update_folder()
    with suppress(OSError, ValueError, TypeError, KeyError):
        record = json.loads((folder / "update.json").read_text(encoding="utf-8"))
        if (folder / "db.sqlite3").exists():
            came_from = record.pop("came_from")
            went_to = ProgramVersion(**record.pop("went_to"))
            return UpdateRecord(came_from and ProgramVersion(**came_from), went_to, **record)
    return None


def go_back(*, yes: bool) -> ProgramVersion | None:
    """Restore the database from before the last update, and return the version of the program that it needs.

    Return None if the database needs this version, because somebody has installed the previous version again. Exit if
    going back is impossible, or if it would lose something and `yes` is false.
    """
    finish_interrupted_restore()
    used, this, record = read_used_versions(), get_this_version(), read_update_record()
    is_newer = bool(list_newer_migrations())
    executor = MigrationExecutor(connection)
    is_older = not is_newer and bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if used is None or connection.vendor != "sqlite":
        sys.exit("There is no previous version of the program to go back to.")
    if is_newer:
        if record is None or _is_newer_than_program(get_before_update_folder() / "db.sqlite3"):
            sys.exit(_explain_newer_database())
        target = this
    else:
        previous = used.previous if used.current == this else used.current
        if previous is None:
            sys.exit("There is no previous version of the program to go back to.")
        if not has_startable_copy(previous):
            sys.exit(_explain_missing_version(previous))
        target = previous
    if record is not None and record.went_to == used.current and not is_older:
        _restore_old_database(record, target, yes=yes)
    record_used_version(target, None)
    connection.close()
    return target if target != this else None


def _is_newer_than_program(database: Path) -> bool:
    with use_database(database):
        return bool(list_newer_migrations())


def _explain_missing_version(version: ProgramVersion) -> str:
    if IS_CHECKOUT:
        return f"Check out version {version.version} of the program. Then type:  {GO_BACK_COMMAND}"
    return (
        f"This computer has no copy of version {version.version} of the program that can be started. Install it, "
        f"for example with:  pip install {PACKAGE_NAME}=={version.version}\nThen type:  {GO_BACK_COMMAND}"
    )


def _restore_old_database(record: UpdateRecord, target: ProgramVersion, *, yes: bool) -> None:
    """Replace the database with the one from before the update. Move the replaced database to `replaced`.

    Exit if that would lose something and `yes` is false.
    """
    lost = load_lost_log_entries(asdict(record))
    if count := lost.count():
        if not yes:
            sys.exit(_describe_loss(record, lost, count))
        try:
            with suppress(BrokenLog):  # the backup was made
                if make_backup(deletes_expired=False) is None:
                    sys.exit("Another process is making a backup. Wait a moment, then try again. Nothing was changed.")
        except BackupFailed as error:
            sys.exit(f"The backup of the current data failed: {error}\nNothing was changed.")
    database = Path(str(connection.settings_dict["NAME"]))
    require_disk_space(Path(settings.VAR_DIR), 4 * database.stat().st_size)  # before any file is written
    last_change, installation = load_last_change_number(), load_installation()
    _remove_work_folder()
    work = _get_work_folder()
    aside = Path(settings.VAR_DIR) / "replaced" / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    work.mkdir(mode=0o700)
    aside.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        shutil.copyfile(get_before_update_folder() / "db.sqlite3", work / "db.sqlite3")
        if count or last_change != record.change or read_row_counts(work / "db.sqlite3")[0] != record.log_row:
            # Log rows with the same numbers will have other contents, so the database must get another identity.
            arguments = (f"--above={installation.epoch if installation else 0}", f"--changes-above={last_change}")
            came_from = f"--came-from={record.backup or 'before-update'}"
            url = f"sqlite:///{quote(str(work / 'db.sqlite3'))}"
            run_management_command(target, "begin_epoch", came_from, *arguments, DATABASE_URL=url)
            with closing(sqlite3.connect(work / "db.sqlite3")) as begun:
                begun.execute("PRAGMA journal_mode=DELETE")
        with closing(open_read_only(database)) as old, closing(sqlite3.connect(aside / "db.sqlite3")) as new:
            old.backup(new)
        replace_database(work / "db.sqlite3")
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip().rpartition("\n")[2]
        sys.exit(f"The database from before the update could not be prepared: {reason}\nNothing was changed.")
    finally:
        _remove_work_folder()
    print(f"  The data from before the update is back. The newer data was moved to {aside}", flush=True)


def _describe_loss(record: UpdateRecord, lost: models.QuerySet[AuditEntry], count: int) -> str:
    """Return a message about what was recorded since the update. Accounts and sign-ins are in no log."""
    newest = [
        f"  {entry.at.astimezone():%Y-%m-%d %H:%M}  {entry.tournament.name}: {describe_log_verb(entry.verb)}, "
        f"{entry.by_name}"
        for entry in lost.select_related("tournament")[:MAX_LISTED_ENTRIES]
    ]
    names = lost.order_by("tournament__name").values_list("tournament__name", flat=True).distinct()
    since = datetime.fromisoformat(record.made_at).astimezone()
    return "\n".join(
        [
            f"{count} {'entry was' if count == 1 else 'entries were'} added to the logs since the update "
            f"({since:%Y-%m-%d %H:%M}). Going back would lose {'it' if count == 1 else 'them'}. The newest:",
            *newest,
            f"Tournaments with such entries: {', '.join(names)}. Nothing was changed.",
            "Changes of accounts and sign-ins since the update would be lost, too. They are not counted.",
            f"To go back anyway:  {GO_BACK_COMMAND} --yes",
            f"A backup of the current data is made first. Version {record.went_to.version} can restore it.",
        ]
    )
