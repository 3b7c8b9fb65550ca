"""Refusals of calls to tables, and of the finish of an event."""

from __future__ import annotations

import pytest

from pairing.desk.services.sending import call_all, call_to_table
from pairing.models import TableCall
from pairing.results.services.finish import finish_event, reopen_event
from pairing.stages.selectors.course import load_busy_tables, load_table_calls
from tests.factories import a_user, an_event
from tests.kit import fresh, refused
from tests.pairing.helpers.events import a_closed_event, an_event_in_play, play_all, the_match, win
from tournament.core.permissions import SYSTEM, player_actor, staff_actor
from tournament.errors import NotAllowed

pytestmark = pytest.mark.django_db


def test_a_table_has_a_number_from_one() -> None:
    event = an_event_in_play(4)
    with refused("bad-table"):
        call_to_table(the_match(event, "R1M1"), 0, by=SYSTEM)


def test_called_again_elsewhere_the_old_table_is_free() -> None:
    event = an_event_in_play(4)
    one = the_match(event, "R1M1")
    call_to_table(one, 1, by=SYSTEM)
    call_to_table(one, 1, by=SYSTEM)
    call_to_table(one, 5, by=SYSTEM)
    assert load_busy_tables(event) == {5: one.pk}
    call_to_table(the_match(event, "R1M2"), 1, by=SYSTEM)
    assert load_busy_tables(event) == {5: one.pk, 1: the_match(event, "R1M2").pk}


def test_taken_off_its_table_once() -> None:
    event = an_event_in_play(4)
    match = the_match(event, "R1M1")
    with refused("no-table"):
        call_to_table(match, None, by=SYSTEM)
    call_to_table(match, 1, by=SYSTEM)
    call_to_table(match, None, by=SYSTEM)
    assert (load_busy_tables(event), load_table_calls(event)) == ({}, {})
    with refused("no-table"):
        call_to_table(match, None, by=SYSTEM)


def test_a_decided_match_is_called_nowhere() -> None:
    event = an_event_in_play(4)
    win(event, "R1M1")
    with refused("not-ready"):
        call_to_table(the_match(event, "R1M1"), 1, by=SYSTEM)


@pytest.mark.parametrize(("first", "last"), [(0, 4), (5, 4), (-2, -1)])
def test_a_range_that_is_none(first: int, last: int) -> None:
    event = an_event_in_play(4)
    with refused("bad-range"):
        call_all(event, first, last, by=SYSTEM)


def test_all_are_sent_out_after_the_draw_only() -> None:
    with refused("not-drawn"):
        call_all(a_closed_event(4), 1, 4, by=SYSTEM)


def test_more_matches_than_tables_wait_for_the_next_turn() -> None:
    event = an_event_in_play(16)
    assert [call_all(event, 1, 5, by=SYSTEM) for _turn in range(2)] == [5, 0]
    win(event, "R1M1")
    assert call_all(event, 1, 5, by=SYSTEM) == 1
    assert TableCall.objects.get(match__ident="R1M6").table == 1


def test_who_does_not_sit_at_the_desk_calls_nobody() -> None:
    event = an_event_in_play(4)
    match = the_match(event, "R1M1")
    for actor in (
        player_actor(event.entrants.get(number=1)),
        staff_actor(a_user("hotel", event.tournament)),
        staff_actor(a_user("desk")),
    ):
        with pytest.raises(NotAllowed):
            call_to_table(match, 1, by=actor)
        with pytest.raises(NotAllowed):
            call_all(event, 1, 2, by=actor)
    assert not TableCall.objects.exists()


class TestFinish:
    def test_nothing_drawn_and_nothing_decided(self) -> None:
        with refused("not-complete"):
            finish_event(an_event(), by=SYSTEM)
        with refused("not-complete"):
            finish_event(an_event_in_play(4), by=SYSTEM)

    def test_twice(self) -> None:
        event = an_event_in_play(2)
        play_all(event)
        finish_event(event, by=SYSTEM)
        with refused("already-there"):
            finish_event(event, by=SYSTEM)
        assert event.finishes.count() == 1

    def test_only_a_director(self) -> None:
        event = an_event_in_play(2)
        play_all(event)
        desk = staff_actor(a_user("desk", event.tournament))
        with pytest.raises(NotAllowed):
            finish_event(event, by=desk)
        finish_event(event, by=SYSTEM)
        with pytest.raises(NotAllowed):
            reopen_event(event, by=desk, reason="for fun")

    @pytest.mark.parametrize("reason", ["", "  "])
    def test_opened_again_with_a_reason_only(self, reason: str) -> None:
        event = an_event_in_play(2)
        play_all(event)
        finish_event(event, by=SYSTEM)
        with refused("reason-needed"):
            reopen_event(fresh(event), by=SYSTEM, reason=reason)

    def test_not_opened_while_it_is_in_play(self) -> None:
        event = an_event_in_play(2)
        with refused("already-there"):
            reopen_event(event, by=SYSTEM, reason="why not")
