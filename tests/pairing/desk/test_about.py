"""Estimates of when the next match begins, for entrants who wait for an opponent or for a free table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client

from pairing.desk.selectors.forecast import estimate_next_match_start
from pairing.desk.services.sending import call_match_to_table, call_ready_matches
from tests.kit import fresh, public_url
from tests.pairing.helpers.events import an_event_in_play, the_match, win
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db

BEGAN = datetime(2030, 11, 28, 18, tzinfo=UTC)
"""Ten in the morning at the venue."""


def three_are_over() -> Event:
    """Return an event in which three of four matches took 40 minutes and the fourth is still in progress."""
    event = an_event_in_play(8)
    type(event.tournament).objects.update(time_zone="America/Los_Angeles")
    with time_machine.travel(BEGAN, tick=False):
        call_ready_matches(fresh(event), 1, 3, by=SYSTEM_ACTOR)
    with time_machine.travel(BEGAN + timedelta(minutes=20), tick=False):
        call_match_to_table(the_match(event, "R1M4"), 4, by=SYSTEM_ACTOR)
    with time_machine.travel(BEGAN + timedelta(minutes=40), tick=False):
        for ident in ("R1M1", "R1M2", "R1M3"):
            win(event, ident)
    return fresh(event)


def sides_of(event: Event, ident: str) -> tuple[int, int]:
    """Return the numbers of the match's winner and loser."""
    result = the_match(event, ident).results.get()
    assert result.winner is not None
    won = result.winner.number
    return won, next(int(number) for number in result.credits if int(number) != won)


def test_only_an_entrant_who_waits_for_a_match_at_a_table_has_an_estimate() -> None:
    event = three_are_over()
    won, out = sides_of(event, "R1M3")
    known, _out = sides_of(event, "R1M1")
    assert estimate_next_match_start(event, won) == BEGAN + timedelta(minutes=60)
    assert [estimate_next_match_start(event, number) for number in (known, out)] == [None, None]
    who = event.entrants.get(number=won)
    for page in ("match/", ""):
        assert "About 11:00 AM" in Client().get(f"/my/{who.token}/{page}").content.decode()
    public = Client().get(public_url(event)).content.decode()
    assert "Next: Semifinals." in public and "About 11:00 AM." in public
    call_match_to_table(the_match(event, "R1M4"), None, by=SYSTEM_ACTOR)
    assert estimate_next_match_start(fresh(event), won) is None


def test_a_match_without_a_table_has_an_estimate() -> None:
    # With 16 entries and three tables, two matches of round one are still to be played before the first match of round
    # two.
    event = an_event_in_play(16)
    for turn in range(2):
        with time_machine.travel(BEGAN + turn * timedelta(minutes=40), tick=False):
            call_ready_matches(fresh(event), 1, 3, by=SYSTEM_ACTOR)
        with time_machine.travel(BEGAN + (turn + 1) * timedelta(minutes=40), tick=False):
            for ident in ("R1M1", "R1M2", "R1M3")[: 3 * (1 - turn)]:
                win(event, ident)
    won, out = sides_of(event, "R1M1")
    assert estimate_next_match_start(fresh(event), won) == BEGAN + timedelta(minutes=80)
    assert estimate_next_match_start(fresh(event), out) is None
    call_match_to_table(the_match(event, "R2M1"), 9, by=SYSTEM_ACTOR)
    assert estimate_next_match_start(fresh(event), won) is None
