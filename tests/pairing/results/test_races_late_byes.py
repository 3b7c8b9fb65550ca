"""An entry joins a bracket late at the same time as another late entry or a call to a table."""

from __future__ import annotations

import pytest

from pairing.desk.services.sending import call_match_to_table
from pairing.models import LateEntry, TableCall
from pairing.results.services.late_entries import take_over_bye, undo_late_entry
from tests.factories import an_entrant
from tests.kit import entrant_of
from tests.pairing.helpers.events import an_event_in_play, the_match, win
from tests.pairing.helpers.races import at_once, refusals
from tests.pairing.helpers.stages import progress_of
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Entrant, Event

pytestmark = [pytest.mark.race, pytest.mark.django_db(transaction=True)]


def came_late(event: Event, number: int) -> Entrant:
    an_entrant(event, f"Came Late {number}", number=number)
    return entrant_of(event, number)


def test_two_late_entries_for_one_bye() -> None:
    event = an_event_in_play(3)
    one, other = came_late(event, 8), came_late(event, 9)
    ends = at_once(
        *(lambda late=late: take_over_bye(late, by=SYSTEM_ACTOR, reason="the train") for late in (one, other))
    )
    assert refusals(ends) == ["no-bye"]
    assert set(progress_of(event).views) == {"R1M1", "R1M2", "R2M1"}


def test_one_late_entry_at_two_desks_takes_one_bye() -> None:
    event = an_event_in_play(5)
    late = came_late(event, 9)
    ends = at_once(
        *(lambda why=why: take_over_bye(late, by=SYSTEM_ACTOR, reason=why) for why in ("the train", "the plane"))
    )
    assert refusals(ends) == ["in-already"]
    assert LateEntry.objects.count() == 1


def test_a_late_entry_while_the_match_after_the_bye_is_called() -> None:
    event = an_event_in_play(3)
    win(event, "R1M1")
    late, after = came_late(event, 9), the_match(event, "R2M1")
    ends = at_once(
        lambda: take_over_bye(late, by=SYSTEM_ACTOR, reason="the train"),
        lambda: call_match_to_table(after, 1, by=SYSTEM_ACTOR),
    )
    entered = LateEntry.objects.exists()
    assert refusals(ends) == (["not-ready"] if entered else ["no-bye"])
    assert TableCall.objects.exists() is not entered


def test_taken_back_while_its_match_is_called() -> None:
    event = an_event_in_play(3)
    made = take_over_bye(came_late(event, 9), by=SYSTEM_ACTOR, reason="the train")
    ends = at_once(
        lambda: undo_late_entry(made, by=SYSTEM_ACTOR, reason="the wrong event"),
        lambda: call_match_to_table(made.match, 1, by=SYSTEM_ACTOR),
    )
    called = TableCall.objects.exists()
    assert refusals(ends) == (["play-began"] if called else ["not-ready"])
    assert ("R1M2" in progress_of(event).views) is called
