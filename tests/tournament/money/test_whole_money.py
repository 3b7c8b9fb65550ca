from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import Any

import pytest
import time_machine

from tests.factories import an_event
from tests.kit import client_as, event_url, get_page
from tests.prebuilt import prebuilt
from tests.tournament.helpers.closes import EVENING, a_day_of_two_events
from tests.tournament.helpers.money import SPONSOR, TRAYS, charged, paid
from tests.tournament.helpers.side_pools import SENIOR
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Entrant, Event
from tournament.money.selectors.drawers_and_close import sum_cents_in_safe
from tournament.money.selectors.finances import Ledger, load_account_balances, load_expenses, load_tournament_finances
from tournament.money.selectors.ledger import load_event_accounts, sum_money_on_hand_by_method
from tournament.money.selectors.prizes import load_prizes
from tournament.money.services.drawers_and_close import open_drawer
from tournament.money.services.fees_and_refunds import take_payment
from tournament.money.services.ledger import record_event_money
from tournament.money.services.side_pools import add_side_pool, join_side_pool
from tournament.templatetags.gin import money

pytestmark = pytest.mark.django_db


@prebuilt
def a_busy_day() -> tuple[Event, Event]:
    """Return two events that have added money, expenses, a side pool, an unpaid fee, and an open drawer."""
    event, ann, _director = a_day_of_two_events()
    other = event.tournament.events.exclude(pk=event.pk).get()
    record_event_money(event, "expense", TRAYS, by=SYSTEM_ACTOR, key="")
    record_event_money(other, "added", SPONSOR, by=SYSTEM_ACTOR, key="")
    open_drawer(event.tournament, 50_00, by=ann, key="", brought=True)
    take_payment(charged(other), 120_00, "card", by=ann, key="")
    charged(event)
    pool = add_side_pool(other, SENIOR, by=SYSTEM_ACTOR)
    inside = Entrant.objects.select_related("event__tournament").get(pk=paid(other, 320_00).pk)
    join_side_pool(pool, inside, by=SYSTEM_ACTOR)
    an_event(event.tournament, state=Event.State.DRAFT)
    return event, other


def rows_of(event: Event, listed: str) -> list[dict[str, str]]:
    url = f"{event_url('tournament:desk_whole_money', event)}?list={listed}&_export=csv"
    content: Any = client_as("director", event).get(url).content
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


@time_machine.travel(EVENING, tick=False)
def test_each_line_matches_the_pages_of_its_event_and_the_last_is_the_total() -> None:
    events = a_busy_day()
    whole = load_tournament_finances(events[0].tournament)
    assert [event for event, _figures in whole.events] == list(events)
    for event, figures in whole.events:
        expenses, prizes, books = load_expenses(event), load_prizes(event), load_event_accounts(event)
        assert figures["collected"] == books.total.collected_cents
        assert (figures["pool"], figures["left"]) == (prizes.pool.pool_cents, expenses.left_cents)
        assert (figures["owed_by"], figures["to_pay"]) == (books.total.due_cents, prizes.to_pay_cents)
        assert figures["collected"] + figures["added"] + figures["subsidy"] == figures["pool"] + figures["expenses"]
        came_in = figures["collected"] + figures["side"] + figures["added"]
        assert came_in - figures["spent"] == sum(sum_money_on_hand_by_method(event).values())
    accounts = dict(load_account_balances(Ledger(events[0].tournament)))
    assert whole.total["spent"] == accounts["Expenses:Costs:Trays"]
    assert whole.total["side"] == SENIOR.fee_cents
    assert whole.total["added"] == -accounts["Income:Added"]


@time_machine.travel(EVENING, tick=False)
def test_days_and_drawers_add_up_to_the_money_on_hand() -> None:
    event, _other = a_busy_day()
    whole = load_tournament_finances(event.tournament)
    for parts in (whole.sums_by_day, whole.sums_by_location):
        together = {one: sum(sums.get(one, 0) for _key, sums in parts) for one in whole.methods}
        assert together == {one: whole.cents_on_hand[one] for one in whole.methods}
    (safe, in_it), (drawer, in_drawer) = whole.sums_by_location
    assert (safe, drawer and drawer.name) == (None, "Drawer 1")
    assert {method: cents for method, cents in in_it.items() if cents} == sum_cents_in_safe(event.tournament)
    assert in_drawer == {"cash": 50_00, "card": 120_00}


@time_machine.travel(EVENING, tick=False)
def test_page_and_files_have_the_same_figures() -> None:
    event, _other = a_busy_day()
    whole, currency = load_tournament_finances(event.tournament), event.tournament.currency
    shown = get_page(event_url("tournament:desk_whole_money", event), client_as("director", event))
    for cents in (whole.total["collected"], whole.total["pool"], whole.total["left"], whole.total["owed_by"]):
        assert money(cents, currency) in shown
    *lines, last = rows_of(event, "events")
    for name, text in last.items():
        if name != "Event":
            assert sum(Decimal(line[name]) for line in lines) == Decimal(text), name
    assert Decimal(last["Prize pool"]) * 100 == whole.total["pool"]
    assert sum(Decimal(row["Amount"]) for row in rows_of(event, "days")) * 100 == sum(whole.cents_on_hand.values())


def test_before_an_event_is_open_the_page_explains_itself() -> None:
    event = an_event(state=Event.State.DRAFT)
    assert "will be here" in get_page(event_url("tournament:desk_whole_money", event), client_as("director", event))
    Event.objects.filter(pk=event.pk).update(state=Event.State.OPEN)
    paid(event)
    assert "Nothing is open" in get_page(event_url("tournament:desk_whole_money", event), client_as("director", event))
