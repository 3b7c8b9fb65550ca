"""Test that pages, prints, and emails contain no text that cannot be translated."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils.translation import override
from pypdf import PdfReader

from pairing.draws.stages.plan import StageKind
from scoring.prints.console import describe_print_request
from scoring.prints.pdf.prints import PrintRequest, list_printouts
from scoring.rules.sheet.sheets import VARIANTS
from scoring.rules.variants.score_pad.pads import SCORE_PAD_GAMES
from scoring.rules.variants.score_pad.variant import ScorePad
from scoring.tasks.prints import print_job
from tests.config.hall import Hall, routes
from tests.config.pseudo import pseudo_catalog, pseudo_language
from tests.factories import an_event
from tests.kit import pdf_text
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import an_event_in_play, post, the_card
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.jobs import request_job
from tournament.models import BankList, Entrant, Event, EventMoney, ImportBatch, Player, Tournament
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person
from tournament.tasks.mail import send_confirmation

pytestmark = pytest.mark.django_db

AS_RECORDED = (
    "tournament:desk_log",  # what was done, in the codes of the log
    "tournament:style",  # made-up people, for staff who build pages
    "scoring:desk_ruling",  # a ruling stays in the words in which it was made
    "scoring:public_ruling",
)

NAMES = {
    *("Association", "Rummy", "GRA", "Metzker", "Court", "Whist", "Guys", "Girls", "Swiss"),
    *("Gentlemen", "Ladies", "Gin", "singles", "Cards"),
    *("Staff", "Player", "Letter", "system", "desk", "one", "person", "Look", "the", "wall", "Tables"),
}
"""English words that pages may show: in names of rule sets, teams, and made-up staff, and in a test's message."""

RECORDED = re.compile(
    r"singles 9|Singles rule 9\. The knock of .*|\w+ \(entry \d\)|Ruling 1|accepted, and scored as an undercut"
    r"|· Swiss rounds|\b(?:Assets|Income|Expenses|Equity)(?::[A-Za-z-]+)+"
)
"""Matches texts that stay in English: recorded texts of rulings and stages, and account names for accountants."""

SILENT = re.compile(r"<(script|style|code|pre|kbd|svg|blockquote|option)\b.*?</\1>|<!--.*?-->", re.DOTALL)
SPOKEN = re.compile(r"\b(?:aria-label|aria-description|title|placeholder|alt)=\"([^\"]*)\"")
OPTION = re.compile(r"<option\b[^>]*>(?!\w+/)([^<]*)</option>")
"""Matches each choice in a `<select>` list, except time zones."""
WORD = re.compile(r"(?<![\w@./#=&-])[A-Za-z][a-z]{2,}(?![\w@/=-]|\.\w)")


def shown(page: str) -> Iterator[str]:
    plain = SILENT.sub(" ", page)
    for text in (*OPTION.findall(page), *SPOKEN.findall(plain), *re.split(r"<[^>]*>", plain)):
        if (words := " ".join(html.unescape(text).split())) and "http" not in words:
            yield words


def pages(hall: Hall, role: str) -> Iterator[tuple[str, str]]:
    for name, wanted, at in routes():
        if ":" not in name or name.startswith(("library:", *AS_RECORDED)):
            continue
        answer = hall.clients[role].get(hall.address(role, name, wanted, at))
        if answer.status_code == 200 and answer.headers.get("Content-Type", "").startswith("text/html"):
            yield name, answer.content.decode()


def data() -> set[str]:
    """Return all words in the database that somebody typed, such as the names of players and events."""
    found = [*Player.objects.values_list("name", flat=True), *Entrant.objects.values_list("name", flat=True)]
    found += [text for event in Event.objects.all() for text in (event.name, event.sites)]
    found += [text for one in Tournament.objects.all() for text in (one.name, one.venue, one.contact, one.about)]
    found += [category for one in Tournament.objects.all() for category in one.expense_categories]
    found += [row.party for row in EventMoney.objects.all()]
    found += [header for batch in ImportBatch.objects.all() for header in batch.headers]
    found += [bytes(listed.content).decode() for listed in BankList.objects.exclude(content=None)]
    return {word for text in found for word in re.findall(r"\w+", str(text))}


@pytest.mark.sample("texts of a role", 2)
@pytest.mark.parametrize("role", ["anybody", "player", "director"])
def test_every_text_is_in_the_catalog(hall: Hall, role: str) -> None:
    known, seen, left = data() | NAMES, 0, set()
    with pseudo_language():
        cache.clear()
        for name, page in pages(hall, role):
            seen += 1
            left |= {f"{name}: {text}" for text in shown(page) if set(WORD.findall(RECORDED.sub("", text))) - known}
    cache.clear()
    assert sorted(left) == []
    assert seen > 20


def test_the_page_of_every_rule_set_is_in_the_catalog() -> None:
    with pseudo_language():
        cache.clear()
        texts = [
            f"{rules}: {text}"
            for rules in VARIANTS
            for text in shown(Client().get(reverse("scoring:rule_set", kwargs={"rules": rules})).content.decode())
            if set(WORD.findall(text)) - NAMES
        ]
    cache.clear()
    assert texts == []


def test_every_game_of_the_book_is_in_the_catalog() -> None:
    with pseudo_language():
        told = [
            str(text)
            for name in SCORE_PAD_GAMES
            for about in ScorePad(("A", "B"), ScorePad.defaults() | {"game": name}).make_rule_tables()
            for row in about.rows
            for text in row
        ]
    assert len(told) > 100
    assert [text for text in told if WORD.search(text)] == []


def test_an_untranslated_text_would_show() -> None:
    with pseudo_language():
        assert [text for text in shown("<p title='x'>Record result</p>") if WORD.search(text)] == ["Record result"]


PLAYERS = ("Qqa", "Qqb", "Qqc", "Qqd")
PAPER_WORD = re.compile(r"(?<![\w@./:=&-])[A-Za-z][a-z]+(?![\w@/=:-])")
IN_A_DIGEST = re.compile(r"\b[0-9a-f]{8}\b")

PAPER_NAMES = {"Standard", "Hall", "Rummy", "Association", "SHA", "RFC", *PLAYERS}
"""Names of rule sets, algorithms, and players, which are not translated."""


@pytest.fixture
@prebuilt
def played_event() -> Event:
    played_event = an_event_in_play(PLAYERS)
    post(the_card(played_event))
    return played_event


def printed(kind: str, played_event: Event) -> str:
    _title, build = list_printouts(StageKind)[kind]
    with pseudo_language():
        content = build(
            PrintRequest(played_event, site="http://hall.local:8000/", back=True, count=1), lambda _done, _total: None
        )
    return pdf_text(content)


def english(text: str, played_event: Event) -> set[str]:
    known = set(
        re.findall(r"\w+", f"{played_event.name} {played_event.tournament.name} {played_event.tournament.venue}")
    )
    return set(PAPER_WORD.findall(IN_A_DIGEST.sub("", text))) - PAPER_NAMES - known


@pytest.mark.parametrize("kind", ["blank-cards", "round-cards", "signed-cards", "pairings", "results", "table-signs"])
def test_a_paper_has_no_english_left(played_event: Event, kind: str) -> None:
    text = printed(kind, played_event)
    assert "~" in text
    assert english(text, played_event) == set()


def test_the_mail_with_a_private_link_has_no_english_left(settings: Any) -> None:
    settings.MAIL_IS_SET = True
    played_event = an_event(capacity=1)
    for name in ("Qqa", "Qqb"):
        add_entry(played_event, EntryRequest((Person(name, email=f"{name}@example.org"),)), by=SYSTEM_ACTOR)
    with pseudo_language():
        send_confirmation(played_event.entrants.get(number=2).pk, "http://hall.local:8000")
    (sent,) = mail.outbox
    body = re.sub(r"http\S+", "", sent.body).replace(played_event.entrants.get(number=2).sign_code, "")
    assert "~" in body
    assert english(body, played_event) == set()


@pytest.mark.parametrize("language", ["eo", "en"])
def test_a_print_is_made_in_the_language_in_which_it_was_asked_for(
    played_event: Event, language: str, settings: Any, tmp_path: Any
) -> None:
    settings.MEDIA_ROOT = tmp_path
    asked = {"paper": "letter", "count": 4, "site": "", "card": "", "round": 1, "table": 0}
    with pseudo_catalog():
        title = describe_print_request(list_printouts(StageKind)["results"][0], asked)
        with override(language):
            job = request_job(played_event, kind="results", title=title, task="none", parameters=asked, by=SYSTEM_ACTOR)
        print_job(job.pk)
        job.refresh_from_db()
        with override(language):
            shown = job.words
    text = "\n".join(page.extract_text() for page in PdfReader(job.file).pages)
    assert ("~" in text, english(text, played_event) == set()) == (language == "eo", language == "eo")
    assert ("~" in shown, job.title) == (language == "eo", "Result sheet, one page, round 1")
    assert job.file.name.isascii()


def test_a_refusal_of_the_worker_is_in_that_language_too(played_event: Event) -> None:
    with pseudo_catalog():
        with override("eo"):
            job = request_job(
                played_event, kind="payouts", title="Payouts", task="none", parameters={"paper": "a4"}, by=SYSTEM_ACTOR
            )
        print_job(job.pk)
    job.refresh_from_db()
    assert "~" in job.message and english(job.message, played_event) == set()


def test_a_mail_is_in_the_language_of_the_page_on_which_they_entered(settings: Any) -> None:
    settings.MAIL_IS_SET = True
    played_event = an_event()
    add_entry(played_event, EntryRequest((Person("Qqa", email="qqa@example.org"),)), by=SYSTEM_ACTOR)
    entrant = played_event.entrants.get()
    with pseudo_catalog():
        for language in ("eo", None):
            send_confirmation(entrant.pk, "http://hall.local:8000", language)
    assert ["~" in one.body for one in mail.outbox] == [True, False]
