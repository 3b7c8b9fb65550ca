"""A sample of the spoiled requests. `make test-long` sends many more."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client, override_settings

from scoring.archive.selectors.export import export_tournament
from scoring.archive.selectors.installations import export_installation
from tests.chance import SEED, examples
from tests.config.hall import Hall
from tests.devtools.spoiled.archives import judge_files
from tests.devtools.spoiled.judge import fault, send_all
from tests.devtools.spoiled.known import Known
from tests.devtools.spoiled.rows import as_in_production, known_here, take_back
from tests.devtools.spoiled.senders import Answered, ByClient, Request
from tests.scoring.helpers.archive import a_tournament_in_play, another_installation, export, read_members
from tests.scoring.helpers.rows import a_tournament_of
from tests.scoring.helpers.two_events import two_events


@pytest.fixture(scope="module")
def known(rows_of_module: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Known, ByClient]]:
    with override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("media")), as_in_production():
        yield known_here(Hall(), "player", "director")


@pytest.mark.long
@pytest.mark.django_db
def test_no_spoiled_request_breaks_a_page(known: tuple[Known, ByClient]) -> None:
    outcome = send_all(*known, SEED, range(examples(1600)), take_back)
    assert not outcome.faults, "\n".join(str(found[0]) for found in outcome.by_place().values())
    assert outcome.statuses.keys() >= {200, 302, 403, 404, 405, 422}, outcome  # they got to pages, forms and refusals


def test_what_is_wrong_with_an_answer() -> None:
    wait = b"<p>Too much at once. Wait a minute and send it again.</p>"
    for answer, said in (
        (Answered(500, {}, b""), "500"),
        (Answered(0, {}, b""), "no answer"),
        (Answered(503, {}, wait), "503 without a word"),
        (Answered(503, {"retry-after": "60"}, b"Busy"), "503 without a word"),
        (Answered(503, {"retry-after": "60"}, wait), ""),
        (Answered(404, {}, b""), ""),
    ):
        assert fault(answer) == said


@pytest.mark.django_db
def test_a_page_that_hangs_is_a_fault_and_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Request("GET", "/rules/")
    assert ByClient().send(asked, "127.0.0.1").status == 200
    with monkeypatch.context() as changed:
        changed.setattr("django.core.handlers.base.BaseHandler.resolve_request", lambda *_: time.sleep(60))
        answer = ByClient(patience=0.2).send(asked, "127.0.0.1")
    assert fault(answer) == "no answer"
    assert "sleep" in answer.why
    assert ByClient().send(asked, "127.0.0.1").status == 200


@pytest.mark.django_db
def test_no_spoiled_file_of_a_tournament_is_imported_in_part(tmp_path: Path) -> None:
    members = read_members(export(a_tournament_in_play(), tmp_path))
    with another_installation():
        outcomes, faults = judge_files(members, tmp_path, SEED, range(examples(160)))
    assert faults == []
    assert {"imported", "altered-archive", "damaged-archive"} <= {outcome.split(": ")[1] for outcome in outcomes}


@pytest.mark.django_db
def test_no_spoiled_file_of_an_event_is_imported_in_part(tmp_path: Path) -> None:
    event, file = two_events()[1], tmp_path / "event.zip"
    export_tournament(event.tournament, file, event=event)
    members = read_members(file)
    with another_installation():
        outcomes, faults = judge_files(members, tmp_path, SEED, range(examples(80)))
    assert faults == []
    assert {"imported", "altered-archive", "damaged-archive"} <= {outcome.split(": ")[1] for outcome in outcomes}


@pytest.mark.django_db
def test_no_spoiled_file_of_an_installation_is_imported_in_part(tmp_path: Path) -> None:
    a_tournament_of("tampa", "Ada Lovelace", "Alan Turing")
    a_tournament_of("reno", "Grace Hopper", "Kurt Cobain")
    export_installation(tmp_path / "all.zip")
    members = read_members(tmp_path / "all.zip")
    with another_installation():
        outcomes, faults = judge_files(members, tmp_path, SEED, range(examples(80)))
    assert faults == []
    assert "damaged-archive" in {outcome.split(": ")[1] for outcome in outcomes}


UNREADABLE = (
    ("application/x-www-form-urlencoded; charset=utf-7", b"a=1"),
    ("application/x-www-form-urlencoded; charset=hex", b"a=1"),
    ("multipart/form-data; boundary=b; charset=rot13", b"--b\r\n\r\n--b--"),
    ("multipart/form-data", b"--b--"),
    ("text/plain; a*=nothing''x", b"a=1"),
    ("text/plain; a*=idna''%41", b"a=1"),
    ("multipart/form-data; boundary=b; boundary*=idna''%41", b"--b--"),
    ("text/plain; charset=utf-8", b"a=1"),
    ("application/x-www-form-urlencoded", b"a=1&" * 2000),
)


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "body"), UNREADABLE)
@pytest.mark.parametrize("path", ["/accounts/login/", "/nothing/", "/nothing/?" + "a=1&" * 2000])
def test_a_form_that_cannot_be_read_is_refused(path: str, kind: str, body: bytes) -> None:
    sent = Request("POST", path, {"Content-Type": kind, "Cookie": f"csrftoken={'a' * 32}"}, body)
    answer = ByClient().send(sent, "127.0.0.1")
    assert answer.status in (400, 403, 404), answer.why
    assert Client().get("/").status_code == 200
