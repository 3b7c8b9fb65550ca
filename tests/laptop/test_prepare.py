"""Test the lock with which two runs of `make run` wait for each other before any package is installed."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from config.environment import BASE_DIR

HOLD = """
import sys, time
from pathlib import Path
from laptop.prepare import hold_lock
with hold_lock(Path(sys.argv[1])):
    print(time.monotonic(), flush=True)
    time.sleep(60)
"""
"""A script that holds the lock, and prints the time at which it got the lock."""


def hold(file: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-S", "-c", HOLD, str(file)]  # -S: without the installed packages
    return subprocess.Popen(command, cwd=BASE_DIR, stdout=subprocess.PIPE, text=True)


def test_a_second_run_waits_until_the_first_one_ends_or_is_killed(tmp_path: Path) -> None:
    with hold(tmp_path / "lock") as first:
        assert first.stdout and float(first.stdout.readline())
        with hold(tmp_path / "lock") as second:
            time.sleep(0.5)
            killed_at = time.monotonic()
            first.kill()
            assert second.stdout and float(second.stdout.readline()) > killed_at
            second.kill()
