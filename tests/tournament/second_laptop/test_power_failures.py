"""After a power failure, no data that another laptop relies on is missing, and an interrupted takeover is completed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from config.environment import BASE_DIR
from tests.factories import a_tournament
from tests.laptop.runs import environment_of
from tests.tournament.helpers.backups import write
from tests.tournament.helpers.disk import DiskWatch, PowerFailed, fail_power_after
from tests.tournament.helpers.second_laptop import a_link, a_second_laptop, verbs_of
from tournament.backups.selectors import list_backups
from tournament.backups.services import make_backup, register_backup_copy_folder
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Installation
from tournament.second_laptop.selectors import LaptopRole, LinkProblem, get_replaced_link_file, is_read_only, read_link
from tournament.second_laptop.services.changes import stop_recording_changes
from tournament.second_laptop.services.connection import load_or_create_link_certificate
from tournament.second_laptop.services.missing_acts import save_missing_actions
from tournament.second_laptop.services.roles import (
    add_second_laptop,
    offer_pairing,
    record_joining_failure,
    remove_second_laptop,
    request_joining,
    save_link,
    save_received_link,
    save_second_laptop_url,
    shut_out,
    take_over,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("folder")]


def add_one() -> None:
    add_second_laptop(offer_pairing(by=SYSTEM_ACTOR), "ab", "cd", "192.168.1.21")
    save_second_laptop_url("http://192.168.1.21:8000")


def be_removed() -> None:
    add_one()
    remove_second_laptop(by=SYSTEM_ACTOR)


def take_over_from_another() -> None:
    a_second_laptop()
    save_received_link(a_link(LaptopRole.SECOND))
    take_over()


def fail_to_join() -> None:
    request_joining("192.168.1.20:8002", "six words", directs_installation=False)
    record_joining_failure(LinkProblem.WRONG_WORDS)


AN_ACT = {
    "key": "digest",
    "tournament": "desert",
    "event": "",
    "at": "2026-11-27T20:00:00+00:00",
    "request": None,
    "rows": [{"by": "Staff", "verb": "test.written", "about": "alone", "amounts": {}}],
}


@pytest.mark.parametrize(
    "act",
    [
        add_one,
        be_removed,
        take_over_from_another,
        fail_to_join,
        load_or_create_link_certificate,
        lambda: shut_out(a_link(LaptopRole.FIRST), epoch=6, change=7, at=8.0),
        lambda: save_missing_actions([AN_ACT]),
    ],
    ids=["added", "removed", "taken over", "joined", "certificate", "shut out", "missing acts"],
)
def test_files_about_the_roles_are_on_the_disk_with_their_names(
    act: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = DiskWatch(monkeypatch)
    act()
    stop_recording_changes()
    assert disk.operations and disk.lost == set()


def test_a_backup_and_its_copy_are_on_the_disk_with_their_names(
    folder: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.BACKUP_DIR, settings.BACKUP_MOUNT_FOLDERS = folder / "backups", [str(folder / "media" / "*")]
    (folder / "media" / "STICK").mkdir(parents=True)
    write(a_tournament())
    disk = DiskWatch(monkeypatch)
    copies = register_backup_copy_folder(folder / "media" / "STICK")
    make_backup()
    assert len(list_backups(copies)) == 1
    assert {name for name in disk.lost if name.endswith((".zip", "copies.json"))} == set()


def test_a_takeover_is_completed_after_a_power_failure_at_any_file_operation() -> None:
    tournament = a_tournament()
    for operations in range(100):
        save_link(a_link(LaptopRole.SECOND))
        Installation.objects.filter(origin=Installation.Origin.TAKEN_OVER).delete()
        save_received_link(a_link(LaptopRole.SECOND))
        get_replaced_link_file().unlink(missing_ok=True)
        with pytest.MonkeyPatch.context() as patched:
            has_failed = fail_power_after(operations, patched)
            with suppress(PowerFailed):
                take_over()
        take_over()
        assert not is_read_only() and read_link(get_replaced_link_file()) is not None
        assert Installation.objects.filter(origin=Installation.Origin.TAKEN_OVER).count() == 1
        if not has_failed():
            break
    assert operations > 5
    assert verbs_of(tournament) == ["second-laptop.took-over"] * (operations + 1)


SYNCHRONOUS = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("PRAGMA synchronous")
    print(cursor.fetchone()[0])
"""


def test_a_commit_waits_until_it_is_on_the_disk(tmp_path: Path) -> None:
    """SQLite's setting `synchronous` must be 2 (`FULL`). With a lower value, a power failure loses the last commits."""
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", SYNCHRONOUS]
    done = subprocess.run(
        command, cwd=BASE_DIR, env=environment_of(tmp_path), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "2"


def test_a_secret_is_on_the_disk_before_it_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from config import environment

    monkeypatch.setattr(environment, "VAR_DIR", tmp_path)
    monkeypatch.setattr(environment, "SECRETS_FILE", tmp_path / "secrets.env")
    synced: dict[int, str] = {}

    def note(descriptor: int) -> None:
        synced[os.fstat(descriptor).st_ino] = (tmp_path / "secrets.env").read_text()

    monkeypatch.setattr(environment.os, "fsync", note)
    secret = environment._read_or_generate("SECRET_KEY")
    assert synced.keys() == {tmp_path.stat().st_ino, (tmp_path / "secrets.env").stat().st_ino}
    assert all(secret in content for content in synced.values())
