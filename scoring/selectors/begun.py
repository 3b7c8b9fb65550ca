from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from scoring.models import CardSeat
from tournament.models import Event


def load_begun(event: Event, matches: Collection[str]) -> set[tuple[str, frozenset[int]]]:
    """Of these matches those with a line on a card, each with the entry numbers of those who play on it."""
    seats = CardSeat.objects.filter(
        card__match__event=event, card__match__ident__in=matches, card__lines__isnull=False, entrant__isnull=False
    )
    sides: dict[tuple[int, str], set[int]] = defaultdict(set)
    for card, ident, number in seats.values_list("card_id", "card__match__ident", "entrant__number").distinct():
        sides[card, ident].add(number)
    return {(ident, frozenset(numbers)) for (_card, ident), numbers in sides.items()}
