"""Run two laptops in tests. Each one has its own folder, and the real process that connects it to the other."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from config.environment import BASE_DIR
from laptop.prepare import make_migrated_database
from tests.laptop.runs import START, WRITE, environment_of, manage, shell
from tests.processes import Process, free_port, until
from tournament.second_laptop.selectors import UNCOPIED_TABLES

CHECK_LOGS = """
from tournament.core.selectors.log import check_log_chain
from tournament.models import Tournament
print(all(check_log_chain(tournament).is_intact for tournament in Tournament.objects.all()))
"""
PROBLEM = """
from tournament.second_laptop.selectors import describe_link_problem, read_link_problem
print(describe_link_problem(read_link_problem()))
"""
SECRETS = "SECRET_KEY={secret}\nSEAL_SECRET={secret}\n"


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

    def shell(self, script: str) -> str:
        return manage(self.folder, "shell", "--no-imports", "-c", script)

    def write(self, name: str, turns: int = 1) -> None:
        self.shell(WRITE.replace("NAME", name).replace("TURNS", str(turns)))

    def names(self) -> list[str]:
        with closing(sqlite3.connect(self.folder / "db.sqlite3")) as database:
            return [name for (name,) in database.execute("SELECT name FROM tournament_tournament ORDER BY id")]

    def rows(self) -> dict[str, list[str]]:
        """Return the rows of all tables that are copied between the laptops, keyed by table."""
        with closing(sqlite3.connect(self.folder / "db.sqlite3")) as database:
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {
                table: sorted(map(repr, database.execute(f'SELECT * FROM "{table}"')))
                for table in tables
                if table not in UNCOPIED_TABLES and not table.startswith("sqlite_")
            }

    def has_intact_logs(self) -> bool:
        return self.shell(CHECK_LOGS) == "True"

    def problem(self) -> str:
        """Return the sentence about a problem with the connection that this laptop's pages show."""
        return self.shell(PROBLEM)

    def has(self, name: str) -> bool:
        """Return whether the laptop's folder “second-laptop” contains a file with this name."""
        return (self.folder / "second-laptop" / name).exists()

    def role(self) -> str:
        file = self.folder / "second-laptop" / "link.json"
        return str(json.loads(file.read_text())["role"]) if file.exists() else ""

    @contextmanager
    def connected(self) -> Iterator[Process]:
        """Run the process that connects this laptop to the other one, and kill it at the end of the block."""
        log_file = self.folder.with_name(f"{self.folder.name}.log")
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
    (folder / "db.sqlite3").write_bytes(_start_installation(secret))
    (folder / "secrets.env").write_text(SECRETS.format(secret=secret))
    return Laptop(folder, free_port())


@cache
def _start_installation(secret: str) -> bytes:
    """Return the database of a new installation with these secrets. The tests of a file start it only once."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_migrated_database(Path(sys.executable)).copy_to(folder / "db.sqlite3")
        (folder / "secrets.env").write_text(SECRETS.format(secret=secret))
        shell(folder, START)
        return (folder / "db.sqlite3").read_bytes()


def pair(first: Laptop, second: Laptop) -> None:
    """Let the second laptop follow the first one. The first laptop's connection process must be running."""
    words = first.link("add").stdout.strip()
    until(lambda: is_listening(first))
    done = second.link("join", f"127.0.0.1:{first.port}", words, "--yes")
    assert (done.returncode, done.stderr) == (0, "")


def is_listening(laptop: Laptop) -> bool:
    """Return whether the laptop accepts connections. This is much cheaper than a command of the second laptop."""
    try:
        socket.create_connection(("127.0.0.1", laptop.port), timeout=10).close()
    except OSError:
        return False
    return True
