"""Measure the time from `make run` in an empty folder to the first page.

python -m tests.devtools.first_page --times 3        after `make prepare`; does not touch your own data
"""

from __future__ import annotations

import argparse
import http.client
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.devtools.hall.site import ROOT, TICKS, descendants, free_port

PATIENCE = 900.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--whole", action="store_true", help="also until the demo is loaded")
    parser.add_argument("command", nargs="*", default=["make", "run"])
    options = parser.parse_args()
    for turn in range(1, options.times + 1):
        with tempfile.TemporaryDirectory(prefix="first-start-") as folder:
            found = _start(Path(folder), options.command, whole=options.whole)
        load = os.getloadavg()[0]
        print(f"start {turn}: " + ", ".join(f"{what} {s:.1f} s" for what, s in found.items()) + f" (load {load:.1f})")


def _start(folder: Path, command: list[str], *, whole: bool) -> dict[str, float]:
    port, log = free_port(), folder / "log"
    began = time.monotonic()
    with log.open("wb") as written:
        run = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "VAR_DIR": str(folder / "var"), "PORT": str(port)},
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        found = {
            "first page": _until(lambda: _answers(port), began, run, log),
            "processor until then": _used_by(run.pid),
        }
        if whole:
            found["demo loaded"] = _until(lambda: "The demo is loaded." in log.read_text(), began, run, log)
        return found
    finally:
        os.killpg(run.pid, signal.SIGINT)
        run.wait(timeout=30)


def _used_by(leader: int) -> float:
    """Return the processor time in seconds of a process and all its descendants."""
    ticks = 0
    for pid in descendants(leader):
        with suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[11:15]))
    return ticks / TICKS


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _until(happened: Callable[[], bool], began: float, run: subprocess.Popen[bytes], log: Path) -> float:
    while not happened():
        if run.poll() is not None or time.monotonic() - began > PATIENCE:
            raise SystemExit(log.read_text())
        time.sleep(0.05)
    return time.monotonic() - began


if __name__ == "__main__":
    main()
