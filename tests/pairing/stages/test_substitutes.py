"""A substitute joins an entry in the middle of an event with several stages. Earlier results are kept."""

from __future__ import annotations

import random

import pytest

from pairing.desk.selectors.desk import load_pairing_desk
from pairing.desk.services.pairings import PairsToSend
from pairing.models import MatchResult
from pairing.results.services.finish import finish_event
from pairing.stages.selectors.course import load_final_placings, load_persons_by_entry
from pairing.stages.services.stages import open_next_stage
from tests.factories import a_player, an_entrant
from tests.kit import client_as, entrant_of, event_url, fresh, refused
from tests.pairing.helpers.events import send_pairs
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, decide_ready, play_pool, pool_of, staged, won
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event, Member
from tournament.registration.services.entries import substitute_player
from tournament.registration.services.people import Person

pytestmark = pytest.mark.django_db
SWISS = {"kind": "swiss", "rounds": 2}
PLAY_OFF = {"kind": "play-off", "places": 3}
SEEDED = {"kind": "single-elimination", "seeded": True}


def plays_on_for(event: Event, number: int, name: str = "Sub Stitute") -> None:
    substitute_player(entrant_of(event, number), 1, Person(name), by=SYSTEM_ACTOR, reason="taken ill")


def history(event: Event, number: int) -> list[tuple[str, bool]]:
    rows = Member.objects.filter(entrant__event=event, entrant__number=number).order_by("pk")
    return [(row.player.name, hasattr(row, "replaced_by")) for row in rows.select_related("player", "replaced_by")]


def test_in_a_pool_the_substitute_has_the_record_and_whom_the_number_has_met() -> None:
    event = staged(4, QUALIFIER, FINALS)
    send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4))), by=SYSTEM_ACTOR)
    won(event, "G1", 1, 2)
    plays_on_for(event, 1)
    pool = pool_of(event)
    assert (str(pool.qualifying[1].record), pool.qualifying[1].record.met) == ("1–0", {2})
    assert history(event, 1) == [("Player 1", True), ("Sub Stitute", False)]
    desk = load_pairing_desk(fresh(event))
    assert desk is not None and desk.names[1] == "Sub Stitute"
    plays_on_for(event, 3, "Other Sub")
    won(event, "G2", 3, 4)
    said = client_as("director", event).get(event_url("pairing:desk_results", event)).content.decode()
    assert "Sub Stitute" in said and "Other Sub" in said


def test_nobody_with_an_entry_of_their_own_can_play_on_for_another() -> None:
    event = staged(4, QUALIFIER, FINALS)
    other = entrant_of(event, 2).members.get().player
    person = Person(other.name)
    with refused("already-entered"):
        substitute_player(entrant_of(event, 1), 1, person, by=SYSTEM_ACTOR, reason="ill")


def test_in_the_play_off_and_in_the_bracket_play_goes_on_to_the_last_place() -> None:
    event, dice = staged(8, SWISS, PLAY_OFF, SEEDED), random.Random(3)
    play_pool(event, dice)
    stage = open_next_stage(event, by=SYSTEM_ACTOR)
    before = list(stage.entries)
    plays_on_for(event, before[-1], "Late Sub")
    while not course_of(event).current_stage.is_complete:
        decide_ready(event, dice)
    assert list(course_of(event).current_stage.row.entries) == before
    finals = open_next_stage(event, by=SYSTEM_ACTOR)
    number = finals.entries[0]
    plays_on_for(event, number, "Final Sub")
    decide_ready(event, dice)
    plays_on_for(event, number, "Second Sub")
    while not course_of(event).is_complete:
        decide_ready(event, dice)
    assert load_final_placings(fresh(event)) is not None
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    progress = course_of(event).progress
    assert progress is not None and progress.champion is not None
    assert [left for _name, left in history(event, number)] == [True] * (len(history(event, number)) - 1) + [False]
    assert MatchResult.objects.filter(superseded_by__isnull=False).count() == 0


def test_the_substitute_never_meets_their_own_other_entry() -> None:
    event = staged(4, QUALIFIER, FINALS)
    again = a_player("Twice There")
    for number in (5, 6):
        an_entrant(event, "Twice There", number=number, player=again)
    persons = load_persons_by_entry(fresh(event), [5, 6])
    assert persons[5] & persons[6]
    plays_on_for(event, 5, "Somebody Else")
    persons = load_persons_by_entry(fresh(event), [5, 6])
    assert not persons[5] & persons[6]
