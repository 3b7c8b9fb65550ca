"""Helpers that fill in the first line of a score card under every rule set, to print the card."""

from __future__ import annotations

from typing import Any

from scoring.card_state.selectors.state import CardState
from scoring.cards.services.hands import LineEntry, add_line, record_scorekeeper, record_table_draw
from tests.kit import pdf_text
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Entrant, Event
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person

NAMES = ("Ada Lovelace", "Alan Turing", "Grace Hopper", "Kurt Gödel", "Emmy Noether")


text_of = pdf_text


LINES: dict[str, tuple[int, dict[str, Any]]] = {
    "gra-singles": (2, {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}),
    "gra-partnership": (2, {"up": "8H", "boards": [{"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}},
                                                   {"outcome": "stock"}]}),
    "standard": (2, {"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}),
    "oklahoma": (2, {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}),
    "hollywood": (2, {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}),
    "word-gin": (2, {"outcome": "gin", "by": "A", "words": {"A": 31, "B": 12}, "deadwood": {"A": 0, "B": 7}}),
    "metzker": (4, {"results": [{"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 12}}]}),
    "captain": (3, {"outcome": "gin", "by": "C", "counts": {"C": 0, "A": 20}}),
    "fort-worth": (5, {"by": "B", "counts": {"A": 12, "C": 40, "D": 7, "E": 33}}),
    "court-whist": (1, {"game": 1, "hand": 1, "tricks": 7}),
    "score-pad": (3, {"points": {"A": 15, "B": 0, "C": 30}}),
}  # fmt: skip


@prebuilt
def played(state: CardState, line: dict[str, Any]) -> CardState:
    """Record the scorekeeper, the table draw, and one line, and return the card's new state.

    The first player keeps score. If places are drawn, the third player draws the first place.
    """
    card = state.card
    first = Entrant.objects.select_related("event__tournament").filter(event=card.match.event).order_by("number")[0]
    if state.draw.table_draw.orders_sides:
        letters = sorted(state.letters)
        record_table_draw(card, [letters[2], *letters[:2], *letters[3:]], by=SYSTEM_ACTOR)
    if len(state.seats) > 1:
        record_scorekeeper(card, first, by=SYSTEM_ACTOR)
    return add_line(card, LineEntry(line, override="as played"), by=SYSTEM_ACTOR)


@prebuilt
def player_of(event: Event) -> Entrant:
    return add_entry(event, EntryRequest((Person("Ada Lovelace", "ada@example.org"),)), by=SYSTEM_ACTOR)
