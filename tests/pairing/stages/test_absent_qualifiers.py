"""An absent qualifier is placed by the round reached or by the earlier standings, as the event's setting says."""

from __future__ import annotations

import random

import pytest
from django.test import Client

from pairing.results.services.finish import finish_event
from pairing.stages.services.stages import open_next_stage
from tests.factories import a_director
from tests.kit import event_url, fresh
from tests.pairing.helpers.stages import course_of, decide_ready, out, play_off_of, play_pool, pool_of, staged, won
from tests.prebuilt import prebuilt
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict, DomainError
from tournament.models import EntrantFact, Event
from tournament.money.selectors.prizes import load_prizes
from tournament.setup.services.tournaments import change_event

pytestmark = pytest.mark.django_db

FOUR_IN_THE_FINALS = ({"kind": "fixed", "games": 2, "best": 4}, {"kind": "single-elimination", "seeded": True})


@prebuilt
def a_finals(*, by_round: bool) -> tuple[Event, int]:
    """Return an event whose best entry does not come to the final four, and that entry's number.

    Eight entries played two games each. The prize pool is $1,000.
    """
    event = staged(8, *FOUR_IN_THE_FINALS)
    money = {"fee_cents": 0, "added_cents": 1_000_00, "prize_scale": ["40", "30", "15", "9", "6"]}
    Event.objects.filter(pk=event.pk).update(absent_by_round=by_round, **money)
    play_pool(event, random.Random(2))
    pool = pool_of(event)
    best = next(row.entry for row in pool.overall_ranking)
    out(event, best)
    return event, best


def play_to_the_end(event: Event) -> dict[int, tuple[str, int]]:
    """Play the event to its end, and return each entry's place and prize, keyed by number."""
    while not course_of(event).is_complete:
        decide_ready(event, random.Random(1))
    finish_event(fresh(event), by=a_director(event.tournament))
    return {row.number: (row.place, row.cents) for row in load_prizes(fresh(event)).awards}


@pytest.mark.parametrize("by_round", [True, False])
def test_the_money_of_the_round_reached_or_of_the_next_place(by_round: bool) -> None:
    # The prizes are $400, $300, $150, $90, and $60. With the setting, the losers of the semifinals and the absent entry
    # share the last three. Without it, the two losers share $150 and $90, and the absent entry gets $60 for the place
    # after the finals.
    event, absent = a_finals(by_round=by_round)
    finals = open_next_stage(event, by=SYSTEM_ACTOR).entries
    assert len(finals) == 4
    assert absent not in finals
    won_prizes = play_to_the_end(event)
    assert sorted(won_prizes.values()) == (
        [("1", 400_00), ("2", 300_00), ("3–5", 100_00), ("3–5", 100_00), ("3–5", 100_00)]
        if by_round
        else [("1", 400_00), ("2", 300_00), ("3–4", 120_00), ("3–4", 120_00), ("5", 60_00)]
    )
    assert won_prizes[absent] == (("3–5", 100_00) if by_round else ("5", 60_00))
    assert [check.subject for check in verify_event(fresh(event)) if not check.passed and check.subject != "log"] == []


def test_who_left_with_games_to_come_or_is_disqualified_had_not_qualified() -> None:
    event, absent = a_finals(by_round=True)
    out(event, absent, EntrantFact.Kind.DISQUALIFIED)
    open_next_stage(event, by=SYSTEM_ACTOR)
    assert absent not in play_to_the_end(event)
    event = staged(8, *FOUR_IN_THE_FINALS)
    Event.objects.filter(pk=event.pk).update(absent_by_round=True)
    out(event, 1)
    play_pool(event, random.Random(2))
    open_next_stage(event, by=SYSTEM_ACTOR)
    assert course_of(event).current_stage.absent == ()


def test_who_does_not_come_to_a_play_off_stands_with_those_who_lose_its_first_round() -> None:
    # Four of eight entries are tied for two places. One of them leaves before the play-off, and another after winning.
    event = staged(
        8,
        {"kind": "fixed", "games": 1},
        {"kind": "play-off", "places": 2},
        {"kind": "single-elimination", "seeded": True},
    )
    Event.objects.filter(pk=event.pk).update(absent_by_round=True)
    play_pool(event, random.Random(2))
    pool = pool_of(event)
    first = next(row.entry for row in pool.overall_ranking)
    out(event, first)
    open_next_stage(event, by=SYSTEM_ACTOR)
    stage = course_of(event).current_stage
    assert stage.absent == (first,)
    assert stage.play_off is not None
    while not course_of(event).current_stage.is_complete:
        decide_ready(event, random.Random(1))
    play_off = play_off_of(event)
    winner = play_off.advancing_entries[0]
    out(event, winner, EntrantFact.Kind.WITHDRAWN)
    open_next_stage(event, by=SYSTEM_ACTOR)
    course = course_of(event)
    assert course.current_stage.absent == (winner,)
    (final,) = course.current_stage.ready_matches
    won(event, final, *course.current_stage.match_states[final].sides)
    placings = course_of(event).current_stage.compute_placings(course_of(event).stages[:-1])
    assert placings is not None
    assert winner in placings.finish[1].entries
    after = [placing for placing in placings.finish if first in placing.entries]
    losers = {side for match in play_off.rounds[0].matches for side in match.sides} - set(play_off.advancing_entries)
    assert after[0].place <= 3 + len(losers)


def test_it_is_published_with_the_prizes_and_changed_after_the_draw_with_a_reason() -> None:
    event, _absent = a_finals(by_round=True)
    public = event_url("tournament:prizes", event)
    assert "A qualifier who does not come gets the money of the round" in Client().get(public).content.decode()
    with pytest.raises((Conflict, DomainError)):
        change_event(fresh(event), {"absent_by_round": False}, by=SYSTEM_ACTOR)
    change_event(fresh(event), {"absent_by_round": False}, by=SYSTEM_ACTOR, reason="voted in the players’ meeting")
    assert "A qualifier who does not come gets" not in Client().get(public).content.decode()
