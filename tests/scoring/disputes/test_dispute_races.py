"""If two people open or close a dispute at the same time, only one of them succeeds."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.disputes.services.disputes import DisputeFindings, NewDispute, drop_dispute, open_dispute
from scoring.models import Dispute, DisputeDropped, Ruling
from tests.races import codes_of
from tests.scoring.helpers.disputes import ruled
from tests.scoring.helpers.playing import an_event_in_play, the_card
from tournament.core.permissions import make_player_actor

pytestmark = [pytest.mark.race, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def card() -> Any:
    return the_card(an_event_in_play())


def test_both_players_call_about_the_same_at_once(card: Any) -> None:
    opening = NewDispute(card=card, findings=DisputeFindings(kind="drew-two", hand=1, facts={"by": "A"}))
    acts = [lambda who=who: open_dispute(card.match.event, opening, by=make_player_actor(who)) for who in card.entrants]
    assert codes_of(*acts) == ["called-already", "done"]
    assert Dispute.objects.count() == 1


def test_one_player_calls_from_two_tabs_at_once(card: Any) -> None:
    by = make_player_actor(card.entrants[0])
    openings = [
        NewDispute(card=card, findings=DisputeFindings(kind=kind, facts={"by": "A"}))
        for kind in ("drew-two", "conduct")
    ]
    acts = [lambda one=one: open_dispute(card.match.event, one, by=by) for one in openings]
    assert codes_of(*acts) == ["called-already", "done"]


def test_taken_back_while_it_is_ruled(card: Any) -> None:
    by = make_player_actor(card.entrants[0])
    found = DisputeFindings(kind="touched-pile", facts={"by": "A"})
    dispute = open_dispute(card.match.event, NewDispute(card=card, findings=found), by=by)
    outcomes = codes_of(lambda: ruled(dispute), lambda: drop_dispute(dispute, by=by, reason=""))
    assert outcomes in (["done", "dropped"], ["done", "ruled-already"])
    assert Ruling.objects.count() + DisputeDropped.objects.count() == 1
