"""Explain startup errors in a sentence that says what to do."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, InterfaceError

from config.environment import IS_CHECKOUT, VAR_DIR, format_start_command
from tournament.core.selectors.disk import DISK_FULL_ERRORS, iter_causes

FOLDER_NOT_WRITABLE: Final = (
    "The folder {folder} cannot be written to: {why}. "
    "Let this user write there, or choose another folder:  {start_elsewhere}"
)
NOT_STARTED_YET: Final = (
    "The program has not been started yet, so its folder {folder} does not exist. Start the program first:  {start}"
)
NO_DISK_SPACE: Final = "The disk is full: nothing can be written to {folder}. Make room, then start again."
DATABASE_UNREACHABLE: Final = (
    "The database that DATABASE_URL names does not answer: {why}. "
    "Start it, or correct DATABASE_URL. Without DATABASE_URL everything is kept in {folder}."
)
DATABASE_PERMISSION_DENIED: Final = (
    "The database that DATABASE_URL names refuses: {why}. "
    "Give its user the right to make tables there, or name another database."
)
DATABASE_UNREADABLE: Final = (
    "The database {folder}/db.sqlite3 cannot be read: {why}. "
    "Put the last copy of that folder in its place, or start afresh:  {start_elsewhere}"
)
NO_TABLES: Final = "The database has no tables for this program yet. Make them:  {make_tables}"
MAKE_TABLES_COMMAND: Final = ".venv/bin/python manage.py migrate" if IS_CHECKOUT else "gin-rummy run"
DATABASE_LOCKED: Final = "The database {folder}/db.sqlite3 is held by another program. End that one, then start again."
BAD_SETTING: Final = "A setting is wrong: {why}. What each one takes is in docs/operations.md."

_SQLITE_MESSAGES: Final = {
    "unable to open database file": FOLDER_NOT_WRITABLE,
    "readonly database": FOLDER_NOT_WRITABLE,
    "disk is full": NO_DISK_SPACE,
    "disk I/O error": NO_DISK_SPACE,
    "database is locked": DATABASE_LOCKED,
    "not a database": DATABASE_UNREADABLE,
    "malformed": DATABASE_UNREADABLE,
}


@contextmanager
def exit_on_known_startup_error() -> Iterator[None]:
    """Exit with an explanation if an error in the block has a known cause."""
    try:
        yield
    except Exception as error:
        sentence = _explain_error(error)
        if not sentence:
            raise
        sys.exit(sentence)


def _explain_error(error: BaseException) -> str:
    """Return the explanation for an error, or "" if it is a bug whose traceback is needed."""
    for cause in iter_causes(error):
        if message := _choose_message(cause):
            return message.format(
                folder=VAR_DIR,
                why=_format_reason(cause),
                start=format_start_command(),
                start_elsewhere=format_start_command("VAR_DIR=/path/to/folder"),
                make_tables=MAKE_TABLES_COMMAND,
            )
    return ""


def _choose_message(error: BaseException) -> str:
    if isinstance(error, DatabaseError | InterfaceError):
        return _choose_database_message(str(error))
    if isinstance(error, OSError):
        return _choose_system_message(error)
    return BAD_SETTING if isinstance(error, ImproperlyConfigured) else ""


def _choose_database_message(text: str) -> str:
    if "no such table" in text or ("relation" in text and "does not exist" in text):
        return NO_TABLES
    if "DATABASE_URL" in os.environ:
        # If the server only rejected a statement, its message contains none of these.
        unreachable = ("connection", "connect", "resolve", "authentication", "FATAL", "timeout")
        if any(part in text for part in unreachable):
            return DATABASE_UNREACHABLE
        return DATABASE_PERMISSION_DENIED if "permission denied" in text else ""
    if "unable to open database file" in text and _is_folder_missing():
        return NOT_STARTED_YET
    return next((message for part, message in _SQLITE_MESSAGES.items() if part in text), "")


def _is_folder_missing() -> bool:
    """Return whether VAR_DIR does not exist, but this user may create it."""
    parent = next(each for each in (VAR_DIR, *VAR_DIR.parents) if each.exists())
    return parent != VAR_DIR and parent.is_dir() and os.access(parent, os.W_OK)


def _choose_system_message(error: OSError) -> str:
    """Return the explanation for a full disk, or for a problem with files under VAR_DIR."""
    if error.errno in DISK_FULL_ERRORS:
        return NO_DISK_SPACE
    at = Path(os.fsdecode(error.filename)).absolute() if isinstance(error.filename, str | bytes | Path) else None
    return (
        FOLDER_NOT_WRITABLE
        if at is not None and (at == VAR_DIR or VAR_DIR in at.parents or at in VAR_DIR.parents)
        else ""
    )


def _format_reason(error: BaseException) -> str:
    """Return the first line of the error's message, without a period at the end."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    first = next(iter(text.strip().splitlines()), "no reason given")
    return first.removeprefix("connection failed: ").rstrip(". ")
