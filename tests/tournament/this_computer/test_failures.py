"""Test that recent problems are listed in plain words."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest
import time_machine
from django.utils import timezone

from tests.factories import an_entrant, an_event
from tournament.models import Job, Message, MessageCopy
from tournament.this_computer.selectors.state import RunEventKind, read_run_events
from tournament.this_computer.services import MAX_RUN_EVENTS, record_run_event
from tournament.this_computer.words import load_failures

pytestmark = pytest.mark.django_db


def texts() -> list[str]:
    return [failure.text for failure in load_failures(timezone.now())]


def test_a_normal_start_is_no_failure() -> None:
    record_run_event(RunEventKind.STARTED)
    assert texts() == []


def test_two_processes_of_a_kind_that_stopped_are_listed_once() -> None:
    record_run_event(RunEventKind.PROCESS_ENDED, process="reader.1", code=-9)
    record_run_event(RunEventKind.PROCESS_ENDED, process="reader.2", code=1)
    [failure] = load_failures(timezone.now())
    assert failure.text == "A part that makes pages stopped unexpectedly. It was restarted."
    assert failure.count == 2


def test_a_start_without_an_earlier_stop_may_be_a_power_failure() -> None:
    for kind in (RunEventKind.STARTED, RunEventKind.STOPPED, RunEventKind.STARTED):
        record_run_event(kind)
    assert texts() == []
    record_run_event(RunEventKind.STARTED)
    assert texts() == ["The program started without having been stopped. Perhaps the power failed."]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (720, "This computer slept, or its clock was set forward, by 12 minutes."),
        (-40, "This computer’s clock was set back by 1 minute."),
    ],
)
def test_a_jump_of_the_clock_is_described(seconds: int, text: str) -> None:
    record_run_event(RunEventKind.CLOCK_JUMPED, seconds=seconds)
    assert texts() == [text]


def test_a_failed_print_says_why() -> None:
    event = an_event()
    Job.objects.create(
        tournament=event.tournament, event=event, kind="cards", title="Cards", state="failed", message="No font."
    )
    assert texts() == ["“Cards” could not be made. No font."]


def test_failed_emails_are_counted() -> None:
    event = an_event()
    message = Message.objects.create(event=event, subject="Round 2", body="At 2 PM", by_name="Ada")
    for _number in range(2):
        MessageCopy.objects.create(message=message, entrant=an_entrant(event), channel="email", state="failed")
    assert texts() == ["2 emails “Round 2” could not be sent. Open Messages to see why."]


def test_a_failed_backup_says_why(folder: Path) -> None:
    (folder / "backups").mkdir()
    state = {"failure": "The stick is full.", "failed_at": timezone.now().isoformat()}
    (folder / "backups" / "state.json").write_text(json.dumps(state), encoding="utf-8")
    assert texts() == ["The last backup failed. The stick is full."]


def test_a_full_disk_is_found_in_the_log(folder: Path) -> None:
    (folder / "logs").mkdir()
    at = dt.datetime.now().astimezone()
    line = f"{at:%Y-%m-%d %H:%M:%S},123 writer | ERROR django.request: The disk is full: database or disk is full. …\n"
    (folder / "logs" / "gin-rummy.log").write_text(line * 2, encoding="utf-8")
    assert texts() == ["The disk was full, and entries were refused. Delete files that you do not need."]


def test_failures_older_than_a_week_are_left_out() -> None:
    with time_machine.travel(timezone.now() - dt.timedelta(days=8)):
        record_run_event(RunEventKind.CLOCK_JUMPED, seconds=720)
    assert texts() == []


def test_only_the_newest_events_are_stored() -> None:
    for number in range(2 * MAX_RUN_EVENTS + 1):
        record_run_event(RunEventKind.CLOCK_JUMPED, seconds=number)
    events = read_run_events()
    assert len(events) == MAX_RUN_EVENTS and events[-1].about == {"seconds": 2 * MAX_RUN_EVENTS}


def test_a_damaged_line_is_left_out(folder: Path) -> None:
    record_run_event(RunEventKind.STARTED)
    with (folder / "logs" / "events.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"at": "2026-')
    assert [event.kind for event in read_run_events()] == [RunEventKind.STARTED]
