"""`verify_event` reports changes made directly in the database to money, stages, and games that ended early."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from django.db.models import F

from pairing.models import Seating, Stage
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.closing import close_abandoned_game
from scoring.models import CardClosed
from scoring.seals.selectors.log import load_logged_digests
from tests.devtools.whole_events.kinds import KINDS, WAYS, play, start
from tests.factories import a_director
from tests.scoring.helpers.playing import an_event_in_play, gin, the_card
from tests.scoring.helpers.playing import play as play_hands
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Event, Finish, LedgerLine, PaidOut
from tournament.money.services.payouts import pay_prize

pytestmark = pytest.mark.django_db


def bad(event: Event) -> list[str]:
    """Return the failed checks of an event, except for the draw, which these tests do not seal."""
    return [f"{c.subject}: {c.finding}" for c in verify_event(event) if not c.passed and c.subject != "draw order"]


def in_vain(event: Event, rows: Any, **changes: Any) -> list[str]:
    """Change these rows, return the failed checks of the event, and undo the change."""
    with transaction.atomic():
        assert rows.update(**changes)
        found = bad(event)
        transaction.set_rollback(True)
    return found


def without(event: Event, row: Any) -> list[str]:
    with transaction.atomic():
        row.delete()
        found = bad(event)
        transaction.set_rollback(True)
    return found


def test_money_the_finish_and_stages() -> None:
    event = play(KINDS["fixed games"], "gra-singles", {"on_paper": WAYS["paper_entered"]})
    winner = event.entrants.get(number=Finish.objects.get(event=event).places[0][0])
    paid = pay_prize(winner, "cash", by=SYSTEM_ACTOR)
    assert bad(event) == []
    lines = LedgerLine.objects.filter(event=event)
    found = in_vain(event, lines, cents=F("cents") + 1_00)
    assert all(any(each.startswith(f"line {line.pk} of the ledger: It is not") for each in found) for line in lines)
    other = event.entrants.exclude(pk=winner.pk).first()
    assert any(
        "of the ledger: It is not" in each for each in in_vain(event, lines.filter(kind="payment"), method="card")
    )
    assert f"payout {paid.pk}" in " ".join(in_vain(event, PaidOut.objects.filter(pk=paid.pk), entrant=other))
    finish = Finish.objects.get(event=event)
    found = in_vain(event, Finish.objects.filter(pk=finish.pk), places=[*reversed(finish.places)])
    assert any(each.startswith(f"finish {finish.pk} of the event: It is not") for each in found)
    stage = Stage.objects.get(draw__commitment__event=event, number=1)
    found = in_vain(event, Stage.objects.filter(pk=stage.pk), by_name="Nobody")
    assert any(each.startswith(f"stage 1, {stage.name}: It is not") for each in found)
    assert any("names a line of the ledger, and it is missing" in each for each in without(event, lines.last()))
    assert any("names a payout, and it is missing" in each for each in without(event, paid))
    assert any("names a finish, and it is missing" in each for each in without(event, finish))
    assert bad(event) == []


def test_a_seating() -> None:
    event = start(KINDS["rounds at tables"], "fort-worth")
    assert bad(event) == []
    seating = Seating.objects.get(stage__draw__commitment__event=event)
    found = in_vain(event, Seating.objects.filter(pk=seating.pk), by_name="Nobody")
    assert any(each.startswith("the table assignments of round 1: It is not") for each in found)


def test_how_a_game_was_closed() -> None:
    event = an_event_in_play()
    card = the_card(event)
    play_hands(card, gin("A", 5))
    close_abandoned_game(card, "B", gives_up=True, by=a_director(event.tournament), reason="went home")
    assert load_card_state_by_pk(card.pk).score.is_closed
    assert bad(event) == []
    found = in_vain(event, CardClosed.objects.filter(card=card), reason="fell ill")
    assert any("how the game was closed: It is not what row" in each for each in found)


def test_of_one_card_the_rows_are_read_that_name_it_and_of_older_ones_those_that_may() -> None:
    """A log entry lists its cards in `on_cards`. Older entries have no such list, and may be about any card."""
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    card, other = the_card(event), the_card(event, "R1M2").pk
    rows: list[tuple[bool, dict[str, Any]]] = [
        (True, {"on_cards": {str(card.pk): True, str(other): True}}),
        (False, {"on_cards": {str(other): True}}),
        (False, {"on_cards": {str(other): True}, "card": card.pk}),
        (True, {"card": card.pk}),
        (False, {"card": other}),
        (True, {"card": other, "cards": [card.pk, other]}),
        (True, {}),
    ]
    for number, (_read, data) in enumerate(rows):
        with writing(event, verb="made.up", by=SYSTEM_ACTOR) as write:
            write.about(event, results=[{"pk": -number, "digest": ""}], **data)
    found = load_logged_digests(event, card).get_rows("results")
    assert [-number in found for number in range(len(rows))] == [read for read, _data in rows]
