"""Distinguish outages (a full disk or an unavailable database) from bugs, and log each outage in one line."""

import hashlib
import logging
import re
import time
from typing import Final

from django.db import InterfaceError, OperationalError, connections

from tournament.core.selectors.disk import is_disk_full, iter_causes

_POSTGRES_AWAY: Final = ("08", "53", "57P")
"""Prefixes of PostgreSQL error codes for lost connections, exhausted resources and shutdowns.

An error without a code means that no server was reached.
"""


def is_database_unavailable(error: BaseException | None) -> bool:
    """Return whether the error occurred because PostgreSQL was unreachable, restarting, or out of connections."""
    return any(map(_is_unavailable_error, iter_causes(error))) and not is_disk_full(error)


def _is_unavailable_error(error: BaseException) -> bool:
    """Return whether the error means that PostgreSQL was unavailable."""
    code = getattr(error.__cause__, "sqlstate", "of no driver")
    return isinstance(error, OperationalError | InterfaceError) and (code is None or code.startswith(_POSTGRES_AWAY))


def keep_sqlite_open() -> object:
    """Return an open SQLite connection. The caller must keep a reference to it as long as the process runs.

    When the last connection closes, SQLite deletes its shared-memory file. On a full disk, SQLite could not create that
    file again, and could not even read the database.
    """
    held = connections.create_connection("default")
    if held.vendor == "sqlite":
        try:
            with held.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except OperationalError:
            return None  # the disk is already full, and pages say so until there is room
    return held


# --- Logs ------------------------------------------------------------------------------------------------------------
# Log filters.

OUTAGE_LOG_INTERVAL_S: Final = 60.0
DISK_FULL_MESSAGE: Final = "The disk is full: {why}. Writes are refused until there is room."
DATABASE_UNAVAILABLE_MESSAGE: Final = "The database does not answer: {why}. Pages ask to try again in a moment."
PRIVATE_PATH_PATTERN: Final = re.compile(
    r"(/my/|/sign-in/|/first-start/|/t/[^/\s]+/[^/\s]+/registered/|/accounts/(?:password/reset/key|confirm-email)/)([^\s/]+)\S*"
)
"""URL paths that contain a secret link or token. The proxy examples in `docs/running` hide the same paths from logs."""


class OutageFilter(logging.Filter):
    """Replace the traceback of an outage with one sentence, at most once a minute per process."""

    def __init__(self) -> None:
        super().__init__()
        self._next: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        line = (
            DISK_FULL_MESSAGE
            if is_disk_full(error)
            else DATABASE_UNAVAILABLE_MESSAGE
            if is_database_unavailable(error)
            else ""
        )
        if not line:
            return True
        now = time.monotonic()
        if now < self._next.get(line, 0.0):
            return False
        self._next[line] = now + OUTAGE_LOG_INTERVAL_S
        why = next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(". ")
        record.msg, record.args, record.exc_info, record.exc_text = line.format(why=why), (), None, None
        return True


def hash_private_link(secret: str) -> str:
    """Return the short hash that replaces a private link in the log. The same link always has the same hash."""
    return f"~{hashlib.sha256(secret.encode()).hexdigest()[:8]}"


def hide_private_links(text: str) -> str:
    return PRIVATE_PATH_PATTERN.sub(lambda link: link[1] + hash_private_link(link[2]), text)


class PrivateLinkFilter(logging.Filter):
    """Replace private links in log messages with short hashes."""

    def filter(self, record: logging.LogRecord) -> bool:
        line = record.getMessage()
        if PRIVATE_PATH_PATTERN.search(line):
            record.msg, record.args = hide_private_links(line), ()
        return True
