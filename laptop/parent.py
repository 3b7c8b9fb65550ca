"""Nothing is left running when the one who started it is gone, however it went."""

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1


def end_with_parent(by: signal.Signals = signal.SIGTERM) -> None:
    """Let the system send this process a signal when its parent dies (Linux; elsewhere nothing happens)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(by))
