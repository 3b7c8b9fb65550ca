"""Request ids, and log lines in JSON without personal data.

The process that receives a request chooses its id. The id is passed to the page process and to the request's tasks, so
all log lines of one request can be found together.

JSON logs are often sent to other companies. Error messages may quote names and addresses, so JSON lines have only those
error messages that contain no personal data.
"""

import logging
import re
import traceback
import uuid
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final

from django.db import IntegrityError, InterfaceError, InternalError, OperationalError, ProgrammingError
from pythonjsonlogger.json import JsonFormatter

from config.front.clients import is_trusted_proxy
from config.outages import hash_private_link, hide_private_links
from tournament.core.selectors.disk import iter_causes
from tournament.core.selectors.request_ids import request_id

REQUEST_ID_PATTERN: Final = re.compile(r"[A-Za-z0-9._-]{8,100}")


def choose_request_id(peer: str, received: str) -> str:
    """Return the id that a trusted proxy sent as X-Request-ID, or a new id.

    `peer` is the address that the connection comes from.
    """
    if received and REQUEST_ID_PATTERN.fullmatch(received) and is_trusted_proxy(peer):
        return received
    return uuid.uuid4().hex


# --- JSON ------------------------------------------------------------------------------------------------------------

ERRORS_WITHOUT_PERSONAL_DATA: Final = (
    *(AttributeError, ImportError, NameError, RuntimeError, TypeError),
    *(IntegrityError, InterfaceError, InternalError, OperationalError, ProgrammingError),
)
"""Errors whose messages never quote what somebody typed. For other errors, JSON logs contain only the type."""
EMAIL_PATTERN: Final = re.compile(r"[^\s@<>()\"',:;]+@[^\s@<>()\"',:;]+")


class ErrorMessageFilter(logging.Filter):
    """Remove the messages of errors, and email addresses, from log messages."""

    def filter(self, record: logging.LogRecord) -> bool:
        args = record.args
        if isinstance(args, tuple):
            record.args = tuple(describe_error(arg) if isinstance(arg, BaseException) else arg for arg in args)
        elif args and "exc" in args and record.exc_info and record.exc_info[1]:  # a Celery task failed
            record.args = {**args, "exc": describe_error(record.exc_info[1])}
        record.msg, record.args = _mask_emails(record.getMessage()), ()
        return True


class JsonLogFormatter(JsonFormatter):
    """Format a log record as one line of JSON.

    Django and Celery attach requests and the arguments of tasks to their log records. These are left out.
    """

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        log_data["time"] = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        log_data["level"] = record.levelname
        log_data["logger"] = record.name
        log_data["message"] = record.getMessage()
        log_data["process"] = record.processName
        log_data["request_id"] = request_id.get()
        if "exc_info" in message_dict:
            log_data["exception"] = message_dict["exc_info"]

    def formatException(  # noqa: N802 - the name is the standard library's
        self, ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
    ) -> str:
        """Return the tracebacks of the error and its causes, with messages from `describe_error`."""
        parts = []
        for error in reversed(list(iter_causes(ei[1]))):
            parts += [*traceback.format_tb(error.__traceback__), describe_error(error), "\n"]
        return hide_private_links(_mask_emails("".join(parts).rstrip()))


def describe_error(error: BaseException) -> str:
    """Return the error's type, and its message if that contains no personal data."""
    message = ""
    if isinstance(error, ERRORS_WITHOUT_PERSONAL_DATA):
        message = str(error).strip().partition("\n")[0]  # PostgreSQL quotes the row in the second line
    elif isinstance(error, OSError):
        message = error.strerror or ""  # without the name of the file
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _mask_emails(text: str) -> str:
    return EMAIL_PATTERN.sub(lambda address: hash_private_link(address[0]), text)
