"""The power fails during a restore. Afterward, all files are from before it, or all are from the backup."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.tournament.helpers.disk import PowerFailed, fail_power_after
from tournament.backups import services
from tournament.backups.selectors import AUTHORITY_FILES, BACKUP_FORMAT, DATABASE, MANIFEST, SECRETS, compute_sha256
from tournament.backups.services import finish_interrupted_restore, restore_backup

pytestmark = pytest.mark.django_db(transaction=True)
FILES = (DATABASE, SECRETS, *AUTHORITY_FILES)


@pytest.fixture
def folder(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an installation with other files than this process has open."""
    folder = settings.VAR_DIR = tmp_path / "var"
    (folder / "https").mkdir(parents=True)
    monkeypatch.setattr(services, "_database_file", lambda: folder / "db.sqlite3")
    monkeypatch.setattr(services, "_begin_epoch", lambda *_arguments: None)
    return folder


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """Return a backup of a small database. A real one takes longer to restore."""
    with closing(sqlite3.connect(tmp_path / "restored")) as database:
        database.execute("CREATE TABLE restored (id)")
    manifest = {"format": BACKUP_FORMAT, "database": DATABASE, "sha256": compute_sha256(tmp_path / "restored")}
    with zipfile.ZipFile(tmp_path / "backup.zip", "w") as file:
        file.writestr(MANIFEST, json.dumps(manifest))
        file.write(tmp_path / "restored", DATABASE)
        for name in FILES[1:]:
            file.writestr(name, "restored")
    return tmp_path / "backup.zip"


def lay_files_of_before(folder: Path) -> None:
    shutil.rmtree(folder / "replaced", ignore_errors=True)
    for name in (*FILES, "db.sqlite3-wal"):
        (folder / name).write_text("before")


def is_from_before(file: Path) -> bool:
    return file.read_bytes() == b"before"


def test_the_files_of_two_databases_are_never_mixed(folder: Path, backup: Path) -> None:
    outcomes = []
    for operations in range(100):
        lay_files_of_before(folder)
        with pytest.MonkeyPatch.context() as patched:
            has_failed = fail_power_after(operations, patched)
            with suppress(PowerFailed):
                restore_backup(backup)
        finish_interrupted_restore()
        [is_old] = {is_from_before(folder / name) for name in FILES}
        assert (folder / "db.sqlite3-wal").exists() is is_old, "the journal belongs to the old database"
        assert [path.name for path in folder.rglob(".restored-*")] == []
        outcomes.append(is_old)
        if not has_failed():
            break
    assert outcomes == sorted(outcomes, reverse=True) and set(outcomes) == {True, False}


def test_a_restore_that_fails_twice_is_completed(folder: Path, backup: Path) -> None:
    for operations in range(100):
        lay_files_of_before(folder)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(services, "finish_interrupted_restore", lambda: None)
            restore_backup(backup)
        with pytest.MonkeyPatch.context() as patched:
            has_failed = fail_power_after(operations, patched)
            with suppress(PowerFailed):
                finish_interrupted_restore()
        finish_interrupted_restore()
        assert not any(is_from_before(folder / name) for name in FILES)
        assert not (folder / "db.sqlite3-wal").exists()
        if not has_failed():
            break
    assert operations > 3
