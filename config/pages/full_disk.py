"""A full disk refuses writes with a sentence, and pages go on."""

import errno
import sys
from collections.abc import Iterator
from inspect import unwrap
from typing import Final

from django.db import OperationalError, connections
from django.http import HttpRequest, HttpResponse
from django.views.defaults import server_error

from config.front.guard import NO_ROOM, answer_of

_SQLITE_SAYS: Final = ("database or disk is full", "disk I/O error")
_POSTGRES_SAYS: Final = "53100"


def hold_open() -> object:
    """A connection to SQLite that reads once and stays, for anyone who keeps it.

    The index of SQLite's log goes with the last connection; on a full disk it cannot be made again, even to read.
    """
    held = connections.create_connection("default")
    if held.vendor == "sqlite":
        try:
            with held.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except OperationalError:
            return None  # full already: pages say so until there is room
    return held


def handler500(request: HttpRequest) -> HttpResponse:
    """What went wrong anywhere, in a page or around it: our own fault, unless the disk is full."""
    if not any(_is_full(error) for error in _causes(sys.exc_info()[1])):
        return unwrap(server_error)(request)  # see `config.pages.error_pages`
    headers = {name.lower().encode(): value.encode() for name, value in request.headers.items()}
    kind, content = answer_of(NO_ROOM, headers)
    return HttpResponse(content, status=NO_ROOM.status, content_type=kind, headers={"Cache-Control": "no-store"})


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_full(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    if getattr(error, "sqlstate", None) == _POSTGRES_SAYS:
        return True
    return isinstance(error, OperationalError) and str(error).startswith(_SQLITE_SAYS)
