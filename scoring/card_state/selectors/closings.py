"""The closings of games as rows, and converted for the pure rules."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Prefetch, QuerySet

from scoring.models import Card, CardClosed, CardSeat
from scoring.rules.sheet.closing import ClosedFor, Closing, ClosingRule


def with_closings() -> Prefetch[str]:
    """Return a prefetch of the closings of cards, with the rows that took them back."""
    return Prefetch("closings", closings_with_end())


def closings_with_end() -> QuerySet[CardClosed]:
    return CardClosed.objects.select_related("taken_back", "left", "winner")


def counts_totals(card: Card) -> bool:
    """Whether every total counts and nobody has to win.

    That is so at a table, and if the sides are teams or a single player.
    """
    return card.match.seating_id is not None or "-" not in card.sides_key


def on_sheet(fact: CardClosed, names: Mapping[str, str]) -> Closing:
    def named(seat: CardSeat | None) -> str | None:
        return None if seat is None else names[seat.side]

    return Closing(
        cause=ClosedFor(fact.cause),
        rule=ClosingRule(fact.rule),
        hands=fact.hands,
        left=named(fact.left),
        winner=named(fact.winner),
        games={names[side]: count for side, count in fact.games.items()},
        totals_count=counts_totals(fact.card),
    )
