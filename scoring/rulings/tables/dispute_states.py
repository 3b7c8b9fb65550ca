"""The state of a dispute for a player of its card."""

from datetime import datetime
from typing import Any

from scoring.card_state.tables.decisions import words_of
from scoring.disputes.selectors.disputes import DisputeState
from scoring.disputes.tables import ShownDispute, plain_title
from scoring.models import Committee, Ruling
from scoring.rules.evidence.clocks import Clock
from scoring.rulings.selectors.rulings import appeals_until
from tournament.models import Entrant

DECIDED = {True: "upheld", False: "changed"}


def shown_dispute(
    state: DisputeState, entrant: Entrant, clock: Clock | None, committee: Committee | None, now: datetime
) -> ShownDispute:
    """Return the dispute as a player sees it. An appeal is offered only if a committee can hear it."""
    ruling = state.ruling
    is_open = ruling is not None and state.appeal is None
    can_appeal = is_open and committee is not None and bool(state.letter_of(entrant))
    until = appeals_until(clock, ruling) if clock and ruling is not None and state.appeal is None else None
    return ShownDispute(
        pk=state.dispute.pk,
        title=plain_title(state.irregularity),
        hand=state.hand,
        caller=state.caller,
        at=state.dispute.at,
        standing=_standing(state),
        is_own=state.dispute.entrant_id == entrant.pk,
        can_appeal=can_appeal and (until is None or now <= until),
        appeal_until=until,
        **(_ruled(ruling) if ruling is not None else {}),
    )


def _ruled(ruling: Ruling) -> dict[str, Any]:
    return {
        "decided": ruling.decided,
        "words": words_of(ruling.ruling),
        "rule": ruling.rule,
        "by": ruling.by_name,
        "number": ruling.number,
    }


def _standing(state: DisputeState) -> str:
    if state.dropped is not None:
        return "dropped"
    if state.ruling is None:
        return "waiting"
    if state.appeal is None:
        return "ruled"
    decided = getattr(state.appeal, "decided", None)
    return DECIDED[decided.upheld] if decided is not None else "appealed"
