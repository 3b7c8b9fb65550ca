from __future__ import annotations

from typing import Any

from tests.factories import an_entrant, an_event
from tests.prebuilt import prebuilt
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Event, Finish, Posting, SidePool
from tournament.money.selectors.ledger import find_posting_faults
from tournament.money.services.fees_and_refunds import charge_fee
from tournament.money.services.side_pools import SidePoolTerms

STROKES = [[[10.0, 10.0, 0.0], [20.0, 15.0, 9.0], [30.0, 10.0, 20.0], [40.0, 25.0, 30.0], [60.0, 5.0, 44.0]]]


SENIOR = SidePoolTerms("Senior", 20_00, "90", ("60", "40"), "60 and over")


BEST = SidePoolTerms("Best game", 10_00, places_by=SidePool.PlacesBy.DESK)


@prebuilt
def a_charged_event(entries: int = 4, **settings: Any) -> Event:
    """Return an event in which each entry owes $100."""
    event = an_event(fee_cents=100_00, **settings)
    with writing(event, verb="test.charged", by=SYSTEM_ACTOR) as write:
        for number in range(1, entries + 1):
            charge_fee(write, an_entrant(event, f"Player {number}"))
    return Event.objects.select_related("tournament").get(pk=event.pk)


def ledger_is_zero(event: Event) -> bool:
    """Return whether the event's postings add up to zero and agree with the recorded facts."""
    rows = Posting.objects.filter(event=event).values_list("cents", flat=True)
    return sum(rows) == 0 and not find_posting_faults(event)


NOT_PLAYED = ("state of the event", "places")
"""Checks that fail because `finish` records an end without any matches. They do not concern money."""


def faults(event: Event) -> list[str]:
    checks = [check for check in verify_event(event) if check.subject not in NOT_PLAYED]
    return [f"{check.subject}: {check.finding}" for check in checks if not check.passed]


@prebuilt
def finish(event: Event, *places: list[int]) -> Event:
    Finish.objects.create(event=event, places=places, by_name="test")
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    return Event.objects.select_related("tournament").get(pk=event.pk)


@prebuilt
def reopen(event: Event) -> None:
    Event.objects.filter(pk=event.pk).update(state=Event.State.IN_PLAY)
