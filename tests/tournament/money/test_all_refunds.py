from __future__ import annotations

import pytest
import time_machine

from tests.factories import an_event
from tests.kit import client_as, event_url, get_page
from tests.prebuilt import prebuilt
from tests.races import at_once, codes_of
from tests.tournament.helpers.closes import EVENING, FRIDAY, SATURDAY, a_day_of_two_events
from tests.tournament.helpers.money import charged, paid
from tournament.core.permissions import SYSTEM_ACTOR, Actor
from tournament.models import Entrant, Event
from tournament.money.selectors.drawers_and_close import load_day_report
from tournament.money.selectors.ledger import find_posting_faults, load_entry_account, load_event_accounts
from tournament.money.services.drawers_and_close import EndOfDayCount, close_day, record_day_count
from tournament.money.services.fees_and_refunds import cancel_fee, refund_all_entries, refund_entry, take_payment
from tournament.registration.services.entries import withdraw_entrant


@prebuilt
def three_owed(event: Event) -> list[Entrant]:
    """Return three entries whose fees were paid and then canceled, so that each is owed a refund."""
    entrants = [paid(event) for _one in range(3)]
    for entrant in entrants:
        cancel_fee(entrant, by=SYSTEM_ACTOR, reason="called off", key="")
    return entrants


def close_with(hundreds: int, event: Event, ann: Actor, director: Actor) -> None:
    """Close Friday after counting this many hundred-dollar bills and card payments of $300."""
    counted = EndOfDayCount({100_00: hundreds}, {"card": 300_00})
    close_day(record_day_count(event.tournament, FRIDAY, counted, by=ann, key=""), by=director)


@pytest.mark.django_db
class TestOneTransaction:
    def test_after_the_close_a_refund_counts_to_the_next_day(self) -> None:
        with time_machine.travel(EVENING, tick=False):
            event, ann, director = a_day_of_two_events()
            three_owed(event)
            cents = load_event_accounts(event).total.refund_due_cents
            close_with(14, event, ann, director)
            friday = load_day_report(event.tournament, FRIDAY)
            refund_all_entries(event, cents, by=director, reason="called off")
            days = event.ledger.filter(kind="refund").values_list("movement__day", flat=True)
            assert (set(days), load_event_accounts(event).total.refund_due_cents) == ({SATURDAY}, 0)
            assert load_day_report(event.tournament, FRIDAY) == friday

    def test_a_bulk_refund_uses_the_methods_of_payment(self) -> None:
        event = an_event()
        one = charged(event)
        for cents, method in ((100_00, "card"), (250_00, "cash")):
            take_payment(one, cents, method, by=SYSTEM_ACTOR, key="")
        cancel_fee(one, by=SYSTEM_ACTOR, reason="called off", key="")
        assert [
            refund_all_entries(event, 350_00, by=SYSTEM_ACTOR, reason="called off", key="k") for _time in range(2)
        ] == [1, 1]
        assert {line.method: line.cents for line in one.ledger.filter(kind="refund")} == {
            "cash": 250_00,
            "card": 100_00,
        }


@pytest.mark.django_db
def test_payments_lists_withdrawn_entries_with_money_and_refunds_everybody() -> None:
    event = an_event()
    gone, *_others = three_owed(event)
    withdraw_entrant(gone, by=SYSTEM_ACTOR, reason="ill")
    client, url = client_as("director", event), event_url("tournament:desk_payments", event)
    shown = get_page(url, client)
    assert gone.name in shown
    assert "Refund everybody who is owed money: $900.00" in shown
    sent = {"all-key": "k", "all-cents": 900_00, "all-reason": ""}
    assert "This field is required" in client.post(url, sent).content.decode()
    for _time in range(2):
        assert "3 entries are refunded." in client.post(url, sent | {"all-reason": "off"}, follow=True).content.decode()
    assert gone.name not in get_page(url, client)
    refused = client_as("desk", event).post(url, sent | {"all-reason": "off"}).content.decode()
    assert "Only a director of this tournament can do this." in refused


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_a_bulk_refund_refunds_everybody_or_nobody(self) -> None:
        event = an_event()
        one, other = three_owed(event)[:2]
        acts = (
            lambda: refund_all_entries(event, 900_00, by=SYSTEM_ACTOR, reason="called off"),
            lambda: refund_entry(one, 300_00, "cash", by=SYSTEM_ACTOR, key="", reason="left"),
        )
        outcomes = at_once(*acts)
        assert outcomes in (["done", "too-much"], ["changed", "done"])
        assert load_entry_account(one).net_paid_cents == 0
        assert load_entry_account(other).net_paid_cents == (0 if outcomes[0] == "done" else 300_00)
        assert find_posting_faults(event) == []

    def test_two_bulk_refunds_at_once_refund_once(self) -> None:
        event = an_event()
        three_owed(event)
        acts = [
            lambda key=key: refund_all_entries(event, 900_00, by=SYSTEM_ACTOR, reason="called off", key=key)
            for key in ("a", "b")
        ]
        assert codes_of(*acts) == ["changed", "done"]
        assert event.ledger.filter(kind="refund").count() == 3
        assert load_event_accounts(event).total.net_paid_cents == 0
