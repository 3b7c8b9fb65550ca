"""Test a restore that a director requests on a page: the program stops, is restored, and starts again."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from config.environment import BASE_DIR
from laptop.prepare import make_migrated_database
from tests.laptop.runs import BACK_UP, environment_of, serve, shell, status
from tests.processes import PATIENCE, until

WRITE = """
from datetime import date
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Tournament
about = {"venue": "Hall", "starts_on": date(2026, 11, 27), "ends_on": date(2026, 11, 29)}
with writing(Tournament.objects.create(slug="NAME", name="NAME", **about), verb="tournament.created", by=SYSTEM_ACTOR):
    pass
"""
BACKED_UP = (WRITE.replace("NAME", "before"), BACK_UP, WRITE.replace("NAME", "after"))
"""Scripts that create a tournament, make a backup, and then create another tournament."""
REQUEST = """
from django.conf import settings
from tournament.backups.selectors import list_backups
from tournament.backups.services import request_restore
from tournament.core.permissions import SYSTEM_ACTOR
oldest = list_backups(settings.BACKUP_DIR)[-1]
print(request_restore(oldest, by=SYSTEM_ACTOR, reason="the wrong list", time_zone="America/Chicago").pk)
"""

START = "from tournament.core.services.secrets import exit_on_wrong_secrets; exit_on_wrong_secrets()"
EPOCHS = "SELECT identity, epoch FROM tournament_installation ORDER BY epoch"
LAST_LOG_ROW = "SELECT verb, reason FROM tournament_auditentry ORDER BY id DESC LIMIT 1"


def rows(installation: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(installation / "db.sqlite3")) as database:
        return database.execute(query).fetchall()


def outcome(installation: Path) -> dict[str, str] | None:
    path = installation / "restore-outcome.json"
    return json.loads(path.read_text()) if path.exists() else None


@pytest.mark.long
def test_the_program_stops_restores_and_starts_again(start, installation: Path) -> None:
    port, run = serve(start, BACKUPS="0")
    [before] = rows(installation, EPOCHS)
    asked = shell(installation, *BACKED_UP, REQUEST).splitlines()[-1]
    until(lambda: outcome(installation), run)
    until(lambda: status(port, f"/restore/{asked}/") == 200, run)
    first, (identity, epoch) = rows(installation, EPOCHS)
    assert rows(installation, "SELECT slug FROM tournament_tournament") == [("before",)]
    assert first == before and identity != before[0] and epoch == 2
    assert rows(installation, LAST_LOG_ROW) == [("installation.restored", "the wrong list")]
    assert (installation / "backups" / outcome(installation)["kept"]).exists()
    assert "Traceback" not in run.log()


@pytest.mark.sample("requests before a start", 2)
@pytest.mark.parametrize("damaged", [False, True])
def test_a_request_from_before_a_power_failure_is_carried_out_at_the_next_start(
    start, tmp_path: Path, damaged: bool
) -> None:
    make_migrated_database(Path(sys.executable)).copy_to(tmp_path / "db.sqlite3")
    shell(tmp_path, START, *BACKED_UP, REQUEST)
    if damaged:
        [backup] = (tmp_path / "backups").glob("*.backup.zip")
        backup.write_bytes(b"PK")
    serve(start, VAR_DIR=str(tmp_path))
    expected = ["before", "after"] if damaged else ["before"]
    assert rows(tmp_path, "SELECT slug FROM tournament_tournament ORDER BY id") == [(slug,) for slug in expected]
    assert ("damaged" in outcome(tmp_path)["failure"]) is damaged
    assert not (tmp_path / "restore-request.json").exists()


SUPERVISE = """
import os, sys
from pathlib import Path
from laptop.supervisor import Interruption, Supervisor
folder = Path(sys.argv[1])
log = 'echo "$NAME $TURN" >> started'
task = ["sh", "-c", "echo task >> started; rm asked; exit 3"]
def finish(code):
    return {"TURN": f"after {code}"}
interruption = Interruption((folder / "asked").exists, ("web",), task, finish)
def report(name, code):
    (folder / "ended").write_text(f"{name} {code}")
supervisor = Supervisor(
    folder,
    interruptions=[interruption],
    find_stop_reason=lambda: "a stop" if (folder / "stop").exists() else "",
    on_line=lambda name, line: (folder / "log").open("a").write(line),
    on_exit=report,
)
for name in ("broker", "web"):
    stop = f'trap "echo {name} stopped >> started; exit" TERM'
    command = ["sh", "-c", f"{stop}; {log}; while :; do sleep 0.05; done"]
    supervisor.add(name, command, {"NAME": name, "TURN": "first", **os.environ})
supervisor.run()
"""


def test_the_supervisor_runs_the_task_alone_reports_exits_and_stops(tmp_path: Path) -> None:
    started = tmp_path / "started"

    def lines() -> list[str]:
        return started.read_text().splitlines() if started.exists() else []

    run = subprocess.Popen([sys.executable, "-c", SUPERVISE, str(tmp_path)], cwd=BASE_DIR, env=environment_of(tmp_path))
    try:
        until(lambda: len(lines()) == 2)
        (tmp_path / "asked").touch()
        until(lambda: len(lines()) >= 7)
        assert not (tmp_path / "ended").exists()  # the supervisor stopped them
        os.killpg(int(re.findall(r"broker started \(pid=(\d+)\)", (tmp_path / "log").read_text())[-1]), signal.SIGKILL)
        until(lambda: len(lines()) >= 8)
        (tmp_path / "stop").touch()
        assert run.wait(timeout=PATIENCE) == 0
    finally:
        run.kill()
        run.wait()
    assert (tmp_path / "ended").read_text() == "broker -9"
    assert lines()[2:5] == ["web stopped", "broker stopped", "task"]
    assert sorted(lines()[5:7]) == ["broker after 3", "web after 3"]
