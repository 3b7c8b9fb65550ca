"""Papers and mails speak the reader's language, too: in a pseudo-language nothing of them is English."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from django.core import mail
from pypdf import PdfReader

from pairing.draws.stages.kinds import StageKind
from scoring.prints.pdf.prints import Order, prints_of
from tests.config.pseudo import pseudo_language
from tests.factories import an_event
from tests.scoring.helpers.playing import an_event_in_play, post, the_card
from tournament.core.permissions import SYSTEM
from tournament.models import Event
from tournament.people.services.players import Person
from tournament.registration.services.entrants import Entry, enter
from tournament.tasks.mail import send_confirmation

pytestmark = pytest.mark.django_db

PLAYERS = ("Qqa", "Qqb", "Qqc", "Qqd")
WORD = re.compile(r"(?<![\w@./:=&-])[A-Za-z][a-z]+(?![\w@/=:-])")
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
    return set(WORD.findall(text)) - NAMES - known


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
