"""An event with several stages, played from its first pairs to its last place with the services."""

from __future__ import annotations

import random

import pytest

from pairing.desk.services.pairings import PairsToSend, hold_entrant, penalize_entrant, undo_pairing
from pairing.draws.stages.plan import StageKind
from pairing.draws.stages.pools import Pool
from pairing.draws.stages.qualifier import QualifyingStatus
from pairing.results.services.late_entries import join_stage
from pairing.results.services.results import record_removal, remove_entrant
from pairing.stages.selectors.course import load_final_placings
from pairing.stages.selectors.openings import StageOpeningChoices
from pairing.stages.services.stages import open_next_stage, take_back_stage
from tests.kit import fresh
from tests.pairing.helpers.events import send_pairs
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, decide_ready, play_pool, pool_of, staged
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.errors import Conflict, DomainError
from tournament.models import EntrantFact, Event
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person

pytestmark = pytest.mark.django_db

Kind = EntrantFact.Kind


def test_the_partnership_plan_from_the_first_pairs_to_the_last_place() -> None:
    event, dice = staged(24, QUALIFIER, FINALS), random.Random(5)
    play_pool(event, dice)
    pool = pool_of(event)
    qualified = pool.qualifying.list_entries_with_status(QualifyingStatus.QUALIFIED)
    assert 2 <= len(qualified) < 24
    for entry in qualified:
        record = pool.qualifying[entry].record
        assert record.wins >= 4 and record.losses < 2
        assert record.games == 5 or record.losses == 1
    stage = open_next_stage(event, by=SYSTEM_ACTOR, choices=StageOpeningChoices(cut="7H"))
    assert sorted(stage.entries) == sorted(qualified)
    byes = {bye["entry"]: bye["by"] for bye in stage.record["byes"]}
    five = {entry for entry in qualified if pool.qualifying[entry].record.wins == 5}
    assert five & byes.keys() in (five, byes.keys())
    while not course_of(event).is_complete:
        decide_ready(event, dice)
    placings = load_final_placings(fresh(event))
    assert placings is not None
    champion = course_of(event).progress.champion  # type: ignore[union-attr]
    assert placings.finish[0].entries == (champion,)
    placed = [entry for placing in placings.finish for entry in placing.entries]
    assert sorted(placed) == list(range(1, 25))
    assert set(placed[: len(qualified)]) == set(qualified)


def test_a_play_off_for_the_last_places_then_a_seeded_bracket() -> None:
    event, dice = (
        staged(
            16,
            {"kind": "swiss", "rounds": 3},
            {"kind": "play-off", "places": 8},
            {"kind": "single-elimination", "seeded": True},
        ),
        random.Random(3),
    )
    play_pool(event, dice)
    stage = open_next_stage(event, by=SYSTEM_ACTOR)
    assert stage.kind == StageKind.PLAY_OFF
    while not course_of(event).current_stage.is_complete:
        decide_ready(event, dice)
    bracket = open_next_stage(event, by=SYSTEM_ACTOR)
    assert len(bracket.entries) == 8
    while not course_of(event).is_complete:
        decide_ready(event, dice)
    placings = load_final_placings(fresh(event))
    assert placings is not None and len(placings.finish[0].entries) == 1


def test_groups_into_a_double_elimination() -> None:
    event, dice = (
        staged(12, {"kind": "round-robin", "groups": 3, "best": 2}, {"kind": "double-elimination", "seeded": True}),
        random.Random(1),
    )
    assert len(course_of(event).current_stage.matches) == 18
    while not course_of(event).current_stage.is_complete:
        decide_ready(event, dice)
    stage = open_next_stage(event, by=SYSTEM_ACTOR)
    assert len(stage.entries) == 6
    while not course_of(event).is_complete:
        decide_ready(event, dice)
    placings = load_final_placings(fresh(event))
    assert placings is not None and len(placings.finish[0].entries) == 1


def test_who_was_sent_already_is_not_sent_again() -> None:
    event = staged(6, QUALIFIER, FINALS)
    send_pairs(event, PairsToSend(pairs=((1, 2),), tables=(5,)), by=SYSTEM_ACTOR)
    with pytest.raises(Conflict, match="Player 2 plays Player 1 at table 5"):
        send_pairs(event, PairsToSend(pairs=((2, 3),)), by=SYSTEM_ACTOR)
    with pytest.raises(Conflict, match="Table 5 is busy"):
        send_pairs(event, PairsToSend(pairs=((3, 4),), tables=(5,)), by=SYSTEM_ACTOR)
    hold_entrant(event.entrants.get(number=3), by=SYSTEM_ACTOR)
    with pytest.raises(Conflict, match="Player 3 was put on hold"):
        send_pairs(event, PairsToSend(pairs=((3, 4),)), by=SYSTEM_ACTOR)


def test_pairs_taken_back_wait_again_and_stay_in_the_record() -> None:
    event = staged(4, QUALIFIER, FINALS)
    sent = send_pairs(event, PairsToSend(pairs=((1, 2),)), by=SYSTEM_ACTOR)
    with pytest.raises(DomainError, match="reason"):
        undo_pairing(sent, by=SYSTEM_ACTOR, reason=" ")
    undo_pairing(sent, by=SYSTEM_ACTOR, reason="wrong table")
    pool = course_of(event).pool
    assert pool is not None and pool.qualifying.ready_entries == tuple(pool.qualifying.entrants)
    assert sent.matches.exists()


def test_a_penalty_costs_one_game_and_gives_nobody_one() -> None:
    event = staged(4, QUALIFIER, FINALS)
    penalize_entrant(event.entrants.get(number=1), by=SYSTEM_ACTOR, reason="for an unmatched game")
    pool = pool_of(event)
    assert [str(pool.qualifying[entry].record) for entry in (1, 2)] == ["0–1", "0–0"]


def test_a_stage_is_taken_back_before_its_first_result_only() -> None:
    event, dice = staged(8, {"kind": "fixed", "games": 2, "best": 4}, FINALS), random.Random(2)
    with pytest.raises(Conflict, match="is not over"):
        open_next_stage(event, by=SYSTEM_ACTOR)
    play_pool(event, dice)
    stage = open_next_stage(event, by=SYSTEM_ACTOR)
    take_back_stage(event, by=SYSTEM_ACTOR, reason="a result was wrong")
    assert len(course_of(event).stages) == 1
    again = open_next_stage(event, by=SYSTEM_ACTOR)
    assert again.pk != stage.pk
    decide_ready(event, dice)
    with pytest.raises(Conflict, match="The stage has a result"):
        take_back_stage(event, by=SYSTEM_ACTOR, reason="no")


def test_a_penalty_is_no_game_of_a_round() -> None:
    event = staged(4, {"kind": "swiss", "rounds": 2})
    send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4)), round=1), by=SYSTEM_ACTOR)
    decide_ready(event, random.Random(4))
    loser = next(entry for entry, one in _pool(event).qualifying.entrants.items() if one.record.losses)
    penalize_entrant(event.entrants.get(number=loser), by=SYSTEM_ACTOR, reason="for an unmatched game")
    assert _pool(event).qualifying[loser].record.losses == 2
    assert _pool(event).max_started_games == 1


def test_somebody_who_walks_in_plays_from_now_on() -> None:
    event = staged(4, QUALIFIER, FINALS)
    came = add_entry(fresh(event), EntryRequest((Person("Late Larry", "larry@example.org"),)), by=SYSTEM_ACTOR)
    assert came.number not in _pool(event).qualifying.entrants
    join_stage(came, by=SYSTEM_ACTOR, reason="their train was late")
    assert came.number in _pool(event).qualifying.ready_entries


def test_nobody_walks_into_a_stage_that_is_drawn() -> None:
    event = staged(4, {"kind": "double-elimination"})
    with pytest.raises(Conflict, match="The draw is made"):
        add_entry(fresh(event), EntryRequest((Person("Late Larry", "larry@example.org"),)), by=SYSTEM_ACTOR)


def _pool(event: Event) -> Pool:
    pool = pool_of(event)
    return pool


def test_a_walk_over_stays_when_the_one_who_has_it_goes_out_later() -> None:
    event = staged(4, {"kind": "round-robin", "best": 2}, {"kind": "single-elimination"})
    for entry, kind in ((2, Kind.WITHDRAWN), (1, Kind.WITHDRAWN), (2, Kind.DISQUALIFIED)):
        remove_entrant(event.entrants.get(number=entry), kind, by=SYSTEM_ACTOR, reason="had to go")
        pool = pool_of(event)
        (game,) = (game for game in pool.meetings if set(game.sides) == {1, 2})
        assert game.outcome is not None and game.outcome.winner == 1
    assert [str(pool.qualifying[entry].record) for entry in (1, 2, 3, 4)] == ["1–2", "0–3", "2–0", "2–0"]


def test_two_who_are_put_out_in_one_act_have_no_walk_over_from_each_other() -> None:
    event = staged(4, {"kind": "round-robin", "best": 2}, {"kind": "single-elimination"})
    with writing(event, verb="ruling.made", by=SYSTEM_ACTOR, reason="both gave it away") as write:
        for entry in (2, 1):
            record_removal(write, event.entrants.get(number=entry), Kind.ELIMINATED)
    pool = pool_of(event)
    assert [str(pool.qualifying[entry].record) for entry in (1, 2, 3, 4)] == ["0–3", "0–3", "2–0", "2–0"]
