"""Start the real site as `make run` does, in its own folder, and watch its processes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[3]
PATIENCE: Final = 180.0
TICKS: Final = os.sysconf("SC_CLK_TCK")
NAMES: Final = {
    "laptop.run": "make run",
    "second_laptop connect": "link",
    "reader-": "reader",
    "writer-": "writer",
    "spawn_main": "web (page process)",
    "granian": "web",
    "celery": "worker",
    "valkey": "broker",
    "redis": "broker",
}
"""Names for processes, keyed by a part of their command line. The first match is used."""


@dataclass(frozen=True)
class Site:
    url: str
    folder: Path
    process: subprocess.Popen[bytes]
    known: dict[str, Any]
    clock: Clock | None = None

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def log(self) -> str:
        return (self.folder / "site.log").read_text(errors="replace")

    def ask_module(self, *arguments: str, given: str = "") -> str:
        return ask_module(self.folder, *arguments, given=given)


@contextmanager
def running_site(folder: Path, *, entrants: int, herd: bool, clock: Clock | None = None) -> Iterator[Site]:
    with started(folder, "tests.devtools.hall.event", str(entrants), *(["herd"] if herd else []), clock=clock) as site:
        yield site


@contextmanager
def started(folder: Path, *rows: str, clock: Clock | None = None) -> Iterator[Site]:
    """Run the site on the database rows that a Python module creates.

    `rows` contains the module's name and arguments. The module prints a line of JSON about its rows.
    """
    folder.mkdir(exist_ok=True)
    with serving(folder, json.loads(ask_module(folder, *rows)), clock=clock) as site:
        yield site


@contextmanager
def serving(folder: Path, known: dict[str, Any], clock: Clock | None = None) -> Iterator[Site]:
    """Run the site on the database in `folder`."""
    port = free_port()
    environment = {**environment_of(folder), "PORT": str(port), "HOST": "127.0.0.1", "DEMO": "0"}
    environment |= clock.environment if clock else {}
    with (folder / "site.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "laptop.run"], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
    site = Site(f"http://127.0.0.1:{port}", folder, process, known, clock)
    try:
        _wait(site)
        yield site
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()


def ask_module(folder: Path, *arguments: str, given: str = "") -> str:
    """Run a Python module on the folder's database, and return the last line of its output."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env=environment_of(folder),
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode > 1 or not done.stdout:
        raise RuntimeError(f"{' '.join(arguments)} ended with {done.returncode}.\n{done.stderr}")
    return done.stdout.strip().splitlines()[-1]


def environment_of(folder: Path) -> dict[str, str]:
    """Return the environment for a process that works in `folder`, without the settings of a test run."""
    own = {"TEST_RUN_DIR", "TEST_DATABASE", "DJANGO_SETTINGS_MODULE", "SECRET_KEY", "SEAL_SECRET", "HTTPS", "SITE_URL"}
    kept = {name: value for name, value in os.environ.items() if name not in own}
    return {**kept, "VAR_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}


def _wait(site: Site) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and site.process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"{site.url}/rules/", timeout=5):
            return
        time.sleep(0.1)
    raise RuntimeError("The site did not start.\n" + site.log())


def wait_for_port(port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise RuntimeError(f"Nobody answers on port {port}.")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# --- What each process takes ---------------------------------------------------------------------------------------


@dataclass
class Usage:
    """The resources that a process used.

    `seconds` is the processor time since the start of the measurement. `peak` and `shared` (PSS) are in megabytes.
    """

    name: str
    before: float
    seconds: float = 0.0
    peak: float = 0.0
    shared: float = 0.0


@dataclass
class Meter:
    """Measures the resources used by the processes of the site and of a second laptop, and by this process.

    This process simulates the users, so the results call it the client.
    """

    root: int
    second_root: int | None = None
    found: dict[int, Usage] = field(default_factory=dict)
    began: float = 0.0

    def start(self) -> None:
        self.found.clear()
        self.began = time.monotonic()
        self.look()

    def look(self) -> None:
        for pid in [*descendants(self.root), os.getpid()]:
            with suppress(OSError, ValueError):
                self._look_at(pid, "client" if pid == os.getpid() else _name(pid))
        for pid in descendants(self.second_root) if self.second_root else ():
            with suppress(OSError, ValueError):
                self._look_at(pid, f"second laptop: {_name(pid)}")

    def _look_at(self, pid: int, name: str) -> None:
        now = measure_processor_seconds(pid)
        usage = self.found.setdefault(pid, Usage(name, now))
        usage.seconds = now - usage.before
        memory = _memory(pid)
        usage.peak, usage.shared = max(usage.peak, memory["Rss"]), max(usage.shared, memory["Pss"])

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.began


def measure_processor_seconds(pid: int) -> float:
    """Return the processor time that a process has used since it began."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def measure_tree_seconds(root: int) -> float:
    """Return the processor time of a process and all its descendants, including those that have ended."""
    ticks = 0
    for pid in descendants(root):
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / TICKS


def _memory(pid: int) -> dict[str, float]:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {name: int(rest.split()[0]) / 1024 for name, _colon, rest in (line.partition(":") for line in lines)}


def memory_below(root: int) -> float:
    """Return the memory (PSS, in megabytes) of a process and all its descendants."""
    found = 0.0
    for pid in descendants(root):
        with suppress(OSError, ValueError):
            found += _memory(pid)["Pss"]
    return found


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def _name(pid: int) -> str:
    command = command_of(pid)
    return next((name for part, name in NAMES.items() if part in command), command[:40])


def descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


STARTED_WITH: Final = Path(__file__).with_name("wrong_clock")


@dataclass(frozen=True)
class Clock:
    """Sets the site's clock back by the number of seconds in `file`. Intervals are still measured correctly."""

    file: Path

    @property
    def environment(self) -> dict[str, str]:
        path = os.pathsep.join(filter(None, (str(STARTED_WITH), os.environ.get("PYTHONPATH", ""))))
        return {"PYTHONPATH": path, "HALL_CLOCK": str(self.file)}

    @contextmanager
    def set_back(self, seconds: int) -> Iterator[None]:
        self.file.write_text(str(seconds))
        try:
            yield
        finally:
            self.file.write_text("0")


def make_clock(folder: Path) -> Clock:
    file = folder / "clock"
    file.write_text("0")
    return Clock(file)
