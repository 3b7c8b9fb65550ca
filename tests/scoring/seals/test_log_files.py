"""The log is exported as a sealed file. Any later change in the file or the database is reported with its row."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from scoring.rules.evidence.sealing import (
    derive_seal_key,
    encode_canonical_json,
    encode_log_end,
    encode_public_key,
    encode_signable_log,
    sha256_hex,
)
from scoring.seals.selectors.log import check_uploaded_log, write_log_file
from tests.factories import a_user
from tests.kit import client_as, page_text
from tests.scoring.helpers.playing import an_event_in_play, post, the_card
from tournament.models import AuditEntry, Event

pytestmark = pytest.mark.django_db
Row = dict[str, Any]


@pytest.fixture(scope="module")
def _posted(rows_of_module: None) -> int:
    event = an_event_in_play()
    post(the_card(event))
    return event.pk


@pytest.fixture
def event(_posted: int) -> Event:
    return Event.objects.select_related("tournament").get(pk=_posted)


def lines(content: bytes) -> list[Row]:
    return [json.loads(line) for line in content.splitlines()]


def packed(rows: list[Row]) -> bytes:
    return b"\n".join(encode_canonical_json(row) for row in rows) + b"\n"


def said(content: bytes) -> str:
    return " ".join(f"{fault.place}: {fault.message}" for fault in check_uploaded_log(content).faults)


def test_as_it_was_downloaded_it_is_whole_also_when_play_has_gone_on(event: Event) -> None:
    client = client_as("desk", event)
    content = client.get(reverse("scoring:desk_log_file", kwargs={"tournament": event.tournament.slug})).content
    assert len(lines(content)) == AuditEntry.objects.count() + 2
    assert check_uploaded_log(content).faults == ()
    Event.objects.update(name="Another name")
    a_user("desk", event.tournament)
    assert check_uploaded_log(content).faults == ()


def test_it_is_for_staff(event: Event) -> None:
    answer = Client().get(reverse("scoring:desk_log_file", kwargs={"tournament": event.tournament.slug}))
    assert answer.status_code in (302, 403, 404)


def renamed(rows: list[Row]) -> None:
    rows[3]["by"] = "Nobody"


def taken_out(rows: list[Row]) -> None:
    del rows[3]


def put_in(rows: list[Row]) -> None:
    rows.insert(3, dict(rows[3]))


def garbled(rows: list[Row]) -> None:
    rows[3] = {"what": "nothing"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (renamed, "Row 3 of the log was changed: its digest is another."),
        (taken_out, "Row 4 of the log stands where row 3 should."),
        (put_in, "Row 3 of the log stands where row 4 should."),
        (garbled, "Row 3 of the log cannot be read."),
        (list.pop, "The seal at the end of the log is missing"),
        (lambda rows: rows.pop(-2), "The seal at the end of the log was made on other rows."),
        (lambda rows: rows[-1].update(signature="00" * 64), "The seal at the end of the log does not belong to it."),
        (lambda rows: rows[0].update(tournament="elsewhere"), "no tournament “elsewhere” here"),
    ],
)
def test_what_is_changed_in_the_file_is_named(event: Event, change: Callable[[list[Row]], Any], words: str) -> None:
    rows = lines(write_log_file(event.tournament))
    change(rows)
    assert words in said(packed(rows))


def test_written_anew_with_its_chain_and_a_seal_of_another_key(event: Event) -> None:
    rows = lines(write_log_file(event.tournament))
    rows[2]["reason"] = "so it was"
    previous = "0" * 64
    for row in rows[1:-1]:
        row["previous"] = previous
        previous = row["digest"] = sha256_hex(
            encode_canonical_json({name: row[name] for name in row if name != "digest"})
        )
    key = derive_seal_key("another secret")
    signature = key.sign(encode_signable_log(event.tournament.slug, previous)).hex()
    forged = packed(rows[:-1]) + encode_log_end(len(rows) - 2, previous, encode_public_key(key), signature)
    found = said(forged)
    assert "sealed by a key that is not the one of this installation" in found
    assert "Row 2 of the log is not as it is on record here: the reason." in found


def test_what_was_changed_on_record_after_the_file_was_taken(event: Event) -> None:
    content = write_log_file(event.tournament)
    row = AuditEntry.objects.get(seq=4)
    AuditEntry.objects.filter(pk=row.pk).update(by_name="Nobody")
    assert said(content) == "log row 4: Row 4 of the log is not as it is on record here: who."
    row.delete()
    assert "Row 4 of the file is not on record here." in said(content)


def test_the_page_and_the_command_name_the_row(event: Event, tmp_path: Path) -> None:
    content = write_log_file(event.tournament)
    assert "rows, exactly as on record here" in uploaded(content)
    rows = lines(content)
    renamed(rows)
    assert "Altered. This log was changed: Row 3 of the log was changed" in uploaded(packed(rows))
    path, out = tmp_path / "log.jsonl", io.StringIO()
    path.write_bytes(packed(rows))
    with pytest.raises(SystemExit):
        call_command("verify_event", event.tournament.slug, event.slug, log=path, stdout=out)
    assert "BAD  log file, log row 3: Row 3 of the log was changed" in out.getvalue()


def uploaded(content: bytes) -> str:
    answer = Client().post("/verify/", {"file": SimpleUploadedFile("log.jsonl", content), "digest": ""})
    return page_text(answer)
