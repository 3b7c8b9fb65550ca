"""Two laptops with real processes: the second one follows, takes over, and shuts the first one out."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from config.environment import BASE_DIR
from laptop.prepare import make_migrated_database
from tests.laptop.runs import environment_of, manage
from tests.processes import Process, free_port, until

WRITE = """
from datetime import date
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Tournament
about = {"venue": "Hall", "starts_on": date(2026, 11, 27), "ends_on": date(2026, 11, 29)}
for number in range(TURNS):
    tournament = Tournament.objects.create(slug=f"NAME-{number}", name=f"NAME {number}", **about)
    with writing(tournament, verb="tournament.created", by=SYSTEM_ACTOR) as write:
        write.about(tournament)
"""
FORGET = """
from tournament.second_laptop.selectors import load_last_change
from tournament.second_laptop.services.changes import forget_changes
forget_changes(load_last_change())
"""
START = "from tournament.core.services.secrets import exit_on_wrong_secrets; exit_on_wrong_secrets()"


@dataclass
class Laptop:
    folder: Path
    port: int

    @property
    def environment(self) -> dict[str, str]:
        return {**environment_of(self.folder), "LINK_PORT": str(self.port)}

    def link(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", "second_laptop", *arguments]
        return subprocess.run(command, cwd=BASE_DIR, env=self.environment, capture_output=True, text=True, check=False)

    def write(self, name: str, turns: int = 1) -> None:
        script = WRITE.replace("NAME", name).replace("TURNS", str(turns))
        manage(self.folder, "shell", "--no-imports", "-c", script)

    def names(self) -> list[str]:
        with closing(sqlite3.connect(self.folder / "db.sqlite3")) as database:
            return [name for (name,) in database.execute("SELECT name FROM tournament_tournament ORDER BY id")]

    def has(self, name: str) -> bool:
        """Return whether the laptop has this file about its role."""
        return (self.folder / "second-laptop" / name).exists()

    def role(self) -> str:
        file = self.folder / "second-laptop" / "link.json"
        return str(json.loads(file.read_text())["role"]) if file.exists() else ""

    @contextmanager
    def connected(self) -> Iterator[Process]:
        """Run the process that keeps the connection."""
        log_file = self.folder / "link.log"
        with log_file.open("ab") as log:
            popen = subprocess.Popen(
                [sys.executable, "manage.py", "second_laptop", "connect"],
                cwd=BASE_DIR,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            yield Process(popen, log_file)
        finally:
            os.kill(popen.pid, signal.SIGKILL)
            popen.wait()


def a_laptop(folder: Path, secret: str) -> Laptop:
    make_migrated_database(Path(sys.executable)).copy_to(folder / "db.sqlite3")
    (folder / "secrets.env").write_text(f"SECRET_KEY={secret}\nSEAL_SECRET={secret}\n")
    laptop = Laptop(folder, free_port())
    manage(folder, "shell", "--no-imports", "-c", START)
    return laptop


@pytest.fixture(scope="module")
def laptops(tmp_path_factory: pytest.TempPathFactory) -> tuple[Laptop, Laptop]:
    first = a_laptop(tmp_path_factory.mktemp("first"), "first")
    second = a_laptop(tmp_path_factory.mktemp("second"), "second")
    first.write("Before", 2)
    second.write("Replaced")
    return first, second


def test_the_event_goes_on_at_the_second_laptop(laptops: tuple[Laptop, Laptop]) -> None:
    """One story, because each step needs the one before it, and starting the processes takes seconds."""
    first, second = laptops
    words = first.link("add").stdout.strip()
    with first.connected() as leading:
        until(lambda: joined_with_wrong_words(first, second), leading)
        assert "they would be replaced" in second.link("join", f"127.0.0.1:{first.port}", words).stderr
        done = second.link("join", f"127.0.0.1:{first.port}", words.upper(), "--yes")
        assert (done.returncode, done.stderr) == (0, "")
        assert second.names() == ["Before 0", "Before 1"]
        assert "SEAL_SECRET=first" in (second.folder / "secrets.env").read_text()

        with second.connected() as following:
            first.write("Followed", 3)
            until(lambda: second.names() == first.names(), following)
        first.write("Missed", 2)
        with second.connected() as following:
            until(lambda: second.names() == first.names(), following)

        first.write("Away for too long", 2)
        manage(first.folder, "shell", "--no-imports", "-c", FORGET)
        with second.connected() as following:
            until(lambda: second.has("received.json"), following)
        assert second.link("install").returncode == 0
        assert second.names() == first.names()
        with second.connected() as following:
            first.write("Followed again")
            until(lambda: second.names() == first.names(), following)

        first.write("Alone", 1)
        assert second.link("take-over").returncode == 0
        assert second.link("take-over").returncode == 0
        with second.connected() as telling:
            until(lambda: first.role() == "shut-out", telling)
            until(lambda: not second.has("replaced.json"), telling)
    assert "Alone 0" not in second.names()
    [act] = json.loads((second.folder / "second-laptop" / "missing-acts.json").read_text())
    assert (act["tournament"], act["rows"][0]["about"]) == ("Alone-0", "Alone 0")
    second.write("Later")
    assert second.names()[-1] == "Later 0"

    words = second.link("add").stdout.strip()
    with second.connected() as leading:
        until(lambda: joined_with_wrong_words(second, first), leading)
        done = first.link("join", f"127.0.0.1:{second.port}", words)
        assert (done.returncode, done.stderr, first.role()) == (0, "", "second")
    assert first.names() == second.names()


def joined_with_wrong_words(first: Laptop, second: Laptop) -> bool:
    """Return whether the first laptop listens already. It refuses these words."""
    error = second.link("join", f"127.0.0.1:{first.port}", "six wrong words are not enough", "--yes").stderr
    return "These are not the words" in error
