"""The page that finishes an event lists what is still open, and requires a reason to finish anyway."""

from __future__ import annotations

import datetime as dt
import io
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone
from pypdf import PdfReader

from pairing.results.services.finish import finish_event
from scoring.models import CardPosted, DirectorCall
from scoring.today.selectors.card_items import load_card_and_ruling_issues
from tests.kit import client_as, event_url, fresh, refused
from tests.pairing.helpers.events import the_match, win
from tests.scoring.helpers.playing import an_event_in_play, gin, play, play_out, post, sign, the_card
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.errors import Conflict, ReasonRequired
from tournament.models import AuditEntry, Entrant, Event
from tournament.money.pdf.receipts import write_receipt
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.selectors.prizes import load_money_issues
from tournament.money.services import fees_and_refunds
from tournament.money.tags import describe_finish_issue

pytestmark = pytest.mark.django_db


def codes(event: Event) -> list[str]:
    return [point.code for point in load_card_and_ruling_issues(fresh(event))]


def later(minutes: int) -> Any:
    return time_machine.travel(timezone.now() + dt.timedelta(minutes=minutes), tick=False)


def said_of(client: Client, event: Event) -> tuple[int, str]:
    answer = client.get(event_url("pairing:desk_finish", event))
    return answer.status_code, " ".join(answer.content.decode().split())


def test_a_correction_period_that_is_running_is_open_until_the_card_is_final() -> None:
    event = an_event_in_play()
    post(the_card(event))
    point = load_card_and_ruling_issues(fresh(event))[0]
    posted = CardPosted.objects.get().at
    assert (point.code, point.count, point.until) == ("correction-period", 1, posted + dt.timedelta(minutes=30))
    with time_machine.travel(posted + dt.timedelta(minutes=30, seconds=1), tick=False):
        assert codes(event) == []


def test_cards_of_the_same_two_are_named_with_match_and_game() -> None:
    event = an_event_in_play(("Ada", "Alan"), games_to_win=2)
    post(the_card(event))
    assert [who for who, _cents in load_card_and_ruling_issues(fresh(event))[0].who] == ["Ada – Alan"]
    post(the_card(event, game=2))
    named = [who for who, _cents in load_card_and_ruling_issues(fresh(event))[0].who]
    assert named == ["Ada – Alan (R1M1, game 1)", "Ada – Alan (R1M1, game 2)"]


def test_a_card_with_hands_that_is_not_posted_is_open() -> None:
    event = an_event_in_play()
    card = the_card(event)
    play(card, gin("A", 5))
    win(event, "R1M1")
    assert codes(event) == ["not-posted"]


def test_a_complete_card_without_a_signature_is_open() -> None:
    event = an_event_in_play()
    card = the_card(event)
    play_out(card)
    sign(card, event.entrants.select_related("event__tournament").get(number=1))
    win(event, "R1M1")
    assert codes(event) == ["not-posted"]


def test_a_card_without_a_hand_is_not_open_where_its_match_is_decided() -> None:
    event = an_event_in_play()
    the_card(event)
    win(event, "R1M1")
    assert codes(event) == []


def test_a_call_that_nobody_answered_is_open() -> None:
    event = an_event_in_play()
    win(event, "R1M1")
    caller = event.entrants.get(number=1)
    DirectorCall.objects.create(match=the_match(event, "R1M1"), entrant=caller, by_name="x")
    assert [(point.code, point.who) for point in load_card_and_ruling_issues(fresh(event))] == [
        ("calls", ((caller.name, 0),))
    ]


def test_money_to_hand_back_stops_and_money_to_pay_is_only_said() -> None:
    event = an_event_in_play()
    Event.objects.filter(pk=event.pk).update(fee_cents=100_00)
    event = fresh(event)
    one, other = event.entrants.select_related("event__tournament").order_by("number")
    for entrant in (one, other):
        with writing(event, verb="test.charged", by=SYSTEM_ACTOR) as write:
            fees_and_refunds.charge_fee(write, entrant)
    fees_and_refunds.take_payment(one, 130_00, "cash", by=SYSTEM_ACTOR, key="")
    found = load_money_issues(event)
    assert [(point.code, point.stops, point.cents) for point in found] == [
        ("to-hand-back", True, 30_00),
        ("to-pay", False, 100_00),
    ]
    assert [describe_finish_issue(point, event.tournament) for point in found] == [
        f"Money to refund: {one.name} $30.00.",
        f"1 entry still owes $100.00: {other.name} $100.00. Unpaid fees are not in the prize pool.",
    ]


def test_the_page_lists_it_and_asks_for_a_reason() -> None:
    event = an_event_in_play()
    post(the_card(event))
    director, address = client_as("director", event), event_url("pairing:desk_finish", event)
    answer = director.post(address)
    said = answer.content.decode()
    assert (answer.status_code, fresh(event).state) == (422, Event.State.IN_PLAY)
    assert "The correction period of 1 score card is running" in said
    shown = said.split('name="shown" value="')[1].split('"')[0]
    unsaid = director.post(address, {"shown": shown, "reason": " "})
    assert unsaid.status_code == 422
    assert "Some things are still open. Enter the reason to finish anyway." in unsaid.content.decode()
    assert director.post(address, {"shown": shown, "reason": "both have left the hall"}).status_code == 302
    assert fresh(event).state == Event.State.FINISHED
    row = AuditEntry.objects.latest("seq")
    assert (row.verb, row.reason) == ("event.finished", "both have left the hall")
    assert row.data["still_open"] == ["correction-period"]


def test_what_came_up_since_is_shown_first() -> None:
    event = an_event_in_play()
    post(the_card(event))
    director, address = client_as("director", event), event_url("pairing:desk_finish", event)
    shown = director.post(address).content.decode().split('name="shown" value="')[1].split('"')[0]
    caller = event.entrants.get(number=1)
    DirectorCall.objects.create(match=the_match(event, "R1M1"), entrant=caller, by_name="x")
    answer = director.post(address, {"shown": shown, "reason": "late"})
    assert answer.status_code == 422
    assert f"1 call for the director has not been answered: {caller.name}." in answer.content.decode()
    assert fresh(event).state == Event.State.IN_PLAY


def test_where_nothing_is_open_it_is_done_at_once_and_the_page_says_so() -> None:
    event = an_event_in_play()
    post(the_card(event))
    director = client_as("director", event)
    with later(31):
        assert "Nothing is open." in said_of(director, event)[1]
        assert director.post(event_url("pairing:desk_finish", event)).status_code == 302
    assert fresh(event).state == Event.State.FINISHED


def test_an_event_that_is_not_decided_is_not_finished_by_any_reason() -> None:
    event = an_event_in_play()
    director = client_as("director", event)
    assert director.get(event_url("pairing:desk_finish", event)).status_code == 409
    assert director.post(event_url("pairing:desk_finish", event), {"reason": "it is late"}).status_code == 409
    with pytest.raises(Conflict, match="not decided yet"):
        finish_event(fresh(event), by=SYSTEM_ACTOR, reason="it is late", still_open=load_card_and_ruling_issues)


def test_the_service_looks_under_the_lock_where_it_is_told_to() -> None:
    event = an_event_in_play()
    post(the_card(event))
    with pytest.raises(ReasonRequired) as asked:
        finish_event(fresh(event), by=SYSTEM_ACTOR, reason="in a hurry", still_open=load_card_and_ruling_issues)
    assert asked.value.data["warnings"] == ["correction-period"]
    assert fresh(event).state == Event.State.IN_PLAY


def test_a_finished_event_is_not_said_to_be_undecided() -> None:
    event = an_event_in_play()
    win(event, "R1M1")
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    status, said = said_of(client_as("director", event), event)
    assert (status, "The event is finished. Open it again first" in said, "not decided yet" in said) == (
        409,
        True,
        False,
    )


def paid_thirty_too_much() -> Entrant:
    """Create an event in play with two entrants, and return the first one, who paid $30 too much."""
    event = an_event_in_play()
    Event.objects.filter(pk=event.pk).update(fee_cents=100_00)
    entrant: Entrant = fresh(event).entrants.select_related("event__tournament").get(number=1)
    with writing(fresh(event), verb="test.charged", by=SYSTEM_ACTOR) as write:
        fees_and_refunds.charge_fee(write, entrant)
    fees_and_refunds.take_payment(entrant, 130_00, "cash", by=SYSTEM_ACTOR, key="")
    return entrant


def test_today_and_the_receipt_say_what_is_to_be_handed_back_after_the_finish_too() -> None:
    entrant = paid_thirty_too_much()
    event = entrant.event
    win(event, "R1M1")
    for _turn in ("in play", "finished"):
        today = client_as("director", event).get(event_url("scoring:desk_today", event)).content.decode()
        assert f"{entrant.name} paid too much. To refund:" in today and "$30.00" in today
        if event.state != Event.State.FINISHED:
            finish_event(fresh(event), by=SYSTEM_ACTOR)
            event = fresh(event)
    target = io.BytesIO()
    write_receipt(target, entrant, load_entry_account(entrant), list(entrant.ledger.order_by("pk")))
    paper = PdfReader(target).pages[0].extract_text()
    assert "Overpaid: $30.00 to be refunded." in paper and "Paid in full" not in paper


def test_after_the_finish_only_what_was_paid_too_much_is_handed_back() -> None:
    entrant = paid_thirty_too_much()
    event = entrant.event
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    entrant = fresh(event).entrants.select_related("event__tournament").get(number=1)
    with refused("finished"):
        fees_and_refunds.refund_entry(entrant, 30_01, "cash", by=SYSTEM_ACTOR, key="", reason="paid too much")
    assert (
        fees_and_refunds.refund_entry(entrant, 30_00, "cash", by=SYSTEM_ACTOR, key="", reason="paid too much").cents
        == 30_00
    )
    assert load_money_issues(fresh(event)) == []
