"""`python -m config.pages.page_process reader`: a process that makes pages, at the first free number of its kind.

Run as many readers as there are cores, and one writer; `config.front.lanes` finds their sockets.
"""

import fcntl
import gc
import os
import sys
import threading
import time
from typing import Final

from config.broker import socket_path
from config.process import step_back

THREADS: Final = 6
"""What `config.front.lanes` asks of one at once."""
MOST: Final = 64
STEPS_BACK: Final = 8
"""How much nicer than the others a reader is: where all are busy, who writes and what is in memory come first."""
TAKES_TURNS: Final = "SECONDS_OF_A_THREAD"
WRITER_TURN: Final = "0.0005"
"""After how many seconds Python lets the next thread go on, 0.005 by itself. A write under the event's lock would wait
for that at each answer of the database, and all other writes of the event with it."""
OPENS, NOT_YET = "PAGE_SOCKET", ".starting"
"""The socket has another name until its process can answer, or the one who asks would wait for it to have started."""
COLLECT_EVERY: Final = 30.0
YOUNG: Final = 20_000
"""Objects after which Python looks for those that only each other keep; a page of a full event makes thousands."""


def collect_seldom() -> None:
    """What is here by now stays for good: it is not walked through again and again."""
    gc.freeze()
    gc.set_threshold(YOUNG, 20, 20)


def collect_at_times() -> None:
    """What was kept for a while and then replaced is old by then; Python would look for it once in hours."""

    def collect() -> None:
        while True:
            time.sleep(COLLECT_EVERY)
            gc.collect()

    threading.Thread(target=collect, name="collect", daemon=True).start()


def main(kind: str) -> None:
    path = socket_path(f"{kind}-{_free_number(kind)}.sock{NOT_YET}")
    for left in (path, path.with_suffix("")):
        left.unlink(missing_ok=True)
    os.environ[OPENS] = str(path)
    if kind == "reader":
        step_back(STEPS_BACK)
    else:
        os.environ[TAKES_TURNS] = WRITER_TURN
    options = {"--interface": "wsgi", "--blocking-threads": THREADS, "--uds": path, "--uds-permissions": "0o600"}
    options |= {"--workers-kill-timeout": 1, "--log-level": "error"}
    given = [str(part) for pair in options.items() for part in pair]
    # No respawning of a worker: its socket would stay open meanwhile, and let everybody wait who could ask elsewhere.
    os.execv(sys.executable, [sys.executable, "-m", "granian", "config.pages.behind:application", *given])


def _free_number(kind: str) -> int:
    """Held by a lock for as long as the process lives, however it ends."""
    socket_path("").mkdir(mode=0o700, parents=True, exist_ok=True)
    for number in range(1, MOST):
        lock = os.open(socket_path(f"{kind}-{number}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        os.set_inheritable(lock, True)
        return number
    raise SystemExit(f"{MOST} processes of this kind run here already.")


if __name__ == "__main__":
    main(*sys.argv[1:])
