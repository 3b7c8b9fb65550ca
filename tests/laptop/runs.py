"""Start `make run` in tests, and look at its processes and pages from outside."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from config.environment import BASE_DIR
from tests.processes import Process, free_port, until

WITHOUT_POSIX = BASE_DIR / "tests" / "laptop" / "without_posix"
"""The folder that hides what Python lacks on Windows, if it is the first one in PYTHONPATH."""
NOT_INHERITED = (
    "HTTPS",
    "HALL_HOST",
    "VAR_DIR",
    "SECRET_KEY",
    "SEAL_SECRET",
    "DJANGO_SETTINGS_MODULE",
    "DATABASE_URL",
    "REDIS_URL",
)


def environment_of(installation: Path) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
    return {
        **inherited,
        "VAR_DIR": str(installation),
        "DEMO": "0",
        "READERS": "1",
        "OPEN_BROWSER": "0",
    }  # each takes seconds to start


def manage(installation: Path, *arguments: str, **environment: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    variables = {**environment_of(installation), **environment}
    done = subprocess.run(command, cwd=BASE_DIR, env=variables, check=True, capture_output=True, text=True)
    return done.stdout.strip()


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
"""A script that records tournaments. Tests replace TURNS with the number of tournaments, and NAME with their name."""
START = "from tournament.core.services.secrets import exit_on_wrong_secrets; exit_on_wrong_secrets()"
"""A script that stores the secrets of a new installation."""
BACK_UP = 'from django.core.management import call_command; call_command("backup")'


def shell(installation: Path, *code: str, **environment: str) -> str:
    """Run these pieces of Python code in a single process, because each process takes seconds to start."""
    return manage(installation, "shell", "--no-imports", "-c", "\n".join(code), **environment)


@contextmanager
def starting(installation: Path, logs: Path) -> Iterator[Callable[..., Process]]:
    """Provide a function that starts `make run` for this installation.

    At the end of the `with` block, all started processes are killed.
    """
    started: list[Process] = []

    def start(port: int, **environment: str) -> Process:
        log_file = logs / f"run-{len(started)}.log"
        with log_file.open("wb") as log:
            popen = subprocess.Popen(
                [sys.executable, "-m", "laptop.run"],
                cwd=BASE_DIR,
                env={**environment_of(installation), "PORT": str(port), **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        started.append(Process(popen, log_file))
        return started[-1]

    try:
        yield start
    finally:
        for process in started:
            if process.popen.poll() is None:
                left = all_of(process)
                process.popen.kill()
                process.popen.wait()
                for pid in left:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)


def serve(
    start: Callable[..., Process], is_ready: Callable[[Process], object] = lambda run: True, **environment: str
) -> tuple[int, Process]:
    """Start `make run`, wait until its first page is available, and return its port and process."""
    port = free_port()
    run = start(port, **environment)
    until(lambda: status(port) == 200 and is_ready(run), run)
    return port, run


def status(port: int, path: str = "/", method: str = "GET") -> int | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def page(port: int, path: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    with closing(connection):
        connection.request("GET", path)
        return connection.getresponse().read().decode()


def pids(run: Process) -> dict[str, int]:
    """Return the process IDs of the newest main processes, keyed by their names."""
    return {name: int(pid) for name, pid in re.findall(r"system +\| ([\w.]+) started \(pid=(\d+)\)", run.log())}


def all_of(run: Process) -> list[int]:
    """Return the process IDs of a run and of all processes that it started.

    Each main process is the leader of a session.
    """
    leaders = set(pids(run).values())
    return [pid for pid in _running() if pid == run.popen.pid or _session(pid) in leaders]


def session_of(leader: int) -> list[int]:
    return [pid for pid in _running() if _session(pid) == leader]


def is_alive(pid: int) -> bool:
    return _stat(pid)[:1] not in ([], ["Z"])


def _running() -> list[int]:
    return [int(folder.name) for folder in Path("/proc").glob("[0-9]*") if is_alive(int(folder.name))]


def _session(pid: int) -> int:
    return int((_stat(pid) or ["", "0", "0", "0"])[3])


def _stat(pid: int) -> list[str]:
    """Return the state, parent, group, and session of a process, or an empty list if it does not exist."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[:4]
    except OSError:
        return []
