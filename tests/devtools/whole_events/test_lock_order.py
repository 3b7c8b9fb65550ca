"""A write to the whole tournament waits for a write to one of its events, without any deadlock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final

import pytest
from django.db import connection, transaction

from scoring.models import Card
from tests.factories import a_director
from tests.races import thread_of
from tests.scoring.helpers.disputes import called, ruled
from tests.scoring.helpers.playing import an_event_in_play, play_out, sign_both, the_card
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import lock_event
from tournament.models import AuditEntry, Member, Tournament
from tournament.money.services.fees_and_refunds import take_payment
from tournament.registration.services.people import correct_player, merge_players
from tournament.setup.services.tournaments import change_tournament, remove_tournament

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

PATIENCE: Final = 20.0


def pay(card: Card) -> None:
    take_payment(card.entrants[0], 500, "cash", by=SYSTEM_ACTOR, key="one")


def seal(card: Card) -> None:
    sign_both(card)


def rule(card: Card) -> None:
    ruled(called(card, "touched-pile", by="A"))


def correct(card: Card) -> None:
    player = card.entrants[0].members.get().player
    correct_player(card.match.event, player, {"phone": "555 0100"}, by=SYSTEM_ACTOR)


def rename(card: Card) -> None:
    tournament = card.match.event.tournament
    change_tournament(tournament, {"name": "Another Classic"}, by=a_director(tournament))


def merge(card: Card) -> None:
    event = card.match.event
    one, other = (Member.objects.get(entrant__event=event, entrant__number=number).player for number in (1, 3))
    merge_players(event.tournament, one, other, by=SYSTEM_ACTOR, reason="typed twice")


@pytest.mark.parametrize("of_tournament", [rename, merge])
@pytest.mark.parametrize("of_event", [pay, seal, rule, correct])
def test_a_write_of_the_tournament_waits_for_a_write_of_an_event(
    of_event: Callable[[Card], None], of_tournament: Callable[[Card], None]
) -> None:
    card = the_card(an_event_in_play(("Ada", "Alan", "Bea", "Bob")))
    play_out(card)
    before = AuditEntry.objects.count()
    with transaction.atomic():
        lock_event(card.match.event)
        other = thread_of(lambda: of_tournament(card))
        wait_until_blocked(other)
        of_event(card)
    other.join(PATIENCE)
    assert not other.is_alive() and other.failed is None
    assert AuditEntry.objects.count() >= before + 2


@pytest.mark.parametrize("of_event", [pay, seal, rule, correct])
def test_a_demo_is_removed_once_a_write_of_its_event_is_over(of_event: Callable[[Card], None]) -> None:
    card = the_card(an_event_in_play(("Ada", "Alan", "Bea", "Bob")))
    play_out(card)
    demo = card.match.event.tournament
    Tournament.objects.filter(pk=demo.pk).update(is_demo=True)
    demo.refresh_from_db()
    with transaction.atomic():
        lock_event(card.match.event)
        other = thread_of(lambda: remove_tournament(demo, by=SYSTEM_ACTOR))
        wait_until_blocked(other)
        of_event(card)
    other.join(PATIENCE)
    assert not other.is_alive() and other.failed is None
    assert not Tournament.objects.filter(pk=demo.pk).exists()


def wait_until_blocked(thread: threading.Thread) -> None:
    deadline = time.monotonic() + PATIENCE
    while not _is_blocked():
        assert thread.is_alive() and time.monotonic() < deadline
        time.sleep(0.02)


def _is_blocked() -> Any:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return cursor.fetchone()[0]
