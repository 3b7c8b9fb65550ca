"""Recognize a full disk, and check how much free space there is."""

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.db import OperationalError
from django.utils.translation import gettext as _

DISK_FULL_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT)
_SQLITE_FULL: Final = ("database or disk is full", "disk I/O error")
_POSTGRES_FULL: Final = "53100"
_MIN_FREE_BYTES: Final = 64 << 10
"""A disk with less room counts as full, because not even a small write to the database is certain to fit."""


def is_disk_full(error: BaseException | None) -> bool:
    """Return whether the error was caused by a full disk, either on this machine or on the database server."""
    return any(map(_is_full_error, iter_causes(error)))


def _is_full_error(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in DISK_FULL_ERRORS
    if getattr(error, "sqlstate", None) == _POSTGRES_FULL:
        return True
    return isinstance(error, OperationalError | sqlite3.OperationalError) and str(error).startswith(_SQLITE_FULL)


def iter_causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error, followed by each error that caused it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def has_no_disk_space(folder: Path) -> bool:
    """Return whether the disk with this folder is full. The check writes nothing, so it also works on a full disk."""
    try:
        return count_free_bytes(folder) < _MIN_FREE_BYTES
    except OSError:
        return False


def count_free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def require_disk_space(folder: Path, size: int) -> None:
    """Raise an error if this many bytes do not fit on the disk. A full disk would stop everything else.

    Raises:
        OSError: `ENOSPC`.
    """
    if count_free_bytes(folder) < size + _MIN_FREE_BYTES:
        raise OSError(errno.ENOSPC, "No space left on device", str(folder))


def describe_file_error(error: Exception) -> str:
    """Return a sentence about an error that reading or writing files caused, with what to do next."""
    if is_disk_full(error):
        return _("The disk is full. Delete files that you do not need, then try again.")
    return str(error)
