"""Any action that makes a match ready also opens its score card, so that staff see everybody who plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from django.utils import timezone

from pairing.desk.services.pairings import PairsToSend
from pairing.desk.services.sending import call_match_to_table
from pairing.draws.results import ResultCause
from pairing.models import Match
from pairing.results.services.corrections import bring_back_entrant, undo_result
from pairing.results.services.results import MatchDecision, decide_match, remove_entrant
from pairing.stages.services.stages import open_next_stage
from scoring.models import Card
from scoring.posting.selectors.card_list import load_desk_cards
from tests.kit import fresh
from tests.pairing.helpers.events import send_pairs
from tests.pairing.helpers.stages import staged
from tests.scoring.helpers.playing import an_event_in_play
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import EntrantFact, Event

pytestmark = pytest.mark.django_db

FOUR = ("Ada", "Alan", "Grace", "Kurt")


def on_the_list(event: Event) -> list[str]:
    cards = load_desk_cards(fresh(event), "open", timezone.now())
    return sorted(card.state.card.match.ident for card in cards)


def decide(event: Event, ident: str, number: int) -> Match:
    match = Match.objects.select_related("event__tournament").get(event=event, ident=ident)
    winner = event.entrants.get(number=number)
    decide_match(MatchDecision(match=match, winner=winner, cause=ResultCause.PLAYED, reason="paper"), by=SYSTEM_ACTOR)
    return match


def both_by_the_desk(event: Event) -> None:
    decide(event, "R1M1", 1)
    decide(event, "R1M2", 3)


def one_withdraws(event: Event) -> None:
    decide(event, "R1M1", 1)
    leaving = event.entrants.select_related("event__tournament").get(number=4)
    remove_entrant(leaving, EntrantFact.Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="taken ill")


def one_withdraws_and_is_back(event: Event) -> None:
    one_withdraws(event)
    leaving = event.entrants.select_related("event__tournament").get(number=4)
    bring_back_entrant(leaving, by=SYSTEM_ACTOR, reason="better again")


def a_result_is_undone(event: Event) -> None:
    match = decide(event, "R1M1", 1)
    undo_result(match, by=SYSTEM_ACTOR, reason="the wrong match")


def a_card_that_is_missing_is_called(event: Event) -> None:
    Card.objects.filter(match__ident="R1M1").delete()
    match = Match.objects.select_related("event__tournament").get(event=event, ident="R1M1")
    call_match_to_table(match, 5, by=SYSTEM_ACTOR)


@pytest.mark.parametrize(
    ("act", "idents"),
    [
        (both_by_the_desk, ["R2M1"]),
        (one_withdraws, ["R2M1"]),
        (one_withdraws_and_is_back, ["R1M2"]),
        (a_result_is_undone, ["R1M1", "R1M2"]),
        (a_card_that_is_missing_is_called, ["R1M1", "R1M2"]),
    ],
)
def test_everybody_who_plays_is_on_the_list(act: Callable[[Event], None], idents: Sequence[str]) -> None:
    event = an_event_in_play(FOUR)
    act(event)
    assert on_the_list(event) == idents


def test_the_matches_of_the_next_stage_are_on_the_list() -> None:
    event = staged(4, {"kind": "fixed", "games": 1}, {"kind": "single-elimination", "seeded": True})
    send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4))), by=SYSTEM_ACTOR)
    decide(event, "G1", 1)
    decide(event, "G2", 3)
    open_next_stage(event, by=SYSTEM_ACTOR)
    matches = Match.objects.filter(event=event, stage__number=2, round=1)
    assert on_the_list(event) == sorted(matches.values_list("ident", flat=True))
