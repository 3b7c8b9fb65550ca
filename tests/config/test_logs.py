"""Test that log lines in JSON have the fields that operations.md names, and no personal data."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable
from smtplib import SMTPRecipientsRefused
from typing import Any, Final

import pytest
from django.db import DataError, IntegrityError
from django.test import RequestFactory

from config.logs import ErrorMessageFilter, JsonLogFormatter
from config.outages import OutageFilter, PrivateLinkFilter
from tournament.core.selectors.request_ids import request_id
from tournament.errors import DomainError

PATH: Final = "/my/SECRET/hands/"
PERSONAL: Final = ("Ada", "ada@", "SECRET")

ReadLines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def log() -> tuple[logging.Logger, ReadLines]:
    """Return a logger with the filters of the settings, and a function that returns its lines."""
    written = io.StringIO()
    logger, handler = logging.Logger("tried"), logging.StreamHandler(written)
    handler.setFormatter(JsonLogFormatter())
    for each in (OutageFilter(), ErrorMessageFilter(), PrivateLinkFilter()):
        handler.addFilter(each)
    logger.addHandler(handler)
    return logger, lambda: [json.loads(line) for line in written.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("error", "description"),
    [
        (KeyError("Ada Lovelace"), "KeyError"),
        (ValueError("invalid literal for int() with base 10: 'Ada'"), "ValueError"),
        (DomainError("taken", "Ada Lovelace plays already."), "DomainError"),
        (SMTPRecipientsRefused({"ada@example.org": (550, b"no such user")}), "SMTPRecipientsRefused"),
        (FileNotFoundError(2, "No such file or directory", "Ada.pdf"), "FileNotFoundError: No such file or directory"),
        (DataError('invalid input syntax for type integer: "Ada"'), "DataError"),
        (
            IntegrityError('null value in column "number"\nDETAIL:  Failing row contains (1, Ada Lovelace).'),
            'IntegrityError: null value in column "number"',
        ),
        (RuntimeError(f"no page {PATH} for ada@example.org"), "RuntimeError: no page /my/~"),
        (AttributeError("'Card' object has no attribute 'x'"), "AttributeError: 'Card' object has no attribute 'x'"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_is_logged_without_personal_data(
    log: tuple[logging.Logger, ReadLines], error: Exception, description: str
) -> None:
    logger, lines = log
    try:
        try:
            raise error
        except Exception as inner:
            raise RuntimeError("outer") from inner
    except RuntimeError as outer:
        more: dict[str, Any] = {"request": RequestFactory().get(PATH), "data": {"kwargs": {"name": "Ada"}}}
        logger.error("Internal Server Error: %s", PATH, exc_info=outer, extra=more)
        task = {"name": "tournament.send_message", "exc": repr(outer), "kwargs": "{'name': 'Ada'}"}
        logger.error("Task %(name)s raised: %(exc)s", task, exc_info=outer, extra={"data": task})
        logger.warning("a message to %s was not sent: %s", "ada@example.org", error)
    failed, of_task, of_mail = lines()
    assert [word for word in PERSONAL if word in json.dumps(lines())] == []
    assert failed["message"].startswith("Internal Server Error: /my/~")
    assert of_task["message"] == "Task tournament.send_message raised: RuntimeError: outer"
    assert description in of_mail["message"] and of_mail.keys() == failed.keys() - {"exception"}
    assert description in failed["exception"] and failed["exception"].endswith("RuntimeError: outer")
    assert failed["exception"].count("in test_an_error_is_logged_without_personal_data") == 2


def test_an_outage_is_one_line(log: tuple[logging.Logger, ReadLines]) -> None:
    logger, lines = log
    for _request in range(5):
        logger.error("Internal Server Error: %s", "/", exc_info=OSError(28, "No space left on device"))
    (line,) = lines()
    assert line["message"].startswith("The disk is full") and "exception" not in line


def test_a_line_has_the_id_of_its_request(log: tuple[logging.Logger, ReadLines]) -> None:
    logger, lines = log
    token = request_id.set("the-request")
    logger.warning("inside")
    request_id.reset(token)
    logger.warning("outside of %s requests, 100%%", "all")
    logger.warning("100%")
    assert [(line["request_id"], line["message"]) for line in lines()] == [
        ("the-request", "inside"),
        ("", "outside of all requests, 100%"),
        ("", "100%"),
    ]
    assert {line["level"] for line in lines()} == {"WARNING"}
    assert lines()[0]["time"].endswith("+00:00")
