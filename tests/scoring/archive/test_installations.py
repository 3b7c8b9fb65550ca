"""Files can be moved between separate installations, each with its own process, secrets, and database."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from config.environment import BASE_DIR
from laptop.prepare import make_migrated_database
from scoring.archive.services.imports import import_tournament
from tests.laptop.runs import environment_of, manage
from tests.races import codes_of
from tests.scoring.helpers.archive import a_tournament_in_play, another_installation, export, facts_in
from tournament.backups.selectors import RestoreRequest
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Tournament


def an_installation(folder: Path) -> Path:
    folder.mkdir()
    make_migrated_database(Path(sys.executable)).copy_to(folder / "db.sqlite3")
    return folder


def answer_of(installation: Path, *command: str) -> Any:
    return json.loads(manage(installation, *command).splitlines()[-1])


@pytest.mark.long
def test_an_event_moves_to_another_computer(tmp_path: Path) -> None:
    one, other = an_installation(tmp_path / "one"), an_installation(tmp_path / "other")
    manage(one, "play_demo_event", "--entrants", "4", "--until", "final")
    with closing(sqlite3.connect(one / "db.sqlite3")) as database:
        [(slug,)] = database.execute("SELECT slug FROM tournament_tournament")
    file, again = tmp_path / "event.zip", tmp_path / "again.zip"
    exported = answer_of(one, "export_event", slug, "--to", str(file))
    checked = subprocess.run(
        [sys.executable, "manage.py", "check_file", str(file)],
        cwd=BASE_DIR,
        env={**environment_of(tmp_path / "nowhere"), "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(checked.stdout)["rows"] >= exported["rows"]
    imported = answer_of(other, "import_event", str(file))
    assert (imported["tournament"], imported["log_rows"]) == (slug, exported["log_rows"])
    before, after = (answer_of(each, "verify_event", slug, "singles", "--json") for each in (one, other))
    assert before["ok"] and after["ok"]
    assert {name for name, count in before["checked"].items() if after["checked"][name] != count} <= {"log", "rows"}
    answer_of(other, "export_event", slug, "--to", str(again))
    assert facts_in(again, "TournamentImport") == facts_in(file)


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_of_two_imports_at_once_one_is_told_that_it_is_here_already(tmp_path: Path) -> None:
    file = export(a_tournament_in_play(), tmp_path)
    with another_installation():

        def act() -> object:
            return import_tournament(file, by=SYSTEM_ACTOR)

        assert codes_of(act, act) == ["already-here", "done"]
    assert Tournament.objects.count() == 1


@pytest.mark.long
def test_the_supervisor_takes_over_from_a_file(tmp_path: Path) -> None:
    other, file = an_installation(tmp_path / "other"), tmp_path / "all.installation.zip"
    shutil.copyfile(BASE_DIR / "tests" / "kept" / "1.0.installation.zip", file)
    about = {"backup": file.name, "made_at": "2026-11-30T14:05:00+00:00", "by_name": "Somebody", "reason": "broken"}
    request = RestoreRequest(pk="taken", time_zone="UTC", file=str(file), **about)
    (other / "restore-request.json").write_text(json.dumps(request.as_json()))
    subprocess.run(
        [sys.executable, "-m", "laptop.restore"], cwd=BASE_DIR, env=environment_of(other), check=True, text=True
    )
    assert json.loads((other / "restore-outcome.json").read_text())["failure"] == ""
    assert not (other / "restore-request.json").exists() and not file.exists()
    assert answer_of(other, "verify_event", "desert-classic", "singles", "--json")["ok"]
