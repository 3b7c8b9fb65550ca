"""Helpers for score cards that a staff decision supersedes, and for the pages and commands that show them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from pairing.draws.results import ResultCause
from pairing.models import MatchResult
from pairing.results.services.results import MatchDecision, decide_match
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.models import Card
from tests.kit import client_as, event_url
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import an_event_in_play, gin, play, post, sign_both, the_card, the_director
from tests.verifying import verify_event
from tournament.models import Event

FOUR = ("Ada", "Alan", "Grace", "Kurt")


WHY = "The totals stood under the wrong names"


@prebuilt
def posted() -> tuple[Event, Card]:
    """Return an event and its first card, on which Ada won match 1 by 91 to 0. Both players have signed."""
    event = an_event_in_play(FOUR)
    post(the_card(event))
    return event, the_card(event)


@prebuilt
def decide(event: Event, number: int | None, cause: ResultCause = ResultCause.PLAYED, **more: Any) -> MatchResult:
    match = the_card(event).match
    winner = event.entrants.get(number=number) if number else None
    said = MatchDecision(match=match, winner=winner, cause=cause, reason=WHY, override=True, **more)
    return decide_match(said, by=the_director(event))


def against(event: Event) -> MatchResult:
    return decide(event, 2, points={1: 0, 2: 91})


def page(event: Event, name: str, **more: Any) -> str:
    return words(Client().get(event_url(name, event, **more)).content.decode())


def words(text: str) -> str:
    return " ".join(text.split())


def pdf(event: Event, card: Card) -> bytes:
    content: bytes = Client().get(event_url("scoring:card_pdf", event, token=card.token)).content
    return content


def text_of(content: bytes) -> str:
    return words(" ".join(each.extract_text() for each in PdfReader(io.BytesIO(content)).pages))


def verify_page(digest: str) -> str:
    return words(Client().get(reverse("scoring:verify", kwargs={"digest": digest})).content.decode())


def verify_file(content: bytes) -> str:
    upload = io.BytesIO(content)
    upload.name = "card.pdf"
    return words(Client().post(reverse("scoring:verify_any"), {"file": upload}).content.decode())


def verify_command(path: Path) -> tuple[int, str]:
    said = io.StringIO()
    try:
        call_command("verify_card", str(path), stdout=said)
    except SystemExit as ended:
        return int(str(ended.code)), words(said.getvalue())
    return 0, words(said.getvalue())


def bad_lines(event: Event) -> list[str]:
    return [f"{c.subject}: {c.finding}" for c in verify_event(event) if not c.passed and c.subject != "draw order"]


@prebuilt
def corrected_late() -> Event:
    """Return an event whose first card was corrected, and was signed again only after the final.

    Ada won match 1 by 45 to 0 and then the final. The corrected card gives match 1 to Alan with 55 to 0.
    """
    event = an_event_in_play(FOUR, target=40)
    play(the_card(event), gin("A", 20))
    sign_both(the_card(event))
    entry = LineEntry(gin("B", 30, "9C"), via="desk")
    correct_line(the_card(event), 1, entry, by=the_director(event), reason="the wrong column")
    play(the_card(event, "R1M2"), gin("A", 20))
    sign_both(the_card(event, "R1M2"))
    play(the_card(event, "R2M1"), gin("A", 20))
    sign_both(the_card(event, "R2M1"))
    sign_both(the_card(event))
    return event


def today(event: Event) -> str:
    return words(client_as("director", event).get(event_url("scoring:desk_today", event)).content.decode())
