"""The states that an event can show at a given moment. A dump has to contain each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pairing.models import MatchResult
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.records import load_draw_preview
from scoring.disputes.selectors.disputes import load_disputes_without_ruling
from scoring.models import Ruling
from scoring.rehearsal.services.play import RehearsalEventSnapshot
from tournament.models import Event
from tournament.money.selectors.awards import load_paid_prize_cents
from tournament.money.selectors.ledger import load_payout


def _begun(seen: RehearsalEventSnapshot) -> bool:
    return any(state.lines and not state.is_complete and not state.is_posted for state in seen.cards)


def _signed_by_some(seen: RehearsalEventSnapshot) -> bool:
    complete = [state.signatures for state in seen.cards if state.is_complete and not state.is_posted]
    return any(signatures.missing_seats and signatures.signed_seats for signatures in complete)


def _between(seen: RehearsalEventSnapshot) -> bool:
    course = seen.course
    return course is not None and course.next_plan is not None and course.current_stage.is_complete


def _in_the_middle(seen: RehearsalEventSnapshot) -> bool:
    course = seen.course
    here = {match.stage_id for match in seen.decided_matches} & {meeting.match.stage_id for meeting in seen.meetings}
    return course is not None and len(course.stages) > 1 and course.current_stage.row.pk in here


def _paid(seen: RehearsalEventSnapshot) -> bool:
    payout = load_payout(seen.event) if seen.event.state == Event.State.FINISHED else None
    owed = {award.entry: award.cents for award in payout.awards if award.cents} if payout is not None else {}
    return bool(owed) and load_paid_prize_cents(seen.event) == owed


BEFORE_DRAW: Final = "sealed, before its draw"
BETWEEN: Final = "between two stages"
PAID: Final = "finished and paid"
HALF_WAY: Final[Mapping[str, Callable[[RehearsalEventSnapshot], bool]]] = {
    "a card with some hands": _begun,
    "a card signed by some": _signed_by_some,
    "a posted card": lambda seen: any(state.is_posted for state in seen.cards),
    "an entry to confirm": lambda seen: bool(seen.entries_to_confirm),
    "an open dispute": lambda seen: bool(load_disputes_without_ruling(seen.event)),
    "a ruling": lambda seen: Ruling.objects.filter(dispute__event=seen.event).exists(),
    "an undone result": lambda seen: MatchResult.objects.filter(match__event=seen.event, undoes__isnull=False).exists(),
    "games decided and games open": lambda seen: bool(seen.decided_matches and seen.meetings),
    "a later stage in the middle": _in_the_middle,
}
"""States that an event in play can have, each with a function that returns whether the event has it."""
WHOLE: Final[Mapping[str, tuple[str, Callable[[RehearsalEventSnapshot], bool]]]] = {
    BEFORE_DRAW: (Event.State.CLOSED, lambda seen: load_draw_preview(seen.event) is None),
    BETWEEN: (Event.State.IN_PLAY, _between),
    PAID: (Event.State.FINISHED, _paid),
}
"""The other states, each with the required value of `Event.state` and a function that checks everything else."""
GOING_ON: Final = frozenset({"a card with some hands", "a card signed by some", "games decided and games open"})
"""An event that is stopped about halfway must have at least one of these states."""
ALL: Final = frozenset([*HALF_WAY, *WHOLE])


def stands_of(event: Event) -> frozenset[str]:
    seen = RehearsalEventSnapshot(Event.objects.select_related("tournament").get(pk=event.pk))
    found = {name for name, (state, is_so) in WHOLE.items() if seen.event.state == state and is_so(seen)}
    if seen.event.state == Event.State.IN_PLAY and load_event_stages(seen.event).stages:
        found |= {name for name, is_so in HALF_WAY.items() if is_so(seen)}
    return frozenset(found)
