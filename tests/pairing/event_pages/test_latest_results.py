"""The latest results, including walkovers, on an event's public page and on the staff page *Today*."""

from __future__ import annotations

import pytest
from django.test import Client

from pairing.desk.services.pairings import PairsToSend
from pairing.draws.results import ResultCause
from pairing.event_pages.pages.now import load_latest_results
from pairing.results.services.results import MatchDecision, decide_match, remove_entrant
from tests.kit import client_as, event_url, fresh
from tests.pairing.helpers.events import send_pairs
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, staged, won
from tests.scoring.helpers.playing import an_event_in_play, post, the_card
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import EntrantFact, Event

pytestmark = pytest.mark.django_db

FOUR = ("Ada", "Alan", "Grace", "Kurt")


def latest(event: Event) -> list[tuple[str, list[tuple[str, str]], str]]:
    """Return the latest results: the match ID, the names with their scores, and a note if no game was played."""
    lines = load_latest_results(fresh(event), lambda ident: ident)
    return [(line["url"], [(side["name"], side["score"]) for side in line["sides"]], line["note"]) for line in lines]


def test_a_walkover_after_a_withdrawal_is_a_result() -> None:
    event = an_event_in_play(FOUR)
    post(the_card(event, "R1M1"), "A")
    leaving = event.entrants.select_related("event__tournament").get(number=4)
    remove_entrant(leaving, EntrantFact.Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="taken ill")
    walkover, played = latest(event)
    assert (walkover[0], played[0]) == ("R1M2", "R1M1")
    assert (walkover[2], played[2]) == ("The opponent gave up or left", "")


def leave(event: Event, number: int) -> None:
    leaving = event.entrants.select_related("event__tournament").get(number=number)
    remove_entrant(leaving, EntrantFact.Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="taken ill")


def test_walkovers_of_a_round_robin_are_results() -> None:
    event = staged(4, {"kind": "round-robin", "groups": 1, "best": 2}, FINALS)
    games = course_of(event).current_stage.matches.items()
    ident, sides = next((ident, game.meeting.sides) for ident, game in games if 4 in game.meeting.sides)
    won(event, ident, 4, next(side for side in sides if side != 4))
    leave(event, 4)
    walkover, other, played = latest(event)
    assert walkover[2] == other[2] == "The opponent gave up or left"
    assert (played[2], {score for _name, score in played[1]}) == ("", {"250", "180"})


def test_a_walkover_of_a_pool_is_among_the_latest_results_on_the_wall() -> None:
    event = staged(4, QUALIFIER, FINALS)
    send_pairs(event, PairsToSend(pairs=((1, 4),), tables=(5,)), by=SYSTEM_ACTOR)
    leave(event, 4)
    page = Client().get(event_url("pairing:wall", event)).content.decode()
    assert "Player 1 beats Player 4" in page[page.index("Latest results") :]


def test_a_decision_of_the_desk_replaces_the_score_of_the_card() -> None:
    event = an_event_in_play(FOUR)
    card = the_card(event, "R1M1")
    post(card, "A")
    assert latest(event)[0][1] == [("Ada", "91"), ("Alan", "0")]
    alan = event.entrants.get(number=2)
    decision = MatchDecision(
        match=card.match, winner=alan, cause=ResultCause.PLAYED, reason="columns", points={1: 40, 2: 91}, override=True
    )
    decide_match(decision, by=SYSTEM_ACTOR)
    assert latest(event)[0][1] == [("Ada", "40"), ("Alan", "91")]
    client = client_as("director", event)
    page = client.get(event_url("scoring:desk_today", event)).content.decode()
    rows = page[page.index("Latest results") :]
    assert "Ada 40" in " ".join(rows.split()) and "Ada 91" not in rows
