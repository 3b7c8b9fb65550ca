"""Test the log files of a run: printed lines, processes that ended, and jumps of the clock."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from laptop import run_log
from laptop.run_log import RunLog
from tournament.this_computer.selectors.state import RunEventKind, find_logged_outages, read_log_lines, read_run_events


@pytest.fixture
def log(settings: Any, tmp_path: Path) -> RunLog:
    settings.VAR_DIR = tmp_path
    return RunLog(tmp_path / "logs" / "gin-rummy.log")


def test_lines_are_stored_without_private_links(log: RunLog) -> None:
    log.write_line("writer", "ERROR django.request: Internal Server Error: /my/wqzk-7283/card/")
    [line] = read_log_lines()
    assert " writer | ERROR django.request: Internal Server Error: /my/~" in line and "wqzk" not in line


def test_an_outage_is_found_in_the_stored_lines(log: RunLog) -> None:
    log.write_line("writer", "ERROR django.request: The disk is full: database or disk is full. Writes are refused.")
    [(_at, what)] = find_logged_outages()
    assert what == "The disk is full"


def test_the_log_has_a_maximum_size(log: RunLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log._handler, "maxBytes", 1000)
    for number in range(200):
        log.write_line("web", f"line {number}")
    files = sorted((tmp_path / "logs").iterdir())
    assert [file.name for file in files] == ["gin-rummy.log", "gin-rummy.log.1"]
    assert sum(file.stat().st_size for file in files) < 2100
    assert read_log_lines()[-1].endswith("web | line 199")


def test_a_log_that_cannot_be_written_raises_no_error(log: RunLog, tmp_path: Path) -> None:
    (tmp_path / "logs").rmdir()
    (tmp_path / "logs").write_text("", encoding="utf-8")
    log.write_line("web", "lost")
    log.record_exit("web", 1)
    assert read_log_lines() == [] and read_run_events() == []


def test_a_process_that_ended_is_recorded(log: RunLog) -> None:
    log.record_exit("worker", -9)
    [event] = read_run_events()
    assert (event.kind, event.about) == (RunEventKind.PROCESS_ENDED, {"process": "worker", "code": -9})


def test_a_jump_of_the_clock_is_recorded_once(log: RunLog, monkeypatch: pytest.MonkeyPatch) -> None:
    log.record_clock_jump()
    assert read_run_events() == []
    now = time.time()
    monkeypatch.setattr(run_log.time, "time", lambda: now - 300)
    log.record_clock_jump()
    log.record_clock_jump()
    [event] = read_run_events()
    assert event.kind is RunEventKind.CLOCK_JUMPED and -301 <= event.about["seconds"] <= -299
