"""Substitutes on a card that was already begun. The card keeps the names it was begun with."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from scoring.card_state.selectors.cards import CardState
from tournament.models import Member


@dataclass(frozen=True, slots=True)
class PlaysOn:
    """A substitution: `came` has played for `left` since `at`.

    `entrant` is the primary key of the entry, whose number stays the same.
    """

    entrant: int
    left: str
    came: str
    at: datetime


def load_plays_on(states: Collection[CardState]) -> dict[int, tuple[PlaysOn, ...]]:
    """Return the substitutions by card, for cards that a substitute joined between the first line and the posting.

    It takes one query for all cards.
    """
    seated = {seat.entrant_id for state in states if _begun_at(state) for seat in state.seats if seat.entrant_id}
    if not seated:
        return {}
    rows = Member.objects.filter(entrant__in=seated, replaces__isnull=False).select_related(
        "player", "replaces__player"
    )
    by_entrant: dict[int, list[PlaysOn]] = defaultdict(list)
    for row in rows.order_by("pk"):
        assert row.replaces is not None
        found = PlaysOn(row.entrant_id, str(row.replaces.player), str(row.player), row.at)
        by_entrant[row.entrant_id].append(found)
    if not by_entrant:
        return {}
    each = {state.card.pk: tuple(_on(state, by_entrant)) for state in states}
    return {card: found for card, found in each.items() if found}


def _on(state: CardState, by_entrant: dict[int, list[PlaysOn]]) -> list[PlaysOn]:
    begun = _begun_at(state)
    until = state.clock.counts_since if state.is_posted else None
    found = [one for seat in state.seats for one in by_entrant.get(seat.entrant_id or 0, ())]
    return [one for one in found if begun and one.at >= begun and (until is None or one.at <= until)]


def _begun_at(state: CardState) -> datetime | None:
    facts = (*state.facts.lines[:1], *state.facts.closings[:1])
    return min((fact.at for fact in facts), default=None)
