from __future__ import annotations

import pytest
from django.test import Client
from django.utils.html import strip_tags

from tests.factories import a_director, a_user, an_event
from tests.kit import client_as, event_url, get_page, refused
from tests.races import codes_of
from tests.tournament.helpers.money import SPONSOR, TRAYS, charged, paid
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.errors import DomainError, NotAllowed
from tournament.models import Event, EventMoney
from tournament.money.selectors.finances import load_expenses
from tournament.money.selectors.ledger import (
    find_posting_faults,
    load_entry_account,
    load_prize_pool,
    sum_money_on_hand_by_method,
)
from tournament.money.services.ledger import (
    EventMoneyDetails,
    record_event_money,
    reverse_event_money,
    set_expense_categories,
)


@pytest.mark.django_db
class TestSums:
    def test_an_expense_reduces_the_rest_but_not_the_pool(self) -> None:
        event = an_event()
        paid(event)
        record_event_money(event, "expense", TRAYS, by=SYSTEM_ACTOR, key="")
        found = load_expenses(event)
        assert (found.pool.pool_cents, found.pool.expenses_cents) == (246_00, 54_00)
        assert (found.spent, found.left_cents) == ((("Trays", 40_00),), 14_00)
        assert sum_money_on_hand_by_method(event) == {"cash": 260_00}

    def test_added_money_joins_the_pool_and_counts_towards_what_was_announced(self) -> None:
        event = an_event(added_cents=150_00)
        paid(event)
        assert (load_prize_pool(event).pool_cents, load_expenses(event).left_cents) == (396_00, 54_00 - 150_00)
        record_event_money(event, "added", SPONSOR, by=SYSTEM_ACTOR, key="")
        found = load_expenses(event)
        assert (found.pool.pool_cents, found.pledged_cents, found.left_cents) == (396_00, 50_00, 4_00)
        record_event_money(event, "added", SPONSOR, by=SYSTEM_ACTOR, key="")
        found = load_expenses(event)
        assert (found.pool.pool_cents, found.pool.added_cents, found.pledged_cents) == (446_00, 200_00, 0)
        assert found.left_cents == 54_00
        assert found.pool.collected_cents + 200_00 == found.pool.pool_cents + found.pool.expenses_cents

    def test_a_reversal_cancels_the_row_and_the_event_verifies(self) -> None:
        event = an_event()
        rows = [
            record_event_money(event, "expense", TRAYS, by=SYSTEM_ACTOR, key=""),
            record_event_money(event, "added", SPONSOR, by=SYSTEM_ACTOR, key=""),
        ]
        for row in rows:
            back = reverse_event_money(row, by=SYSTEM_ACTOR, reason="typed twice")
            assert (back.kind, back.cents, back.method, back.category) == (
                row.kind,
                row.cents,
                row.method,
                row.category,
            )
            for again in (row, back):
                with refused("reversed"):
                    reverse_event_money(again, by=SYSTEM_ACTOR, reason="typed twice")
        assert (load_expenses(event).spent, load_prize_pool(event).added_cents) == ((), 0)
        assert sum_money_on_hand_by_method(event) == {"cash": 0, "check": 0}
        assert find_posting_faults(event) == []
        EventMoney.objects.filter(pk=rows[0].pk).update(party="somebody else")
        found = [check for check in verify_event(event) if check.kind == "ledger" and not check.passed]
        assert [
            f"added money, expense, tax remittance or payment to charity {rows[0].pk}" in check.finding
            for check in found
        ] == [True]

    def test_sent_twice_it_is_recorded_once(self) -> None:
        event = an_event()
        for _time in range(2):
            record_event_money(event, "expense", TRAYS, by=SYSTEM_ACTOR, key="k")
            record_event_money(event, "added", SPONSOR, by=SYSTEM_ACTOR, key="k")
        assert event.other_money.count() == 2


@pytest.mark.django_db
class TestRefused:
    @pytest.mark.parametrize(
        ("spent", "field"),
        [
            (EventMoneyDetails(0, "cash", category="Trays"), "cents"),
            (EventMoneyDetails(1, "cash", category="Yachts"), "category"),
        ],
    )
    def test_an_invalid_expense_is_refused(self, spent: EventMoneyDetails, field: str) -> None:
        with refused("bad-value", field):
            record_event_money(an_event(), "expense", spent, by=SYSTEM_ACTOR, key="")

    def test_added_money_needs_a_sponsor_and_an_unfinished_event(self) -> None:
        event = an_event(state=Event.State.FINISHED)
        for given, code in ((EventMoneyDetails(1, "cash"), "bad-value"), (SPONSOR, "finished")):
            with refused(code):
                record_event_money(event, "added", given, by=SYSTEM_ACTOR, key="")
        record_event_money(event, "expense", TRAYS, by=SYSTEM_ACTOR, key="")

    def test_who_may(self) -> None:
        event = an_event()
        desk = make_staff_actor(a_user("desk", event.tournament))
        row = record_event_money(event, "added", SPONSOR, by=desk, key="")
        with pytest.raises(NotAllowed):
            record_event_money(event, "expense", TRAYS, by=desk, key="")
        with pytest.raises(NotAllowed):
            reverse_event_money(row, by=desk, reason="no")
        with pytest.raises(NotAllowed):
            set_expense_categories(event.tournament, ["Trays"], by=desk)

    def test_only_directors_change_the_categories(self) -> None:
        event = an_event()
        by = a_director(event.tournament)
        assert set_expense_categories(event.tournament, [" Trays ", "", "Flowers", "Trays"], by=by) == [
            "Trays",
            "Flowers",
        ]
        for wrong in ([], ["x" * 101], [str(number) for number in range(61)]):
            with pytest.raises(DomainError) as refusal:
                set_expense_categories(event.tournament, wrong, by=by)
            assert refusal.value.data["field"] == "names"
        event.tournament.refresh_from_db()
        assert event.tournament.expense_categories == ["Trays", "Flowers"]


@pytest.mark.django_db
class TestPages:
    def test_a_director_records_an_expense_and_reverses_its_receipt(self) -> None:
        event = an_event()
        paid(event)
        client = client_as("director", event)
        sent = {"act": "expense", "expense-key": "k", "expense-cents": "60.00", "expense-category": "Trays"}
        sent |= {"expense-method": "cash", "expense-party": "Shop", "expense-reference": ""}
        text = client.post(event_url("tournament:desk_expenses", event), sent, follow=True).content.decode()
        assert "The expenses are below zero: −$6.00." in text
        row = event.other_money.get()
        assert row.movement.receipt in text
        receipt = event_url("tournament:desk_movement", event, number=row.movement.number)
        answer = client.post(receipt, {"key": "r", "reason": ""})
        assert "This field is required" in answer.content.decode()
        text = client.post(receipt, {"key": "r", "reason": "not ours"}, follow=True).content.decode()
        assert "is reversed" in text
        assert load_expenses(event).left_cents == 54_00
        assert "Reverse this receipt" not in text

    def test_the_desk_adds_money_and_reverses_only_payments(self) -> None:
        event = an_event()
        one = paid(event)
        client = client_as("desk", event)
        sent = {
            "act": "added",
            "added-key": "k",
            "added-cents": "100",
            "added-party": "The club",
            "added-method": "check",
        }
        text = client.post(event_url("tournament:desk_expenses", event), sent, follow=True).content.decode()
        assert "The club" in text
        assert "Record an expense" not in text
        added, payment = event.other_money.get().movement, one.ledger.get(kind="payment").movement
        for row, may in ((added, False), (payment, True)):
            shown = get_page(event_url("tournament:desk_movement", event, number=row.number), client)
            assert ("Reverse this receipt" in shown) == may
        client.post(
            event_url("tournament:desk_movement", event, number=payment.number), {"key": "r", "reason": "typed twice"}
        )
        assert load_entry_account(one).net_paid_cents == 0

    def test_the_public_sees_expenses_without_recipients(self) -> None:
        event = an_event()
        paid(event)
        record_event_money(event, "expense", TRAYS, by=SYSTEM_ACTOR, key="")
        text = Client().get(event_url("tournament:prizes", event)).content.decode()
        assert "Expenses: $40.00 spent, $14.00 left" in strip_tags(text) and "Spent: Trays" in text
        assert TRAYS.party.split("'")[0] not in text and TRAYS.reference not in text
        reverse_event_money(event.other_money.get(), by=SYSTEM_ACTOR, reason="not ours")
        assert "Spent: Trays" not in Client().get(event_url("tournament:prizes", event)).content.decode()

    def test_the_ledger_and_its_file_list_every_movement(self) -> None:
        event = an_event()
        paid(event)
        record_event_money(event, "expense", TRAYS, by=SYSTEM_ACTOR, key="")
        client = client_as("director", event)
        text = get_page(event_url("tournament:desk_ledger", event), client)
        for words in ("Fee", "Payment", "Expense: Trays", "The trays&#x27; shop", "$260.00", f"{event.pk}-0003"):
            assert words in text
        download = client.get(event_url("tournament:desk_ledger", event) + "?_export=csv").content.decode("utf-8-sig")
        assert len(download.strip().splitlines()) == 4

    def test_the_change_is_shown_and_is_on_the_receipt(self) -> None:
        event = an_event()
        one = charged(event)
        client = client_as("director", event)
        sent = {"act": "payment", "payment-key": "k", "payment-cents": "300", "payment-method": "cash"}
        text = client.post(
            event_url("tournament:desk_money", event, number=1), sent | {"payment-given": "290"}
        ).content.decode()
        assert "Less was given than is paid." in text
        answer = client.post(
            event_url("tournament:desk_money", event, number=1), sent | {"payment-given": "320"}, follow=True
        )
        assert "Give back $20.00" in answer.content.decode()
        receipt = one.ledger.get(kind="payment").movement
        text = get_page(event_url("tournament:desk_movement", event, number=receipt.number), client)
        assert "$320.00" in text
        assert "$20.00" in text


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_two_reverse_the_same_receipt() -> None:
    event = an_event()
    by = a_director(event.tournament)
    row = record_event_money(event, "expense", TRAYS, by=by, key="")
    acts = [lambda key=key: reverse_event_money(row, by=by, reason="typed twice", key=key) for key in ("a", "b")]
    assert codes_of(*acts) == ["done", "reversed"]
    assert find_posting_faults(event) == []
