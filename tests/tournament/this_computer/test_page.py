"""Test who may open *This computer*, and what the page shows."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import a_tournament, an_event
from tests.kit import client_as, page_text
from tests.tournament.helpers.backups import write
from tournament.backups.services import make_backup
from tournament.core.services.installation import begin_installation_epoch
from tournament.models import Installation
from tournament.this_computer.selectors.state import find_network_name, load_backup_plan

pytestmark = pytest.mark.django_db

PAGE = "/this-computer/"
FIGURES = {"devices": 3, "pages": 5, "requests": 80, "median_s": 0.04, "slow_s": 0.3}


def test_an_administrator_sees_when_the_program_started(administrator: Client) -> None:
    a_tournament(time_zone="America/Chicago")
    assert "The program has been running since Nov 28, 9:02 AM" in page_text(administrator.get(PAGE))


def test_a_director_of_another_tournament_may_not_open_it() -> None:
    a_tournament()
    assert client_as("director", an_event()).get(PAGE).status_code == 403


def test_the_director_of_all_tournaments_may_open_it() -> None:
    assert client_as("director", an_event()).get(PAGE).status_code == 200


def test_another_computer_is_told_where_to_open_it(administrator: Client) -> None:
    answer = administrator.get(PAGE, REMOTE_ADDR="192.0.2.30", HTTP_HOST="localhost:8000")
    assert answer.status_code == 403
    assert "On that computer, open http://127.0.0.1:8000/this-computer/" in page_text(answer)


def test_a_proxy_on_this_computer_does_not_open_it_for_everybody(administrator: Client) -> None:
    assert administrator.get(PAGE, REMOTE_ADDR="127.0.0.1", HTTP_X_FORWARDED_FOR="192.0.2.30").status_code == 403


def test_it_shows_the_statistics_of_the_front_process(administrator: Client) -> None:
    text = page_text(administrator.get(PAGE, HTTP_X_BEFORE_FIGURES=json.dumps(FIGURES)))
    assert "3 phones and other devices" in text
    assert "Half of the pages take 0.04 seconds or less. 19 of 20 take 0.3 seconds or less." in text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (20, "The phones show the same time."),
        (185, "This computer’s clock is 3 minutes behind the phones."),
        (-3600, "This computer’s clock is 60 minutes ahead of the phones."),
    ],
)
def test_a_wrong_clock_is_reported(administrator: Client, seconds: int, text: str) -> None:
    figures = {**FIGURES, "clocks": 3, "clock_offset_s": seconds}
    assert text in page_text(administrator.get(PAGE, HTTP_X_BEFORE_FIGURES=json.dumps(figures)))


def test_it_has_qr_codes_of_the_site_and_of_the_page_about_the_certificate(
    administrator: Client, settings: Any
) -> None:
    settings.SITE_URL, settings.TRUST_URL = "https://192.168.1.20:8000", "http://192.168.1.20:8001/"
    content = administrator.get(PAGE).content.decode()
    assert "QR code of https://192.168.1.20:8000" in content and "QR code of http://192.168.1.20:8001/" in content


def test_it_says_when_phones_cannot_reach_this_computer(administrator: Client, settings: Any) -> None:
    settings.SITE_URL = "http://127.0.0.1:8000"
    assert "Phones cannot reach this computer." in page_text(administrator.get(PAGE))


@pytest.mark.django_db(transaction=True)
def test_the_next_backup_is_due_a_quarter_of_an_hour_after_the_last_one(settings: Any) -> None:
    settings.AUTOMATIC_BACKUPS = True
    begin_installation_epoch(Installation.Origin.STARTED)
    tournament = a_tournament()
    write(tournament)
    backup = make_backup()
    assert load_backup_plan().next is None
    write(tournament)
    assert load_backup_plan().next == backup.made_at + dt.timedelta(minutes=15)


def test_back_up_now_sends_a_task_to_the_worker(administrator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr("tournament.this_computer.console.is_worker_running", lambda: True)
    monkeypatch.setattr(
        "tournament.this_computer.console.send_task", lambda name, **about: sent.append((name, about)) or True
    )
    answer = administrator.post(PAGE, {"act": "backup"}, follow=True)
    assert sent == [("tournament.make_backup", {"only_if_due": False})]
    assert "A backup is being made." in page_text(answer)


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        ("iwgetid", "Hall 5G"),
        ("nmcli", "no:Next door\nyes:Hall 5G"),
        ("networksetup", "Current Wi-Fi Network: Hall 5G"),
        ("netsh", "    Name   : Wi-Fi\n    SSID                   : Hall 5G\n    BSSID   : 00:11"),
    ],
)
def test_the_name_of_the_wifi_is_read_from_what_the_system_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, printed: str
) -> None:
    command = tmp_path / program
    command.write_text(f"#!/bin/sh\ncat <<'END'\n{printed}\nEND\n", encoding="utf-8")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert find_network_name() == "Hall 5G"


def test_without_wifi_no_name_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_network_name() == ""


def test_your_tournaments_links_to_it_only_on_this_computer(administrator: Client) -> None:
    desk = reverse("tournament:desk")
    assert PAGE in administrator.get(desk).content.decode()
    assert PAGE not in administrator.get(desk, REMOTE_ADDR="192.0.2.30").content.decode()


def test_a_copy_of_an_earlier_version_says_that_a_restart_keeps_it(administrator: Client, settings: Any) -> None:
    settings.IS_EARLIER_VERSION = True
    text = page_text(administrator.get(PAGE))
    assert "It starts again if you restart" in text and "install the new version" not in text


@pytest.mark.parametrize("previous", ["", "1.0.0"])
def test_it_says_how_to_go_back_to_the_previous_version(administrator: Client, settings: Any, previous: str) -> None:
    settings.PREVIOUS_VERSION = previous
    assert ("gin-rummy run --previous" in page_text(administrator.get(PAGE))) is bool(previous)
