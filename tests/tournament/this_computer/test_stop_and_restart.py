"""Test the buttons that stop and restart the program, up to the file that the supervisor reads."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.factories import a_tournament
from tests.kit import page_text
from tests.tournament.helpers.backups import write
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.this_computer.selectors.state import RunAction, RunRequest, find_due_run_request, read_run_request
from tournament.this_computer.services import request_stop_or_restart

pytestmark = pytest.mark.django_db

STOP, RESTART = "/this-computer/stop/", "/this-computer/restart/"
FIGURES = {"devices": 3, "pages": 5, "requests": 80, "median_s": 0.04, "slow_s": 0.3}


def test_the_confirmation_says_who_is_connected_and_that_scores_are_being_entered(administrator: Client) -> None:
    write(a_tournament())
    text = page_text(administrator.get(STOP, HTTP_X_BEFORE_FIGURES=json.dumps(FIGURES)))
    assert "3 phones are connected. People are probably entering scores" in text
    assert read_run_request() is None


def test_a_stop_is_requested_and_the_page_says_how_to_start_again(administrator: Client, settings: Any) -> None:
    settings.START_COMMAND = "gin-rummy run"
    text = page_text(administrator.post(STOP, follow=True))
    assert "The program will stop in a few seconds." in text and "gin-rummy run" in text
    assert read_run_request().action is RunAction.STOP


def test_the_supervisor_waits_until_the_browser_has_the_next_page(folder: Path) -> None:
    request_stop_or_restart(RunAction.RESTART, by=SYSTEM_ACTOR)
    at = (folder / "run-request.json").stat().st_mtime
    assert find_due_run_request(at + 1) is None
    assert find_due_run_request(at + 4) == RunRequest(RunAction.RESTART, "system")


def test_a_second_request_is_refused(administrator: Client) -> None:
    request_stop_or_restart(RunAction.STOP, by=SYSTEM_ACTOR)
    answer = administrator.post(RESTART)
    assert "Somebody else is stopping or restarting the program now." in page_text(answer)
    assert read_run_request().action is RunAction.STOP


def test_the_open_page_redirects_after_the_restart(administrator: Client, settings: Any) -> None:
    address = administrator.post(RESTART)["Location"]
    assert "The program is restarting." in page_text(administrator.get(address))
    settings.STARTED_AT = "2026-11-28T15:10:00+00:00"
    answer = administrator.get(address, HTTP_HX_REQUEST="true")
    assert answer["HX-Redirect"] == "/this-computer/"
    assert "The program has restarted." in page_text(administrator.get(answer["HX-Redirect"]))


def test_a_site_that_another_program_runs_cannot_be_stopped(administrator: Client, settings: Any) -> None:
    settings.IS_SUPERVISED = False
    assert administrator.post(STOP).status_code == 403
    assert read_run_request() is None


def test_no_request_is_due_without_a_file() -> None:
    assert find_due_run_request(time.time()) is None
