"""The site answers soon and keeps working, whatever an uploaded file contains."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from scoring.models import Evidence
from scoring.verification.pdf.file_checks import check_pdf
from tests.chance import examples
from tests.factories import an_event
from tests.kit import client_as, event_url
from tests.processes import PATIENCE
from tests.scoring.helpers.disputes import dispute as dispute
from tests.scoring.helpers.disputes import send
from tests.scoring.helpers.files import download
from tests.scoring.helpers.playing import an_event_in_play, post, the_card
from tests.tournament.intake.greedy import ends, hands_back_much, nests, takes_memory, turns
from tests.tournament.intake.spoiled import (
    LISTS,
    LOGS,
    MB,
    PDFS,
    PHOTOS,
    SHEET,
    a_photo,
    damaged,
    of_cells,
    repacked,
    workbook,
)
from tournament import intake
from tournament.intake import LIST_FILE_LIMITS as LIMITS_OF_LISTS
from tournament.intake import PHOTO_FILE_LIMITS as LIMITS_OF_PHOTOS
from tournament.intake import DamagedFile, FileLimits, FileRefused, _handle_request, read_in_subprocess
from tournament.models import ImportBatch
from tournament.spreadsheets import parse_spreadsheet

pytestmark = pytest.mark.django_db


@pytest.fixture
def card(settings: Any, tmp_path: Path) -> Any:
    settings.MEDIA_ROOT = tmp_path
    cache.clear()
    return the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))


@pytest.fixture(scope="module")
def sealed(rows_of_module: None) -> bytes:
    card = the_card(an_event_in_play())
    post(card)
    return download(card)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn off the limits on waiting time, which a busy machine may exceed.

    Limits on processor time and memory remain.
    """
    monkeypatch.setattr(FileLimits, "max_elapsed_seconds", PATIENCE)
    monkeypatch.setattr(intake, "MAX_WAIT_FOR_PROCESS_S", PATIENCE)
    read_in_subprocess(LIMITS_OF_LISTS, parse_spreadsheet, b"Name\nAda\n")


def bounded(ask: Callable[[], Any]) -> Any:
    """Call the function and return its result.

    Fail if it uses more than 2 seconds of processor time or 150 MB of memory.
    """
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    spent = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    answer = ask()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - spent < 2
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024 < 150
    return answer


def verified(content: bytes, name: str = "card.pdf") -> Any:
    return Client().post("/verify/", {"file": SimpleUploadedFile(name, content), "digest": ""})


@pytest.mark.parametrize("name", PDFS)
def test_a_spoiled_pdf_is_refused(name: str) -> None:
    content = PDFS[name]()
    answer = bounded(lambda: verified(content))
    page = answer.content.decode()
    assert answer.status_code in (200, 422)
    assert any(said in page for said in ("Altered", "Unknown", "is too large to read", "no signed score card")), page


@pytest.mark.parametrize("name", LOGS)
def test_a_spoiled_log_is_refused(name: str) -> None:
    content = LOGS[name]()
    answer = bounded(lambda: verified(content, "log.jsonl"))
    page = answer.content.decode()
    assert answer.status_code in (200, 422)
    assert any(said in page for said in ("Altered", "is too large to read", "longer than any log", "is damaged")), page


@pytest.mark.parametrize("name", LISTS)
def test_a_spoiled_list_is_refused_or_read(name: str) -> None:
    event, content = an_event(), LISTS[name]()
    client = client_as("desk", event)
    url = event_url("tournament:desk_import", event)
    answer = bounded(lambda: client.post(url, {"file": SimpleUploadedFile("list.csv", content)}))
    assert answer.status_code in (302, 422)
    if answer.status_code == 302:
        assert client.get(answer["Location"]).status_code == 200
    else:
        assert not ImportBatch.objects.exists()
        assert "invalid-feedback" in answer.content.decode() or "alert" in answer.content.decode()


@pytest.mark.parametrize("name", PHOTOS)
def test_a_spoiled_photo_is_refused(client: Client, dispute: Any, name: str) -> None:
    content = PHOTOS[name]()
    answer = bounded(lambda: send(client, dispute, content))
    assert (answer.status_code, Evidence.objects.count()) == (422, 0)


def test_damaged_workbooks_are_read_or_refused() -> None:
    event, content = an_event(), workbook()
    client = client_as("desk", event)
    url = event_url("tournament:desk_import", event)
    found = set()
    for seed in range(examples(240)):
        spoiled = damaged(content, seed)
        found.add(client.post(url, {"file": SimpleUploadedFile("list.xlsx", spoiled)}).status_code)
    assert found == {302, 422}


def test_damaged_sheets_of_whole_workbooks() -> None:
    """The sheets are damaged before they are packed, so the checksums of the ZIP file are right."""
    event, content = an_event(), workbook()
    client = client_as("desk", event)
    url = event_url("tournament:desk_import", event)
    sheet = of_cells(b"Name", b"Email", b"Notes")
    found = set()
    for seed in range(examples(80)):
        spoiled = repacked(content, SHEET, damaged(sheet, seed))
        found.add(client.post(url, {"file": SimpleUploadedFile("list.xlsx", spoiled)}).status_code)
    assert found <= {302, 422}


def test_damaged_prints_are_never_genuine(sealed: bytes) -> None:
    for seed in range(examples(240)):
        spoiled = damaged(sealed, seed)
        cache.clear()
        answer = verified(spoiled)
        assert answer.status_code in (200, 422), seed
        assert spoiled == sealed or "Genuine." not in answer.content.decode(), seed


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_damaged_photos_are_kept_or_refused(client: Client, dispute: Any, form: str) -> None:
    content = a_photo(form, (90, 60))
    for seed in range(examples(60)):
        assert send(client, dispute, damaged(content, seed)).status_code in (302, 422, 409), seed


@pytest.mark.parametrize("address", ["/verify/", "/accounts/login/", "/nowhere/"])
def test_a_large_request_is_refused_by_its_length(address: str) -> None:
    def nothing(*_: Any) -> bytes:
        raise AssertionError("read")

    client = Client(enforce_csrf_checks=True)
    body = type("Body", (), {"read": nothing, "readline": nothing})()
    answer = client.generic(
        "POST", address, b"", "multipart/form-data; boundary=x", CONTENT_LENGTH=str(40 * MB), **{"wsgi.input": body}
    )
    assert answer.status_code == (404 if address == "/nowhere/" else 413)
    if answer.status_code == 413:
        assert "This page takes at most" in answer.content.decode()


@pytest.mark.parametrize("read", [takes_memory, turns, ends, hands_back_much])
def test_a_greedy_reader_is_stopped_without_leftovers(read: Callable[[bytes], Any]) -> None:
    with pytest.raises(FileRefused, match="too large to read"):
        bounded(lambda: read_in_subprocess(LIMITS_OF_PHOTOS, read, b"x" * MB))
    assert multiprocessing.active_children() == []


def test_the_process_that_reads_may_die_and_comes_back() -> None:
    os.kill(forkserver._forkserver._forkserver_pid, signal.SIGKILL)  # type: ignore[attr-defined]
    time.sleep(0.1)
    assert len(read_in_subprocess(LIMITS_OF_LISTS, parse_spreadsheet, b"Name\nAda\n").rows) == 1


def test_an_abandoned_process_ends_silently() -> None:
    forks = multiprocessing.get_context("forkserver")
    ours, theirs = forks.Pipe()
    process = forks.Process(target=_handle_request, args=(theirs, LIMITS_OF_LISTS))
    process.start()
    ours.send((parse_spreadsheet, b"Name\nAda\n"))
    ours.close()
    theirs.close()
    process.join(30)
    assert process.exitcode == 0


def test_if_no_process_can_start_the_file_is_not_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_process: object) -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(intake._process_context.Process, "start", full)
    with pytest.raises(FileRefused, match="too busy"):
        check_pdf(b"%PDF-1.4 a card that was not read", frozenset())


def test_a_deeply_nested_answer_is_a_damaged_file() -> None:
    with pytest.raises(DamagedFile, match="damaged"):
        read_in_subprocess(LIMITS_OF_LISTS, nests, b"x")
