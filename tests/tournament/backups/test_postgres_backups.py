"""Test `manage.py backup` and `manage.py restore` with a PostgreSQL database, using `pg_dump` and `psql`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from config.environment import BASE_DIR
from tests.factories import an_event
from tests.kit import client_as, page_text
from tests.laptop.runs import BACK_UP, environment_of
from tests.tournament.helpers.postgres import copied_database
from tournament.backups.selectors import find_dump_fault

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]  # so that there is a migrated database to copy

DATABASE = "restored"
START = "from tournament.core.services.secrets import exit_on_wrong_secrets; exit_on_wrong_secrets()"
WRITE = """
from datetime import date
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Tournament
about = {"venue": "Hall", "starts_on": date(2026, 11, 27), "ends_on": date(2026, 11, 29)}
tournament = Tournament.objects.create(slug="NAME", name="NAME", **about)
with writing(tournament, verb="tournament.created", by=SYSTEM_ACTOR) as write:
    write.about(tournament)
"""


def url() -> str:
    parts = urlsplit(os.environ["DATABASE_URL"])
    return f"{parts.scheme}://{parts.netloc}/{DATABASE}?{parts.query}"


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[Path]:
    """Yield the folder of an installation with two tournaments.

    Its backup contains only the first one, because the second one was added later.
    """
    with copied_database(DATABASE):
        folder = tmp_path_factory.mktemp("installation")
        (folder / "secrets.env").write_text("SECRET_KEY=first\nSEAL_SECRET=first\n")
        code = (START, WRITE.replace("NAME", "before"), BACK_UP, WRITE.replace("NAME", "after"))
        manage(folder, "shell", "--no-imports", "-c", "\n".join(code))
        yield folder


def run(installation: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *arguments]
    variables = {**environment_of(installation), "DATABASE_URL": url(), **environment}
    return subprocess.run(command, cwd=BASE_DIR, env=variables, capture_output=True, text=True, check=False)


def manage(installation: Path, *arguments: str) -> str:
    done = run(installation, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def the_backup(installation: Path) -> Path:
    [backup] = (installation / "backups").glob("*.backup.zip")
    return backup


def query(statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url()) as database:
        return database.execute(statement).fetchall()


TOURNAMENTS = "SELECT slug FROM tournament_tournament ORDER BY id"


def test_a_backup_has_the_database_and_its_rows(installation: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(the_backup(installation)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        archive.extract("db.pgdump", tmp_path)
    assert find_dump_fault(tmp_path / "db.pgdump") == ""
    assert manifest["rows"]["tournament_tournament"] == 1


def test_it_says_first_what_would_be_lost(installation: Path) -> None:
    answer = json.loads(manage(installation, "restore", the_backup(installation).name))
    assert (answer["same_installation"], answer["newest_lost"][0]["about"]) == (True, "after")
    assert query(TOURNAMENTS) == [("before",), ("after",)]


def test_it_is_refused_while_somebody_is_connected(installation: Path) -> None:
    with psycopg.connect(url()):
        done = run(installation, "restore", the_backup(installation).name, "--yes")
    assert done.returncode == 1 and "Stop the program on all servers first" in done.stderr


def test_a_backup_that_cannot_be_restored_changes_nothing(installation: Path) -> None:
    """The restore runs in one transaction, so an error at its very end undoes everything."""
    broken = installation / "broken"
    broken.mkdir()
    (broken / "psql").write_text(
        '#!/bin/sh\nexec /usr/bin/env -i PATH=/usr/bin:/bin psql "$@" --command "SELECT 1/0"\n'
    )
    (broken / "psql").chmod(0o755)
    path = f"{broken}{os.pathsep}{os.environ['PATH']}"
    done = run(installation, "restore", the_backup(installation).name, "--yes", PATH=path)
    assert done.returncode == 1 and "psql failed" in done.stderr
    assert query(TOURNAMENTS) == [("before",), ("after",)]


def test_the_backup_comes_back_with_a_new_identity(installation: Path) -> None:
    with psycopg.connect(url(), autocommit=True) as database:
        database.execute("CREATE TABLE of_a_later_release (tournament bigint REFERENCES tournament_tournament)")
    answer = json.loads(manage(installation, "restore", the_backup(installation).name, "--yes"))
    assert query(TOURNAMENTS) == [("before",)]
    assert query("SELECT epoch, origin FROM tournament_installation ORDER BY epoch") == [
        (1, "started"),
        (2, "restored"),
    ]
    assert query("SELECT to_regclass('of_a_later_release')") == [(None,)]
    assert find_dump_fault(Path(answer["replaced"]) / "db.pgdump") == ""


@pytest.fixture
def archive(installation: Path, tmp_path: Path) -> Path:
    """Return the path of a backup that was made without PostgreSQL's client programs, such as `pg_dump`."""
    done = run(installation, "backup", PATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    return Path(json.loads(done.stdout)["file"]).rename(tmp_path / Path(json.loads(done.stdout)["file"]).name)


def test_without_the_programs_a_backup_is_a_file_of_all_tournaments(archive: Path) -> None:
    with zipfile.ZipFile(archive) as file:
        assert {"manifest.json", "everything.installation.zip", "secrets.env"} <= set(file.namelist())
        assert json.loads(file.read("manifest.json"))["rows"]["tournament_tournament"] > 0


def test_such_a_backup_replaces_nothing_and_says_how_to_go_on_with_it(installation: Path, archive: Path) -> None:
    before = query(TOURNAMENTS)
    done = run(installation, "restore", str(archive), "--yes")
    assert done.returncode == 1 and f"manage.py take_over_from_file {archive.name}" in done.stderr
    assert query(TOURNAMENTS) == before


def test_without_the_programs_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda program: None)
    event = an_event()
    text = page_text(client_as("director", event).get(f"/desk/{event.tournament.slug}/backups/"))
    assert "Each backup is a file of all tournaments" in text


def test_a_backup_of_another_kind_of_database_is_refused(installation: Path, tmp_path: Path) -> None:
    done = run(tmp_path, "restore", str(the_backup(installation)), "--yes", DATABASE_URL=f"sqlite:///{tmp_path}/db")
    assert done.returncode == 1 and "is a backup of another kind of database" in done.stderr
