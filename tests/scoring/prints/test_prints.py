from __future__ import annotations

import datetime as dt
import io
import re
from typing import Any
from zoneinfo import ZoneInfo

import pypdfium2
import pytest
from django.test import Client
from django.utils import timezone
from pypdf import PdfReader

from pairing.draws.stages.plan import StageKind
from scoring.models import Card
from scoring.prints.pdf.prints import PrintRequest, list_printouts
from scoring.tasks.prints import print_job, sweep_jobs
from tests.codes import codes_in
from tests.factories import a_tournament, a_user, an_entrant, an_event
from tests.kit import client_as, event_url, pdf_text
from tests.scoring.helpers.playing import a_drawn_event, an_event_in_play, play, post, the_card
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_staff_actor
from tournament.core.services.jobs import (
    JOB_RESEND_AFTER,
    begin_job,
    fail_job,
    finish_job,
    record_progress,
    request_job,
)
from tournament.errors import DomainError, NotAllowed
from tournament.models import Event, Finish, Job
from tournament.money.services import fees_and_refunds, ledger

pytestmark = pytest.mark.django_db

FOUR = ("Růžena Kealoha ʻŌ", "Alan", "Grace W. Hopper-Whitcombe", "Kurt")


@pytest.fixture(autouse=True)
def _files(settings: Any, tmp_path: Any) -> None:
    settings.MEDIA_ROOT = tmp_path


def _print(kind: str, event: Event, **options: Any) -> bytes:
    _title, build = list_printouts(StageKind)[kind]
    return build(PrintRequest(event, site="http://hall.local:8000/", **options), lambda done, total: None)


def _text(content: bytes) -> str:
    return pdf_text(content)


def _codes(content: bytes) -> list[str]:
    pictures = [page.render(scale=3).to_pil() for page in pypdfium2.PdfDocument(content)]
    return [code for picture in pictures for code in codes_in(picture)]


# --- What is on paper ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", ["letter", "a4"])
def test_the_cards_of_the_round_carry_their_own_codes_in_table_order(paper: str) -> None:
    event = an_event_in_play(FOUR)
    content = _print("round-cards", event, paper=paper)
    tables = dict(Card.objects.values_list("token", "match__position"))
    read = [re.fullmatch(r"http://hall\.local:8000/c/([^/]+)/", code) for code in _codes(content)]
    tokens = [found.group(1) for found in read if found]
    assert sorted(tokens) == sorted(tables)
    assert [tables[token] for token in tokens] == [1, 2]
    text = _text(content)
    assert all(name in text for name in FOUR)


def test_without_a_match_to_play_there_is_nothing_to_print() -> None:
    for kind in ("round-cards", "bracket-poster", "bracket-tiles", "payouts", "signed-cards"):
        with pytest.raises(DomainError) as refusal:
            _print(kind, an_event())
        assert refusal.value.code in ("no-cards", "not-drawn", "not-finished")


def test_a_round_or_a_table_is_printed_again_alone() -> None:
    event = an_event_in_play(FOUR)
    tables = sorted(
        {int(line) for line in _text(_print("round-cards", event)).split() if line.isdigit() and len(line) == 2}
        & {11, 12}
    )
    assert tables == [11, 12]
    again = _text(_print("round-cards", event, round=1, table=12))
    assert FOUR[2] in again and FOUR[3] in again and FOUR[0] not in again
    assert FOUR[0] not in _text(_print("pairings", event, table=12))
    with pytest.raises(DomainError, match="Choose another round or table"):
        _print("round-cards", event, round=2)


def test_blank_cards_come_as_many_as_asked_for() -> None:
    read = PdfReader(io.BytesIO(_print("blank-cards", an_event_in_play(), count=5)))
    assert len(read.pages) == 3
    assert "Game ____ · to 50" in read.pages[0].extract_text()


def test_a_signed_card_is_printed_with_both_names_and_a_code_to_check_it() -> None:
    event = an_event_in_play(FOUR)
    state = post(the_card(event, "R1M1"))
    play(the_card(event, "R1M2"))
    content = _print("signed-cards", event, card=state.card.token)
    text = _text(content)
    for words in ("posted: signed by everybody", FOUR[0], "91", state.digest[:8]):
        assert words in text
    path = f"/verify/{state.digest}/"
    assert _codes(content) == [f"http://hall.local:8000{path}"]
    assert "Genuine." in Client().get(path).content.decode()


def test_the_pairing_list_has_all_players_under_their_own_names() -> None:
    text = " ".join(_text(_print("pairings", an_event_in_play(FOUR))).split())
    assert all(text.count(name) == 2 for name in FOUR)
    order = [text.index(name) for name in ("Alan", "Grace", "Kurt", "Růžena")]
    assert order[0] < order[1]


def test_the_bracket_is_one_poster_or_tiles_of_the_same_picture() -> None:
    names = tuple(f"Player {turn:02d}" for turn in range(16))
    event = a_drawn_event(names)
    poster = PdfReader(io.BytesIO(_print("bracket-poster", event)))
    assert len(poster.pages) == 1
    assert all(name in poster.pages[0].extract_text() for name in names)
    tiles = pypdfium2.PdfDocument(_print("bracket-tiles", event, paper="a4"))
    assert len(tiles) > 1
    assert {(round(page.get_width()), round(page.get_height())) for page in tiles} == {(595, 842)}
    seen = "".join(page.get_textpage().get_text_bounded() for page in tiles)
    assert all(name in seen for name in names)


def test_the_payout_list_adds_up_to_the_pool() -> None:
    event = an_event(a_tournament(name="Desert Classic"))
    for name in FOUR:
        entrant = an_entrant(event, name)
        fees_and_refunds.take_payment(entrant, 30000, "cash", by=SYSTEM_ACTOR, key="")
        with ledger.writing(event, verb="test.charged", by=SYSTEM_ACTOR) as write:
            fees_and_refunds.charge_fee(write, entrant)
    Finish.objects.create(event=event, places=[[1], [2], [3, 4]], by_name="test")
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    event.refresh_from_db()
    text = _text(_print("payouts", event))
    for words in (*FOUR, "$492.00", "$295.00", "$98.50", "3–4", "Entry fees $1,200.00", "Prize pool (82%) $984.00"):
        assert words in text
    assert re.search(r"Total\s+\$984\.00", text)


# --- Jobs ----------------------------------------------------------------------------------------------------------


def _job(event: Event, kind: str = "blank-cards", by: Actor = SYSTEM_ACTOR, **parameters: Any) -> Job:
    title = list_printouts(StageKind)[kind][0]
    asked = {"paper": "letter", "count": 4, "site": "", "card": "", **parameters}
    return request_job(event, kind=kind, title=title, task="scoring.tasks.prints.print_job", parameters=asked, by=by)


def test_a_job_is_queued_run_and_done_with_its_file() -> None:
    job = _job(an_event_in_play())
    assert job.state == Job.State.QUEUED
    print_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.message) == (Job.State.DONE, "")
    assert job.done == job.total > 0
    assert len(PdfReader(job.file).pages) == 2


def test_a_task_that_comes_twice_prints_once() -> None:
    job = _job(an_event_in_play())
    print_job(job.pk)
    job.refresh_from_db()
    first = (job.file.name, job.changed_at)
    print_job(job.pk)
    print_job(999_999)
    job.refresh_from_db()
    assert (job.file.name, job.changed_at) == first


def test_a_refusal_is_the_job_s_own_sentence() -> None:
    job = _job(an_event(), kind="payouts")
    print_job(job.pk)
    job.refresh_from_db()
    assert (job.state, bool(job.file)) == (Job.State.FAILED, False)
    assert "not finished" in job.message


def test_a_bug_is_said_as_one_and_raised() -> None:
    job = _job(an_event_in_play(), paper="papyrus")
    with pytest.raises(KeyError):
        print_job(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "could not be made" in job.message


def test_progress_is_in_the_row() -> None:
    job = _job(an_event_in_play())
    running = begin_job(job.pk)
    assert running is not None
    record_progress(running, 3, 10)
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == (Job.State.RUNNING, 3, 10)
    fail_job(job, "x" * 500)
    job.refresh_from_db()
    assert len(job.message) == 300
    assert begin_job(job.pk) is not None, "what failed may be tried again"
    finish_job(job, "a.pdf", b"%PDF")
    assert begin_job(job.pk) is None


def test_what_was_lost_is_sent_again_and_what_is_fresh_or_done_is_not() -> None:
    event = an_event_in_play()
    lost, fresh, done = (_job(event) for _turn in range(3))
    print_job(done.pk)
    long_ago = timezone.now() - JOB_RESEND_AFTER - dt.timedelta(seconds=1)
    Job.objects.filter(pk__in=[lost.pk, done.pk]).update(changed_at=long_ago)
    assert sweep_jobs() == 1
    assert sweep_jobs() == 0, "it is fresh again"
    fresh.refresh_from_db()
    assert fresh.state == Job.State.QUEUED


def test_strangers_order_nothing() -> None:
    event = an_event_in_play()
    for by in (make_staff_actor(a_user()), make_staff_actor(a_user("director", a_tournament())), Actor("nobody")):
        with pytest.raises(NotAllowed):
            _job(event, by=by)
    assert not Job.objects.exists()


# --- Pages ---------------------------------------------------------------------------------------------------------


def test_from_the_page_to_the_file() -> None:
    event = an_event_in_play()
    client = client_as("desk", event)
    assert client.get(event_url("scoring:desk_prints", event)).status_code == 200
    answer = client.post(
        event_url("scoring:desk_prints", event), {"kind": "round-cards", "paper": "a4", "count": "", "card": ""}
    )
    job = Job.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/desk/{event.tournament.slug}/jobs/{job.pk}/")
    file = f"{answer['Location']}file/"
    assert client.get(file).status_code == 404, "not done yet"
    assert client.get(answer["Location"]).status_code == 200
    print_job(job.pk)
    assert file in client.get(answer["Location"]).content.decode()
    download = client.get(file)
    content = b"".join(download.streaming_content)
    at = job.created_at.astimezone(ZoneInfo(event.tournament.time_zone))
    name = f"{event.slug}-round-cards-round-1-{at:%Y-%m-%d-%H%M}.pdf"
    assert download["Content-Disposition"] == f'inline; filename="{name}"'
    assert download["Content-Type"] == "application/pdf"
    assert _codes(content)[0].startswith("http://testserver/c/")
    assert file in client.get(event_url("scoring:desk_prints", event)).content.decode()


def test_the_panel_asks_again_while_it_runs() -> None:
    event = an_event_in_play()
    job = _job(event)
    url = f"/desk/{event.tournament.slug}/jobs/{job.pk}/"
    panel = client_as("desk", event).get(url, HTTP_HX_REQUEST="true").content.decode()
    assert "<html" not in panel
    assert "hx-get" in panel
    print_job(job.pk)
    assert "hx-get" not in client_as("desk", event).get(url, HTTP_HX_REQUEST="true").content.decode()


def test_a_file_is_for_the_staff_of_its_tournament() -> None:
    event, other = an_event_in_play(), an_event()
    job = _job(event)
    print_job(job.pk)
    file = f"/desk/{event.tournament.slug}/jobs/{job.pk}/file/"
    assert Client().get(file).status_code == 302
    assert client_as("desk", other).get(file).status_code == 403
    assert client_as("desk", other).get(f"/desk/{other.tournament.slug}/jobs/{job.pk}/file/").status_code == 404


@pytest.mark.parametrize(("count", "ok"), [("0", False), ("2001", False), ("2000", True)])
def test_no_more_cards_than_a_printer_holds(count: str, ok: bool) -> None:
    event = an_event_in_play()
    client_as("desk", event).post(
        event_url("scoring:desk_prints", event), {"kind": "blank-cards", "paper": "letter", "count": count}
    )
    assert Job.objects.exists() is ok
