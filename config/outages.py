"""Tell an outage from a mistake of the program: the disk is full, or the database is away."""

import errno
from collections.abc import Iterator
from typing import Final

from django.db import InterfaceError, OperationalError, connections

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT)
_SQLITE_FULL: Final = ("database or disk is full", "disk I/O error")
_POSTGRES_FULL: Final = "53100"
_POSTGRES_AWAY: Final = ("08", "53", "57P")
"""Prefixes of PostgreSQL's error codes for a lost connection, exhausted resources and a shutdown.

If a client reaches no server, there is no code.
"""


def is_full(error: BaseException | None) -> bool:
    """Return whether a full disk is the cause, on this machine or on that of the database."""
    return any(_is_no_room(one) for one in causes_of(error))


def is_away(error: BaseException | None) -> bool:
    """Return whether PostgreSQL is the cause: away, restarted, or without a free connection."""
    return any(_is_silence(one) for one in causes_of(error)) and not is_full(error)


def _is_no_room(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _NO_ROOM
    if getattr(error, "sqlstate", None) == _POSTGRES_FULL:
        return True
    return isinstance(error, OperationalError) and str(error).startswith(_SQLITE_FULL)


def _is_silence(error: BaseException) -> bool:
    """Return whether the database was away. An error in a statement has another code and is a bug."""
    code = getattr(error.__cause__, "sqlstate", "of no driver")
    return isinstance(error, OperationalError | InterfaceError) and (code is None or code.startswith(_POSTGRES_AWAY))


def causes_of(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error, and then each error that caused it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def keep_sqlite_open() -> object:
    """Return an open connection to SQLite that has read once. The caller must hold it.

    SQLite deletes the index of its log with the last connection. On a full disk it cannot be created again, even to
    read.
    """
    held = connections.create_connection("default")
    if held.vendor == "sqlite":
        try:
            with held.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except OperationalError:
            return None  # the disk is already full, and pages say so until there is room
    return held
