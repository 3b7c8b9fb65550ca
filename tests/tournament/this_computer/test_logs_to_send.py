"""Test that the file *Logs to send* has what a developer needs, and no personal data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest
from django.test import Client

from tests.factories import a_player, a_tournament, a_user, an_entrant, an_event
from tournament import __version__
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Job, Player, User
from tournament.this_computer.selectors.state import RunEventKind
from tournament.this_computer.services import change_club, record_run_event

pytestmark = pytest.mark.django_db

LOGS = "/this-computer/logs.txt"
NAMES = ("Zoë Quux-Bletch", "Xi Wu", "Гарри Каспаров", "山田太郎", "O’Flaherty Mac Fizzbin", "ANNEKE VAN DER PLOTZ")
PHONE = "+1 817 555-0142"
TYPED = "Bartholomew Unentered"
"""A name that a person has entered in a form, and that was never stored."""
FOREIGN: Final = ("stranger@nowhere.example.com", "zyzzy-link", "plover@localhost")
"""Addresses and a link that are not in the database."""


@pytest.fixture
def private(folder: Path) -> list[str]:
    """Fill the database and the log with personal data, and return it."""
    tournament = a_tournament(name="Memorial of Wilhelmina Frobnitz", venue="Grobnik Hall", contact="Plugh Xyzzy")
    event = an_event(tournament)
    entrants = [an_entrant(event, name) for name in NAMES]
    Player.objects.filter(pk=a_player("Phoebe Callme").pk).update(phone=PHONE, email="phoebe.callme@mail.example.org")
    staff = a_user("director", tournament, name="Ignatius Staffer")
    change_club(name="Snark Hunters", time_zone="America/Denver", by=SYSTEM_ACTOR)
    values = [*NAMES, tournament.name, tournament.venue, tournament.contact, staff.name, "Phoebe Callme"]
    values += ["Snark Hunters", staff.email, "phoebe.callme@mail.example.org", PHONE]
    values += [entrant.token for entrant in entrants]
    shapes = ("Server Error: {0}", "Key (name)=({0}) already exists.", "{0}, please", "'{0}'", "no player {0}!")
    lines = [shape.format(text) for value in values for text in (value, value.casefold()) for shape in shapes]
    lines += [f"ERROR django.request: Server Error: /my/{entrant.token}/card/?of=card-1" for entrant in entrants]
    lines += [f"ValueError: “{TYPED}” is no name", f"KeyError: '{TYPED}'", "from 192.168.1.77 and fe80::1:2:3:4"]
    lines += [f"sent to {FOREIGN[0]} and {FOREIGN[2]}", f"Not Found: /sign-in/{FOREIGN[1]}/"]
    lines += [json.dumps({"level": "ERROR", "message": f"{value} failed", "extra": [value]}) for value in values]
    lines += ['  File "/srv/scoring/cards/pages.py", line 17, in save', "django.db.utils.IntegrityError: UNIQUE: x.y"]
    (folder / "logs").mkdir()
    log = "".join(f"2026-11-28 15:02:10,123 reader.1 | {line}\n" for line in lines)
    (folder / "logs" / "gin-rummy.log").write_text(log, encoding="utf-8")
    message = f"No font for {NAMES[0]}."
    Job.objects.create(tournament=tournament, event=event, kind="cards", title="", state="failed", message=message)
    names = [value for value in values if not re.search(r"[\d@]", value)]
    words = [word for name in names for word in re.split(r"[ ’-]", name) if len(word) > 2]
    return [
        *values,
        *(word for word in words if word not in ("Hall", "and", "of")),
        TYPED,
        *FOREIGN,
        "192.168.1.77",
        "fe80::1",
    ]


def test_no_name_address_or_link_is_in_the_file(administrator: Client, private: list[str]) -> None:
    text = administrator.get(LOGS).content.decode().casefold()
    found = [value for value in private if re.search(rf"(?<!\w){re.escape(value.casefold())}(?!\w)", text)]
    assert found == []
    assert [user.email for user in User.objects.all() if user.email in text] == []


def test_what_a_developer_needs_is_in_the_file(administrator: Client, private: list[str]) -> None:
    record_run_event(RunEventKind.PROCESS_ENDED, process="worker", code=-9)
    answer = administrator.get(LOGS)
    text = answer.content.decode()
    for line in (
        f"version {__version__} (from a checkout)",
        "Entrant rows: 6",
        "process-ended {'process': 'worker', 'code': -9}",
        '15:02:10,123 reader.1 |   File "/srv/scoring/cards/pages.py", line 17, in save',
        "django.db.utils.IntegrityError: UNIQUE: x.y",
        "ERROR django.request: Server Error: /my/[link]",
        "cards: No font for [name]",
    ):
        assert line in text
    assert answer["Content-Disposition"].startswith('attachment; filename="gin-rummy-logs-')


def test_the_browser_can_show_it_first(administrator: Client) -> None:
    assert administrator.get(f"{LOGS}?show")["Content-Disposition"].startswith("inline")


def test_the_file_contains_no_secret_settings(administrator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://ada:hush-hush@db.example.org/gin")
    monkeypatch.setenv("LANES", "1")
    text = administrator.get(LOGS).content.decode()
    assert "hush" not in text and "DATABASE_URL is set" in text and "LANES=1" in text
