"""Open the pages of a kept event, and check the event after it was continued."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

import lxml.html
from django.test import Client

from tests.devtools.whole_events.checks import compare_check
from tests.devtools.whole_events.compare_cards import read_cards
from tests.devtools.whole_events.compare_matches import problems_expected
from tests.devtools.whole_events.facts import read_facts
from tests.devtools.whole_events.words import Pages
from tournament.models import Event

OPENS: Final = (200, 301, 302)


def pages_that_fail(event: Event) -> Iterator[str]:
    """Yield the pages that fail: the event's page, its staff pages, or event pages that they link to."""
    pages = Pages(event)
    for first, below, client in (
        (pages.of_event(), pages.of_event(), pages.public),
        (pages.of_desk("today/"), pages.of_desk(), pages.desk),
    ):
        for path in [first, *(one for one in _links(first, client) if one.startswith(below) and one != first)]:
            status = client.get(path).status_code
            if status not in OPENS:
                yield f"{path}: {status}"


def _links(path: str, client: Client) -> list[str]:
    page = lxml.html.fromstring(client.get(path).content.decode())
    return sorted({urlsplit(link.get("href")).path for link in page.iter("a") if link.get("href")})


def faults_since(event: Event) -> list[str]:
    """Return the problems of an event that was loaded from a dump and then continued.

    A card may differ from the result of its match. This is a problem only if `verify_event` does not report it.
    """
    facts, pages = read_facts(event), Pages(event)
    cards, wrong = read_cards(facts, pages, facts.cards)
    said = compare_check(event.tournament.slug, event.slug, problems_expected(facts, cards), len(facts.cards))
    return [str(one) for one in (*wrong, *said)]
