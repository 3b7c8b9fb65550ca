"""Load a player's score cards that were corrected and signed again after posting, with who corrected them and why."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from scoring.card_state.selectors.cards import CardState, card_state_of, cards_with_facts
from scoring.models import SheetLine
from tournament.models import Entrant


@dataclass(frozen=True, slots=True)
class CorrectedCard:
    state: CardState
    at: datetime
    by: str
    reason: str


def load_corrected(entrant: Entrant) -> list[CorrectedCard]:
    """Load the corrected cards that count again, in the order of their matches."""
    written = SheetLine.objects.filter(card__seats__entrant=entrant, supersedes__isnull=False)
    last = {line.card_id: line for line in written.filter(card__postings__at__lt=F("at")).order_by("pk")}
    if not last:
        return []
    cards = cards_with_facts().filter(pk__in=last).order_by("match__round", "match__position", "match", "game", "pk")
    states = [state for state in map(card_state_of, cards) if state.is_posted]
    return [
        CorrectedCard(state, line.at, line.by_name, line.reason) for state in states if (line := last[state.card.pk])
    ]
