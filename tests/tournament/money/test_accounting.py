"""Check exported files for accountants with the accounting programs hledger and Beancount, if they are installed."""

from __future__ import annotations

import csv
import io
import subprocess
from collections import Counter
from pathlib import Path

import pytest
import time_machine
from django.urls import reverse

from tests.factories import an_event
from tests.kit import client_as, event_url, get_page
from tests.prebuilt import prebuilt
from tests.tournament.helpers.closes import EVENING, FRIDAY, SATURDAY, a_day_of_two_events
from tests.tournament.helpers.money import SPONSOR, TRAYS, a_day, faults_of, paid
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event, Finish, Movement
from tournament.money.selectors.finances import Ledger, load_account_balances
from tournament.money.selectors.ledger import sum_money_on_hand_by_method
from tournament.money.selectors.prizes import load_prizes
from tournament.money.services.drawers_and_close import (
    EndOfDayCount,
    choose_business_day,
    close_day,
    move_cash_to_or_from_outside,
    record_day_count,
)
from tournament.money.services.fees_and_refunds import refund_entry, take_payment
from tournament.money.services.ledger import record_event_money
from tournament.money.services.payouts import set_tax_address, set_tax_form_threshold
from tournament.money.services.side_pools import (
    EventExtraTerms,
    add_event_extra,
    reverse_event_extra_sale,
    sell_event_extra,
)
from tournament.purse.journal import JOURNAL_SYNTAXES

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def event() -> Event:
    """Return a finished event with an expense.

    One of its players bought two dinners after the final, and one dinner was refunded.
    """
    event = a_day()
    record_event_money(event, "expense", TRAYS, by=SYSTEM_ACTOR, key="")
    dinner = add_event_extra(event, EventExtraTerms("Dinner; “Harbor”  2", 35_00), by=SYSTEM_ACTOR)
    one = event.entrants.select_related("event__tournament").order_by("number")[0]
    first, _second = sell_event_extra(dinner, one, 2, by=SYSTEM_ACTOR, key="two")
    take_payment(one, 70_00, "cash", by=SYSTEM_ACTOR, key="dinner")
    reverse_event_extra_sale(first, by=SYSTEM_ACTOR, reason="leaves early")
    refund_entry(one, 35_00, "cash", by=SYSTEM_ACTOR, key="back", reason="leaves early")
    return event


def sent(event: Event, program: str, scope: str = "event") -> str:
    slugs = {"tournament": event.tournament.slug, "event": event.slug}
    answer = client_as("director", event).get(
        reverse("tournament:desk_journal", kwargs=slugs | {"scope": scope, "program": program})
    )
    assert answer.streaming
    assert f"-ledger-20{Movement.objects.first().day:%y-%m-}" in answer["Content-Disposition"]
    return b"".join(answer.streaming_content).decode()


@pytest.mark.parametrize("program", JOURNAL_SYNTAXES)
@pytest.mark.parametrize("scope", ["event", "tournament"])
def test_accounting_programs_accept_the_ledger(event: Event, program: str, scope: str, tmp_path: Path) -> None:
    written = sent(event, program, scope)
    assert faults_of(program, written, tmp_path) == ""
    for row in event.movements.all():
        assert row.receipt in written


def test_hledger_computes_the_balances_on_the_page(event: Event, tmp_path: Path) -> None:
    written = sent(event, "hledger")
    assert faults_of("hledger", written, tmp_path) == ""
    asked = ["hledger", "-f", tmp_path / "ledger.journal", "balance", "--flat", "--empty", "-O", "csv", "-N"]
    text = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    read = {name: amount for name, amount in csv.reader(io.StringIO(text)) if name != "account"}
    unit = Ledger(event.tournament).unit
    assert read == {
        name: unit.format_amount(cents) if cents else "0"
        for name, cents in load_account_balances(Ledger(event.tournament))
    }
    assert next(amount for name, amount in read.items() if name.startswith("Income:Extras:Dinner")) == "-35.00 USD"
    in_hand = {
        name.removeprefix("Assets:").lower(): cents
        for name, cents in load_account_balances(Ledger(event.tournament, event))
    }
    assert {method: in_hand[method] for method in sum_money_on_hand_by_method(event)} == sum_money_on_hand_by_method(
        event
    )
    shown = get_page(event_url("tournament:desk_accounting", event), client_as("director", event))
    assert all(name in shown for name in read)


def test_the_tournament_file_contains_all_events(event: Event) -> None:
    other = an_event(tournament=event.tournament, slug="doubles")
    paid(other)
    record_event_money(other, "added", SPONSOR, by=SYSTEM_ACTOR, key="")
    assert "event: doubles" in sent(event, "hledger", "tournament")
    assert "event: doubles" not in sent(event, "hledger")
    assert sum(cents for _name, cents in load_account_balances(Ledger(event.tournament))) == 0


@pytest.mark.parametrize("name", ["postings", "expenses", "prizes", "payouts"])
def test_lists_for_a_spreadsheet(event: Event, name: str) -> None:
    slugs = {"tournament": event.tournament.slug, "event": event.slug, "listed": name}
    client = client_as("director", event)
    answer = client.get(reverse("tournament:desk_money_list", kwargs=slugs | {"kind": "csv"}))
    head, *rows = csv.reader(io.StringIO(answer.content.decode("utf-8-sig")))
    amount = head.index({"prizes": "Prize"}.get(name, "Amount"))
    assert {len(row) for row in rows} == {len(head)}
    cents = sum(round(float(row[amount]) * 100) for row in rows)
    prizes = load_prizes(event)
    expected = {
        "postings": 0,
        "expenses": TRAYS.cents,
        "prizes": prizes.awarded_cents,
        "payouts": prizes.paid_out_cents,
    }
    assert cents == expected[name]
    assert client.get(reverse("tournament:desk_money_list", kwargs=slugs | {"kind": "xlsx"})).status_code == 200
    assert client.get(reverse("tournament:desk_money_list", kwargs=slugs | {"kind": "pdf"})).status_code == 404


def listed(event: Event, name: str) -> list[dict[str, str]]:
    answer = client_as("director", event).get(event_url("tournament:desk_money_list", event, listed=name, kind="csv"))
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_tournament_lists_match_the_close() -> None:
    """For each account, the exported postings add up to the balance that the close shows after the day."""
    with time_machine.travel(EVENING, tick=False):
        event, ann, director = a_day_of_two_events()
        move_cash_to_or_from_outside(event.tournament, 60_00, to_bank=True, by=director, key="", reason="night safe")
        short = EndOfDayCount({100_00: 4, 50_00: 1}, {"card": 310_00})
        close = close_day(
            record_day_count(event.tournament, FRIDAY, short, by=ann, key="", reason="wrong change"), by=director
        )
        sums = Counter[str]()
        for row in listed(event, "all-postings"):
            sums[row["Account"]] += round(float(row["Amount"]) * 100)
        days = {row["How"]: row for row in listed(event, "closed-days")}
    after = [line["before_cents"] + line["day_cents"] for line in close.figures["accounts"]]
    assert sorted(cents for cents in sums.values() if cents) == sorted(after)
    assert [days["Cash"][name] for name in ("Ledger", "Counted", "Difference")] == ["440.00", "450.00", "10.00"]
    assert {row["Reason"] for row in days.values()} == {"wrong change"}


def test_the_tax_form_list_can_be_downloaded(event: Event) -> None:
    Finish.objects.create(event=event, places=[[1]], by_name="test")
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    won = load_prizes(Event.objects.get(pk=event.pk)).awards[0]
    player = event.entrants.get(number=1).members.get().player
    assert listed(event, "tax-form") == []
    set_tax_form_threshold(event.tournament, won.cents, by=SYSTEM_ACTOR)
    set_tax_address(event.tournament, player, "1 Main Street", by=SYSTEM_ACTOR)
    (row,) = listed(event, "tax-form")
    assert (row["Name"], row["Address"]) == (player.name, "1 Main Street")
    assert round(float(row["Won"]) * 100) == won.cents


@pytest.mark.parametrize("program", JOURNAL_SYNTAXES)
def test_accounting_programs_accept_a_closed_day(program: str, tmp_path: Path) -> None:
    with time_machine.travel(EVENING, tick=False):
        event, ann, director = a_day_of_two_events()
        move_cash_to_or_from_outside(event.tournament, 60_00, to_bank=True, by=director, key="", reason="night safe")
        short = EndOfDayCount({100_00: 4, 50_00: 1}, {"card": 310_00})
        close_day(record_day_count(event.tournament, FRIDAY, short, by=ann, key="", reason="wrong change"), by=director)
        choose_business_day(event.tournament, SATURDAY, by=director)
        paid(event)
        written = sent(event, program, "tournament")
    assert faults_of(program, written, tmp_path) == ""
    found = dict(load_account_balances(Ledger(event.tournament)))
    assert (found["Assets:Bank"], found["Assets:Card"]) == (60_00, 310_00)
    assert sum(found.values()) == 0
    ends = [
        line for line in written.splitlines() if "Balances" in line or ("balance" in line and "Assets:Bank" in line)
    ]
    assert len(ends) == 2
