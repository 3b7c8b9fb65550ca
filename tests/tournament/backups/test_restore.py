"""Test `manage.py restore` in separate processes, each with an installation folder of its own."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from filelock import FileLock

from config.environment import BASE_DIR
from laptop.prepare import make_migrated_database
from laptop.reach import ensure_certificates
from tests.devtools.kept.files import SEAL_SECRET, dumps, lay_dump
from tests.laptop.runs import BACK_UP, START, WITHOUT_POSIX, WRITE, environment_of, shell


def write(name: str, turns: int) -> str:
    return WRITE.replace("NAME", name).replace("TURNS", str(turns))


def tournaments(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM tournament_tournament ORDER BY id")]


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an installation with three tournaments.

    Its backup contains two of them, because the third one was added later.
    """
    folder = tmp_path_factory.mktemp("installation")
    make_migrated_database(Path(sys.executable)).copy_to(folder / "db.sqlite3")
    (folder / "secrets.env").write_text("SECRET_KEY=first\nSEAL_SECRET=first\n")
    ensure_certificates(folder / "https", ["192.168.1.20"], now=datetime.now(UTC))
    shell(folder, START, write("Before", 2), BACK_UP, write("After", 1))
    return folder


def restore(installation: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    [backup] = (installation / "backups").glob("*.backup.zip")
    return run(installation, backup.name, *arguments)


def run(installation: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "restore", *arguments]
    variables = {**environment_of(installation), **environment}
    return subprocess.run(command, cwd=BASE_DIR, env=variables, capture_output=True, text=True, check=False)


def test_it_says_first_what_would_be_lost(installation: Path) -> None:
    answer = json.loads(restore(installation).stdout)
    assert (answer["restored"], answer["lost"], answer["newest_lost"][0]["about"]) == (False, 1, "After 0")
    assert tournaments(installation / "db.sqlite3") == ["Before 0", "Before 1", "After 0"]


def test_it_says_in_words_what_would_be_lost(installation: Path) -> None:
    [entry] = json.loads(restore(installation).stdout)["newest_lost"]
    assert (entry["verb"], entry["words"], entry["by_name"]) == ("tournament.created", "Tournament created", "system")


def test_it_is_refused_while_the_program_runs(installation: Path) -> None:
    with FileLock(installation / "run.lock"):
        done = restore(installation, "--yes")
    assert done.returncode == 1 and "Stop it with Ctrl-C first" in done.stderr
    assert tournaments(installation / "db.sqlite3") == ["Before 0", "Before 1", "After 0"]


def test_the_backup_comes_back_and_the_replaced_database_is_kept(installation: Path) -> None:
    (installation / "secrets.env").write_text("SECRET_KEY=second\nSEAL_SECRET=second\n")
    answer = json.loads(restore(installation, "--yes").stdout)
    assert tournaments(installation / "db.sqlite3") == ["Before 0", "Before 1"]
    assert tournaments(Path(answer["replaced"]) / "db.sqlite3") == ["Before 0", "Before 1", "After 0"]
    assert (installation / "secrets.env").read_text() == "SECRET_KEY=first\nSEAL_SECRET=first\n"
    assert "second" in (Path(answer["replaced"]) / "secrets.env").read_text()


def test_on_another_computer_everything_goes_on(installation: Path, tmp_path: Path) -> None:
    """The program has never run on the other computer, so there is no folder for its data yet."""
    [backup], new = (installation / "backups").glob("*.backup.zip"), tmp_path / "new"
    answer = json.loads(run(new, str(backup), "--yes").stdout)
    assert (answer["lost"], answer["same_installation"]) == (None, False)
    assert tournaments(new / "db.sqlite3") == ["Before 0", "Before 1"]
    assert "SECRET_KEY=first" in (new / "secrets.env").read_text()


def test_phones_trust_the_other_computer_as_they_trusted_the_first_one(installation: Path, tmp_path: Path) -> None:
    [backup] = (installation / "backups").glob("*.backup.zip")
    before = ensure_certificates(tmp_path / "https", ["192.168.1.21"], now=datetime.now(UTC)).site.read_bytes()
    run(tmp_path, str(backup), "--yes")
    after = ensure_certificates(tmp_path / "https", ["192.168.1.21"], now=datetime.now(UTC))
    assert after.authority.read_bytes() == (installation / "https" / "authority.crt").read_bytes()
    assert after.authority.read_bytes() in after.site.read_bytes() != before


def test_a_damaged_database_can_be_replaced(installation: Path, tmp_path: Path) -> None:
    """This also works on Windows, where a file that is still open cannot be replaced."""
    [backup] = (installation / "backups").glob("*.backup.zip")
    (tmp_path / "db.sqlite3").write_bytes(b"no database at all" * 100)
    done = run(tmp_path, str(backup), "--yes", PYTHONPATH=str(WITHOUT_POSIX))
    assert done.returncode == 0, done.stderr
    assert tournaments(tmp_path / "db.sqlite3") == ["Before 0", "Before 1"]


def test_a_file_that_is_no_backup_replaces_nothing(installation: Path, tmp_path: Path) -> None:
    (tmp_path / "letter.zip").write_text("Dear director")
    before = (installation / "db.sqlite3").read_bytes()
    done = run(installation, str(tmp_path / "letter.zip"), "--yes")
    assert (done.returncode, "letter.zip is no backup" in done.stderr) == (1, True)
    assert (installation / "db.sqlite3").read_bytes() == before


UPDATE = """
import django
django.setup()
from laptop.update import create_tables
create_tables()
"""


def test_a_database_of_an_earlier_release_is_backed_up_before_it_is_migrated(tmp_path: Path) -> None:
    lay_dump(dumps()[0], tmp_path / "db.sqlite3")
    before = migrations(tmp_path / "db.sqlite3")
    environment = environment_of(tmp_path) | {"DJANGO_SETTINGS_MODULE": "config.settings", "SEAL_SECRET": SEAL_SECRET}
    subprocess.run([sys.executable, "-c", UPDATE], cwd=BASE_DIR, env=environment, check=True)
    [backup] = (tmp_path / "backups").glob("*.backup.zip")
    with zipfile.ZipFile(backup) as archive:
        archive.extract("db.sqlite3", tmp_path / "unpacked")
    assert migrations(tmp_path / "unpacked" / "db.sqlite3") == before
    assert len(migrations(tmp_path / "db.sqlite3")) > len(before)


# --- Identity --------------------------------------------------------------------------------------------------------


def epochs(database: Path) -> list[tuple[str, int, str, str]]:
    with closing(sqlite3.connect(database)) as connection:
        columns = "identity, epoch, origin, came_from"
        return connection.execute(f"SELECT {columns} FROM tournament_installation ORDER BY epoch").fetchall()


def test_a_restored_installation_has_a_new_identity_and_the_next_epoch(installation: Path) -> None:
    before = epochs(installation / "db.sqlite3")
    restore(installation, "--yes")
    [backup] = (installation / "backups").glob("*.backup.zip")
    *_earlier, (identity, epoch, origin, came_from) = epochs(installation / "db.sqlite3")
    assert identity not in {each[0] for each in before}
    assert (epoch, origin, came_from) == (before[-1][1] + 1, "restored", backup.name)


def test_the_epoch_rises_above_that_of_the_replaced_database(installation: Path, tmp_path: Path) -> None:
    [backup] = (installation / "backups").glob("*.backup.zip")
    for _ in range(2):
        run(tmp_path, str(backup), "--yes")
    assert [each[1] for each in epochs(tmp_path / "db.sqlite3")] == [1, 3]


@pytest.mark.parametrize("done", [(), ("db.sqlite3",), ("db.sqlite3", "secrets.env")])
def test_a_restore_that_a_power_failure_interrupted_is_completed(tmp_path: Path, done: tuple[str, ...]) -> None:
    """All restored files are complete, but only the files in `done` have been moved to their final names."""
    for name in ("db.sqlite3", "secrets.env"):
        (tmp_path / name).write_text("restored" if name in done else "replaced")
        if name not in done:
            (tmp_path / f".restored-{name}").write_text("restored")
    (tmp_path / "db.sqlite3-wal").write_text("of the replaced database")
    (tmp_path / ".restored-complete").write_text("")
    python(tmp_path, FINISH)
    assert {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()} == {
        "db.sqlite3": "restored",
        "secrets.env": "restored",
    }


def test_a_restore_that_was_interrupted_earlier_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "db.sqlite3").write_text("of today")
    (tmp_path / ".restored-db.sqlite3").write_text("half a fi")
    python(tmp_path, FINISH)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"db.sqlite3": "of today"}


FINISH = """
import django
django.setup()
from tournament.backups.services import finish_interrupted_restore
finish_interrupted_restore()
"""


def python(installation: Path, code: str) -> None:
    environment = environment_of(installation) | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    subprocess.run([sys.executable, "-c", code], cwd=BASE_DIR, env=environment, check=True)


def migrations(database: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT app, name FROM django_migrations ORDER BY id").fetchall()
