"""The play-off of an event in stages: who does not come, who comes up instead, and results that are corrected."""

from __future__ import annotations

import random

import pytest

from pairing.services.results import remove_entrant
from pairing.services.stages import make_play_off_round, open_next_stage
from tests.pairing.test_stages import course_of, decide_ready, play_pool, staged, won
from tournament.errors import Conflict
from tournament.models import EntrantFact, Event
from tournament.permissions import SYSTEM

pytestmark = pytest.mark.django_db

PLAN = ({"kind": "fixed", "games": 1}, {"kind": "play-off", "places": 1}, {"kind": "double-elimination"})


def a_play_off(entrants: int, places: int) -> Event:
    event, dice = staged(entrants, PLAN[0], {**PLAN[1], "places": places}, PLAN[2]), random.Random(2)
    play_pool(event, dice)
    open_next_stage(event, by=SYSTEM)
    return event


def out(event: Event, entry: int, kind: str = EntrantFact.Kind.NO_SHOW) -> None:
    remove_entrant(event.entrants.get(number=entry), kind, by=SYSTEM, reason="called three times")


def test_who_does_not_come_loses_and_the_play_off_goes_on() -> None:
    event = a_play_off(8, 2)
    play_off = course_of(event).current.play_off
    assert play_off is not None and len(play_off.rounds[0].matches) == 2
    one, other = (match.sides for match in play_off.rounds[0].matches)
    out(event, one[0])
    out(event, other[0])
    course = course_of(event)
    assert course.current.play_off is not None and course.current.is_complete
    assert set(course.current.play_off.through) == {one[1], other[1]}
    assert course.current.play_off.next_up == ()
    bracket = open_next_stage(event, by=SYSTEM)
    assert set(bracket.entries) == {one[1], other[1]}


def test_who_goes_out_before_the_bracket_is_replaced_by_the_next_of_the_play_off() -> None:
    event, dice = a_play_off(8, 2), random.Random(1)
    while not course_of(event).current.is_complete:
        decide_ready(event, dice)
    play_off = course_of(event).current.play_off
    assert play_off is not None and len(play_off.through) == 2
    out(event, play_off.through[0], EntrantFact.Kind.WITHDRAWN)
    bracket = open_next_stage(event, by=SYSTEM)
    assert set(bracket.entries) == {play_off.through[1], play_off.next_up[0]}
    assert bracket.record["came_up"] == [play_off.next_up[0]]


def test_a_round_that_is_known_without_a_result_is_made_by_the_desk() -> None:
    event = a_play_off(8, 1)
    play_off = course_of(event).current.play_off
    assert play_off is not None
    one, other = (match.sides for match in play_off.rounds[0].matches)
    won(event, course_of(event).current.ready[0], *one)
    with pytest.raises(Conflict, match="is there already"):
        make_play_off_round(event, by=SYSTEM)
    out(event, other[1])
    if course_of(event).current.lacks_matches:
        make_play_off_round(event, by=SYSTEM)
    stage = course_of(event).current
    assert len(stage.ready) == 1
    assert set(stage.matches[stage.ready[0]].meeting.sides) == {one[0], other[0]}


def test_after_a_correction_the_right_two_meet_and_the_old_match_stays_on_record() -> None:
    event = a_play_off(8, 1)
    stage = course_of(event).current
    assert stage.play_off is not None
    one, other = (match.sides for match in stage.play_off.rounds[0].matches)
    won(event, "P1M1", *one)
    won(event, "P1M2", *other)
    before = course_of(event).current.ready
    won(event, "P1M1", one[1], one[0])
    stage = course_of(event).current
    assert len(stage.ready) == 1
    assert set(stage.matches[stage.ready[0]].meeting.sides) == {one[1], other[0]}
    assert stage.ready != before and before[0] in stage.matches
    won(event, stage.ready[0], other[0], one[1])
    assert course_of(event).current.play_off.through == (other[0],)  # type: ignore[union-attr]


def test_nobody_has_to_play_off_where_the_line_falls_between_two_records() -> None:
    event = a_play_off(8, 4)
    course = course_of(event)
    assert course.current.is_complete and course.current.row.record["play_off"] == []
    assert len(open_next_stage(event, by=SYSTEM).entries) == 4
