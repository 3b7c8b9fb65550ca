from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import NoReverseMatch
from django.utils import timezone

from tests.factories import a_director
from tests.kit import client_as, event_url
from tests.prebuilt import prebuilt
from tests.tournament.helpers.money import SPONSOR, a_cashier
from tests.tournament.helpers.side_pools import SENIOR, a_charged_event
from tournament.core.permissions import SYSTEM_ACTOR, Actor
from tournament.models import CardEvent, CardPayment, Event, Finish
from tournament.money.services.drawers_and_close import (
    EndOfDayCount,
    close_day,
    close_drawer,
    move_cash_to_or_from_outside,
    open_drawer,
    record_day_count,
)
from tournament.money.services.fees_and_refunds import take_payment
from tournament.money.services.ledger import record_event_money
from tournament.money.services.payouts import pay_prize, set_tax_form_threshold
from tournament.money.services.side_pools import (
    EventExtraTerms,
    add_event_extra,
    add_side_pool,
    join_side_pool,
    sell_event_extra,
)
from tournament.money.services.transfers_and_cards import record_transfers
from tournament.setup.services.tournaments import change_tournament
from tournament.spreadsheets.bank_statements import BankStatementLine
from tournament.urls import CONSOLE_URLS

pytestmark = pytest.mark.django_db

NO_LIST = {"desk_movement": "one receipt", "desk_prize_preview": "what places would be worth"}


@pytest.fixture
@prebuilt
def event() -> Event:
    """Return a finished event whose lists of money all have at least one row."""
    event = a_charged_event()
    tournament, director, cashier = event.tournament, a_director(event.tournament), a_cashier(event)
    change_tournament(
        tournament, {"providers": ["desk", "transfer", "card"], "bank_account": "12-345"}, by=SYSTEM_ACTOR
    )
    entrants = list(event.entrants.select_related("event__tournament").order_by("number"))
    join_side_pool(add_side_pool(event, SENIOR, by=SYSTEM_ACTOR), entrants[0], by=SYSTEM_ACTOR, key="")
    sell_event_extra(
        add_event_extra(event, EventExtraTerms("Dinner", 35_00), by=SYSTEM_ACTOR),
        entrants[0],
        1,
        by=SYSTEM_ACTOR,
        key="",
    )
    for entrant in entrants:
        take_payment(entrant, 100_00, "cash", by=director, key=f"p{entrant.number}")
    record_event_money(event, "added", SPONSOR, by=director, key="")
    record_transfers(tournament, [BankStatementLine("Nov 21", 5_00, "Emmy", "no reference")], by=SYSTEM_ACTOR)
    _told_by_card(event)
    _drawer_and_close(event, cashier, director)
    event = Event.objects.get(pk=event.pk)
    Finish.objects.create(event=event, places=[[1], [2], [3], [4]], by_name="test")
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    set_tax_form_threshold(tournament, 1_00, by=SYSTEM_ACTOR)
    return Event.objects.get(pk=event.pk)


def _told_by_card(event: Event) -> None:
    """Store a card provider's message about a known payment, and one about an unknown payment."""
    payment = CardPayment.objects.create(
        event=event, entrant=event.entrants.get(number=2), cents=35_00, ident="pay_1", by_name="test"
    )
    shared = {"at": timezone.now(), "payload": {}, "currency": "USD", "state": CardEvent.State.WAITING}
    CardEvent.objects.create(ident="evt_1", kind="payment.succeeded", cents=35_00, payment=payment, **shared)
    CardEvent.objects.create(ident="evt_2", kind="payment.refunded", cents=1_50, **shared)


def _drawer_and_close(event: Event, cashier: Actor, director: Actor) -> None:
    drawer = open_drawer(event.tournament, 50_00, by=cashier, key="", brought=True)
    close_drawer(drawer, {20_00: 2}, by=cashier, key="", reason="a roll is missing")
    move_cash_to_or_from_outside(event.tournament, 40_00, to_bank=True, by=director, key="")
    day = event.movements.first().day
    count = record_day_count(event.tournament, day, EndOfDayCount({100_00: 4}, {"check": 100_00}), by=cashier, key="")
    close_day(count, by=director)


def pages(event: Event) -> Iterator[tuple[str, str]]:
    for pattern in CONSOLE_URLS:
        if pattern.callback.__module__.startswith("tournament.money.console"):
            try:
                yield pattern.name, event_url(f"tournament:{pattern.name}", event)
            except NoReverseMatch:
                if "<int:number>" in str(pattern.pattern):
                    yield pattern.name, event_url(f"tournament:{pattern.name}", event, number=1)


def files_of(address: str, shown: str) -> list[str]:
    found = re.findall(r'href="([^"]*(?:_export=|\.)(?:csv|xlsx)/?)"', shown)
    return [one if one.startswith("/") else address.partition("?")[0] + one for one in map(html.unescape, found)]


def read(client: Client, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(address).content.decode("utf-8-sig"))))


def test_every_money_page_with_a_table_exports_its_rows(event: Event) -> None:
    pay_prize(event.entrants.select_related("event__tournament").get(number=1), "cash", by=SYSTEM_ACTOR)
    client, walked = client_as("director", event), set()
    for name, address in pages(event):
        answer = client.get(address)
        if name in NO_LIST or "text/html" not in answer["Content-Type"] or b"<table" not in answer.content:
            continue
        walked.add(name)
        files = files_of(address, answer.content.decode())
        assert {one.strip("/")[-3:] for one in files} == {"csv", "lsx"}, name
        for one in files:
            given = client.get(one)
            assert ("csv" in one) == given["Content-Type"].startswith("text/csv"), one
            if "csv" in one:
                assert read(client, one), one
    assert {"desk_expenses", "desk_side_pools", "desk_extras"} <= walked
    assert {"desk_drawers", "desk_card_payments", "desk_transfers", "desk_close", "desk_money", "desk_prizes"} <= walked


def test_the_files_contain_cash_moves_counts_and_card_messages(event: Event) -> None:
    client = client_as("director", event)

    def listed(name: str) -> list[dict[str, str]]:
        return read(client, event_url("tournament:desk_money_list", event, listed=name, kind="csv"))

    moved = [(row["What"], row["Amount"], row["From"], row["To"]) for row in listed("cash-moved")]
    assert moved == [
        ("Change brought", "50.00", "Outside", "The safe"),
        ("Transfer", "50.00", "The safe", "Drawer 1"),
        ("Short", "10.00", "Drawer 1", ""),
        ("Transfer", "40.00", "Drawer 1", "The safe"),
        ("Taken to the bank", "40.00", "The safe", "The bank"),
    ]
    (drawer,) = listed("closed-drawers")
    counted = [drawer[name] for name in ("Ledger", "Counted", "Difference", "Reason", "Handed over to")]
    assert counted == ["50.00", "40.00", "-10.00", "a roll is missing", "The safe"]
    cards = [(row["Name"], row["What"], row["Reference"], row["Amount"]) for row in listed("card-payments")]
    assert cards == [("Player 2", "Payment", "pay_1", "35.00"), ("", "Refund", "evt_2", "1.50")]
