"""Update a database that release 1.0.0 wrote, in the middle of an event, and go back to the previous version.

Each test runs the start of a later version, which has one migration more. The power fails, the disk is full, or the
program is killed at each step.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

import tournament
from config.environment import BASE_DIR
from config.unready import exit_on_known_startup_error
from laptop import programs, update
from laptop.programs import ProgramVersion, UsedVersions, read_used_versions, record_used_version
from laptop.update import create_tables, go_back, read_update_record
from tests.devtools.kept.files import SEAL_SECRET, lay_dump, releases
from tests.laptop import later
from tests.tournament.helpers.backups import write
from tests.tournament.helpers.disk import DiskWatch, PowerFailed, fail_power_after, fill, small_disk
from tests.verifying import verify_event
from tournament.backups import services
from tournament.backups.services import finish_interrupted_restore
from tournament.models import Event, Tournament, User

BEFORE, AFTER = ProgramVersion("1.0.0", "build a"), ProgramVersion("1.1.0", "build b")


@pytest.fixture(scope="module")
def old_database(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Path:
    """Return a database of a release with all migrations except the later version's."""
    database = tmp_path_factory.mktemp("kept") / "db.sqlite3"
    lay_dump(releases()[-1], database)
    with django_db_blocker.unblock(), update.use_database(database):
        call_command("migrate", verbosity=0)
    return database


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "var"


@pytest.fixture(autouse=True)
def installation(
    folder: Path, old_database: Path, settings: Any, monkeypatch: pytest.MonkeyPatch, django_db_blocker: Any
) -> Iterator[None]:
    """Make this process version 1.1.0, and give it a data folder that version 1.0.0 used last."""
    settings.VAR_DIR, settings.BACKUP_DIR = folder, folder / "backups"
    settings.SEAL_SECRET, settings.AUTOMATIC_BACKUPS = SEAL_SECRET, True
    settings.BACKUP_MOUNT_FOLDERS = []
    settings.MIGRATION_MODULES = later.MIGRATION_MODULES
    for module in (programs, update):
        monkeypatch.setattr(module, "VAR_DIR", folder)
    set_version(AFTER, monkeypatch)
    reset_folder(folder, old_database)
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "NAME", str(folder / "db.sqlite3"))
    with django_db_blocker.unblock():
        yield
        connection.close()


def set_version(version: ProgramVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament, "__version__", version.version)
    monkeypatch.setattr(programs, "read_build", lambda: version.build)


def reset_folder(folder: Path, old_database: Path) -> None:
    """Empty the data folder except for the database from before the update."""
    if folder.exists():
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    folder.mkdir(exist_ok=True)
    shutil.copyfile(old_database, folder / "db.sqlite3")
    record_used_version(BEFORE, None)


def start() -> None:
    """Do what a start of the program does with its database."""
    with exit_on_known_startup_error():
        finish_interrupted_restore()
        create_tables()
        connection.close()


def migrate_quickly(*, between: Callable[[], None] = lambda: None) -> None:
    """Do what the later version's migration does, without the seconds that Django needs to build its models."""
    connection.close()
    with closing(sqlite3.connect(str(connection.settings_dict["NAME"]), isolation_level=None)) as database:
        database.execute("ALTER TABLE tournament_tournament ADD COLUMN motto varchar(80) NOT NULL DEFAULT ''")
        between()
        row = ("tournament", later.LATER, "2027-01-01")
        database.execute("INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, ?)", row)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make updates so fast that a test can repeat them for each step."""
    monkeypatch.setattr(update, "_migrate", migrate_quickly)
    monkeypatch.setattr(update, "_check_migrated", lambda *_arguments: None)


def is_updated(database: Path) -> bool:
    with closing(sqlite3.connect(database)) as opened:
        assert opened.execute("PRAGMA quick_check").fetchone() == ("ok",)
        assert opened.execute("SELECT count(*) FROM tournament_event").fetchone() == (1,)
        columns = {row[1] for row in opened.execute("PRAGMA table_info(tournament_tournament)")}
        rows = opened.execute("SELECT 1 FROM django_migrations WHERE name = ?", [later.LATER]).fetchall()
    assert ("motto" in columns) == bool(rows)
    return bool(rows)


def find_leftovers(folder: Path) -> set[str]:
    """Return the names of files in the data folder that a complete update should not leave there.

    Small temporary files of `write_durably` may stay after a power failure.
    """
    expected = {"db.sqlite3", "before-update", "backups", "versions", "db.sqlite3-shm", "db.sqlite3-wal"}
    return {path.name for path in folder.iterdir() if path.suffix != ".part"} - expected


# --- An update -------------------------------------------------------------------------------------------------------


def test_an_event_of_a_release_verifies_after_the_update_and_is_played_on(folder: Path) -> None:
    (folder / "db.sqlite3").unlink()
    lay_dump(releases()[-1], folder / "db.sqlite3")
    start()
    assert is_updated(folder / "db.sqlite3")
    assert read_used_versions() == UsedVersions(AFTER, BEFORE)
    event = Event.objects.get()
    assert [check for check in verify_event(event) if not check.passed] == []
    from scoring.rehearsal.services.random_event import RandomEvent

    played = RandomEvent.continue_event(event, seed=1, after_act=lambda done: done.number >= 4)
    assert played.acts >= 4
    assert [check for check in verify_event(Event.objects.get()) if not check.passed] == []


def test_the_database_before_the_update_and_a_backup_are_kept(folder: Path, quick: None) -> None:
    start()
    record = read_update_record()
    assert record is not None and (record.came_from, record.went_to) == (BEFORE, AFTER)
    assert not is_updated(folder / "before-update" / "db.sqlite3")
    assert [path.name for path in (folder / "backups").glob("*.backup.zip")] == [record.backup]
    assert find_leftovers(folder) == set()


def test_the_next_start_updates_nothing(folder: Path, quick: None, capsys: pytest.CaptureFixture[str]) -> None:
    start()
    capsys.readouterr()
    start()
    assert capsys.readouterr().out == ""
    assert read_used_versions() == UsedVersions(AFTER, BEFORE)


def raise_an_error(_schema_editor: Any) -> None:
    raise ValueError("a row is odd")


def change(sql: str) -> Callable[[Any], None]:
    return lambda schema_editor: schema_editor.execute(sql)


WRONG = {
    "the migration fails": (raise_an_error, "the data could not be converted (a row is odd)"),
    "a fact is lost": (
        change("DELETE FROM scoring_signature WHERE id = (SELECT max(id) FROM scoring_signature)"),
        "the table scoring_signature had",
    ),
    "the log is cut off": (
        change("DELETE FROM tournament_auditentry WHERE id = (SELECT max(id) FROM tournament_auditentry)"),
        "of the log is missing",
    ),
    "a fact is changed": (change("UPDATE pairing_match SET round = round + 1"), "an event does not verify"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_update_that_goes_wrong_leaves_the_old_database_in_use(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    convert, reason = WRONG[name]
    monkeypatch.setattr(later, "convert", convert)
    with pytest.raises(SystemExit) as stopped:
        start()
    message = str(stopped.value)
    assert message.startswith("The data was not updated to version 1.1.0: ") and reason in message
    assert "To continue with version 1.0.0, type: " in message and "run --previous" in message
    [backup] = (folder / "backups").glob("*.backup.zip")
    assert str(backup) in message and str(folder / "update-failed.txt") in message
    assert not is_updated(folder / "db.sqlite3") and read_used_versions() == UsedVersions(BEFORE)
    assert find_leftovers(folder) == {"update-failed.txt"}


@pytest.mark.parametrize("had_fault", [True, False])
def test_a_problem_stops_the_update_unless_the_previous_version_also_reports_it(
    had_fault: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def verify(*_command: str, **_environment: str) -> None:
        if had_fault:
            raise subprocess.CalledProcessError(1, "verify_event", output='{"ok": false}')

    monkeypatch.setattr(update, "_migrate", migrate_quickly)
    monkeypatch.setattr(update, "has_startable_copy", lambda _version: True)
    monkeypatch.setattr(update, "run_management_command", verify)
    with closing(sqlite3.connect(folder / "db.sqlite3")) as database, database:
        database.execute("UPDATE pairing_match SET round = round + 1")
    if had_fault:
        start()
    else:
        with pytest.raises(SystemExit, match="an event does not verify"):
            start()
    assert is_updated(folder / "db.sqlite3") is had_fault


# --- Killed, without power, and with a full disk ---------------------------------------------------------------------

STEPS = {
    "before the backup": (update, "_back_up"),
    "before the copy": (update, "_copy_database"),
    "before the migration": (update, "_migrate"),
    "before the check": (update, "_check_migrated"),
    "before the old database is kept": (update, "_store_old_database"),
    "before the swap": (update, "replace_database"),
    "in the middle of the swap": (services, "_write_outcome"),
    "after the swap": (update, "record_this_version"),
}


def run_and_kill(patch: Callable[[pytest.MonkeyPatch], None], run: Callable[[], object] = start) -> None:
    """Start the program in a child process that kills itself in the function that `patch` replaces."""
    connection.close()
    child = os.fork()
    if child == 0:
        patch(pytest.MonkeyPatch())
        run()
        os._exit(0)
    _pid, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def kill_this_process(*_arguments: Any, **_options: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("step", STEPS)
def test_the_start_after_one_that_was_killed_completes(step: str, folder: Path, quick: None) -> None:
    module, name = STEPS[step]
    run_and_kill(lambda patched: patched.setattr(module, name, kill_this_process))
    assert is_updated(folder / "db.sqlite3") is (step == "after the swap")
    start()
    assert is_updated(folder / "db.sqlite3") and not is_updated(folder / "before-update" / "db.sqlite3")
    assert find_leftovers(folder) == set() and read_used_versions() == UsedVersions(AFTER, BEFORE)


def test_a_migration_that_was_killed_halfway_is_begun_again(folder: Path, quick: None) -> None:
    halfway = partial(migrate_quickly, between=kill_this_process)
    run_and_kill(lambda patched: patched.setattr(update, "_migrate", halfway))
    assert not is_updated(folder / "db.sqlite3")
    start()
    assert is_updated(folder / "db.sqlite3") and find_leftovers(folder) == set()


def test_a_power_failure_at_any_moment_leaves_a_whole_database(
    folder: Path, old_database: Path, quick: None, settings: Any
) -> None:
    settings.AUTOMATIC_BACKUPS = False  # the tests of backups do this for backups
    outcomes = []
    for operations in range(100):
        reset_folder(folder, old_database)
        with pytest.MonkeyPatch.context() as patched:
            has_failed = fail_power_after(operations, patched)
            with suppress(PowerFailed):
                start()
        connection.close()
        finish_interrupted_restore()
        outcomes.append(is_updated(folder / "db.sqlite3"))
        start()
        assert is_updated(folder / "db.sqlite3") and not is_updated(folder / "before-update" / "db.sqlite3")
        assert find_leftovers(folder) == set()
        if not has_failed():
            break
    assert outcomes == sorted(outcomes) and set(outcomes) == {False, True}


def test_an_update_that_is_over_survives_a_power_failure(
    folder: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = DiskWatch(monkeypatch)
    start()
    assert watch.operations > 5 and watch.lost == set()


@pytest.mark.parametrize("step", [step for step in STEPS if step != "before the backup"])
def test_the_start_after_one_with_a_full_disk_completes(
    step: str, folder: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raise_disk_full(*_arguments: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(*STEPS[step], raise_disk_full)
        with pytest.raises((SystemExit, OSError)) as stopped:
            start()
    if step != "after the swap":
        assert str(stopped.value).startswith("The disk is full, so the data was not updated to version 1.1.0.")
        assert not is_updated(folder / "db.sqlite3") and read_used_versions() == UsedVersions(BEFORE)
    start()
    assert is_updated(folder / "db.sqlite3") and find_leftovers(folder) == set()


@pytest.mark.parametrize(
    ("leave", "sentence"),
    [
        (0, "The disk is full: nothing can be written to"),
        (1, "The backup before this update failed: The disk is full."),
        (3, "The disk is full, so the data was not updated to version"),
    ],
)
def test_a_disk_that_is_really_full(leave: int, sentence: str, folder: Path, old_database: Path, quick: None) -> None:
    connection.close()
    with small_disk(folder, f"{12 * old_database.stat().st_size}"):
        reset_folder(folder, old_database)
        ballast = fill(folder, leave=leave * old_database.stat().st_size)
        with pytest.raises(SystemExit, match=sentence):
            start()
        connection.close()
        ballast.unlink()
        assert not is_updated(folder / "db.sqlite3")
        start()
        assert is_updated(folder / "db.sqlite3")
        connection.close()


# --- The first start -------------------------------------------------------------------------------------------------


@pytest.fixture
def empty(folder: Path, settings: Any) -> None:
    settings.MIGRATION_MODULES = {}
    (folder / "db.sqlite3").unlink()


def is_complete(database: Path) -> bool:
    with closing(sqlite3.connect(database)) as opened:
        rows = opened.execute("SELECT name FROM django_migrations WHERE app = 'tournament'").fetchall()
    return max(rows)[0] == max(file.stem for file in (BASE_DIR / "tournament" / "migrations").glob("0*.py"))


def test_the_start_after_a_first_one_without_power_completes(folder: Path, empty: None) -> None:
    for operations in range(20):
        for file in folder.glob("db.sqlite3*"):
            file.unlink()
        with pytest.MonkeyPatch.context() as patched:
            has_failed = fail_power_after(operations, patched)
            with suppress(PowerFailed):
                start()
        start()
        assert is_complete(folder / "db.sqlite3") and find_leftovers(folder) == set()
        if not has_failed():
            break
    assert operations > 1


def test_the_database_of_a_first_start_survives_a_power_failure(
    folder: Path, empty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = DiskWatch(monkeypatch)
    start()
    assert watch.lost == set()


def test_the_start_after_a_first_one_with_a_full_disk_completes(folder: Path, empty: None) -> None:
    with small_disk(folder, "8m"):
        ballast = fill(folder, leave=200_000)
        with pytest.raises(SystemExit, match="The disk is full: nothing can be written to"):
            start()
        ballast.unlink()
        start()
        assert is_complete(folder / "db.sqlite3") and find_leftovers(folder) == set()
        connection.close()


# --- Back to the previous version -------------------------------------------------------------------------------------


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Pretend that there is a copy of version 1.0.0, and return the management commands that it runs."""
    commands: list[tuple[str, ...]] = []
    monkeypatch.setattr(update, "has_startable_copy", lambda _version: True)
    monkeypatch.setattr(update, "run_management_command", lambda _version, *words, **_more: commands.append(words))
    return commands


def test_going_back_without_newer_entries_loses_nothing(folder: Path, quick: None, commands: list[Any]) -> None:
    start()
    User.objects.create(email="new@example.org")
    assert go_back(yes=False) == BEFORE
    assert not is_updated(folder / "db.sqlite3") and commands == []
    [replaced] = (folder / "replaced").iterdir()
    assert is_updated(replaced / "db.sqlite3")
    assert read_used_versions() == UsedVersions(BEFORE)


def test_going_back_lists_the_newer_entries_and_changes_nothing(folder: Path, quick: None, commands: list[Any]) -> None:
    start()
    hall = Tournament.objects.get()
    write(hall, "tournament.changed")
    write(hall, "tournament.changed")
    with pytest.raises(SystemExit) as stopped:
        go_back(yes=False)
    message = str(stopped.value)
    assert message.startswith("2 entries were added to the logs since the update")
    assert f"{hall.name}: " in message and ", system" in message and "run --previous --yes" in message
    assert is_updated(folder / "db.sqlite3") and read_used_versions() == UsedVersions(AFTER, BEFORE)


def test_going_back_with_newer_entries_makes_a_backup(folder: Path, quick: None, commands: list[Any]) -> None:
    start()
    entry = write(Tournament.objects.get())
    assert go_back(yes=True) == BEFORE
    assert not is_updated(folder / "db.sqlite3")
    assert list((folder / "backups").glob(f"*-log-{entry.pk}.backup.zip"))
    assert [words[0] for words in commands] == ["begin_epoch"]


@pytest.mark.parametrize("step", ["replace_database", "record_used_version"])
def test_going_back_again_completes_what_was_killed(step: str, folder: Path, quick: None, commands: list[Any]) -> None:
    start()
    run_and_kill(lambda patched: patched.setattr(update, step, kill_this_process), partial(go_back, yes=False))
    assert go_back(yes=False) == BEFORE
    assert not is_updated(folder / "db.sqlite3") and read_used_versions() == UsedVersions(BEFORE)


def test_going_back_with_a_full_disk_changes_nothing(
    folder: Path, old_database: Path, quick: None, commands: list[Any]
) -> None:
    connection.close()
    with small_disk(folder, f"{12 * old_database.stat().st_size}"):
        reset_folder(folder, old_database)
        start()
        ballast = fill(folder, leave=old_database.stat().st_size)
        with pytest.raises(SystemExit, match="The disk is full: nothing"), exit_on_known_startup_error():
            go_back(yes=False)
        assert is_updated(folder / "db.sqlite3")
        ballast.unlink()
        assert go_back(yes=False) == BEFORE
        connection.close()


def test_after_a_failed_update_the_previous_version_continues(
    folder: Path, monkeypatch: pytest.MonkeyPatch, commands: list[Any]
) -> None:
    monkeypatch.setattr(later, "convert", raise_an_error)
    with pytest.raises(SystemExit):
        start()
    before = (folder / "db.sqlite3").read_bytes()
    assert go_back(yes=False) == BEFORE
    assert (folder / "db.sqlite3").read_bytes() == before and commands == []


def test_the_next_start_of_the_new_version_updates_again(folder: Path, quick: None, commands: list[Any]) -> None:
    start()
    assert go_back(yes=False) == BEFORE
    start()
    assert is_updated(folder / "db.sqlite3") and read_used_versions() == UsedVersions(AFTER, BEFORE)


def test_without_a_copy_it_says_what_to_install(folder: Path, quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    start()
    monkeypatch.setattr(update, "IS_CHECKOUT", False)
    with pytest.raises(SystemExit, match=r"pip install gin-rummy-tournaments==1\.0\.0"):
        go_back(yes=False)
    assert is_updated(folder / "db.sqlite3")


def test_a_copy_is_run_with_its_own_python(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python, called = BEFORE.folder / "bin" / "python", folder / "called"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\necho "$@" >"{called}"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3.99")
    assert programs.has_startable_copy(BEFORE)
    programs.run_management_command(BEFORE, "begin_epoch", "--came-from=x")
    assert called.read_text().endswith("main() begin_epoch --came-from=x\n")


def test_a_copy_of_files_that_are_links_does_not_need_what_they_lead_to(tmp_path: Path) -> None:
    cached, installed, copy = tmp_path / "cached.py", tmp_path / "installed.py", tmp_path / "copy.py"
    cached.write_text("VALUE = 1")
    installed.symlink_to(cached)
    programs._link_or_copy(installed, copy)
    cached.unlink()
    assert copy.read_text() == "VALUE = 1"


class TestEarlierProgram:
    """The previous version was installed again after the update."""

    @pytest.fixture(autouse=True)
    def earlier_program(self, quick: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        start()
        settings.MIGRATION_MODULES = {}
        set_version(BEFORE, monkeypatch)

    def test_it_does_not_start_with_the_newer_database(self, folder: Path) -> None:
        with pytest.raises(SystemExit) as stopped:
            start()
        message = str(stopped.value)
        assert "was written by version 1.1.0 of the program, and this is version 1.0.0" in message
        assert "Install version 1.1.0 again." in message and "run --previous" in message
        assert is_updated(folder / "db.sqlite3") and read_used_versions() == UsedVersions(AFTER, BEFORE)

    def test_it_goes_back_to_the_data_from_before_the_update(self, folder: Path) -> None:
        assert go_back(yes=False) is None
        start()
        assert not is_updated(folder / "db.sqlite3") and read_used_versions() == UsedVersions(BEFORE)

    def test_it_does_not_restore_a_backup_of_the_newer_database(self) -> None:
        with pytest.raises(CommandError, match="newer version of the program"):
            call_command("begin_epoch")


def test_the_version_is_that_of_the_newest_section_of_the_changelog(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    sections = [line for line in (BASE_DIR / "CHANGELOG.md").read_text().splitlines() if line.startswith("## ")]
    assert sections[0] == f"## {tournament.__version__}"
