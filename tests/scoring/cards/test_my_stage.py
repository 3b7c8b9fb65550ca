"""The phone of a player without a game says what comes next in an event with stages."""

from __future__ import annotations

import random

import pytest

from pairing.desk.services.pairings import PairsToSend, hold_entrant
from pairing.desk.services.sending import call_match_to_table
from pairing.stages.services.stages import open_next_stage
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.kit import fresh
from tests.pairing.helpers.events import send_pairs, the_match
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, decide_ready, play_pool, staged, won
from tests.scoring.helpers.stages import phone
from tournament.core.permissions import SYSTEM_ACTOR

pytestmark = pytest.mark.django_db


def test_who_waits_reads_their_record_since_when_and_how_many_wait_too() -> None:
    event = staged(5, QUALIFIER, FINALS)
    assert "You are 0–0. You are waiting for a game" in phone(event, 1)
    assert "4 other players are waiting" in phone(event, 1)
    send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4))), by=SYSTEM_ACTOR)
    won(event, "G1", 1, 2)
    page = phone(event, 1)
    assert (
        "You are 1–0. You are waiting for a game" in page
        and "2 other players are waiting" in page
        and "4 games left" in page
    )
    hold_entrant(event.entrants.get(number=1), by=SYSTEM_ACTOR)
    assert "You are on hold" in phone(event, 1)


def test_who_is_through_or_out_reads_why() -> None:
    event, dice = staged(8, QUALIFIER, FINALS), random.Random(4)
    play_pool(event, dice)
    pool = course_of(event).pool
    assert pool is not None
    for entry, one in pool.qualifying.entrants.items():
        assert one.why in phone(event, entry)
    open_next_stage(event, by=SYSTEM_ACTOR)
    stage = course_of(event).current_stage
    out = next(entry for entry in range(1, 9) if entry not in stage.row.entries)
    assert "You do not play in “Finals”" in phone(event, out)
    while not course_of(event).is_complete:
        decide_ready(event, dice)
    assert "You finished in place" in phone(event, out)


def test_in_a_group_the_game_at_a_table_comes_first() -> None:
    event = staged(3, {"kind": "round-robin"})
    save_rule_sheet(fresh(event), ChosenRules("gra-singles", {}), by=SYSTEM_ACTOR)
    call_match_to_table(the_match(fresh(event), "G2"), 7, by=SYSTEM_ACTOR)
    sides = course_of(event).current_stage.matches["G2"].meeting.sides
    other = next(entry for entry in range(1, 4) if entry not in sides)
    names = {number: event.entrants.get(number=number).name for number in sides}
    assert names[sides[1]] in phone(event, sides[0])
    assert "You are 0–0. You play" in phone(event, other)
