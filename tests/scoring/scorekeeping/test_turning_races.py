"""If two members of staff enter the same round, it is recorded once, and the second one gets an error message."""

from __future__ import annotations

import pytest

from pairing.models import Seating
from scoring.models import SheetLine
from scoring.scorekeeping.services import RoundReport, post_cards_signed_on_paper, post_round, start_next_whist_game
from tests.kit import fresh
from tests.races import codes_of
from tests.scoring.helpers.turning import an_event_in_play, gin
from tests.scoring.helpers.whist import a_whist_event, cuts, enter, enter_all, play_whist, the_hall
from tournament.core.permissions import SYSTEM_ACTOR

pytestmark = [pytest.mark.race, pytest.mark.django_db(transaction=True)]


def test_two_desks_post_the_same_round() -> None:
    event = an_event_in_play()
    reports = [RoundReport(number=1, results={1: gin("A", count), 2: gin("B", 3)}) for count in (10, 20)]
    outcomes = codes_of(*[lambda sent=sent: post_round(fresh(event), sent, by=SYSTEM_ACTOR) for sent in reports])
    assert outcomes == ["done", "round-taken"]
    assert (SheetLine.objects.count(), Seating.objects.count()) == (1, 2)


def test_one_desk_sends_a_round_twice() -> None:
    event = an_event_in_play()
    sent = RoundReport(number=1, results={1: gin("A", 10), 2: gin("B", 3)}, key="once")
    assert codes_of(*[lambda: post_round(fresh(event), sent, by=SYSTEM_ACTOR)] * 2) == ["done", "done"]
    assert (SheetLine.objects.count(), Seating.objects.count()) == (1, 2)


def test_two_desks_enter_the_same_table() -> None:
    event = a_whist_event()
    outcomes = codes_of(*[lambda last=last: enter(event, 1, (7, 7, 7, last)) for last in (7, 8)])
    assert outcomes == ["done", "reason-needed"]
    assert SheetLine.objects.count() == 16


def test_two_desks_move_at_once() -> None:
    event = a_whist_event()
    enter_all(event, (8, 8, 8, 8))
    sent = cuts(the_hall(event))
    assert codes_of(*[lambda: start_next_whist_game(fresh(event), sent, by=SYSTEM_ACTOR)] * 2) == [
        "done",
        "not-entered",
    ]
    assert Seating.objects.count() == 2


def test_two_desks_post_all_cards_at_once() -> None:
    event = a_whist_event()
    play_whist(event)
    assert codes_of(*[lambda: post_cards_signed_on_paper(fresh(event), "desk", by=SYSTEM_ACTOR)] * 2) == [
        "done",
        "none-to-sign",
    ]
