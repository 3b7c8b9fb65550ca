"""Test backups on a full disk, and copies to a USB stick that is full or gets pulled out.

The tests mount small disks, which only root can do. Other users skip these tests.
"""

from __future__ import annotations

import datetime as dt
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from tests.factories import an_event
from tests.kit import client_as, page_text
from tests.tournament.helpers.backups import write
from tests.tournament.helpers.disk import fill, small_disk
from tournament.backups import services
from tournament.backups.selectors import (
    BackupProblem,
    list_backup_problems,
    list_backups,
    open_backup,
    read_backup_state,
)
from tournament.backups.services import BackupFailed, make_backup, register_backup_copy_folder, restore_backup
from tournament.core.services.installation import begin_installation_epoch
from tournament.models import Installation, Tournament

pytestmark = pytest.mark.django_db(transaction=True)
FULL = "The disk is full. Delete files that you do not need, then try again."


@pytest.fixture(autouse=True)
def tournament(settings: Any, tmp_path: Path) -> Tournament:
    settings.BACKUP_DIR = tmp_path / "backups"
    settings.BACKUP_MOUNT_FOLDERS = [str(tmp_path / "media" / "*")]
    begin_installation_epoch(Installation.Origin.STARTED)
    tournament = an_event().tournament
    write(tournament)
    return tournament


@pytest.fixture
def stick(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "media" / "STICK", room_for_backups()) as folder:
        yield register_backup_copy_folder(folder)


def room_for_backups() -> str:
    """Return the size of a disk with room for a few backups of the current database, in megabytes, such as “20m”."""
    return f"{16 + 4 * database_bytes() // 1_000_000}m"


def database_bytes() -> int:
    return Path(connection.settings_dict["NAME"]).stat().st_size


def in_a_minute() -> time_machine.travel:
    return time_machine.travel(timezone.now() + dt.timedelta(seconds=61), tick=False)


@pytest.mark.parametrize(
    ("leave", "problem"), [(200_000, BackupProblem.FAILED), (0, BackupProblem.DISK_FULL)], ids=["small room", "no room"]
)
def test_a_backup_that_does_not_fit_is_made_when_there_is_room(
    tmp_path: Path, leave: int, problem: BackupProblem
) -> None:
    with small_disk(tmp_path / "backups", room_for_backups()) as folder:
        ballast = fill(folder, leave=leave)
        with pytest.raises(BackupFailed, match=FULL):
            make_backup(only_if_due=True)
        assert problem in list_backup_problems(timezone.now())
        assert {path.name for path in folder.iterdir()} <= {"ballast", "lock", "state.json"}
        ballast.unlink()
        with in_a_minute():
            assert make_backup(only_if_due=True) is not None
        assert not {BackupProblem.FAILED, BackupProblem.DISK_FULL} & {*list_backup_problems(timezone.now())}


@pytest.mark.parametrize("databases", [0.5, 1.5])
def test_a_backup_that_does_not_fit_is_not_even_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, databases: float
) -> None:
    """A backup that fails must not fill the disk even for a moment, because nobody could record anything then."""
    begun: list[Path] = []
    monkeypatch.setattr(services, "open_read_only", begun.append)
    with small_disk(tmp_path / "backups", room_for_backups()) as folder:
        fill(folder, leave=int(databases * database_bytes()))
        with pytest.raises(BackupFailed, match=FULL):
            make_backup()
    assert begun == []


def test_the_page_says_that_the_disk_is_full(tmp_path: Path, tournament: Tournament) -> None:
    with small_disk(tmp_path / "backups", room_for_backups()) as folder:
        fill(folder)
        text = page_text(client_as("director", tournament.events.get()).get(f"/desk/{tournament.slug}/backups/"))
    assert "The disk is full, so no backup can be made. Delete files that you do not need." in text


@pytest.mark.parametrize("databases", [0.5, 1.5])
def test_a_restore_that_does_not_fit_changes_nothing(settings: Any, tmp_path: Path, databases: float) -> None:
    backup = make_backup()
    assert backup is not None
    with small_disk(tmp_path / "var", room_for_backups()) as folder:
        settings.VAR_DIR = folder
        fill(folder, leave=int(databases * database_bytes()))
        with pytest.raises(BackupFailed, match=FULL):
            restore_backup(backup.path)
        assert {path.name for path in folder.iterdir()} == {"ballast", "run.lock"}


def test_a_backup_that_cannot_be_unpacked_is_not_called_damaged(settings: Any, tmp_path: Path) -> None:
    backup = make_backup()
    assert backup is not None
    with small_disk(tmp_path / "var", "1m") as folder:
        settings.VAR_DIR = folder
        with pytest.raises(OSError, match="No space left"), open_backup(backup.path):
            pass


# --- Sticks ----------------------------------------------------------------------------------------------------------


def test_a_full_stick_gets_its_copy_when_there_is_room(stick: Path) -> None:
    ballast = fill(stick.parent, leave=100_000)
    assert make_backup(only_if_due=True) is not None
    assert read_backup_state().copy_failure == f"{stick}: {FULL}"
    assert list_backup_problems(timezone.now()) == [BackupProblem.COPY_FAILED]
    ballast.unlink()
    with in_a_minute():
        assert make_backup(only_if_due=True) is None
    assert (len(list_backups(stick)), list_backup_problems(timezone.now())) == (1, [])


def test_a_full_stick_is_not_tried_all_the_time(stick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ballast = fill(stick.parent, leave=100_000)
    make_backup(only_if_due=True)
    ballast.unlink()
    make_backup(only_if_due=True)
    assert list_backups(stick) == []


def test_a_stick_that_is_plugged_in_later_gets_the_last_backup(tmp_path: Path) -> None:
    make_backup()
    with small_disk(tmp_path / "media" / "STICK", room_for_backups()) as folder:
        stick = register_backup_copy_folder(folder)
        assert make_backup(only_if_due=True) is None
        assert len(list_backups(stick)) == 1


@pytest.fixture
def pulled(stick: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Unmount the USB stick in the middle of the next copy to it.

    The returned list then contains the path of the half-written copy.
    """
    half: list[Path] = []

    def copy_half(source: Path, target: Path) -> None:
        content = source.read_bytes()
        with open(target, "wb") as file:
            file.write(content[: len(content) // 2])
            file.flush()
            half.append(target)
            subprocess.run(["umount", "-l", stick.parent], check=True)
            file.write(content[len(content) // 2 :])

    monkeypatch.setattr("tournament.backups.services.shutil.copyfile", copy_half)
    return half


def test_a_stick_that_is_pulled_out_while_it_is_written_is_a_problem(pulled: list[Path], stick: Path) -> None:
    assert make_backup() is not None
    assert len(pulled) == 1
    assert list_backup_problems(timezone.now()) == [BackupProblem.COPY_FAILED]
    assert not stick.exists(), "no folder takes the place of the stick"


def test_half_a_copy_is_no_backup_and_is_deleted(stick: Path, tournament: Tournament) -> None:
    backup = make_backup()
    assert backup is not None
    copy = stick / backup.path.name
    part = copy.rename(stick / f".part-{copy.name}")
    part.write_bytes(backup.path.read_bytes()[:1000])
    other = stick / ".part-20261130T140500Z-00000000-log-7.backup.zip"
    other.touch()
    assert list_backups(stick) == []
    write(tournament)
    make_backup()
    assert (part.exists(), other.exists(), len(list_backups(stick))) == (False, True, 1)
