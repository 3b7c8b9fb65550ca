"""A play-off between two stages: absent entries, their replacements, and corrected results."""

from __future__ import annotations

import random

import pytest

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.models import MatchResult
from pairing.results.services.corrections import undo_result
from pairing.results.services.results import decide_match, preview_decision
from pairing.stages.selectors.boards import explain_pairings
from pairing.stages.services.stages import make_play_off_round, open_next_stage
from tests.kit import client_as, event_url
from tests.pairing.helpers.corrections import a_correction, correct
from tests.pairing.helpers.effects import look_and_do
from tests.pairing.helpers.events import the_match
from tests.pairing.helpers.stages import a_play_off, course_of, decide_ready, out, play_off_of, won
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict, DomainError
from tournament.models import EntrantFact, Event

pytestmark = pytest.mark.django_db


def test_who_does_not_come_loses_and_the_play_off_goes_on() -> None:
    event = a_play_off(8, 2)
    play_off = course_of(event).current_stage.play_off
    assert play_off is not None and len(play_off.rounds[0].matches) == 2
    one, other = (match.sides for match in play_off.rounds[0].matches)
    out(event, one[0])
    out(event, other[0])
    course = course_of(event)
    assert course.current_stage.play_off is not None and course.current_stage.is_complete
    assert set(course.current_stage.play_off.advancing_entries) == {one[1], other[1]}
    assert course.current_stage.play_off.alternates == ()
    bracket = open_next_stage(event, by=SYSTEM_ACTOR)
    assert set(bracket.entries) == {one[1], other[1]}


def test_whose_opponent_was_out_before_keeps_the_walk_over_in_the_play_off() -> None:
    event = a_play_off(8, 2)
    play_off = play_off_of(event)
    one, other = (match.sides for match in play_off.rounds[0].matches)
    for entry in (one[1], one[0], other[0]):
        out(event, entry)
    play_off = course_of(event).current_stage.play_off
    assert play_off is not None and set(play_off.advancing_entries) == {one[0], other[1]}


def test_who_goes_out_before_the_bracket_is_replaced_by_the_next_of_the_play_off() -> None:
    event, dice = a_play_off(8, 2), random.Random(1)
    while not course_of(event).current_stage.is_complete:
        decide_ready(event, dice)
    play_off = course_of(event).current_stage.play_off
    assert play_off is not None and len(play_off.advancing_entries) == 2
    out(event, play_off.advancing_entries[0], EntrantFact.Kind.WITHDRAWN)
    bracket = open_next_stage(event, by=SYSTEM_ACTOR)
    assert set(bracket.entries) == {play_off.advancing_entries[1], play_off.alternates[0]}
    assert bracket.record["came_up"] == [play_off.alternates[0]]


def test_a_round_that_is_known_without_a_result_is_made_by_the_desk() -> None:
    event = a_play_off(8, 1)
    play_off = play_off_of(event)
    one, other = (match.sides for match in play_off.rounds[0].matches)
    won(event, course_of(event).current_stage.ready_matches[0], *one)
    with pytest.raises(Conflict, match="have been made"):
        make_play_off_round(event, by=SYSTEM_ACTOR)
    out(event, other[1])
    if course_of(event).current_stage.lacks_matches:
        make_play_off_round(event, by=SYSTEM_ACTOR)
    stage = course_of(event).current_stage
    assert len(stage.ready_matches) == 1
    assert set(stage.matches[stage.ready_matches[0]].meeting.sides) == {one[0], other[0]}


def test_after_a_correction_the_right_two_meet_and_the_old_match_stays_on_record() -> None:
    event = a_play_off(8, 1)
    stage = course_of(event).current_stage
    assert stage.play_off is not None
    one, other = (match.sides for match in stage.play_off.rounds[0].matches)
    won(event, "P1M1", *one)
    won(event, "P1M2", *other)
    before = course_of(event).current_stage.ready_matches
    won(event, "P1M1", one[1], one[0])
    stage = course_of(event).current_stage
    assert len(stage.ready_matches) == 1
    assert set(stage.matches[stage.ready_matches[0]].meeting.sides) == {one[1], other[0]}
    assert stage.ready_matches != before and before[0] in stage.matches
    won(event, stage.ready_matches[0], other[0], one[1])
    assert course_of(event).current_stage.play_off.advancing_entries == (other[0],)  # type: ignore[union-attr]


def test_nobody_has_to_play_off_where_the_line_falls_between_two_records() -> None:
    event = a_play_off(8, 4)
    course = course_of(event)
    assert course.current_stage.is_complete and course.current_stage.row.record["play_off"] == []
    assert len(open_next_stage(event, by=SYSTEM_ACTOR).entries) == 4


class TestALaterRoundWasPlayed:
    """A result in round one of a play-off is corrected after round two was played.

    Four entries play off for one place.
    """

    def played(self) -> tuple[Event, tuple[int, ...], tuple[int, ...]]:
        event = a_play_off(8, 1)
        play_off = play_off_of(event)
        one, other = (match.sides for match in play_off.rounds[0].matches)
        won(event, "P1M1", *one)
        won(event, "P1M2", *other)
        won(event, "P2M1", one[0], other[0])
        return event, one, other

    def correct(self, event: Event, winner: int | None, **choices: LaterMatchChoice) -> MatchResult:
        decision = a_correction(event, "P1M1", winner, **choices)
        return correct(event, decision)

    def through(self, event: Event) -> tuple[int, ...]:
        play_off = play_off_of(event)
        return play_off.advancing_entries

    def test_it_is_touched_and_played_again_by_those_who_are_left(self) -> None:
        event, one, other = self.played()
        assert preview_decision(a_correction(event, "P1M1", one[1]))[1].affected_matches == ("P2M1",)
        self.correct(event, one[1])
        stage = course_of(event).current_stage
        assert self.through(event) == () and stage.ready_matches == ("P2M1-2",)
        assert set(stage.matches["P2M1-2"].meeting.sides) == {one[1], other[0]}
        assert stage.obsolete_matches == {"P2M1"}
        decision = a_correction(event, "P2M1", other[0])
        with pytest.raises(Conflict, match="This match is no longer played"):
            decide_match(decision, by=SYSTEM_ACTOR)

    def test_kept_it_stands_and_who_should_have_been_there_is_passed_over(self) -> None:
        event, one, other = self.played()
        self.correct(event, one[1], P2M1=LaterMatchChoice.KEEP)
        play_off = course_of(event).current_stage.play_off
        assert play_off is not None and play_off.advancing_entries == (one[0],)
        assert play_off.final_places == {one[0]: 1, other[0]: 2, one[1]: 3, other[1]: 3}
        assert set(course_of(event).current_stage.matches) == {"P1M1", "P1M2", "P2M1"}
        drawn = explain_pairings(course_of(event).current_stage)[1]
        assert drawn.is_reproducible and "stays as it was played" in drawn.pairs[0][1]

    def test_void_its_result_does_not_come_back(self) -> None:
        event, one, _other = self.played()
        self.correct(event, one[1], P2M1=LaterMatchChoice.VOID)
        self.correct(event, one[0])
        assert self.through(event) == () and course_of(event).current_stage.ready_matches == ("P2M1",)
        event, one, _other = self.played()
        self.correct(event, one[1])
        self.correct(event, one[0])
        assert self.through(event) == (one[0],), "played again only while others meet there"

    def test_taken_back_what_was_chosen_is_taken_back_with_it(self) -> None:
        event, one, _other = self.played()
        self.correct(event, one[1], P2M1=LaterMatchChoice.KEEP)
        undo_result(the_match(event, "P1M1"), by=SYSTEM_ACTOR, reason="it was right")
        assert self.through(event) == (one[0],)
        self.correct(event, one[1])
        assert course_of(event).current_stage.ready_matches == ("P2M1-2",), "kept once, it is asked anew"

    def test_who_has_lost_by_the_correction_and_stays_is_told_so_on_the_page_of_effects(self) -> None:
        event, one, other = self.played()
        client, address = client_as("director", event), event_url("pairing:desk_decide", event, ident="P1M1")
        fields = {"ending": f"played:{one[1]}", "reason": "misread", "key": "k", "seen": str(newest(event, "P1M1"))}
        looked = client.post(address, {**fields, "act": "look"}).content.decode()
        assert f"Player {one[0]} – Player {other[0]}, won by Player {one[0]}" in looked
        assert "not needed" in looked and looked.count("Keep it as played") == 1
        _said, done = look_and_do(client, address, {**fields, "choice-P2M1": "keep"})
        assert done.status_code == 302 and self.through(event) == (one[0],)

    def test_a_match_of_a_later_round_stays_only_with_those_before_it(self) -> None:
        event = a_play_off(16, 1)
        dice = random.Random(3)
        while not course_of(event).current_stage.is_complete:
            decide_ready(event, dice)
        stage = course_of(event).current_stage
        assert stage.play_off is not None and len(stage.play_off.rounds) == 3
        (final,) = stage.play_off.rounds[2].matches
        champion = stage.play_off.advancing_entries[0]
        first = next(match for match in stage.play_off.rounds[0].matches if champion in match.sides)
        second = next(match for match in stage.play_off.rounds[1].matches if champion in match.sides)
        loser = next(side for side in first.sides if side != champion)
        last, between = stage.find_match_name(final), stage.find_match_name(second)
        assert last is not None and between is not None
        with pytest.raises(DomainError, match="only if the earlier matches stay"):
            correct(event, a_correction(event, first.id, loser, **{last: LaterMatchChoice.KEEP}))
        correct(event, a_correction(event, first.id, loser, **{between: LaterMatchChoice.KEEP}))
        assert self.through(event) == (champion,)


def newest(event: Event, ident: str) -> int:
    return the_match(event, ident).results.latest("pk").pk
