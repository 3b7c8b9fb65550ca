from __future__ import annotations

import csv
import random

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from pairing.desk.services.pairings import PairsToSend, give_bye
from pairing.results.services.finish import finish_event
from pairing.stages.console.stages import DrawnLotsForm
from pairing.stages.services.stages import open_next_stage, record_drawn_lots, take_back_stage
from tests.factories import an_entrant
from tests.kit import client_as, event_url, fresh
from tests.pairing.helpers.effects import look_and_do
from tests.pairing.helpers.events import an_event_in_play, an_open_event, send_pairs
from tests.pairing.helpers.stages import (
    FINALS,
    QUALIFIER,
    course_of,
    decide_ready,
    path,
    play_pool,
    pool_of,
    shown,
    staged,
    walk,
    won,
)
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import DomainError
from tournament.models import Entrant
from tournament.money.selectors.prizes import load_prizes

pytestmark = pytest.mark.django_db


def test_every_page_from_registration_to_the_last_place() -> None:
    event, dice = an_open_event(12, format="stages", format_options={"stages": [QUALIFIER, FINALS]}), random.Random(4)
    walk(event)
    assert "There is no draw yet" in shown(event, "stages/")
    event, dice = staged(12, QUALIFIER, FINALS), random.Random(4)
    walk(event)
    page = shown(event, "pairings/")
    assert "12 players are waiting for a game" in page
    play_pool(event, dice)
    walk(event)
    standings = shown(event, "standings/")
    assert "by wins, " in standings and "Before Player" in standings and "entry 1" not in standings
    assert "Advances" in standings and "qualified with" in standings
    assert shown(event, "match/G1/").count("match-side") >= 2
    client = client_as("director", event)
    desk = shown(event, "stages/", client, "desk")
    assert "The seal" not in desk and "What the room saw" in desk
    seal = course_of(event).current_stage.row.seals.get()
    assert seal.commitment[:4] in shown(event, "stages/") and seal.secret not in shown(event, "stages/")
    refused = client.post(path(event, "stages/", "desk"), {"act": "open", "open-cut": "", "open-key": "k"})
    assert refused.status_code == 200 and len(course_of(event).stages) == 1
    client.post(path(event, "stages/", "desk"), {"act": "open", "open-cut": "7H QS 2D", "open-key": "k"})
    client.post(path(event, "stages/", "desk"), {"act": "open", "open-cut": "7H QS 2D", "open-key": "k"})
    assert len(course_of(event).stages) == 2
    assert seal.secret in shown(event, "stages/")
    walk(event)
    while not course_of(event).is_complete:
        decide_ready(event, dice)
    walk(event)
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    walk(event)
    _head, first, second, *places = csv.reader(shown(event, "standings/?_export=csv").splitlines())
    assert len(places) == 10
    assert (first[-1], second[-1]) == ("Won the final.", f"Final: lost to {first[2]}.")
    assert all("lost to Player" in place[-1] or "Behind Player" in place[-1] for place in places)


def test_a_play_off_says_who_plays_for_what_and_comes_to_its_end() -> None:
    plan = (
        {"kind": "swiss", "rounds": 2},
        {"kind": "play-off", "places": 4},
        {"kind": "single-elimination", "seeded": True},
    )
    event, dice = staged(12, *plan), random.Random(3)
    play_pool(event, dice)
    desk = shown(event, "stages/", client_as("director", event), "desk")
    assert "play off for" in desk
    client = client_as("director", event)
    client.post(path(event, "stages/", "desk"), {"act": "open", "open-key": "k1"})
    assert course_of(event).current_stage.play_off is not None
    walk(event)
    take_back_stage(event, by=SYSTEM_ACTOR, reason="too early")
    assert len(course_of(event).stages) == 1
    client.post(path(event, "stages/", "desk"), {"act": "open", "open-key": "k2"})
    while not course_of(event).current_stage.is_complete:
        decide_ready(event, dice)
    client.post(path(event, "stages/", "desk"), {"act": "open", "open-key": "k3"})
    assert len(course_of(event).current_stage.row.entries) == 4
    walk(event)


def test_lots_are_drawn_among_all_who_are_level_and_then_decide() -> None:
    event = staged(4, {"kind": "fixed", "games": 1, "best": 1}, FINALS)
    course = course_of(event)
    assert course.pool is not None
    client = client_as("director", event)
    facts = {"act": "lots", "lots-reason": "drawn from a hat by Ann", "lots-key": "k"}
    client.post(path(event, "stages/", "desk"), {**facts, "lots-order": "3 x"})
    with pytest.raises(DomainError, match="tied"):
        record_drawn_lots(event, [1, 2], by=SYSTEM_ACTOR, reason="hat")
    client.post(path(event, "stages/", "desk"), {**facts, "lots-order": "3 1 4 2"})
    pool = pool_of(event)
    assert [row.entry for row in pool.standings[0][1]] == [3, 1, 4, 2]
    assert "by lot, drawn number 1 to 2" in pool.standings[0][1][0].why


@pytest.mark.parametrize("typed", ["3 1", "3;1", "3; 1", "3 ; 1", "3,1", " 3, 1; ", "3\n1"])
def test_lots_are_typed_with_anything_between_them(typed: str) -> None:
    form = DrawnLotsForm({"lots-order": typed, "lots-reason": "hat", "lots-key": "k"})
    assert form.is_valid() and form.cleaned_data["order"] == [3, 1], form.errors


@pytest.mark.parametrize("typed", ["3", "3;x", "3 1 x", "3.1", "3;9999999999", ";"])
def test_lots_that_are_no_two_numbers_are_refused(typed: str) -> None:
    assert not DrawnLotsForm({"lots-order": typed, "lots-reason": "hat", "lots-key": "k"}).is_valid()


def test_somebody_joins_late_and_plays_on() -> None:
    event = staged(4, QUALIFIER, FINALS)
    late = an_entrant(event, "Late Lou", number=9, arrived=True)
    client = client_as("desk", event)
    late_page = event_url("pairing:desk_late", event)
    assert late_page in client.get(path(event, "stages/", "desk")).content.decode()
    facts = {"late-entrant": str(late.pk), "late-games": "0", "late-counts_as": "loss", "late-key": "k"}
    assert "Late Lou" in client.post(late_page, {**facts, "late-reason": ""}).content.decode()
    look_and_do(client, late_page, {**facts, "late-reason": "the train"})
    pool = course_of(event).pool
    assert pool is not None and 9 in pool.qualifying.ready_entries


@pytest.mark.parametrize("name", ["stages/", "pairing/"])
def test_the_desk_of_a_finished_event_asks_for_nothing_more(name: str) -> None:
    event = staged(2, {"kind": "record", "games": 1, "losses": 1, "wins": 1})
    send_pairs(event, PairsToSend(pairs=((1, 2),)), by=SYSTEM_ACTOR)
    won(event, "G1", 1, 2)
    finish_event(event, by=SYSTEM_ACTOR)
    desk = shown(event, name, client_as("director", event), "desk")
    assert "The event is finished" in desk
    assert "Everything is decided" not in desk and "Play has not started" not in desk


def test_players_in_the_bracket_at_the_end_see_the_places_they_can_get() -> None:
    event, dice = staged(6, {"kind": "round-robin", "groups": 1, "best": 4}, FINALS), random.Random(4)
    while not course_of(event).is_complete and course_of(event).current_stage.progress is None:
        decide_ready(event, dice)
        if course_of(event).current_stage.is_complete:
            open_next_stage(fresh(event), by=SYSTEM_ACTOR)
    _head, *rows = csv.reader(shown(event, "standings/?_export=csv").splitlines())
    assert [row[0] for row in rows] == ["1 to 4"] * 4 + ["5", "6"]
    won(event, "R1M1", *(side for side in course_of(event).current_stage.match_states["R1M1"].sides if side))
    _head, *rows = csv.reader(shown(event, "standings/?_export=csv").splitlines())
    assert sorted(row[0] for row in rows) == ["1 to 2", "1 to 4", "1 to 4", "3–4", "5", "6"]
    page = shown(event, "standings/?stage=1")
    assert "Places and prizes" in page and "Advances" in page


def test_nobody_goes_on_and_the_standings_end_the_event() -> None:
    event = staged(2, {"kind": "record", "games": 2, "losses": 1, "wins": 2}, FINALS)
    send_pairs(event, PairsToSend(pairs=((1, 2),)), by=SYSTEM_ACTOR)
    won(event, "G1", 1, 2)
    give_bye(event.entrants.get(number=1), by=SYSTEM_ACTOR, reason="nobody is left")
    desk = shown(event, "stages/", client_as("director", event), "desk")
    assert "Everything is decided" in desk
    finish = finish_event(fresh(event), by=SYSTEM_ACTOR)
    assert finish.places == [[1], [2]]


@pytest.mark.parametrize("page", ["stages/", "pairings/", "standings/", "wall/"])
def test_public_pages_ask_the_same_number_of_questions(page: str) -> None:
    counts = []
    for entrants in (4, 16):
        event = staged(entrants, QUALIFIER, FINALS)
        cache.clear()
        with CaptureQueriesContext(connection) as asked:
            assert Client().get(path(event, page)).status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 30


def test_prizes_of_an_event_that_is_only_a_double_elimination() -> None:
    event, dice = (
        an_event_in_play(6, format="stages", format_options={"stages": [{"kind": "double-elimination"}]}),
        random.Random(9),
    )
    walk(event)
    while not course_of(event).is_complete:
        decide_ready(event, dice)
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    walk(event)
    assert load_prizes(fresh(event)) is not None
    assert event.entrants.filter(state=Entrant.State.IN).count() == 6
