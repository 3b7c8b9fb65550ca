from __future__ import annotations

import re

import pytest
from django.urls import reverse

from tests.factories import an_entrant, an_event
from tests.kit import client_as
from tournament.models import Event

pytestmark = pytest.mark.django_db


def _sent(shown: Event, name: str, data: dict[str, str], **place: object) -> str:
    client = client_as("director", shown)
    at = {"tournament": shown.tournament.slug, **place}
    return client.post(reverse(name, kwargs=at), data).content.decode()


def _ways(page: str) -> list[str]:
    summary = page.split("error-summary-title")[-1].split("</ul>")[0]
    return re.findall(r'href="#([^"]+)"', summary)


def _stands_twice(page: str, field: str) -> None:
    assert field in _ways(page)
    assert f'id="{field}"' in page
    assert page.count("invalid-feedback") >= 1


def test_a_new_event_without_a_name() -> None:
    event = an_event()
    _stands_twice(_sent(event, "tournament:new_event", {"name": ""}), "id_name")


def test_an_entry_without_a_name(settings) -> None:
    settings.MAIL_IS_SET = True
    event = an_event(fee_cents=0)
    page = _sent(event, "tournament:register", {"email": "nobody"}, event=event.slug)
    _stands_twice(page, "id_name")
    assert "id_email" in _ways(page)


def test_a_payment_without_an_amount() -> None:
    event = an_event()
    number = an_entrant(event).number
    page = _sent(
        event, "tournament:desk_money", {"act": "payment", "payment-cents": ""}, event=event.slug, number=number
    )
    _stands_twice(page, "id_payment-cents")
    assert page.count("error-summary-title") == 2, "once with its label, of the one form that was sent"
