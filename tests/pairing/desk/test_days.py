"""An event on two days. If rematches are only avoided within a day, opponents may meet again the next day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import time_machine

from pairing.desk.services.pairings import PairsToSend
from pairing.desk.services.sending import (
    DeskPreview,
    change_desk_settings,
    check_manual_pair,
    send_manual_pair,
    send_previewed_pairs,
)
from pairing.draws.desk.desk import DeskTerms
from tests.kit import fresh
from tests.pairing.helpers.desk import desk_of
from tests.pairing.helpers.events import send_pairs
from tests.pairing.helpers.stages import course_of, pool_of, staged, won
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import ReasonRequired
from tournament.models import Event

pytestmark = pytest.mark.django_db

EVENING = datetime(2026, 11, 29, 7, 30, tzinfo=UTC)
"""Half past eleven at night at the venue, in Los Angeles."""

AFTER_MIDNIGHT = datetime(2026, 11, 29, 8, 30, tzinfo=UTC)
"""An hour after `EVENING`. At the venue, it is now the next day, but in UTC it is still the same day."""

PLAN = {"kind": "fixed", "games": 4, "best": 2}


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(EVENING, tick=False) as traveller:
        yield traveller


def an_evening() -> Event:
    """Return an event in which entry 1 has beaten entries 2 and 3, and both of them have beaten entry 4."""
    event = staged(4, PLAN)
    for pairs, winners in ((((1, 2), (3, 4)), (1, 3)), (((1, 3), (2, 4)), (1, 2))):
        send_pairs(event, PairsToSend(pairs=pairs), by=SYSTEM_ACTOR)
        stage = course_of(event).current_stage
        for ident in stage.ready_matches:
            sides = stage.matches[ident].meeting.sides
            winner = next(side for side in sides if side in winners)
            won(event, ident, winner, next(side for side in sides if side != winner))
    return event


def suggested(event: Event) -> list[tuple[int, int]]:
    return [going.suggestion.pair for going in desk_of(event).next_pairs]


def broken(event: Event, pair: tuple[int, int]) -> list[str]:
    return [found.kind.value for found in check_manual_pair(fresh(event), desk_of(event), pair)]


def game_of_one(event: Event) -> tuple[str, int]:
    """Return the match ID of the game that entry 1 is playing, and the opponent's number."""
    stage = course_of(event).current_stage
    sides = {ident: stage.matches[ident].meeting.sides for ident in stage.ready_matches}
    return next((ident, sum(both) - 1) for ident, both in sides.items() if 1 in both)


def test_a_daily_reset_allows_a_rematch_the_next_day(clock: time_machine.Traveller) -> None:
    event = an_evening()
    change_desk_settings(event, DeskTerms(reset_daily=True), by=SYSTEM_ACTOR)
    assert sorted(suggested(event)) == [(1, 4), (2, 3)]
    assert "rematch" in broken(event, (1, 2))
    clock.move_to(AFTER_MIDNIGHT)
    # Which of the two pairings that are equally near in wins is suggested, the lots say: in each all met yesterday.
    assert sorted(suggested(event)) in ([(1, 2), (3, 4)], [(1, 3), (2, 4)])
    assert broken(event, (1, 2)) == []
    desk = desk_of(event)
    assert not desk.next_pairs[0].suggestion.reason.is_rematch
    send_previewed_pairs(
        event, DeskPreview(at=desk.now, pairs=tuple(going.pair_and_table for going in desk.next_pairs)), by=SYSTEM_ACTOR
    )
    again, other = game_of_one(event)
    won(event, again, 1, other)
    pool = pool_of(event)
    records = {entry: str(pool.qualifying[entry].record) for entry in (1, other)}
    assert records == {1: "3–0", other: "1–2"}
    assert [meeting.match for meeting in pool.meetings if set(meeting.sides) == {1, other}][1:] == [again]
    assert pool.qualifying[1].record.met == frozenset({other})
    assert "rematch" in broken(event, (1, other))


def test_without_a_reset_a_rematch_needs_a_reason(clock: time_machine.Traveller) -> None:
    event = an_evening()
    change_desk_settings(event, DeskTerms(), by=SYSTEM_ACTOR)
    clock.move_to(AFTER_MIDNIGHT)
    assert sorted(suggested(event)) == [(1, 4), (2, 3)]
    assert "rematch" in broken(event, (1, 2))
    with pytest.raises(ReasonRequired):
        send_manual_pair(event, (1, 2), seen=("rematch",), by=SYSTEM_ACTOR)
