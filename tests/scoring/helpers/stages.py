from __future__ import annotations

from django.test import Client

from scoring.cards.services.paper_cards import PaperCard, enter_paper_card
from scoring.models import Card
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event


@prebuilt
def on_paper(card: Card) -> None:
    totals = {"A": 160, "B": 31}
    paper = PaperCard(totals=totals, keeper=card.entrants[0], signed=("A", "B"), witness="Desk")
    enter_paper_card(card, paper, by=SYSTEM_ACTOR)


def phone(event: Event, number: int) -> str:
    token = event.entrants.get(number=number).token
    answer = Client().get(f"/my/{token}/match/", follow=True)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())
