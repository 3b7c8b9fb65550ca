"""Set back the clock in each of the site's Python processes by the seconds in a file (`tests.devtools.hall.site`)."""

from __future__ import annotations

import os
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import time_machine

LOOK_EVERY = 0.2
_file = Path(os.environ["HALL_CLOCK"])


def follow() -> None:
    known, wrong = 0, None
    while True:
        time.sleep(LOOK_EVERY)
        seconds = int(_file.read_text() or known)  # it is written just now where it is empty
        if seconds == known:
            continue
        if wrong is not None:
            wrong.stop()
        known, wrong = seconds, None
        if seconds:
            wrong = time_machine.travel(datetime.now(UTC) - timedelta(seconds=seconds), tick=True)
            wrong.start()


def start() -> None:
    threading.Thread(target=follow, name="clock", daemon=True).start()


start()
os.register_at_fork(after_in_child=start)
