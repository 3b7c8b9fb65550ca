"""Start a page process, for example a reader with `python -m config.pages.page_process reader`.

The process takes the lowest number that no other process of its kind uses. Its socket is named after its kind and this
number.

Run one writer, and as many readers as there are CPU cores. `config.front.lanes` finds their sockets.
"""

import gc
import os
import runpy
import sys
import threading
import time
from contextlib import suppress
from typing import Final

from filelock import FileLock, Timeout

from config.broker import make_socket_path
from config.process import SHUTDOWN_TIMEOUT_S, lower_priority, raise_gc_thresholds

PAGE_THREADS: Final = 7
"""The number of threads in a page process. It is enough for all requests that `config.front.lanes` sends to it at
once.
"""
MAX_PROCESSES_PER_KIND: Final = 64
READER_NICENESS: Final = 8
"""The niceness of a reader process. If all CPU cores are busy, writes and cached pages come first."""
SWITCH_INTERVAL_VARIABLE: Final = "SECONDS_OF_A_THREAD"
WRITER_SWITCH_INTERVAL: Final = "0.0005"
"""Python's thread switch interval in the writer, in seconds. The default is 0.005.

After each database response, a write may wait this long before it continues, and keeps the event locked meanwhile.
"""
SOCKET_VARIABLE, STARTING_SUFFIX = "PAGE_SOCKET", ".starting"
"""The environment variable with the socket's path, and the suffix that the path has during startup.

Without the suffix, requests would be sent to a process that is still starting.
"""
GC_INTERVAL_S: Final = 30.0


def reduce_garbage_collection() -> None:
    """Exclude all objects created during startup from garbage collection, because they are permanent."""
    gc.freeze()
    raise_gc_thresholds()


def schedule_garbage_collection() -> None:
    """Collect garbage regularly. Otherwise Python would free replaced cache values only once every few hours."""

    def collect() -> None:
        while True:
            time.sleep(GC_INTERVAL_S)
            gc.collect()

    threading.Thread(target=collect, name="collect", daemon=True).start()


def main(kind: str) -> None:
    number, lock = _reserve_free_number(kind)
    path = make_socket_path(f"{kind}-{number}.sock{STARTING_SUFFIX}")
    for left in (path, path.with_suffix("")):
        left.unlink(missing_ok=True)
    os.environ[SOCKET_VARIABLE] = str(path)
    if kind == "reader":
        lower_priority(READER_NICENESS)
    else:
        os.environ[SWITCH_INTERVAL_VARIABLE] = WRITER_SWITCH_INTERVAL
    options = {"--interface": "wsgi", "--blocking-threads": PAGE_THREADS, "--uds": path, "--uds-permissions": "0o600"}
    options |= {"--workers-kill-timeout": SHUTDOWN_TIMEOUT_S, "--log-level": "error"}
    arguments = [str(part) for pair in options.items() for part in pair]
    sys.argv = ["granian", "config.pages.behind:application", *arguments]
    # Workers are not respawned: the socket would stay open, and requests would wait that another process can answer.
    with lock:
        runpy.run_module("granian", run_name="__main__", alter_sys=True)


def _reserve_free_number(kind: str) -> tuple[int, FileLock]:
    """Reserve the lowest number that no other process of this kind uses, and return it with its lock.

    The operating system releases the lock when this process ends.
    """
    make_socket_path("").mkdir(mode=0o700, parents=True, exist_ok=True)
    for number in range(1, MAX_PROCESSES_PER_KIND):
        lock = FileLock(make_socket_path(f"{kind}-{number}.lock"), mode=0o600, thread_local=False)
        with suppress(Timeout):
            lock.acquire(timeout=0)
            return number, lock
    raise SystemExit(f"{MAX_PROCESSES_PER_KIND} processes of this kind run here already.")


if __name__ == "__main__":
    main(*sys.argv[1:])
