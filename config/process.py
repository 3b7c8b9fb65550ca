"""Operating-system settings of a process: priority, limit on open files, and whether it dies with its parent."""

import ctypes
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

_PR_SET_PDEATHSIG = 1
KILL_SIGNAL: Final = 9
"""The number of SIGKILL. On Windows, Python has no name for it."""
SUPERVISOR_VARIABLE: Final = "SUPERVISOR_PID"
"""The environment variable with the process id of the supervisor, for each process that it starts."""
SHUTDOWN_TIMEOUT_S: Final = 10
"""Seconds that a server process may take to finish its requests after a signal to stop."""
MAX_OPEN_FILES: Final = 100_000
"""The highest limit on open files that a process requests.

Some systems allow a billion, and some libraries iterate over all of them.
"""
MIN_OPEN_FILES: Final = 2_000
"""The number of open files below which a warning is logged.

This number is enough for 500 phones with two connections each, plus as many files for the server.
"""

GC_THRESHOLDS: Final = (20_000, 20, 20)
"""Thresholds for Python's garbage collector. The first one is the number of new objects after which it runs.

A large event's page creates thousands of objects.
"""

logger = logging.getLogger(__name__)


def raise_gc_thresholds() -> None:
    """Make Python's garbage collector run less often. By default, it takes a sixth of the startup time."""
    gc.set_threshold(*GC_THRESHOLDS)


def die_with_parent(by: int = signal.SIGTERM, parent: int = 0) -> None:
    """Make the system send this process a signal when its parent dies. This works only on Linux.

    `parent` is the parent's process id, if known. If that process is already dead, exit immediately.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(by))
        if parent and os.getppid() != parent:
            os._exit(1)


def die_with_supervisor() -> None:
    """Make the system kill this process when the supervisor that started it dies. This works only on Linux."""
    if supervisor := os.environ.pop(SUPERVISOR_VARIABLE, ""):
        die_with_parent(KILL_SIGNAL, parent=int(supervisor))


def call_on_stop_signal(callback: Callable[[], object]) -> None:
    """Call the function when a signal asks this process to stop. The server's own handling of the signal is unchanged.

    The server's event loop is notified of a signal even if the signal has another handler.
    """
    for name in ("SIGINT", "SIGTERM", "SIGBREAK"):  # SIGBREAK exists only on Windows
        if number := getattr(signal, name, None):
            with suppress(ValueError):  # only the main thread can handle signals
                signal.signal(number, partial(_handle_signal, callback, signal.getsignal(number)))


def _handle_signal(callback: Callable[[], object], previous: Any, number: int, frame: Any) -> None:
    callback()
    if callable(previous):
        previous(number, frame)


def lower_priority(steps: int) -> None:
    """Lower the priority of this process by this many steps of `nice`. On Windows, set it to *below normal*.

    On desktop Linux, where sessions share the CPU (autogroup), also lower the priority of the whole session.
    """
    import psutil  # not at the top, because most processes do not need it

    process = psutil.Process()
    process.nice(getattr(psutil, "BELOW_NORMAL_PRIORITY_CLASS", process.nice() + steps))
    if hasattr(os, "getsid") and os.getsid(0) == os.getpid():  # it has its own session
        with suppress(OSError):
            Path("/proc/self/autogroup").write_text(str(steps), encoding="ascii")


def get_open_file_limit() -> int | None:
    """Return the number of files that this process may have open, or None if there is no limit."""
    if resource is None:
        return None
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft


def raise_open_file_limit() -> None:
    """Raise the limit on open files as far as the system allows, because every stream uses one.

    Log a warning if the limit is still low.
    """
    allowed = get_open_file_limit()
    if allowed is None:
        return
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    possible = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN_FILES)
    if allowed < possible:
        resource.setrlimit(resource.RLIMIT_NOFILE, (possible, hard))
        allowed = possible
    if allowed < MIN_OPEN_FILES:
        logger.warning(
            "This system allows %d open files: about %d phones at once. For more raise the limit (ulimit -n %d).",
            *(allowed, allowed // 2, MIN_OPEN_FILES),
        )
