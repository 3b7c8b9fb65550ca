from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpResponse

from tests.factories import an_event
from tests.kit import client_as, event_url
from tests.prebuilt import prebuilt
from tournament.models import Event

pytestmark = pytest.mark.django_db

TURNED = {"name": "A", "slug": "a", "opens_at": "2026-10-02T09:00", "closes_at": "2026-10-01T09:00"}
MONEY = {"fee_cents": "40.00", "early_fee_cents": "", "early_until": "", "discounts_from": "expenses"}


@prebuilt
def a_draft(**fields: Any) -> Event:
    return an_event(**{"state": Event.State.DRAFT, **fields})


def send(event: Event, step: str, data: dict[str, Any]) -> HttpResponse:
    client = client_as("director", event)
    return client.post(event_url("tournament:event_setup", event, step=step), data)  # type: ignore[return-value]


def test_next_saves_only_this_step() -> None:
    event = a_draft(approvals=["director"], capacity=12)
    text = send(event, "money", {**MONEY, "next": "1"})
    assert text["Location"] == event_url("tournament:event_setup", event, step="prizes")
    event.refresh_from_db()
    assert (event.fee_cents, event.approvals, event.capacity) == (40_00, ["director"], 12)


def test_the_last_step_leads_to_today() -> None:
    event = a_draft()
    facts = {"prize_percent": "82", "prize_scale": "60, 40", "added_cents": "0", "unit_cents": "1.00"}
    text = send(event, "prizes", {**facts, "next": "1"})
    assert text["Location"] == event_url("tournament:desk_event", event)


@pytest.mark.parametrize(
    ("step", "wrong", "field"),
    [
        ("money", {**MONEY, "early_fee_cents": "50", "early_until": "2026-10-01"}, "early_fee_cents"),
        ("prizes", {"prize_percent": "120", "prize_scale": "100", "unit_cents": "1"}, "prize_percent"),
        ("prizes", {"prize_percent": "82", "prize_scale": "60, 30", "unit_cents": "1"}, "prize_scale"),
        ("what", TURNED, "closes_at"),
    ],
)
def test_an_error_stands_beside_its_field_and_at_the_top(step: str, wrong: dict[str, str], field: str) -> None:
    event = a_draft()
    text = send(event, step, {**wrong, "next": "1"})
    assert text.status_code == 422
    page = text.content.decode()
    summary = page.split("error-summary-title")[-1].split("</ul>")[0]
    assert f' href="#id_{field}">' in summary and f'id="error_1_id_{field}"' in page


@pytest.mark.parametrize(("key", "page"), [("later", "tournament:desk_event"), ("back", "who")])
def test_a_step_with_errors_can_be_left(key: str, page: str) -> None:
    event = a_draft(fee_cents=10_00)
    text = send(event, "money", {**MONEY, "fee_cents": "lots", key: "1"})
    assert text["Location"] == (
        event_url("tournament:event_setup", event, step=page) if key == "back" else event_url(page, event)
    )
    event.refresh_from_db()
    assert event.fee_cents == 10_00


def test_after_the_draw_money_needs_a_reason() -> None:
    event = a_draft(state=Event.State.DRAWN)
    assert send(event, "money", {**MONEY, "next": "1"}).status_code == 422
    text = send(event, "money", {**MONEY, "reason": "The hall gave some back", "next": "1"})
    assert text["Location"].endswith(f"/{event.slug}/setup/")
