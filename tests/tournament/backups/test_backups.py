from __future__ import annotations

import datetime as dt
import json
import random
import sqlite3
import threading
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.utils import timezone
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from tests.chance import examples
from tests.factories import a_tournament
from tests.tournament.helpers.backups import write
from tournament import __version__
from tournament.backups.selectors import (
    BACKUP_FOLDER_NAME,
    DATABASE,
    MARKER_FILE_NAME,
    Backup,
    BackupProblem,
    BackupUnreadable,
    find_database_fault,
    is_backup_due,
    list_backup_problems,
    list_backups,
    make_backup_name,
    open_backup,
    read_backup_state,
    select_expired_backups,
)
from tournament.backups.services import (
    BackupFailed,
    BrokenLog,
    _copy_to_additional_folders,
    make_backup,
    register_backup_copy_folder,
)
from tournament.core.services.installation import begin_installation_epoch
from tournament.models import AuditEntry, Installation

NOW = dt.datetime(2026, 11, 30, 18, 0, tzinfo=dt.UTC)
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.BACKUP_DIR = tmp_path / "backups"
    settings.BACKUP_MOUNT_FOLDERS = [str(tmp_path / "media" / "*")]
    return tmp_path / "backups"


# --- When one is due -------------------------------------------------------------------------------------------------


def test_nothing_is_due_before_anything_is_written() -> None:
    assert not is_backup_due(NOW)


def test_the_first_write_makes_one_due() -> None:
    write(a_tournament())
    assert is_backup_due(timezone.now())


@pytest.mark.parametrize(
    ("verb", "minutes", "due"),
    [
        ("card.line", 14, False),
        ("card.line", 16, True),
        ("draw.posted", 1, True),
        ("day.closed", 1, True),
        ("", 60, False),
    ],
)
def test_a_backup_is_due_after_a_while_or_at_a_milestone(verb: str, minutes: int, due: bool) -> None:
    tournament = a_tournament()
    write(tournament)
    backup = make_backup()
    assert backup is not None
    if verb:
        write(tournament, verb)
    assert is_backup_due(backup.made_at + dt.timedelta(minutes=minutes)) is due


def test_a_due_backup_is_made_once() -> None:
    write(a_tournament())
    assert make_backup(only_if_due=True) is not None
    assert make_backup(only_if_due=True) is None


def test_a_clock_that_was_set_back_does_not_stop_backups() -> None:
    tournament = a_tournament()
    write(tournament)
    backup = make_backup()
    write(tournament)
    assert backup is not None and is_backup_due(backup.made_at - dt.timedelta(hours=3))


def test_after_the_clock_was_set_back_backups_are_not_due_all_the_time() -> None:
    tournament = a_tournament()
    write(tournament)
    make_backup()
    with time_machine.travel(timezone.now() - dt.timedelta(hours=3), tick=False):
        write(tournament)
        assert make_backup(only_if_due=True) is not None
        write(tournament)
        assert make_backup(only_if_due=True) is None


def test_a_copy_of_a_changed_log_is_the_one_that_was_made_even_if_the_clock_was_set_back(changed_log: None) -> None:
    with pytest.raises(BrokenLog):
        make_backup()
    with time_machine.travel(timezone.now() - dt.timedelta(hours=3), tick=False), pytest.raises(BrokenLog) as broken:
        make_backup()
    assert broken.value.backup.made_at < timezone.now() - dt.timedelta(hours=2)


# --- What it contains ------------------------------------------------------------------------------------------------


def test_a_backup_has_the_rows_and_the_secrets(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    (tmp_path / "secrets.env").write_text("SECRET_KEY=s")
    entry = write(a_tournament(name="Palm Springs Open"))
    backup = make_backup()
    assert backup is not None and backup.log_row == entry.pk
    with open_backup(backup.path) as (manifest, unpacked), closing(sqlite3.connect(unpacked / DATABASE)) as copy:
        assert copy.execute("SELECT name FROM tournament_tournament").fetchall() == [("Palm Springs Open",)]
        assert manifest["rows"]["tournament_auditentry"] == AuditEntry.objects.count()
        assert manifest["program"] == __version__
        assert (unpacked / "secrets.env").read_text() == "SECRET_KEY=s"


def test_nothing_unfinished_is_left_behind(folder: Path) -> None:
    write(a_tournament())
    folder.mkdir()
    (folder / ".part-killed").mkdir()
    backup = make_backup()
    assert backup is not None
    assert {path.name for path in folder.iterdir()} == {backup.path.name, "lock", "state.json"}


def test_while_one_is_made_another_does_nothing(folder: Path) -> None:
    write(a_tournament())
    folder.mkdir()
    with FileLock(folder / "lock"):
        assert make_backup() is None
    assert make_backup() is not None


@pytest.fixture
def changed_log() -> None:
    write(a_tournament())
    AuditEntry.objects.update(about="something else")


@pytest.mark.usefixtures("changed_log")
def test_a_log_that_was_changed_fails_the_check_and_pages_say_so() -> None:
    with pytest.raises(BrokenLog, match="was changed outside this program, from row 1"):
        make_backup()
    assert "was changed outside this program, from row 1" in read_backup_state().failure
    assert BackupProblem.FAILED in list_backup_problems(timezone.now())


@pytest.mark.usefixtures("changed_log")
def test_a_database_with_a_changed_log_is_backed_up_all_the_same(folder: Path) -> None:
    with pytest.raises(BrokenLog):
        make_backup()
    assert len(list_backups(folder)) == 1


def test_a_damaged_database_replaces_no_backup(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "damaged"
    with closing(sqlite3.connect(database)) as new:
        new.execute("CREATE TABLE kept (content)")
        new.executemany("INSERT INTO kept VALUES (?)", [("x" * 1000,)] * 20)
        new.commit()
    content = database.read_bytes()
    database.write_bytes(content[:8192] + b"\xff" * 4096 + content[12288:])
    monkeypatch.setattr("tournament.backups.services._database_file", lambda: database)
    with pytest.raises(BackupFailed, match="The database is damaged"):
        make_backup()
    assert list_backups(folder) == [] and BackupProblem.FAILED in list_backup_problems(timezone.now())


def test_after_a_failure_the_worker_waits_a_minute(settings: Any, tmp_path: Path) -> None:
    write(a_tournament())
    settings.BACKUP_DIR = tmp_path
    (tmp_path / "lock").mkdir()
    with pytest.raises(BackupFailed):
        make_backup()
    due = [is_backup_due(timezone.now() + dt.timedelta(seconds=seconds)) for seconds in (20, 61)]
    assert due == [False, True]


def test_the_next_backup_that_succeeds_ends_the_warning(folder: Path) -> None:
    write(a_tournament())
    (folder / "lock").mkdir(parents=True)
    with pytest.raises(BackupFailed):
        make_backup()
    assert BackupProblem.FAILED in list_backup_problems(timezone.now())
    (folder / "lock").rmdir()
    make_backup()
    assert BackupProblem.FAILED not in list_backup_problems(timezone.now())


def test_what_is_in_no_backup_for_half_an_hour_is_a_problem() -> None:
    write(a_tournament())
    assert BackupProblem.OLD not in list_backup_problems(timezone.now() + dt.timedelta(minutes=29))
    assert BackupProblem.OLD in list_backup_problems(timezone.now() + dt.timedelta(minutes=31))


def test_a_backup_that_is_made_while_others_write_is_one_moment_of_the_log() -> None:
    tournament = a_tournament()
    write(tournament)
    stopped = threading.Event()

    def write_on() -> None:
        try:
            while not stopped.is_set():
                write(tournament)
        finally:
            connection.close()

    writers = [threading.Thread(target=write_on) for _ in range(2)]
    for writer in writers:
        writer.start()
    try:
        made = [backup for _ in range(3) if (backup := make_backup()) is not None]
    finally:
        stopped.set()
        for writer in writers:
            writer.join()
    whole = list(AuditEntry.objects.order_by("pk").values_list("pk", "digest"))
    assert len(made) == 3
    for backup in made:
        with open_backup(backup.path) as (_manifest, unpacked), closing(sqlite3.connect(unpacked / DATABASE)) as copy:
            found = copy.execute("SELECT id, digest FROM tournament_auditentry ORDER BY id").fetchall()
        assert found == whole[: len(found)] and found[-1][0] == backup.log_row


def test_the_path_of_the_database_may_contain_any_character(tmp_path: Path) -> None:
    database = tmp_path / "100% of #1?" / "db.sqlite3"
    database.parent.mkdir()
    with closing(sqlite3.connect(database)) as new:
        new.execute("CREATE TABLE kept (id)")
    assert find_database_fault(database) == ""


# --- Rotation --------------------------------------------------------------------------------------------------------


def backups_of(ages: list[int]) -> list[Backup]:
    """Return one backup for each age, given in minutes before `NOW`."""
    return [Backup(Path(f"{age}"), NOW - dt.timedelta(minutes=age), 1) for age in sorted(set(ages))]


AGES = st.lists(st.integers(0, 60 * 24 * 60), max_size=60)


@given(AGES)
def test_rotation_keeps_the_recent_ones_and_the_last_of_each_hour_and_day(ages: list[int]) -> None:
    backups = backups_of(ages)
    kept = [backup for backup in backups if backup not in select_expired_backups(backups, NOW)]
    assert kept[:1] == backups[:1]
    for backup in backups:
        age, day = NOW - backup.made_at, backup.made_at.date()
        if age <= dt.timedelta(hours=2):
            assert backup in kept
        if age <= dt.timedelta(hours=24):
            assert any(each.made_at.hour == backup.made_at.hour and each.made_at.date() == day for each in kept)
        if age <= dt.timedelta(days=30):
            assert any(each.made_at.date() == day for each in kept)
        if age > dt.timedelta(days=30):
            assert backup not in kept[1:]


@given(AGES)
def test_rotating_twice_deletes_nothing_more(ages: list[int]) -> None:
    backups = backups_of(ages)
    kept = [backup for backup in backups if backup not in select_expired_backups(backups, NOW)]
    assert select_expired_backups(kept, NOW) == []


def test_a_backup_every_five_minutes_for_two_months_leaves_few() -> None:
    backups = backups_of(list(range(0, 60 * 24 * 60, 5)))
    assert len(backups) - len(select_expired_backups(backups, NOW)) <= 25 + 24 + 31


# --- Copies on other disks -------------------------------------------------------------------------------------------


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    begin_installation_epoch(Installation.Origin.STARTED)
    (tmp_path / "media" / "STICK").mkdir(parents=True)
    return tmp_path / "media" / "STICK"


def test_a_stick_that_was_named_gets_each_backup(stick: Path) -> None:
    register_backup_copy_folder(stick)
    write(a_tournament())
    backup = make_backup()
    assert backup is not None
    [copy] = list_backups(stick / BACKUP_FOLDER_NAME)
    assert copy.path.read_bytes() == backup.path.read_bytes()
    assert read_backup_state().copied_to == str(stick / BACKUP_FOLDER_NAME)
    assert list_backup_problems(timezone.now()) == []


def test_a_stick_of_another_installation_gets_none(stick: Path) -> None:
    (stick / BACKUP_FOLDER_NAME).mkdir()
    (stick / BACKUP_FOLDER_NAME / MARKER_FILE_NAME).write_text(json.dumps({"installations": ["e" * 32]}))
    write(a_tournament())
    make_backup()
    assert list_backups(stick / BACKUP_FOLDER_NAME) == []
    assert list_backup_problems(timezone.now()) == [BackupProblem.NOT_COPIED]


def restore_elsewhere() -> None:
    """Give the database a new installation identity, as a restore on another computer does."""
    begin_installation_epoch(Installation.Origin.RESTORED)


def test_a_stick_from_before_a_restore_gets_the_copies_of_the_restored_installation(stick: Path) -> None:
    register_backup_copy_folder(stick)
    write(a_tournament())
    first = make_backup()
    restore_elsewhere()
    second = make_backup()
    copies = list_backups(stick / BACKUP_FOLDER_NAME)
    assert first and second and {each.path.name for each in copies} == {first.path.name, second.path.name}


def test_two_installations_that_share_a_stick_delete_no_copies_of_the_other(stick: Path, settings: Any) -> None:
    register_backup_copy_folder(stick)
    other = stick / BACKUP_FOLDER_NAME / make_backup_name(NOW - dt.timedelta(days=90), "0" * 8, 7)
    other.write_text("a copy of the other installation")
    settings.BACKUP_KEEP_ALL = settings.BACKUP_KEEP_HOURLY = settings.BACKUP_KEEP_DAILY = dt.timedelta(0)
    for _ in range(2):
        write(a_tournament())
        make_backup()
    assert other.read_text() == "a copy of the other installation"


def test_a_second_installation_registers_a_stick_without_taking_it_away_from_the_first(stick: Path) -> None:
    first = register_backup_copy_folder(stick) / MARKER_FILE_NAME
    marker = json.loads(first.read_text())
    Installation.objects.all().delete()
    begin_installation_epoch(Installation.Origin.STARTED)
    register_backup_copy_folder(stick)
    assert json.loads(first.read_text())["installations"][:-1] == marker["installations"]


def test_a_copy_is_not_overwritten(stick: Path) -> None:
    folder = register_backup_copy_folder(stick)
    write(a_tournament())
    backup = make_backup()
    assert backup is not None
    (folder / backup.path.name).write_text("kept")
    _copy_to_additional_folders(backup, read_backup_state())
    assert (folder / backup.path.name).read_text() == "kept"


def test_after_a_restore_a_backup_is_due_even_if_a_later_one_is_in_the_folder() -> None:
    tournament = a_tournament()
    write(tournament)
    backup = make_backup()
    assert backup is not None and not is_backup_due(backup.made_at)
    restore_elsewhere()
    assert is_backup_due(backup.made_at)


def test_a_stick_that_is_full_is_a_problem_and_the_backup_is_made(stick: Path, monkeypatch: Any) -> None:
    register_backup_copy_folder(stick)

    def full(*_arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tournament.backups.services.shutil.copyfile", full)
    write(a_tournament())
    assert make_backup() is not None
    assert list_backup_problems(timezone.now()) == [BackupProblem.COPY_FAILED]
    assert list_backups(stick / BACKUP_FOLDER_NAME) == []


def flip_a_bit(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize(
    "spoil",
    [flip_a_bit, lambda content: content[: len(content) // 2], lambda _content: b""],
    ids=["one bit is wrong", "half is missing", "all is missing"],
)
def test_a_stick_that_does_not_return_what_was_written_is_a_problem(
    stick: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[bytes], bytes]
) -> None:
    folder = register_backup_copy_folder(stick)

    def copy_badly(source: Path, target: Path) -> None:
        target.write_bytes(spoil(source.read_bytes()))

    monkeypatch.setattr("tournament.backups.services.shutil.copyfile", copy_badly)
    write(a_tournament())
    assert make_backup() is not None
    assert list_backup_problems(timezone.now()) == [BackupProblem.COPY_FAILED]
    assert {path.name for path in folder.iterdir()} == {MARKER_FILE_NAME}


def test_a_backup_whose_database_has_another_digest_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournament.backups.services.compute_sha256", lambda _file: "0" * 64)
    write(a_tournament())
    with pytest.raises(BackupFailed, match="The disk did not return what was written to it"):
        make_backup()
    assert list_backups(folder) == []


def test_a_folder_that_is_missing_is_not_created_and_the_stick_gets_its_copy(
    stick: Path, settings: Any, tmp_path: Path
) -> None:
    register_backup_copy_folder(stick)
    settings.BACKUP_COPY_DIR = str(tmp_path / "not mounted")
    write(a_tournament())
    make_backup()
    assert (len(list_backups(stick / BACKUP_FOLDER_NAME)), (tmp_path / "not mounted").exists()) == (1, False)
    assert list_backup_problems(timezone.now()) == [BackupProblem.COPY_FAILED]


def test_a_folder_where_no_drive_is_mounted_cannot_be_registered(stick: Path, tmp_path: Path) -> None:
    with pytest.raises(BackupFailed, match="set BACKUP_COPY_DIR"):
        register_backup_copy_folder(tmp_path)
    assert not (tmp_path / BACKUP_FOLDER_NAME).exists()


def test_a_marker_that_cannot_be_read_is_ignored(stick: Path) -> None:
    (stick / BACKUP_FOLDER_NAME).mkdir()
    (stick / BACKUP_FOLDER_NAME / MARKER_FILE_NAME).write_text("[]")
    write(a_tournament())
    assert make_backup() is not None


# --- Files that are no backups ---------------------------------------------------------------------------------------


def test_a_backup_with_changed_bytes_is_refused_or_read_whole(tmp_path: Path) -> None:
    """Some bytes of a ZIP file carry no data, such as a file's time, so the program may ignore changes to them."""
    write(a_tournament())
    backup = make_backup()
    assert backup is not None
    content, whole, found = backup.path.read_bytes(), read_or_refused(backup.path), set()
    for seed in range(examples(400)):
        dice = random.Random(seed)
        spoiled = bytearray(content)
        for _ in range(dice.choice([1, 8, 64])):
            spoiled[dice.randrange(len(content))] = dice.randrange(256)
        (tmp_path / "spoiled.zip").write_bytes(spoiled[: dice.choice([len(content), dice.randrange(len(content))])])
        found.add(read_or_refused(tmp_path / "spoiled.zip"))
    assert whole is not None
    assert None in found
    assert found <= {None, whole}


def test_a_backup_with_another_database_is_refused(tmp_path: Path) -> None:
    write(a_tournament())
    backup = make_backup()
    assert backup is not None
    with closing(sqlite3.connect(tmp_path / "other")) as other:
        other.execute("CREATE TABLE kept (id)")
    with zipfile.ZipFile(backup.path) as old, zipfile.ZipFile(tmp_path / "changed.zip", "w") as new:
        for name in old.namelist():
            new.writestr(name, (tmp_path / "other").read_bytes() if name == DATABASE else old.read(name))
    assert read_or_refused(tmp_path / "changed.zip") is None


def read_or_refused(path: Path) -> bytes | None:
    """Return the bytes of the database in a backup file, or None if the file is refused."""
    try:
        with open_backup(path) as (_manifest, unpacked):
            return (unpacked / DATABASE).read_bytes()
    except BackupUnreadable:
        return None


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip file at all"])
def test_a_file_that_is_no_backup_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "other.zip").write_bytes(content)
    with pytest.raises(BackupUnreadable), open_backup(tmp_path / "other.zip"):
        pass
