"""The log files of `gin-rummy run`: everything that the processes print, and a short list of events.

Nobody reads the terminal of an installed program, so the page *This computer* uses these files.
"""

import logging
import time
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

from config.outages import PrivateLinkFilter

MAX_LOG_BYTES: Final = 1_000_000
"""The size in bytes at which the log file is renamed. Only one older file is stored."""
MIN_CLOCK_JUMP_S: Final = 30.0
"""A change of the computer's clock by more than this many seconds is recorded."""


class _QuietFileHandler(RotatingFileHandler):
    """A handler that ignores errors, because the program must keep running while the disk is full."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is the standard library's
        pass


class RunLog:
    """Writes everything that the processes print, and records the events of this run for *This computer*."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._handler = _QuietFileHandler(file, maxBytes=MAX_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
        self._handler.addFilter(PrivateLinkFilter())
        self._handler.setFormatter(logging.Formatter("%(asctime)s %(name)s | %(message)s"))
        self._clock_offset = time.time() - time.monotonic()

    def write_line(self, process: str, line: str) -> None:
        self._handler.handle(logging.LogRecord(process, logging.INFO, "", 0, line, (), None))

    def record_exit(self, process: str, code: int) -> None:
        """Record that a process ended unexpectedly."""
        from tournament.this_computer.selectors.state import RunEventKind
        from tournament.this_computer.services import record_run_event

        record_run_event(RunEventKind.PROCESS_ENDED, process=process, code=code)

    def record_clock_jump(self) -> None:
        """Record whether somebody changed the clock, or the computer slept, since the last call."""
        from tournament.this_computer.selectors.state import RunEventKind
        from tournament.this_computer.services import record_run_event

        offset = time.time() - time.monotonic()
        jump, self._clock_offset = offset - self._clock_offset, offset
        if abs(jump) > MIN_CLOCK_JUMP_S:
            record_run_event(RunEventKind.CLOCK_JUMPED, seconds=round(jump))
