"""Two staff members pair or remove players at the same time: one succeeds, the other gets an error message."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from pairing.desk.services.pairings import hold_entrant
from pairing.desk.services.sending import DeskPreview, send_manual_pair, send_previewed_pairs
from pairing.draws.results import ResultCause
from pairing.models import Hold, Match, Pairing
from pairing.results.services.results import remove_entrant
from tests import races
from tests.factories import a_user
from tests.kit import fresh
from tests.pairing.helpers.desk import desk_of
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, staged
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_staff_actor
from tournament.models import EntrantFact, Event

pytestmark = [pytest.mark.race, pytest.mark.django_db(transaction=True)]


def at_once(*acts: Callable[[], Any]) -> list[str]:
    return races.at_once(*acts, told="message")


@pytest.fixture
def event() -> Event:
    return staged(6, QUALIFIER, FINALS)


def seen_by_all(event: Event) -> DeskPreview:
    """Return the suggested pairs, which both staff members see on their pages."""
    desk = desk_of(event, timezone.now())
    return DeskPreview(at=desk.now, pairs=tuple(going.pair_and_table for going in desk.next_pairs))


def two_at_the_desk(event: Event) -> list[Actor]:
    return [make_staff_actor(a_user("desk", event.tournament)) for _ in range(2)]


def games_of(event: Event, entry: int) -> int:
    return sum(entry in match.meeting.sides for match in course_of(event).current_stage.matches.values())


def test_two_send_the_same_pairs(event: Event) -> None:
    shown, actors = seen_by_all(event), two_at_the_desk(event)
    outcomes = at_once(*[lambda by=by: send_previewed_pairs(fresh(event), shown, by=by) for by in actors])
    assert outcomes.count("done") == 1, outcomes
    told = next(outcome for outcome in outcomes if outcome != "done")
    winner = Pairing.objects.earliest("pk").by_name
    assert re.match(rf"Player \d plays Player \d at table \d\. {re.escape(winner)} sent them\.", told)
    assert (Pairing.objects.count(), Match.objects.filter(event=event).count()) == (3, 3)


def test_one_desk_sends_twice(event: Event) -> None:
    shown = seen_by_all(event)
    assert at_once(*[lambda: send_previewed_pairs(fresh(event), shown, by=SYSTEM_ACTOR, key="once")] * 2) == [
        "done",
        "done",
    ]
    assert Pairing.objects.count() == 3


def test_two_pair_the_same_entrant_by_hand(event: Event) -> None:
    actors = two_at_the_desk(event)
    pairs = [((1, 2), 1), ((2, 3), 2)]
    outcomes = at_once(
        *[
            lambda by=by, pair=pair, table=table: send_manual_pair(fresh(event), pair, table=table, by=by)
            for by, (pair, table) in zip(actors, pairs, strict=True)
        ]
    )
    assert outcomes.count("done") == 1
    assert games_of(event, 2) == 1
    assert any(outcome.startswith("Player 2 plays Player") for outcome in outcomes)


def test_a_pair_and_a_withdrawal(event: Event) -> None:
    shown = seen_by_all(event)
    entrant = event.entrants.get(number=2)
    outcomes = at_once(
        lambda: send_previewed_pairs(fresh(event), shown, by=SYSTEM_ACTOR),
        lambda: remove_entrant(entrant, EntrantFact.Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="went home"),
    )
    assert outcomes[1] == "done"
    stage = course_of(event).current_stage
    if outcomes[0] != "done":
        assert "Player 2 has no game to come" in outcomes[0] and stage.matches == {}
        return
    match = next(match for match in stage.matches.values() if 2 in match.meeting.sides)
    outcome = match.meeting.outcome
    assert outcome is not None and outcome.winner != 2
    assert outcome.credits[match.meeting.get_opponent(2) or 0].cause is ResultCause.WALK_OVER


def test_a_sending_and_a_hold(event: Event) -> None:
    shown = seen_by_all(event)
    outcomes = at_once(
        lambda: send_previewed_pairs(fresh(event), shown, by=SYSTEM_ACTOR),
        lambda: hold_entrant(event.entrants.get(number=2), by=SYSTEM_ACTOR, reason="eats"),
    )
    assert outcomes[1] == "done"
    sent = Pairing.objects.filter(stage__draw__commitment__event=event)
    if outcomes[0] == "done":
        assert Hold.objects.get().at >= sent.latest("pk").at and games_of(event, 2) == 1
    else:
        assert "The pairings have changed since you looked" in outcomes[0] and not sent.exists()
