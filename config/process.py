"""What a process settles with the system: nothing is left running when the one who started it is gone, however it went;
and it may hold as many connections open as the machine allows."""

import ctypes
import logging
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG = 1
MOST_FILES: Final = 100_000
"""Some systems allow a thousand million, and some libraries walk through all that is allowed."""
FEW_FILES: Final = 2_000
"""A hall of 500 phones with two connections each, and as much again for pages, database and static files."""

logger = logging.getLogger(__name__)


def end_with_parent(by: signal.Signals = signal.SIGTERM, parent: int = 0) -> None:
    """Let the system send this process a signal when its parent dies (Linux; elsewhere nothing happens).

    `parent` is its process id, where it is known: it may be gone already.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(by))
        if parent and os.getppid() != parent:
            os._exit(1)


def step_back(steps: int) -> None:
    """Let other processes go first (`nice`).

    Desktop Linux divides the processor among sessions (autogroup). There only the niceness of the session counts.
    """
    os.nice(steps)
    if os.getsid(0) == os.getpid():  # its own, where nobody else is
        with suppress(OSError):
            Path("/proc/self/autogroup").write_text(str(steps))


def raise_open_files() -> None:
    """Every stream to a phone is an open file: allow as many as the system lets us, and say so where that is few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft == resource.RLIM_INFINITY or soft >= allowed:
        allowed = soft
    else:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed != resource.RLIM_INFINITY and allowed < FEW_FILES:
        logger.warning(
            "This system allows %d open files: about %d phones at once. For more raise the limit (ulimit -n %d).",
            *(allowed, allowed // 2, FEW_FILES),
        )
