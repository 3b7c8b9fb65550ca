"""Proofs of why entries meet in a play-off, a bracket, or a group, on pages and as cases for the `pair` command."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from django.test import Client

from pairing.desk.services.pairings import PairsToSend
from pairing.draws.cases.pair import run_pair_case
from pairing.stages.selectors.openings import StageOpeningChoices
from pairing.stages.services.stages import open_next_stage
from tests.kit import public_url
from tests.pairing.helpers.events import send_pairs
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, decide_ready, play_off_of, play_pool, staged, won
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db

GROUPS: dict[str, object] = {"kind": "round-robin", "groups": 2, "best": 2}
SEEDED: dict[str, object] = {"kind": "single-elimination", "seeded": True}


def shown(event: Event, page: str) -> str:
    answer = Client().get(public_url(event, page))
    assert answer.status_code == 200
    return answer.content.decode()


def proof(event: Event, stage: int) -> Any:
    """Return the stage's proof as JSON, after checking that `pair` gives the same answer to each of its cases."""
    found = json.loads(shown(event, f"stages/{stage}/why.json"))
    for one in found["rounds"]:
        assert json.loads(json.dumps(run_pair_case(one["case"]))) == one["answer"]
        assert one["answers"] is True
    return found


@prebuilt
def a_play_off_of_five() -> Event:
    """Return an event with a play-off in which five entries play for two places.

    Each of them won one game before, and none of them have met.
    """
    event = staged(10, {"kind": "fixed", "games": 1}, {"kind": "play-off", "places": 2}, SEEDED)
    send_pairs(event, PairsToSend(pairs=tuple((n, n + 1) for n in range(1, 11, 2))), by=SYSTEM_ACTOR)
    for game in range(1, 6):
        won(event, f"G{game}", 2 * game - 1, 2 * game)
    open_next_stage(event, by=SYSTEM_ACTOR)
    return event


def test_a_play_off_says_why_its_pairs_and_byes_are_so() -> None:
    event = a_play_off_of_five()
    play_off = play_off_of(event)
    first = play_off.rounds[0]
    page = shown(event, "stages/2/why/")
    assert "Only these two play in this round. They had not met." in page
    assert page.count("Bye. 3 byes: the next in the standings") == len(first.byes) == 3
    found = proof(event, 2)["rounds"][0]
    assert found["answer"]["pairs"] == found["pairs"] == [list(first.matches[0].sides)]
    assert [bye["entry"] for bye in found["byes"]] == [bye.entry for bye in first.byes]
    assert "They had not met." in shown(event, "match/P1M1/")
    assert "stages/2/why/" in shown(event, "stages/") and "stages/2/why/" in shown(event, "pairings/why/")


def test_every_round_of_a_play_off_is_proved_also_after_a_correction() -> None:
    event = a_play_off_of_five()
    while not course_of(event).current_stage.is_complete:
        decide_ready(event, random.Random(1))
    assert [one["name"] for one in proof(event, 2)["rounds"]] == ["Round 1", "Round 2"]
    one, other = course_of(event).current_stage.matches["P1M1"].meeting.sides
    outcome = course_of(event).current_stage.matches["P1M1"].meeting.outcome
    assert outcome is not None
    loser = other if outcome.winner == one else one
    won(event, "P1M1", loser, outcome.winner or 0)
    again = proof(event, 2)["rounds"][1]
    assert loser in {entry for pair in again["answer"]["pairs"] for entry in pair}


def test_a_seeded_bracket_says_by_which_places_they_meet() -> None:
    event = a_play_off_of_five()
    while not course_of(event).current_stage.is_complete:
        decide_ready(event, random.Random(1))
    bracket = open_next_stage(event, by=SYSTEM_ACTOR)
    page = shown(event, "stages/3/why/")
    assert "Number 1 against number 2 of the order" in page and "The order is that of the stage before." in page
    assert proof(event, 3)["rounds"][0]["case"]["entries"] == bracket.entries
    assert "Number 1 against number 2 of the order" in shown(event, "match/R1M1/")


def test_a_drawn_bracket_says_who_was_drawn_where_and_why_who_has_a_bye() -> None:
    event, dice = staged(12, QUALIFIER, FINALS), random.Random(4)
    play_pool(event, dice)
    stage = open_next_stage(event, by=SYSTEM_ACTOR, choices=StageOpeningChoices(cut="7H QS"))
    page = shown(event, "stages/2/why/")
    assert all(bye["why"] in page for bye in stage.record["byes"])
    assert "Drawn as numbers " in page and stage.record["seal"]["commitment"] in page
    found = proof(event, 2)["rounds"][0]
    assert {bye["entry"] for bye in found["byes"]} == {bye["entry"] for bye in stage.record["byes"]}
    assert found["case"]["entries"] == stage.record["order"]


def test_groups_and_double_eliminations_have_their_cases_and_a_qualifier_the_list_of_pairs() -> None:
    event, dice = staged(8, GROUPS, {"kind": "double-elimination"}), random.Random(2)
    groups = course_of(event).current_stage.row.record["groups"]
    assert [one["members"] for one in proof(event, 1)["rounds"]] == groups
    assert "Group 2" in shown(event, "stages/1/why/")
    assert "Everybody in the group meets everybody." in shown(event, "match/G1/")
    while not course_of(event).current_stage.is_complete:
        decide_ready(event, dice)
    open_next_stage(event, by=SYSTEM_ACTOR, choices=StageOpeningChoices(cut="7H QS"))
    assert proof(event, 2)["rounds"][0]["case"]["format"] == "double-elimination"
    qualifier = staged(4, QUALIFIER, FINALS)
    assert Client().get(public_url(qualifier, "stages/1/why/")).headers["Location"] == public_url(
        qualifier, "pairings/why/"
    )
    assert Client().get(public_url(qualifier, "stages/2/why/")).status_code == 404


def test_fewer_five_win_teams_than_byes_have_the_recorded_fallback() -> None:
    event = staged(6, {"kind": "fixed", "games": 1, "best": 3}, FINALS)
    send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4), (5, 6))), by=SYSTEM_ACTOR)
    for game in range(1, 4):
        won(event, f"G{game}", 2 * game - 1, 2 * game)
    said = "1 bye and only 0 entries with 5 wins: the next in the standings"
    assert said in shown(event, "stages/")
    stage = open_next_stage(event, by=SYSTEM_ACTOR, choices=StageOpeningChoices(cut="7H QS"))
    assert [bye["why"] for bye in stage.record["byes"]] == [said]
    assert said in shown(event, "stages/2/why/")
    assert proof(event, 2)["rounds"][0]["byes"] == [{"entry": stage.record["byes"][0]["entry"], "why": said}]
