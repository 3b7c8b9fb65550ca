"""Submitting the same form twice records it once. Going back and changing the form makes it a new request."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.factories import a_director, an_entrant, an_event
from tests.kit import event_url
from tournament.models import Entrant, LedgerLine
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.services.fees_and_refunds import refund_entry, take_payment

pytestmark = pytest.mark.django_db


def test_a_spouse_entered_by_the_back_button_has_their_own_entry(client: Client) -> None:
    event = an_event()
    url = event_url("tournament:register", event)
    him = {"name": "Ada Husband", "email": "both@example.org", "consent": "on", "key": "k"}
    first = client.post(url, him)
    assert client.post(url, him).headers["Location"] == first.headers["Location"]
    second = client.post(url, him | {"name": "Ada Wife"})
    assert second.headers["Location"] != first.headers["Location"]
    assert list(event.entrants.values_list("name", flat=True)) == ["Ada Husband", "Ada Wife"]


def test_a_known_key_does_not_open_another_page(client: Client) -> None:
    event = an_event()
    url = event_url("tournament:register", event)
    client.post(url, {"name": "Ada", "email": "ada@example.org", "consent": "on", "key": "seen"})
    other = Client().post(url, {"name": "Eve", "email": "eve@example.org", "consent": "on", "key": "seen"})
    assert Entrant.objects.get(name="Ada").token not in other.headers["Location"]


def test_another_amount_or_entry_is_a_new_request() -> None:
    event = an_event()
    by, one, other = a_director(event.tournament), an_entrant(event), an_entrant(event)
    for _ in range(2):
        take_payment(one, 10000, "cash", by=by, key="k")
        take_payment(one, 20000, "cash", by=by, key="k")
        take_payment(other, 10000, "cash", by=by, key="k")
        refund_entry(one, 500, "cash", by=by, key="k", reason="too much")
        refund_entry(one, 700, "cash", by=by, key="k", reason="too much")
    assert (load_entry_account(one).net_paid_cents, load_entry_account(other).net_paid_cents) == (28800, 10000)
    assert LedgerLine.objects.count() == 5
