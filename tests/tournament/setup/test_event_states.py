from __future__ import annotations

import datetime as dt
import itertools

import pytest

from tests.factories import a_director, a_tournament, a_user, an_event
from tests.kit import refused
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.core.services.record import writing
from tournament.errors import NotAllowed
from tournament.models import AuditEntry, Event, EventStep
from tournament.setup.services.tournaments import change_event_state, open_registration

pytestmark = pytest.mark.django_db
State = Event.State

FORWARD = [
    (State.DRAFT, State.OPEN),
    (State.OPEN, State.CLOSED),
    (State.CLOSED, State.DRAWN),
    (State.DRAWN, State.IN_PLAY),
    (State.IN_PLAY, State.FINISHED),
    *((state, State.CALLED_OFF) for state in (State.OPEN, State.CLOSED, State.DRAWN, State.IN_PLAY)),
]
BACK = [
    (State.CLOSED, State.OPEN),
    (State.DRAWN, State.CLOSED),
    (State.IN_PLAY, State.CLOSED),
    (State.FINISHED, State.IN_PLAY),
    *((State.CALLED_OFF, state) for state in (State.OPEN, State.CLOSED, State.DRAWN, State.IN_PLAY)),
]
NO_DOOR = sorted(set(itertools.permutations(State, 2)) - set(FORWARD) - set(BACK))


def _go(event: Event, to: str, reason: str = "") -> Event:
    with writing(event, verb="event.brought-back", by=SYSTEM_ACTOR, reason=reason) as write:
        assert write.event is not None
        return change_event_state(write, write.event, to)


@pytest.mark.parametrize(("came_from", "to"), FORWARD)
def test_each_transition_is_recorded_as_a_step(came_from: str, to: str) -> None:
    event = an_event(state=came_from)
    _go(event, to)
    event.refresh_from_db()
    step = EventStep.objects.get()
    assert (event.state, step.came_from, step.went_to, step.by_name) == (to, came_from, to, "system")


@pytest.mark.parametrize(("came_from", "to"), BACK)
def test_going_back_needs_a_reason(came_from: str, to: str) -> None:
    event = an_event(state=came_from)
    with refused("reason-needed"):
        _go(event, to, reason="  ")
    event.refresh_from_db()
    assert event.state == came_from
    _go(event, to, reason="the list was not complete")
    event.refresh_from_db()
    assert event.state == to
    assert EventStep.objects.get().reason == "the list was not complete"


@pytest.mark.parametrize(("came_from", "to"), NO_DOOR)
def test_other_transitions_are_refused(came_from: str, to: str) -> None:
    event = an_event(state=came_from)
    with refused("no-such-door"):
        _go(event, to, reason="with a reason too")
    event.refresh_from_db()
    assert (event.state, EventStep.objects.count(), AuditEntry.objects.count()) == (came_from, 0, 0)


@pytest.mark.parametrize("state", list(State))
def test_a_repeated_transition_is_refused(state: str) -> None:
    with refused("already-there"):
        _go(an_event(state=state), state)


def test_registration_opens_by_the_director() -> None:
    event = an_event(state=State.DRAFT)
    director = a_director(event.tournament)
    assert open_registration(event, by=director).state == State.OPEN
    assert list(AuditEntry.objects.values_list("verb", flat=True)) == ["event.opened"]


@pytest.mark.parametrize("role", ["desk", "hotel", "coordinator"])
def test_no_other_role_opens_registration(role: str) -> None:
    event = an_event(state=State.DRAFT)
    other = make_staff_actor(a_user(role, event.tournament))
    with pytest.raises(NotAllowed):
        open_registration(event, by=other)


def test_a_director_of_another_tournament_has_no_rights_here() -> None:
    event = an_event(state=State.DRAFT)
    with pytest.raises(NotAllowed):
        open_registration(event, by=a_director(a_tournament()))


def test_a_window_that_closes_before_it_opens_is_refused() -> None:
    noon = dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)
    event = an_event(state=State.DRAFT, opens_at=noon, closes_at=noon)
    with refused("window"):
        open_registration(event, by=a_director(event.tournament))
