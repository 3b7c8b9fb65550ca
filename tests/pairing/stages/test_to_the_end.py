"""A ladder ends. Either the event is finished with places and prizes, or the best entries go on to a bracket."""

from __future__ import annotations

import random
from itertools import cycle

import pytest

from pairing.desk.services.pairings import PairsToSend, hold_entrant
from pairing.results.services.finish import finish_event
from pairing.results.services.late_entries import join_stage
from pairing.results.services.results import remove_entrant
from pairing.stages.selectors.course import load_final_placings
from pairing.stages.services.stages import open_next_stage, record_drawn_lots
from scoring.verification.selectors.checks import checks_as_json
from tests.devtools.whole_events.kinds import WAYS, Kind, play_ready, start
from tests.factories import an_entrant
from tests.kit import client_as, entrant_of, fresh
from tests.pairing.helpers.corrections import a_correction, correct
from tests.pairing.helpers.events import send_pairs
from tests.pairing.helpers.stages import course_of, decide_ready, shown, won
from tests.pairing.stages.evenings import (
    BRACKET,
    a_ladder,
    end,
    make_void,
    open_games,
    play,
    send_next,
    the_desk,
    the_ladder,
    the_line,
)
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict
from tournament.models import Entrant, Event
from tournament.money.selectors.prizes import load_prizes

pytestmark = pytest.mark.django_db


def test_it_ends_after_its_games_and_the_event_finishes_with_its_places() -> None:
    event = a_ladder(4, 4)
    first, second, third, fourth = the_line(event)
    play(event, first, first, fourth)
    with pytest.raises(Conflict):
        finish_event(fresh(event), by=SYSTEM_ACTOR)
    play(event, fourth)
    assert course_of(event).is_complete and the_desk(event).next_pairs == ()
    placings = load_final_placings(fresh(event))
    assert placings is not None
    # 1 and 4 have two in a row and two wins; of the losers 2 lost twice, 3 once.
    assert [placing.entries for placing in placings.finish] == [(fourth,), (first,), (third,), (second,)]
    finish = finish_event(fresh(event), by=SYSTEM_ACTOR)
    assert finish.places == [[fourth], [first], [third], [second]]
    page = shown(event, "standings/")
    assert f"Before Player {first} by fewest losses, 0 to 1." in page
    assert f"Behind Player {third} by fewest losses, 1 to 2." in page


def test_who_shares_a_place_shares_the_prize() -> None:
    event = start(Kind(format="stages", options={"stages": [{"kind": "ladder", "games": 2, "held": 2}]}), "gra-singles")
    send_next(event)
    assert play_ready(event, cycle([WAYS["paper_entered"]])) == 2
    assert the_ladder(event).is_complete
    finish = finish_event(fresh(event), by=SYSTEM_ACTOR)
    winners = sorted(entry for entry, run in the_ladder(event).longest_streaks.items() if run)
    assert sorted(finish.places[0]) == winners and len(winners) == 2
    won_by = {row.number: row.cents for row in load_prizes(fresh(event)).rows}
    assert set(won_by) >= set(winners) and won_by[winners[0]] == won_by[winners[1]] > 0
    checks = verify_event(fresh(event))
    assert [check for check in checks if not check.passed] == []
    assert checks_as_json(checks)["checked"]["standings"] == 4


def test_the_best_two_play_a_bracket_seeded_by_the_standings() -> None:
    event = a_ladder(5, 5, BRACKET, best=2)
    first, second, third, fourth, fifth = the_line(event)
    play(event, first, first, fourth, fourth, fourth)
    assert the_ladder(event).longest_streaks == {first: 2, second: 0, third: 0, fourth: 3, fifth: 0}
    desk = shown(event, "stages/", client_as("director", event), "desk")
    assert f"Player {fourth}" in desk and f"Before Player {first} by longest run of wins, 3 to 2." in desk
    stage = open_next_stage(event, by=SYSTEM_ACTOR)
    assert stage.entries == [fourth, first]
    bracket = course_of(event).progress
    assert bracket is not None and bracket.ready[0].entries == (fourth, first)
    standings = shown(event, "standings/?stage=1")
    assert standings.count("Advances") == 2 and "Longest run" in standings
    decide_ready(event, random.Random(4))
    assert course_of(event).is_complete
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    placings = load_final_placings(fresh(event))
    assert placings is not None
    places = [placing.entries for placing in placings.finish]
    assert {places[0], places[1]} == {(fourth,), (first,)}
    assert {entry for place in places[2:] for entry in place} == {second, third, fifth}
    assert [check for check in verify_event(fresh(event)) if not check.passed] == []


def test_a_play_off_decides_who_goes_on_where_they_are_level() -> None:
    event = a_ladder(4, 2, {"kind": "play-off", "places": 1}, BRACKET, held=2)
    send_next(event)
    winners = [min(sides) for sides in open_games(event).values()]
    for winner in winners:
        end(event, winner)
    stage = open_next_stage(event, by=SYSTEM_ACTOR)
    assert sorted(stage.record["play_off"]) == sorted(winners) and stage.record["open_places"] == 1


def test_lots_among_all_who_are_level_decide_last() -> None:
    event = a_ladder(4, 2, held=2)
    Event.objects.filter(pk=event.pk).update(plan={**event.plan, "tie_breaks": ["wins", "draw"]})
    send_next(event)
    winners = [min(sides) for sides in open_games(fresh(event)).values()]
    for winner in winners:
        end(event, winner)
    record_drawn_lots(fresh(event), winners[::-1], by=SYSTEM_ACTOR, reason="drawn from a hat")
    ((_part, ranked),) = the_ladder(event).standings
    assert [row.entry for row in ranked[:2]] == winners[::-1] and "by lot, drawn number 1 to 2" in ranked[0].why


def test_one_is_left_and_the_ladder_is_over() -> None:
    event = a_ladder(3, 9)
    first, second, third = the_line(event)
    play(event, first)
    for gone in (second, third):
        remove_entrant(entrant_of(event, gone), "withdrawn", by=SYSTEM_ACTOR, reason="went home")
    assert course_of(event).is_complete and the_desk(event).entry_without_opponent is None
    assert finish_event(fresh(event), by=SYSTEM_ACTOR).places == [[first], [third], [second]]


def test_the_last_game_made_void_is_played_again() -> None:
    event = a_ladder(3, 2)
    first, _second, third = the_line(event)
    play(event, first, first)
    assert course_of(event).is_complete
    make_void(event, "G2")
    assert not course_of(event).is_complete and send_next(event) == [tuple(sorted((first, third)))]
    end(event, third)
    assert course_of(event).is_complete and the_ladder(event).finished_game_count == 2


def test_sent_by_hand_it_counts_as_a_game_of_the_ladder() -> None:
    event = a_ladder(4, 2)
    first, second, third, fourth = the_line(event)
    send_pairs(event, PairsToSend(pairs=((min(third, fourth), max(third, fourth)),), by_hand=True), by=SYSTEM_ACTOR)
    assert the_desk(event).next_pairs == (), "one table is held, and they play there"
    end(event, fourth)
    assert the_line(event) == [fourth, first, second, third]
    play(event, first)
    assert course_of(event).is_complete


def test_verify_event_is_clean_after_an_evening_with_everything_in_it() -> None:
    event = a_ladder(5, 8)
    first, second, third, fourth, fifth = the_line(event)
    play(event, first, first)
    hold_entrant(entrant_of(event, fourth), by=SYSTEM_ACTOR)
    play(event, fifth)
    make_void(event, "G3")
    late = an_entrant(event, "Late Lou", number=9, arrived=True)
    join_stage(late, by=SYSTEM_ACTOR, reason="the train")
    send_next(event)
    remove_entrant(entrant_of(event, first), "withdrawn", by=SYSTEM_ACTOR, reason="taken ill")
    correct(event, a_correction(event, "G1", second))
    while not course_of(event).is_complete:
        if not open_games(event):
            send_next(event)
        ident, sides = next(iter(open_games(event).items()))
        won(event, ident, *sides)
    finish = finish_event(fresh(event), by=SYSTEM_ACTOR)
    assert sorted(entry for place in finish.places for entry in place) == sorted(
        [first, second, third, fourth, fifth, 9]
    )
    assert [check for check in verify_event(fresh(event)) if not check.passed] == []
    assert event.entrants.get(number=first).state == Entrant.State.REMOVED
