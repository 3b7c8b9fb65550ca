"""What a process settles with the system."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings

STEPS = """
import os, pathlib
from config.process import lower_priority
lower_priority(3)
group = pathlib.Path("/proc/self/autogroup")
words = group.read_text().split() if group.exists() and os.access(group, os.W_OK) else []
print(os.nice(0), words[-1] if words else 3)  # a session may be in no group of its own: then nothing is written there
"""


def stepped_back(*, own_session: bool) -> list[int]:
    done = subprocess.run(
        [sys.executable, "-c", STEPS],
        cwd=Path(settings.BASE_DIR),
        start_new_session=own_session,
        capture_output=True,
        text=True,
        check=True,
    )
    return [int(one) for one in done.stdout.split()]


def test_who_steps_back_does_so_for_its_session_too() -> None:
    assert stepped_back(own_session=True) == [os.nice(0) + 3, 3]


def test_in_the_session_of_others_it_steps_back_alone() -> None:
    before = Path("/proc/self/autogroup")
    group = before.read_text() if before.exists() else ""
    assert stepped_back(own_session=False)[0] == os.nice(0) + 3
    assert (before.read_text() if before.exists() else "") == group
