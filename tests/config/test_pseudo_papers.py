"""Papers and mails speak the reader's language, too: in a pseudo-language nothing of them is English."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from django.core import mail
from django.utils.translation import override
from pypdf import PdfReader

from pairing.draws.stages.plan import StageKind
from scoring.prints.console import title_of
from scoring.prints.pdf.prints import Order, prints_of
from scoring.tasks.prints import print_job
from tests.config.pseudo import pseudo_catalog, pseudo_language
from tests.factories import an_event
from tests.scoring.helpers.playing import an_event_in_play, post, the_card
from tournament.core.permissions import SYSTEM
from tournament.core.services.jobs import request_job
from tournament.models import Event
from tournament.registration.services.entries import Entry, enter
from tournament.registration.services.people import Person
from tournament.tasks.mail import send_confirmation

pytestmark = pytest.mark.django_db

PLAYERS = ("Qqa", "Qqb", "Qqc", "Qqd")
WORD = re.compile(r"(?<![\w@./:=&-])[A-Za-z][a-z]+(?![\w@/=:-])")
IN_A_DIGEST = re.compile(r"\b[0-9a-f]{8}\b")
"""Some are letters only."""

NAMES = {"Standard", "Hall", "Rummy", "Association", "SHA", "RFC", *PLAYERS}
"""Names of rule sets and algorithms, and of who plays."""


@pytest.fixture
def event() -> Event:
    event = an_event_in_play(PLAYERS)
    post(the_card(event))
    return event


def printed(kind: str, event: Event) -> str:
    _title, build = prints_of(StageKind)[kind]
    with pseudo_language():
        content = build(Order(event, site="http://hall.local:8000/", back=True, count=1), lambda _done, _total: None)
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)


def english(text: str, event: Event) -> set[str]:
    known = set(re.findall(r"\w+", f"{event.name} {event.tournament.name} {event.tournament.venue}"))
    return set(WORD.findall(IN_A_DIGEST.sub("", text))) - NAMES - known


@pytest.mark.parametrize("kind", ["blank-cards", "round-cards", "signed-cards", "pairings", "results", "table-signs"])
def test_a_paper_has_no_english_left(event: Event, kind: str) -> None:
    text = printed(kind, event)
    assert "~" in text
    assert english(text, event) == set()


def test_the_mail_with_a_private_link_has_no_english_left(settings: Any) -> None:
    settings.MAIL_IS_SET = True
    event = an_event(capacity=1)
    for name in ("Qqa", "Qqb"):
        enter(event, Entry((Person(name, email=f"{name}@example.org"),)), by=SYSTEM)
    with pseudo_language():
        send_confirmation(event.entrants.get(number=2).pk, "http://hall.local:8000")
    (sent,) = mail.outbox
    body = re.sub(r"http\S+", "", sent.body).replace(event.entrants.get(number=2).sign_code, "")
    assert "~" in body
    assert english(body, event) == set()


@pytest.mark.parametrize("language", ["eo", "en"])
def test_a_print_is_made_in_the_language_in_which_it_was_asked_for(
    event: Event, language: str, settings: Any, tmp_path: Any
) -> None:
    settings.MEDIA_ROOT = tmp_path
    asked = {"paper": "letter", "count": 4, "site": "", "card": "", "round": 1, "table": 0}
    with pseudo_catalog():
        title = title_of(prints_of(StageKind)["results"][0], asked)
        with override(language):
            job = request_job(event, kind="results", title=title, task="none", parameters=asked, by=SYSTEM)
        print_job(job.pk)
        job.refresh_from_db()
        with override(language):
            shown = job.words
    text = "\n".join(page.extract_text() for page in PdfReader(job.file).pages)
    assert ("~" in text, english(text, event) == set()) == (language == "eo", language == "eo")
    assert ("~" in shown, job.title) == (language == "eo", "Result sheet, one page, round 1")
    assert job.file.name.isascii()


def test_a_refusal_of_the_worker_is_in_that_language_too(event: Event) -> None:
    with pseudo_catalog():
        with override("eo"):
            job = request_job(
                event, kind="payouts", title="Payouts", task="none", parameters={"paper": "a4"}, by=SYSTEM
            )
        print_job(job.pk)
    job.refresh_from_db()
    assert "~" in job.message and english(job.message, event) == set()


def test_a_mail_is_in_the_language_of_the_page_on_which_they_entered(settings: Any) -> None:
    settings.MAIL_IS_SET = True
    event = an_event()
    enter(event, Entry((Person("Qqa", email="qqa@example.org"),)), by=SYSTEM)
    entrant = event.entrants.get()
    with pseudo_catalog():
        for language in ("eo", None):
            send_confirmation(entrant.pk, "http://hall.local:8000", language)
    assert ["~" in one.body for one in mail.outbox] == [True, False]
