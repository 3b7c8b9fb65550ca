"""Test that pages and the log say in one sentence that the disk is full or the database is unavailable."""

from __future__ import annotations

import errno
import logging
import re
import sqlite3
from pathlib import Path

import psycopg
import psycopg_pool
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connections
from django.http import HttpResponse
from django.test import RequestFactory

from config.outages import OutageFilter
from config.pages.error_pages import handler500

GONE = psycopg.OperationalError("consuming input failed: server closed the connection unexpectedly")


def by_postgres(cause: Exception) -> Exception:
    error = OperationalError(*cause.args)
    error.__cause__ = cause
    return error


def answer_to(
    error: Exception, typed: dict[str, object] | None = None, *, method: str = "post", **headers: str
) -> HttpResponse:
    try:
        raise error
    except type(error):
        return handler500(getattr(RequestFactory(), method)("/my/form/", typed or {}, headers=headers))


def page_of(response: HttpResponse) -> str:
    return response.content.decode()


@pytest.fixture
def full(tmp_path: Path) -> Exception:
    database = sqlite3.connect(tmp_path / "full.sqlite3")
    database.executescript("PRAGMA max_page_count=2; CREATE TABLE rows (said TEXT)")
    with pytest.raises(OperationalError) as refusal, connections["default"].wrap_database_errors:
        database.execute("INSERT INTO rows VALUES (?)", ["x" * 100_000])
    database.close()
    return refusal.value


# --- What it is ----------------------------------------------------------------------------------------------------


def test_a_write_that_does_not_fit_is_said(full: Exception) -> None:
    response = answer_to(full)
    assert response.status_code == 507 and "The disk of this site is full." in page_of(response)


def test_a_program_is_told_in_json(full: Exception) -> None:
    assert page_of(answer_to(full, accept="application/json")).startswith('{"ok": false')


def test_a_file_that_does_not_fit_is_said() -> None:
    assert answer_to(OSError(errno.ENOSPC, "No space left on device")).status_code == 507


@pytest.mark.parametrize(("sqlstate", "status"), [("53100", 507), ("57P03", 503), ("40P01", 500), ("42703", 500)])
def test_postgresql_says_by_a_code_what_is_wrong(sqlstate: str, status: int) -> None:
    error = by_postgres(psycopg.errors.lookup(sqlstate)("could not do it"))
    assert answer_to(error).status_code == status


@pytest.mark.parametrize("cause", [GONE, psycopg_pool.PoolTimeout("couldn't get a connection after 5.00 sec")])
def test_a_database_that_is_away_is_back_in_a_moment(cause: Exception) -> None:
    response = answer_to(by_postgres(cause))
    assert (response.status_code, response["Retry-After"]) == (503, "2")
    assert "The site is back in a moment." in page_of(response)


def test_our_own_faults_stay_our_own(tmp_path: Path) -> None:
    assert answer_to(KeyError("x")).status_code == 500
    assert answer_to(OSError(errno.EACCES, str(tmp_path))).status_code == 500
    assert answer_to(OperationalError("no such column: x")).status_code == 500


# --- What was typed ------------------------------------------------------------------------------------------------


def test_a_form_is_sent_again_as_it_was() -> None:
    typed = {"key": "k1", "counts": ["3", "<4>"], "act": "record"}
    page = page_of(answer_to(by_postgres(GONE), typed))
    fields = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page)
    assert fields == [("key", "k1"), ("counts", "3"), ("counts", "&lt;4&gt;"), ("act", "record")]
    assert '<form method="post">' in page


@pytest.mark.parametrize("field", ["password", "oldpassword"])
def test_no_page_holds_a_password(field: str) -> None:
    page = page_of(answer_to(by_postgres(GONE), {"login": "a@example.org", field: "hunter2"}))
    assert "hunter2" not in page and "<form" not in page


def test_a_form_with_a_file_leads_back_to_its_page() -> None:
    sent = {"key": "k1", "photo": SimpleUploadedFile("photo.jpg", b"x")}
    page = page_of(answer_to(by_postgres(GONE), sent, host="testserver", referer="http://testserver/my/form/?part=2"))
    assert 'href="/my/form/?part=2"' in page and "<form" not in page


def test_a_page_that_was_only_asked_for_is_asked_for_again() -> None:
    page = page_of(answer_to(by_postgres(GONE), method="get"))
    assert re.findall(r'href="([^"]*)">([^<]+)</a>', page) == [("", "Try again")]


def test_no_other_site_is_led_to() -> None:
    page = page_of(answer_to(by_postgres(GONE), referer="http://elsewhere.example/"))
    assert "elsewhere" not in page


# --- What the log says ---------------------------------------------------------------------------------------------


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> logging.Logger:
    """Return a logger that writes to a file, with the outage filter that the settings use."""
    logger = logging.Logger("tried")
    handler = logging.FileHandler(tmp_path / "log")
    handler.addFilter(OutageFilter())
    logger.addHandler(handler)
    return logger


@pytest.mark.parametrize("error", [by_postgres(GONE), OSError(errno.ENOSPC, "No space left on device")])
def test_an_outage_is_one_line(log: logging.Logger, tmp_path: Path, error: Exception) -> None:
    for _request in range(20):
        log.error("Internal Server Error: %s", "/", exc_info=error)
    said = (tmp_path / "log").read_text()
    assert said.count("\n") == 1 and "Traceback" not in said and str(error) in said


def test_another_fault_keeps_its_traceback(log: logging.Logger, tmp_path: Path) -> None:
    try:
        raise KeyError("x")
    except KeyError:
        log.exception("Internal Server Error: /")
    assert "Traceback" in (tmp_path / "log").read_text()
