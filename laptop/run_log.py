"""The log files of `gin-rummy run`: what all processes print, and a short list of events such as a process that ended.

An installed program has no terminal that anybody reads, so the page *This computer* shows these files.
"""

import logging
import time
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

from config.outages import PrivateLinkFilter

MAX_LOG_BYTES: Final = 1_000_000
"""The size in bytes at which the log file is renamed. Only one earlier file is stored."""
MIN_CLOCK_JUMP_S: Final = 30.0
"""A change of the computer's clock by more than this many seconds is recorded."""


class _QuietFileHandler(RotatingFileHandler):
    """A handler that ignores errors, because the program must go on when the disk with its log is full."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is the standard library's
        pass


class RunLog:
    """Writes what the processes print, and records the events of this run.

    The supervisor calls `write_line`, `report_exit` and `find_stop_reason`.
    """

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._handler = _QuietFileHandler(file, maxBytes=MAX_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
        self._handler.addFilter(PrivateLinkFilter())
        self._handler.setFormatter(logging.Formatter("%(asctime)s %(name)s | %(message)s"))
        self._clock_offset = time.time() - time.monotonic()

    def write_line(self, process: str, line: str) -> None:
        self._handler.handle(logging.LogRecord(process, logging.INFO, "", 0, line, (), None))

    def report_exit(self, process: str, code: int) -> None:
        """Record that a process ended although nobody stopped it."""
        from tournament.this_computer.selectors.state import RunEventKind
        from tournament.this_computer.services import record_run_event

        record_run_event(RunEventKind.PROCESS_ENDED, process=process, code=code)

    def find_stop_reason(self) -> str:
        """Return why the program has to stop, or "" if it goes on. The supervisor calls this ten times a second."""
        from tournament.this_computer.selectors.state import find_due_run_request

        self._record_clock_jump()
        request = find_due_run_request(time.time())
        return f"{request.action} requested by {request.by_name}" if request is not None else ""

    def _record_clock_jump(self) -> None:
        from tournament.this_computer.selectors.state import RunEventKind
        from tournament.this_computer.services import record_run_event

        offset = time.time() - time.monotonic()
        jump, self._clock_offset = offset - self._clock_offset, offset
        if abs(jump) > MIN_CLOCK_JUMP_S:
            record_run_event(RunEventKind.CLOCK_JUMPED, seconds=round(jump))
