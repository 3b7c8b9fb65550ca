"""Filters for the lines of the log: an outage takes one line, and no private link is logged."""

import hashlib
import logging
import re
import time
from typing import Final

from config.outages import is_away, is_full

SAY_EVERY: Final = 60.0
"""Seconds between two lines of one process about the same outage."""
FULL_LINE: Final = "The disk is full: {why}. Writes are refused until there is room."
AWAY_LINE: Final = "The database does not answer: {why}. Pages ask to try again in a moment."
PRIVATE: Final = re.compile(
    r"(/my/|/sign-in/|/t/[^/\s]+/[^/\s]+/registered/|/accounts/(?:password/reset/key|confirm-email)/)([^\s/]+)\S*"
)
"""Addresses that let somebody in. The examples for proxies in `docs/running` hide the same ones."""


class OutageFilter(logging.Filter):
    """Replace the traceback of an outage by a sentence, once a minute in each process."""

    def __init__(self) -> None:
        super().__init__()
        self._next: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        line = FULL_LINE if is_full(error) else AWAY_LINE if is_away(error) else ""
        if not line:
            return True
        now = time.monotonic()
        if now < self._next.get(line, 0.0):
            return False
        self._next[line] = now + SAY_EVERY
        why = next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(". ")
        record.msg, record.args, record.exc_info, record.exc_text = line.format(why=why), (), None, None
        return True


def private_link_mark(secret: str) -> str:
    """Return the mark of a private link in the log: the same for each line about it, and of no use to a reader."""
    return f"~{hashlib.sha256(secret.encode()).hexdigest()[:8]}"


class HidePrivateLinks(logging.Filter):
    """Replace private links in a line of the log by their marks."""

    def filter(self, record: logging.LogRecord) -> bool:
        line = record.getMessage()
        if PRIVATE.search(line):
            record.msg, record.args = PRIVATE.sub(lambda link: link[1] + private_link_mark(link[2]), line), ()
        return True
