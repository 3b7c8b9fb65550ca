"""No page shows a text that cannot be translated: everybody's pages, read in a pseudo-language."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from scoring.rules.sheet.sheets import VARIANTS
from scoring.rules.variants.score_pad.pads import PADS
from scoring.rules.variants.score_pad.variant import ScorePad
from tests.config.hall import Hall, routes
from tests.config.pseudo import pseudo_language
from tournament.models import BankList, Entrant, Event, EventMoney, ImportBatch, Player, Tournament

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
"""Names of rule sets and of teams, made-up staff, and what a test wrote as a message."""

RECORDED = re.compile(
    r"singles 9|Singles rule 9\. The knock of .*|\w+ \(entry \d\)|Ruling 1|accepted, and scored as an undercut"
    r"|· Swiss rounds|\b(?:Assets|Income|Expenses|Equity)(?::[A-Za-z-]+)+"
)
"""What a ruling says in the words in which it was made, who did something, what a stage was called in its plan,
and accounts in the words of accounting programs."""

SILENT = re.compile(r"<(script|style|code|pre|kbd|svg|blockquote|option)\b.*?</\1>|<!--.*?-->", re.DOTALL)
SPOKEN = re.compile(r"\b(?:aria-label|aria-description|title|placeholder|alt)=\"([^\"]*)\"")
OPTION = re.compile(r"<option\b[^>]*>(?!\w+/)([^<]*)</option>")
"""Choices are looked at, but not the time zones."""
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
    """The words of names that somebody typed."""
    found = [*Player.objects.values_list("name", flat=True), *Entrant.objects.values_list("name", flat=True)]
    found += [text for event in Event.objects.all() for text in (event.name, event.sites)]
    found += [text for one in Tournament.objects.all() for text in (one.name, one.venue, one.contact, one.about)]
    found += [category for one in Tournament.objects.all() for category in one.expense_categories]
    found += [row.party for row in EventMoney.objects.all()]
    found += [header for batch in ImportBatch.objects.all() for header in batch.headers]
    found += [bytes(listed.content).decode() for listed in BankList.objects.exclude(content=None)]
    return {word for text in found for word in re.findall(r"\w+", str(text))}


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
            for name in PADS
            for about in ScorePad(("A", "B"), ScorePad.defaults() | {"game": name}).particulars()
            for row in about.rows
            for text in row
        ]
    assert len(told) > 100
    assert [text for text in told if WORD.search(text)] == []


def test_an_untranslated_text_would_show() -> None:
    with pseudo_language():
        assert [text for text in shown("<p title='x'>Record result</p>") if WORD.search(text)] == ["Record result"]
