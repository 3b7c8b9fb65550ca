"""How tests see from outside what a run of `make run` does."""

from __future__ import annotations

import http.client
import re
from contextlib import closing
from pathlib import Path

from tests.processes import Process


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
    """The main processes by their names in the Procfile, as the run said them last."""
    return {name: int(pid) for name, pid in re.findall(r"system +\| ([\w.]+) started \(pid=(\d+)\)", run.log())}


def all_of(run: Process) -> list[int]:
    """The run itself, and everything that it and its processes started: each main process leads a session."""
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
    """State, parent, group, session; nothing when there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[:4]
    except OSError:
        return []
