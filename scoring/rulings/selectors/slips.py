"""Rulings with what their slips need: the match, the table, and the sides."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.disputes.selectors.disputes import DisputeState, load_dispute, load_disputes
from scoring.models import Ruling
from scoring.rulings.selectors.rulings import deadline_of, load_committee
from scoring.rulings.selectors.since import ChangedSince, load_changed_since
from tournament.models import Event


@dataclass(frozen=True)
class RuledOn:
    ruling: Ruling
    state: DisputeState
    card: CardState | None
    appeal_until: datetime | None
    has_committee: bool
    """Whether the event has named the committee that hears appeals."""
    changed: tuple[ChangedSince, ...] = ()
    """The effects of the ruling that were undone or corrected since."""


def load_slips(event: Event) -> list[RuledOn]:
    """Return the slips of all rulings in force of an event, by number."""
    ruled = [state for state in load_disputes(event) if state.ruling is not None]
    changed = load_changed_since([state.ruling for state in ruled if state.ruling is not None])
    has_committee = load_committee(event) is not None
    slips = [_ruled_on(state, state.ruling, changed, has_committee) for state in ruled if state.ruling is not None]
    return sorted(slips, key=lambda one: one.ruling.number)


def load_slip(event: Event, dispute: int) -> RuledOn | None:
    """Return the slip of a dispute's ruling, or None without a ruling."""
    state = load_dispute(event, dispute)
    if state.ruling is None:
        return None
    changed = load_changed_since([state.ruling])
    return _ruled_on(state, state.ruling, changed, load_committee(event) is not None)


def _ruled_on(
    state: DisputeState, ruling: Ruling, changed: Mapping[int, tuple[ChangedSince, ...]], has_committee: bool
) -> RuledOn:
    card = load_card_by_pk(state.dispute.card_id) if state.dispute.card_id else None
    until = deadline_of(state, "appeal") if state.appeal is None else None
    return RuledOn(ruling, state, card, until, has_committee, changed.get(ruling.pk, ()))
