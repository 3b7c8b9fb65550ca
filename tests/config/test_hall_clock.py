"""The clock that the hall sets back is wrong in each process of the site, in its forks, too, and right again after."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.devtools.hall.site import make_clock

TELLS = """
import os, sys, time
if os.fork() == 0:
    for _line in sys.stdin:
        print(time.time(), time.monotonic(), flush=True)
os.wait()
"""
AGAIN = 1.0
"""Seconds in which a process has looked at its clock's file."""


def test_it_is_set_back_and_right_again(tmp_path: Path) -> None:
    clock = make_clock(tmp_path)
    site = subprocess.Popen(
        [sys.executable, "-c", TELLS],
        env={**os.environ, **clock.environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert site.stdin is not None and site.stdout is not None

    def behind() -> tuple[int, int]:
        """Whole minutes of the clock, and of the one that measures intervals."""
        time.sleep(AGAIN)
        site.stdin.write("\n")
        site.stdin.flush()
        told, measured = map(float, site.stdout.readline().split())
        return round((time.time() - told) / 60), round((time.monotonic() - measured) / 60)

    assert behind() == (0, 0)
    with clock.set_back(3600):
        assert behind() == (60, 0)
    assert behind() == (0, 0)
    site.stdin.close()
    assert site.wait(timeout=10) == 0
