"""The demo of a partnership event can be stopped after each stage, and an empty database gets the demo events."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from pairing.desk.selectors.desk import load_pairing_desk
from pairing.draws.stages.plan import StageKind
from pairing.draws.stages.qualifier import QualifyingStatus
from pairing.stages.selectors.course import EventStages, load_event_stages
from scoring.card_state.selectors.players import load_ready_seated_matches
from tournament.models import Event, Tournament

pytestmark = pytest.mark.django_db


ENOUGH = 20
"""So many pairs that at least three of them always win four games. With ten pairs, it may be only one."""


def play(*options: str, pairs: int = 10) -> tuple[Event, EventStages]:
    out = StringIO()
    call_command("play_demo_event", "--format", "gra-partnership", "--entrants", str(2 * pairs), *options, stdout=out)
    event = Event.objects.select_related("tournament").get(slug="partnership")
    assert f"/t/{event.tournament.slug}/partnership/" in out.getvalue()
    course = load_event_stages(event)
    assert len(course.stages[0].row.entries) == pairs
    return event, course


@pytest.mark.sample("partnership demos", 2)
def test_in_the_middle_of_the_qualifying_pairs_play_and_wait() -> None:
    event, course = play("--until", "qualifying")
    desk, pool = load_pairing_desk(event), course.pool
    assert desk is not None and pool is not None and not pool.is_complete
    assert desk.busy_tables and max(found.record.games for found in pool.qualifying.entrants.values()) == 2
    assert event.state == Event.State.IN_PLAY


@pytest.mark.sample("partnership demos", 2)
def test_after_the_qualifying_everybody_is_through_or_out_and_the_finals_wait() -> None:
    _event, course = play("--until", "qualified")
    pool = course.pool
    assert pool is not None and course.current_stage.is_complete and course.next_plan is not None
    assert course.next_plan.kind is StageKind.SINGLE
    records = [
        found.record for found in pool.qualifying.entrants.values() if found.status is QualifyingStatus.QUALIFIED
    ]
    assert records and all(record.wins >= 4 for record in records)


@pytest.mark.sample("partnership demos", 2)
def test_the_finals_are_open_and_can_be_played() -> None:
    event, course = play("--until", "finals", pairs=ENOUGH)
    qualified = course.stages[0].pool
    assert qualified is not None and course.current_stage.kind is StageKind.SINGLE and not course.is_complete
    assert set(course.current_stage.row.entries) == set(
        qualified.qualifying.list_entries_with_status(QualifyingStatus.QUALIFIED)
    )
    assert [meeting.match.stage_id for meeting in load_ready_seated_matches(event)] == [
        course.current_stage.row.pk
    ] * len(course.current_stage.ready_matches)


@pytest.mark.sample("partnership demos", 2)
def test_played_out_it_is_finished_with_a_champion() -> None:
    event, course = play("--finish", pairs=ENOUGH)
    progress = load_event_stages(event).progress
    assert course.is_complete and event.state == Event.State.FINISHED
    assert progress is not None and progress.champion is not None


def test_a_stop_of_the_other_event_is_refused_in_words() -> None:
    with pytest.raises(CommandError, match="qualifying, qualified, finals"):
        call_command("play_demo_event", "--format", "gra-partnership", "--until", "semifinals", stdout=StringIO())
    with pytest.raises(CommandError, match="gra-partnership"):
        call_command("play_demo_event", "--until", "finals", stdout=StringIO())


def test_the_demo_has_a_partnership_event_in_play_and_is_loaded_once() -> None:
    out = StringIO()
    call_command("load_demo", "--site", "https://hall.example/", stdout=out)
    event = Event.objects.select_related("tournament").get(slug="partnership")
    assert event.state == Event.State.IN_PLAY and event.tournament.is_demo
    desk = load_pairing_desk(event)
    assert desk is not None and desk.busy_tables
    assert f"https://hall.example/t/{event.tournament.slug}/partnership/" in out.getvalue()
    call_command("load_demo", stdout=out)
    assert Tournament.objects.count() == 1
