"""Where the disk is full, writes are refused with a sentence."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

import psycopg
import pytest
from django.db import OperationalError, connections
from django.test import RequestFactory

from config.pages.full_disk import handler500


def answered(error: Exception, **headers: str) -> tuple[int, str]:
    try:
        raise error
    except type(error):
        response = handler500(RequestFactory().post("/", headers=headers))
    return response.status_code, response.content.decode()


def test_a_write_that_does_not_fit_is_said(tmp_path: Path) -> None:
    full = sqlite3.connect(tmp_path / "full.sqlite3")
    full.executescript("PRAGMA max_page_count=2; CREATE TABLE rows (said TEXT)")
    with pytest.raises(OperationalError) as refused, connections["default"].wrap_database_errors:
        full.execute("INSERT INTO rows VALUES (?)", ["x" * 100_000])
    full.close()
    status, page = answered(refused.value)
    assert status == 507 and "The disk of this site is full." in page
    assert answered(refused.value, accept="application/json")[1].startswith('{"ok": false')


def test_a_file_that_does_not_fit_is_said() -> None:
    assert answered(OSError(errno.ENOSPC, "No space left on device"))[0] == 507


@pytest.mark.parametrize(("sqlstate", "status"), [("53100", 507), ("57P03", 500)])
def test_postgresql_says_by_a_number_that_its_disk_is_full(sqlstate: str, status: int) -> None:
    error = OperationalError("could not extend file")
    error.__cause__ = psycopg.errors.lookup(sqlstate)("could not extend file")
    assert answered(error)[0] == status


def test_our_own_faults_stay_our_own(tmp_path: Path) -> None:
    assert answered(KeyError("x"))[0] == 500
    assert answered(OSError(errno.EACCES, str(tmp_path)))[0] == 500
