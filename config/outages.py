"""Tell an outage from a mistake of the program: the disk is full, or the database is away."""

import errno
from collections.abc import Iterator
from typing import Final

from django.db import InterfaceError, OperationalError, connections

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT)
_SQLITE_FULL: Final = ("database or disk is full", "disk I/O error")
_POSTGRES_FULL: Final = "53100"
_POSTGRES_AWAY: Final = ("08", "53", "57P")
"""The codes of PostgreSQL for a lost connection, no more resources and a shutdown begin so. A client that reaches no
server has no code."""


def causes_of(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error, then what it was raised from, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def is_full(error: BaseException | None) -> bool:
    """Whether the disk of this machine or of the database is the reason."""
    return any(_is_no_room(one) for one in causes_of(error))


def is_away(error: BaseException | None) -> bool:
    """Whether PostgreSQL is the reason: away, restarted, or without a free connection."""
    return any(_is_silence(one) for one in causes_of(error)) and not is_full(error)


def _is_no_room(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _NO_ROOM
    if getattr(error, "sqlstate", None) == _POSTGRES_FULL:
        return True
    return isinstance(error, OperationalError) and str(error).startswith(_SQLITE_FULL)


def _is_silence(error: BaseException) -> bool:
    """A mistake in a statement has a code of its own, and stays a mistake."""
    code = getattr(error.__cause__, "sqlstate", "of no driver")
    return isinstance(error, OperationalError | InterfaceError) and (code is None or code.startswith(_POSTGRES_AWAY))


def hold_open() -> object:
    """Return a connection to SQLite that read once and stays open, for anyone who keeps it.

    The index of SQLite's log goes with the last connection. On a full disk it cannot be made again, even to read.
    """
    held = connections.create_connection("default")
    if held.vendor == "sqlite":
        try:
            with held.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except OperationalError:
            return None  # full already: pages say so until there is room
    return held
