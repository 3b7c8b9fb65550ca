"""Test the first start of the program: the copied database, the demo, the sign-in link, and what prevents a start."""

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
from typing import Any, Final

import pytest

from config.environment import BASE_DIR
from laptop.prepare import PREPARED_FOLDER, compute_schema_digest, make_migrated_database
from tests.chance import QUICK
from tests.laptop.runs import environment_of, manage, page, serve
from tests.processes import PATIENCE, Process, free_port, until

FIGURES = """
import json
from collections import Counter
from tournament.models import Event, Player
from pairing.models import Match
from pairing.stages.selectors.course import load_event_stages

def decided(event):
    progress = load_event_stages(event).progress if event.slug == "singles" and event.state == "in-play" else None
    matches = event.matches.order_by("round", "pk") if progress else []
    return [progress[match.ident].outcome is not None for match in matches]

def matches(event):  # how many the desk pairs follows from how long they have waited by the clock
    return event.matches.exists() if event.slug == "partnership" else event.matches.count()

print(json.dumps([Player.objects.count(), [[
    event.slug, event.state, event.ledger.count(), matches(event), decided(event),
    sorted(event.entrants.values_list("name", flat=True)), Counter(event.entrants.values_list("state", flat=True)),
] for event in Event.objects.order_by("pk")]]))
"""
"""Prints what two demos have in common. Their draws are blind, so the winners differ."""


CUTS: Final = ((signal.SIGINT, "tournament_entrant", 5), (signal.SIGKILL, "scoring_card", 5))
"""Signals that interrupt the demo as soon as a table has a number of rows. A quick run uses only the last one."""


def figures(installation: Path) -> Any:
    return json.loads(manage(installation, "shell", "--no-imports", "-c", FIGURES))


def rows(installation: Path, table: str) -> int:
    try:
        with closing(sqlite3.connect(installation / "db.sqlite3")) as kept:
            return int(kept.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def test_what_is_copied_has_all_tables_and_nobody_s_rows(tmp_path: Path) -> None:
    make_migrated_database(Path(sys.executable)).copy_to(tmp_path / "db.sqlite3")
    assert (PREPARED_FOLDER / f"{compute_schema_digest()}.sqlite3").exists()
    for table in ("tournament_user", "tournament_tournament", "tournament_secretdigest", "django_session"):
        assert rows(tmp_path, table) == 0
    assert manage(tmp_path, "migrate", "--check") == ""
    assert list(tmp_path.glob("*copied*")) == []


@pytest.mark.sample("first starts cut off", 4)
@pytest.mark.long
def test_the_demo_is_whole_however_often_it_was_cut_off(start, tmp_path: Path) -> None:
    cut_off, whole = tmp_path / "cut off", tmp_path / "whole"
    whole.mkdir()
    make_migrated_database(Path(sys.executable)).copy_to(whole / "db.sqlite3")
    manage(whole, "load_demo")
    for how, table, enough in CUTS[QUICK:]:
        run = start(free_port(), VAR_DIR=str(cut_off), DEMO="1")
        until(lambda table=table, enough=enough: rows(cut_off, table) >= enough, run)
        run.popen.send_signal(how)
        run.popen.wait(timeout=PATIENCE)
        assert "The demo is loaded." not in run.log()
    assert figures(cut_off) != figures(whole)
    port, run = serve(start, VAR_DIR=str(cut_off), DEMO="1")
    assert "The demo is loading" in page(port, "/")
    until(lambda: "The demo is loaded." in run.log(), run)
    assert figures(cut_off) == figures(whole)
    assert "The demo is loading" not in page(port, "/")
    assert "demo started" not in _again(run, start, cut_off)


def _again(run: Process, start: Any, installation: Path) -> str:
    """Stop a run of the program, start it again, and return the log of the second run."""
    run.popen.send_signal(signal.SIGINT)
    run.popen.wait(timeout=PATIENCE)
    _port, run = serve(start, lambda run: "worker started" in run.log(), VAR_DIR=str(installation), DEMO="1")
    return run.log()


@pytest.mark.parametrize(
    ("setup", "label", "link", "heading"),
    [
        ("0", r"Sign in \(this link works once\)", "/sign-in/", "Sign me in"),
        ("1", r"Set up the program \(works once\)", "/first-start/", "Name of your club"),
    ],
)
@pytest.mark.sample("starts without a demo", 2)
def test_without_a_demo_it_prints_a_link_and_opens_a_browser(
    start, tmp_path: Path, setup: str, label: str, link: str, heading: str
) -> None:
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" >> "{opened}"\n')
    browser.chmod(0o755)
    choices = {"SETUP": setup, "OPEN_BROWSER": "1", "BROWSER": f"{browser} %s"}
    port, run = serve(start, VAR_DIR=str(tmp_path / "data"), **choices)
    [path] = re.findall(rf"{label} +http://127\.0\.0\.1:{port}({link}\S+)", run.log())
    assert heading in page(port, path)
    until(opened.exists, run)
    assert opened.read_text().splitlines() == [f"http://127.0.0.1:{port}{path if setup == '1' else '/'}"]
    until(lambda: "writer started" in run.log(), run)
    assert "demo started" not in run.log()


# --- What keeps it from starting -------------------------------------------------------------------------------------

DEAD = "postgres://nobody:secret@127.0.0.1:1/none"


def refused(*command: str, **environment: str) -> str:
    """Run a command, check that it ends with status 1 and without a traceback, and return its output."""
    ended = subprocess.run(
        [sys.executable, *command],
        cwd=BASE_DIR,
        env={**environment_of(Path("/nowhere")), "PORT": str(free_port()), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 1 and "Traceback" not in ended.stdout, ended.stdout
    return ended.stdout.strip()


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    taken = tmp_path / "a file"
    taken.write_text("")
    for folder in (taken, taken / "below", Path("/sys/tournaments"), Path("/dev/null")):
        said = refused("-m", "laptop.run", VAR_DIR=str(folder))
        assert said.startswith(f"The folder {folder} cannot be written to: ") and len(said.splitlines()) == 1
        assert "make run VAR_DIR=/path/to/folder" in said
    assert refused("manage.py", "migrate", VAR_DIR=str(taken / "below")).startswith("The folder")


def test_a_command_before_the_first_start_says_how_to_start(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    said = refused("manage.py", "backup", VAR_DIR=str(folder))
    assert said.startswith(f"The program has not been started yet, so its folder {folder} does not exist.")
    assert said.endswith("Start the program first:  make run") and not folder.exists()


AS_NOBODY = """
import os
from config.unready import exit_on_known_startup_error
from laptop import run
os.setuid(65534)
with exit_on_known_startup_error():
    run.main()
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only an administrator can become another user")
def test_a_read_only_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    said = refused("-c", AS_NOBODY, VAR_DIR=str(tmp_path))
    assert said.startswith(f"The folder {tmp_path} cannot be written to: Permission denied.")


def test_a_database_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "db.sqlite3").write_bytes(b"no database at all, " * 100)
    said = refused("-m", "laptop.run", VAR_DIR=str(tmp_path))
    assert f"\nThe database {tmp_path}/db.sqlite3 cannot be read: file is not a database." in said


@pytest.mark.parametrize(
    "command",
    [
        ("-m", "laptop.run"),
        ("manage.py", "migrate"),
        ("manage.py", "runserver"),
        ("manage.py", "sign_in_link", "a@b.org"),
    ],
    ids=lambda command: command[-1],
)
def test_a_server_that_does_not_answer(tmp_path: Path, command: tuple[str, ...]) -> None:
    said = refused(*command, VAR_DIR=str(tmp_path), DATABASE_URL=DEAD)
    assert "The database that DATABASE_URL names does not answer: " in said and "refused" in said
    assert "Start it, or correct DATABASE_URL" in said and "secret" not in said


def test_an_address_of_a_database_that_is_none(tmp_path: Path) -> None:
    said = refused("-m", "laptop.run", VAR_DIR=str(tmp_path), DATABASE_URL="my database")
    assert "\nA setting is wrong: DATABASE_URL must begin as in postgres://user:password@host/name." in said
