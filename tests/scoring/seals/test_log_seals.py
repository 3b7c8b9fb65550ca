"""A seal covers the last row of a log, so the seal and its printed code reveal that somebody rewrote the log."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from pairing.results.pdf import print_result_sheet
from pairing.results.services.finish import finish_event
from scoring.rules.evidence.sealing import derive_seal_key, encode_public_key
from scoring.seals.selectors.log import check_log_seals
from scoring.verification.selectors.event import verify_event
from tests.kit import fresh, page_text
from tests.pairing.helpers.events import an_event_in_play, play_all
from tests.tournament.helpers.closes import EVENING, a_day_of_two_events, closed_day
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.log import (
    SEAL_CODE_ALPHABET,
    compute_log_entry_digest,
    compute_seal_digest,
    load_daily_close_seal_code,
    load_finish_seal_code,
    load_payouts_seal_code,
    make_log_seal_code,
    make_log_seal_statement,
)
from tournament.models import AuditEntry, AuditHead, Event, LogSeal, Tournament
from tournament.money.pdf.close import make_daily_close_sheet, write_daily_close
from tournament.money.pdf.payouts import write_payout_list
from tournament.money.selectors.drawers_and_close import load_business_day
from tournament.money.selectors.prizes import load_prizes
from tournament.money.services.payouts import pay_prize

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def _finished(rows_of_module: None) -> Event:
    event = an_event_in_play(4, added_cents=1_000_00)
    play_all(event)
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    pay_prize(event.entrants.get(number=load_prizes(fresh(event)).awards[0].number), "cash", by=SYSTEM_ACTOR)
    return event


@pytest.fixture
def event(_finished: Event) -> Event:
    return fresh(_finished)


def rewrite_log(tournament: Tournament) -> None:
    """Recompute all digests of the log as a valid chain, as somebody with access to the database could."""
    previous = "0" * 64
    for row in AuditEntry.objects.filter(tournament=tournament).order_by("seq"):
        row.previous = previous
        row.digest = previous = compute_log_entry_digest(row)
        row.save()
    AuditHead.objects.filter(tournament=tournament).update(digest=previous)


def faults(event: Event) -> list[str]:
    return [fault.message for fault in check_log_seals(event.tournament)]


def answer(code: str) -> str:
    said = Client().post(reverse("scoring:verify_any"), {"digest": code}, follow=True).content.decode()
    return page_text(said)


def text_of(target: io.BytesIO) -> str:
    return " ".join(" ".join(page.extract_text() for page in PdfReader(target).pages).split())


def test_a_finish_and_a_payout_seal_the_row_that_records_them(event: Event) -> None:
    rows = event.tournament.log.filter(verb__in=["event.finished", "prize.paid"]).order_by("seq")
    seals = list(event.tournament.log_seals.all())
    assert [(seal.log_row, seal.log_digest) for seal in seals] == list(rows.values_list("seq", "digest"))
    assert seals[1].previous == compute_seal_digest(seals[0])
    assert faults(event) == []


def test_the_close_of_a_day_seals_the_log_and_its_paper_has_the_code() -> None:
    with time_machine.travel(EVENING, tick=False):
        event, ann, director = a_day_of_two_events()
        close = closed_day(event, ann, director)
        code = load_daily_close_seal_code(event.tournament, close.pk)
        sheet = make_daily_close_sheet(event.tournament, load_business_day(event.tournament, close.day))
    paper = io.BytesIO()
    write_daily_close(paper, event.tournament, sheet)
    assert code in text_of(paper)
    assert "Genuine." in answer(code)


def test_the_result_sheet_has_the_code_of_the_finish(event: Event) -> None:
    paper = io.BytesIO()
    print_result_sheet(paper, event, "letter")
    code = load_finish_seal_code(event)
    assert code in text_of(paper)
    assert f"The finish of {event.name}" in answer(code)


def test_the_payout_list_has_the_code_of_the_last_payout(event: Event) -> None:
    paper = io.BytesIO()
    write_payout_list(paper, event, load_prizes(event))
    code = load_payouts_seal_code(event)
    assert code in text_of(paper) and code != load_finish_seal_code(event)
    assert f"A payout of {event.name}" in answer(code)


@pytest.mark.parametrize("typed", [str.lower, lambda code: code.replace("-", " "), lambda code: code.replace("0", "O")])
def test_a_code_is_read_as_people_type_it(event: Event, typed: Callable[[str], str]) -> None:
    assert "Genuine." in answer(typed(load_finish_seal_code(event)))


def test_the_code_of_a_log_that_was_rewritten_is_unknown(event: Event) -> None:
    code = load_finish_seal_code(event)
    event.tournament.log.filter(seq=2).update(by_name="Nobody")
    rewrite_log(event.tournament)
    assert f"No log here has the code {code}." in answer(code)


def test_a_code_says_where_the_log_before_it_is_broken(event: Event) -> None:
    code = load_finish_seal_code(event)
    event.tournament.log.filter(seq=2).update(by_name="Nobody")
    assert "Altered. This log was changed: The log is broken at row 2." in answer(code)


def test_the_paper_shows_that_the_end_of_the_log_was_cut_off_with_its_seal(event: Event) -> None:
    code, last = load_payouts_seal_code(event), event.tournament.log.order_by("seq").last()
    LogSeal.objects.filter(log_row=last.seq).delete()
    last.delete()
    rewrite_log(event.tournament)
    assert faults(event) == []
    assert f"No log here has the code {code}." in answer(code)


def another_author_and_chain(event: Event) -> None:
    event.tournament.log.filter(seq=2).update(by_name="Nobody")
    rewrite_log(event.tournament)


def another_row_of_the_seal(event: Event) -> None:
    LogSeal.objects.filter(number=1).update(log_row=1)


def sealed_by_another_key(event: Event) -> None:
    key = derive_seal_key("the secret of somebody else")
    for seal in LogSeal.objects.all():
        seal.signature, seal.public = key.sign(make_log_seal_statement(seal)).hex(), encode_public_key(key)
        seal.save()


def without_the_last_seal(event: Event) -> None:
    LogSeal.objects.filter(number=2).delete()


def without_the_first_seal(event: Event) -> None:
    LogSeal.objects.filter(number=1).delete()


@pytest.mark.parametrize(
    ("act", "named"),
    [
        (another_author_and_chain, r"log row \d+: The log was rewritten up to row \d+ or before it"),
        (another_row_of_the_seal, r"log row 1: Seal 1 of the log was changed"),
        (sealed_by_another_key, r"log row \d+: Seal 1 of the log was made by another key"),
        (without_the_last_seal, r"log row \d+: The seal on row \d+ of the log \(prize.paid\) is missing"),
        (without_the_first_seal, r"seals of the log: Seal 2 of the log does not follow the seal before it"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_verify_event_names_what_was_done_to_the_log(event: Event, act: Callable[[Event], None], named: str) -> None:
    act(event)
    problems = [f"{check.subject}: {check.finding}" for check in verify_event(event) if not check.passed]
    assert any(re.match(named, problem) for problem in problems), problems


def test_a_code_has_no_letter_that_is_misread() -> None:
    codes = "".join(make_log_seal_code(row, f"{row:064x}")[-14:] for row in range(200))
    assert set(codes) - {"-"} == set(SEAL_CODE_ALPHABET) and not set(codes) & set("ILOU")
