from __future__ import annotations

import pytest

from pairing.desk.services.sending import call_match_to_table, call_ready_matches
from pairing.models import TableCall
from pairing.results.services.finish import finish_event, reopen_event
from pairing.stages.selectors.course import load_busy_tables, load_table_calls
from tests.factories import a_user, an_event
from tests.kit import fresh, refused
from tests.pairing.helpers.events import a_closed_event, an_event_in_play, play_all, the_match, win
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor, make_staff_actor
from tournament.errors import NotAllowed
from tournament.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def event() -> Event:
    return an_event_in_play(4)


@pytest.fixture
@prebuilt
def played() -> Event:
    event = an_event_in_play(2)
    play_all(event)
    return event


def test_a_call_needs_a_table_from_one_and_a_match_without_a_result(event: Event) -> None:
    with refused("bad-table"):
        call_match_to_table(the_match(event, "R1M1"), 0, by=SYSTEM_ACTOR)
    win(event, "R1M1")
    with refused("not-ready"):
        call_match_to_table(the_match(event, "R1M1"), 1, by=SYSTEM_ACTOR)


def test_a_match_that_is_called_elsewhere_frees_its_old_table(event: Event) -> None:
    one, other = the_match(event, "R1M1"), the_match(event, "R1M2")
    for table in (1, 1, 5):
        call_match_to_table(one, table, by=SYSTEM_ACTOR)
    assert load_busy_tables(event) == {5: one.pk}
    call_match_to_table(other, 1, by=SYSTEM_ACTOR)
    assert load_busy_tables(event) == {5: one.pk, 1: other.pk}


def test_a_match_can_leave_its_table_once(event: Event) -> None:
    match = the_match(event, "R1M1")
    with refused("no-table"):
        call_match_to_table(match, None, by=SYSTEM_ACTOR)
    call_match_to_table(match, 1, by=SYSTEM_ACTOR)
    call_match_to_table(match, None, by=SYSTEM_ACTOR)
    assert (load_busy_tables(event), load_table_calls(event)) == ({}, {})
    with refused("no-table"):
        call_match_to_table(match, None, by=SYSTEM_ACTOR)


@pytest.mark.parametrize(("first", "last"), [(0, 4), (5, 4), (-2, -1)])
def test_an_impossible_range_of_tables_is_refused(event: Event, first: int, last: int) -> None:
    with refused("bad-range"):
        call_ready_matches(event, first, last, by=SYSTEM_ACTOR)


def test_matches_are_called_only_after_the_draw() -> None:
    with refused("not-drawn"):
        call_ready_matches(a_closed_event(4), 1, 4, by=SYSTEM_ACTOR)


def test_more_matches_than_tables_wait_for_the_next_turn() -> None:
    event = an_event_in_play(16)
    assert [call_ready_matches(event, 1, 5, by=SYSTEM_ACTOR) for _turn in range(2)] == [5, 0]
    win(event, "R1M1")
    assert call_ready_matches(event, 1, 5, by=SYSTEM_ACTOR) == 1
    assert TableCall.objects.get(match__ident="R1M6").table == 1


def test_only_the_desk_of_the_tournament_calls_matches(event: Event) -> None:
    match = the_match(event, "R1M1")
    strangers = make_staff_actor(a_user("hotel", event.tournament)), make_staff_actor(a_user("desk"))
    for actor in (make_player_actor(event.entrants.get(number=1)), *strangers):
        with pytest.raises(NotAllowed):
            call_match_to_table(match, 1, by=actor)
        with pytest.raises(NotAllowed):
            call_ready_matches(event, 1, 2, by=actor)
    assert not TableCall.objects.exists()


class TestFinish:
    def test_an_event_without_all_results_is_not_finished(self, event: Event) -> None:
        for incomplete in (an_event(), event):
            with refused("not-complete"):
                finish_event(incomplete, by=SYSTEM_ACTOR)

    def test_an_event_is_finished_once(self, played: Event) -> None:
        finish_event(played, by=SYSTEM_ACTOR)
        with refused("already-there"):
            finish_event(played, by=SYSTEM_ACTOR)
        assert played.finishes.count() == 1

    def test_only_a_director_finishes_and_reopens(self, played: Event) -> None:
        desk = make_staff_actor(a_user("desk", played.tournament))
        with pytest.raises(NotAllowed):
            finish_event(played, by=desk)
        finish_event(played, by=SYSTEM_ACTOR)
        with pytest.raises(NotAllowed):
            reopen_event(played, by=desk, reason="for fun")

    def test_reopening_needs_a_reason(self, played: Event) -> None:
        finish_event(played, by=SYSTEM_ACTOR)
        for reason in ("", "  "):
            with refused("reason-needed"):
                reopen_event(fresh(played), by=SYSTEM_ACTOR, reason=reason)

    def test_an_event_in_play_is_not_reopened(self, event: Event) -> None:
        with refused("already-there"):
            reopen_event(event, by=SYSTEM_ACTOR, reason="why not")
