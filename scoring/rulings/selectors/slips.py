"""Rulings with what their slip says: the match and the table, who it was between."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.disputes.selectors.disputes import DisputeState, load_dispute, load_disputes
from scoring.models import Ruling
from scoring.rulings.selectors.rulings import deadline_of
from scoring.rulings.selectors.since import ChangedSince, load_changed_since
from tournament.models import Event


@dataclass(frozen=True)
class RuledOn:
    ruling: Ruling
    state: DisputeState
    card: CardState | None
    appeal_until: datetime | None
    changed: tuple[ChangedSince, ...] = ()
    """What it did and what does not stand any more."""


def load_slips(event: Event) -> list[RuledOn]:
    """Of every ruling of the event that stands, by its number."""
    ruled = [state for state in load_disputes(event) if state.ruling is not None]
    changed = load_changed_since([state.ruling for state in ruled if state.ruling is not None])
    slips = [_ruled_on(state, state.ruling, changed) for state in ruled if state.ruling is not None]
    return sorted(slips, key=lambda one: one.ruling.number)


def load_slip(event: Event, dispute: int) -> RuledOn | None:
    """None: nobody has ruled on it yet."""
    state = load_dispute(event, dispute)
    return _ruled_on(state, state.ruling, load_changed_since([state.ruling])) if state.ruling is not None else None


def _ruled_on(state: DisputeState, ruling: Ruling, changed: Mapping[int, tuple[ChangedSince, ...]]) -> RuledOn:
    card = load_card_by_pk(state.dispute.card_id) if state.dispute.card_id else None
    until = deadline_of(state, "appeal") if state.appeal is None else None
    return RuledOn(ruling, state, card, until, changed.get(ruling.pk, ()))
