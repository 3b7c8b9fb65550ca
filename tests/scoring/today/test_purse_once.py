"""A page loads an event's accounts only once, and all amounts on the page come from them."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pairing.results.selectors.effects import load_snapshot
from pairing.results.services.finish import finish_event, reopen_event
from tests.kit import client_as, event_url, fresh
from tests.pairing.helpers.events import win
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import an_event_in_play
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Event
from tournament.money.services import fees_and_refunds
from tournament.money.services.payouts import pay_prize

pytestmark = pytest.mark.django_db

OF_ACCOUNTS = ' AS "entry_state"'


@prebuilt
def a_paid_event() -> Event:
    """Return a finished event in which two entrants have paid and played, and the winner has the prize."""
    event = an_event_in_play()
    Event.objects.filter(pk=event.pk).update(fee_cents=100_00)
    with writing(fresh(event), verb="test.charged", by=SYSTEM_ACTOR) as write:
        for entrant in fresh(event).entrants.select_related("event__tournament"):
            fees_and_refunds.charge_fee(write, entrant)
    for entrant in fresh(event).entrants.select_related("event__tournament"):
        fees_and_refunds.take_payment(entrant, 100_00, "cash", by=SYSTEM_ACTOR, key="")
    win(event, "R1M1")
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    pay_prize(fresh(event).entrants.select_related("event__tournament").get(number=1), "cash", by=SYSTEM_ACTOR)
    return fresh(event)


def accounts_read(event: Event, page: str) -> int:
    client = client_as("director", event)
    address = event_url(page, event)
    with CaptureQueriesContext(connection) as asked:
        assert client.get(address).status_code == 200
    return sum(OF_ACCOUNTS in query["sql"] for query in asked)


@pytest.mark.parametrize(
    "page", ["tournament:prizes", "tournament:desk_prizes", "tournament:desk_checkin", "scoring:desk_today"]
)
def test_a_page_of_a_finished_event_reads_its_accounts_once(page: str) -> None:
    assert accounts_read(a_paid_event(), page) == 1


def test_the_page_before_the_finish_reads_them_once_though_prizes_are_out() -> None:
    event = a_paid_event()
    reopen_event(event, by=SYSTEM_ACTOR, reason="a result was wrong")
    assert accounts_read(fresh(event), "pairing:desk_finish") == 1


def test_what_a_corrected_result_would_change_is_read_with_one_purse() -> None:
    event = a_paid_event()
    with CaptureQueriesContext(connection) as asked:
        load_snapshot(event)
    assert sum(OF_ACCOUNTS in query["sql"] for query in asked) == 1
