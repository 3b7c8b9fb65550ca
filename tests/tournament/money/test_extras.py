from __future__ import annotations

import pytest
import time_machine
from django.urls import reverse

from tests.kit import client_as, entrant_of, event_url, get_page, refused
from tests.races import codes_of
from tests.tournament.helpers.closes import EVENING, FRIDAY, NIGHT, SATURDAY, a_day_of_two_events
from tests.tournament.helpers.money import DINNER
from tests.tournament.helpers.side_pools import SENIOR, a_charged_event, faults, ledger_is_zero
from tests.tournament.helpers.side_pools import finish as finish_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict, DomainError
from tournament.models import EventExtra
from tournament.money.selectors.drawers_and_close import load_day_report
from tournament.money.selectors.finances import load_expenses
from tournament.money.selectors.ledger import load_entry_account, load_prize_pool
from tournament.money.selectors.side_pools import load_event_extra_sales
from tournament.money.services.drawers_and_close import close_day, record_day_count
from tournament.money.services.fees_and_refunds import correct_payment, refund_all_entries, refund_entry, take_payment
from tournament.money.services.side_pools import (
    DeskSale,
    EventExtraTerms,
    add_event_extra,
    add_side_pool,
    change_event_extra,
    complete_sale,
    join_side_pool,
    remove_event_extra,
    reverse_event_extra_sale,
    sell_event_extra,
)
from tournament.purse.journal import JOURNAL_SYNTAXES
from tournament.registration.services.entries import withdraw_entrant

pytestmark = pytest.mark.django_db


def test_payments_go_to_the_fee_then_side_pools_then_extras_and_never_into_the_pool() -> None:
    event = a_charged_event(2)
    dinner, senior = add_event_extra(event, DINNER, by=SYSTEM_ACTOR), add_side_pool(event, SENIOR, by=SYSTEM_ACTOR)
    sell_event_extra(dinner, entrant_of(event, 1), 2, by=SYSTEM_ACTOR, key="two")
    assert len(sell_event_extra(dinner, entrant_of(event, 1), 2, by=SYSTEM_ACTOR, key="two")) == 2
    join_side_pool(senior, entrant_of(event, 1), by=SYSTEM_ACTOR)
    take_payment(entrant_of(event, 1), 160_00, "cash", by=SYSTEM_ACTOR, key="paid")
    account = load_entry_account(entrant_of(event, 1))
    assert (account.collected_cents, account.side_collected_cents, account.extra_collected_cents) == (
        100_00,
        20_00,
        40_00,
    )
    assert (account.due_cents, account.charged_cents) == (30_00, 190_00)
    pool, (state,) = load_prize_pool(event), load_event_extra_sales(event)
    assert (pool.pool_cents, pool.expenses_cents) == (82_00, 18_00)
    assert [one.paid_cents for one in state.sold] == [35_00, 5_00]
    assert load_expenses(event).left_cents == 18_00 + 2_00 + 40_00
    assert ledger_is_zero(event) and not faults(event)


def test_an_extra_is_given_back_once_with_a_reason_and_its_money_is_due_back() -> None:
    event = a_charged_event(1)
    dinner = add_event_extra(event, DINNER, by=SYSTEM_ACTOR)
    first, _second = sell_event_extra(dinner, entrant_of(event, 1), 2, by=SYSTEM_ACTOR, key="two")
    take_payment(entrant_of(event, 1), 170_00, "cash", by=SYSTEM_ACTOR, key="paid")
    with pytest.raises(DomainError):
        reverse_event_extra_sale(first, by=SYSTEM_ACTOR, reason=" ")
    reverse_event_extra_sale(first, by=SYSTEM_ACTOR, reason="Leaves before dinner")
    with refused("out-already"):
        reverse_event_extra_sale(first, by=SYSTEM_ACTOR, reason="again")
    assert load_entry_account(entrant_of(event, 1)).refund_due_cents == 35_00
    assert len(load_event_extra_sales(event)[0].sold) == 1
    assert ledger_is_zero(event) and not faults(event)
    withdraw_entrant(entrant_of(event, 1), by=SYSTEM_ACTOR, reason="ill")
    assert load_entry_account(entrant_of(event, 1)).extra_owed_cents == 0


def test_name_and_price_stay_once_one_was_sold() -> None:
    event = a_charged_event(1)
    dinner, lunch = (
        add_event_extra(event, DINNER, by=SYSTEM_ACTOR),
        add_event_extra(event, EventExtraTerms("Lunch", 12_00), by=SYSTEM_ACTOR),
    )
    change_event_extra(lunch, EventExtraTerms("Lunch", 15_00), by=SYSTEM_ACTOR)
    with pytest.raises(Conflict) as taken:
        change_event_extra(lunch, EventExtraTerms("dinner", 15_00), by=SYSTEM_ACTOR)
    sell_event_extra(dinner, entrant_of(event, 1), by=SYSTEM_ACTOR, key="one")
    remove_event_extra(lunch, by=SYSTEM_ACTOR)
    for act in (
        lambda: change_event_extra(dinner, EventExtraTerms("Dinner", 1), by=SYSTEM_ACTOR),
        lambda: remove_event_extra(dinner, by=SYSTEM_ACTOR),
    ):
        with refused("in-use"):
            act()
    assert taken.value.code == "name-taken"
    with pytest.raises(DomainError):
        sell_event_extra(dinner, entrant_of(event, 1), 0, by=SYSTEM_ACTOR, key="none")


def test_extras_can_be_sold_paid_and_returned_after_the_final() -> None:
    event = a_charged_event(2)
    dinner = add_event_extra(event, DINNER, by=SYSTEM_ACTOR)
    take_payment(entrant_of(event, 1), 100_00, "cash", by=SYSTEM_ACTOR, key="fee")
    event = finish_event(event, [1], [2])
    pools = load_prize_pool(event)
    first, second = sell_event_extra(dinner, entrant_of(event, 1), 2, by=SYSTEM_ACTOR, key="late")
    paid = take_payment(entrant_of(event, 1), 70_00, "cash", by=SYSTEM_ACTOR, key="dinner")
    reverse_event_extra_sale(first, by=SYSTEM_ACTOR, reason="Leaves early")
    refund_all_entries(event, 35_00, by=SYSTEM_ACTOR, reason="Leaves early")
    assert load_entry_account(entrant_of(event, 1)).is_settled and load_prize_pool(event) == pools
    sell_event_extra(dinner, entrant_of(event, 2), by=SYSTEM_ACTOR, key="owes")
    for act in (
        lambda: take_payment(entrant_of(event, 1), 1, "cash", by=SYSTEM_ACTOR, key="beyond what is owed"),
        lambda: take_payment(entrant_of(event, 2), 35_00, "cash", by=SYSTEM_ACTOR, key="would be the fee"),
        lambda: refund_entry(entrant_of(event, 1), 36_00, "cash", by=SYSTEM_ACTOR, key="", reason="of the fee"),
    ):
        with refused("finished"):
            act()
    with pytest.raises(DomainError):
        correct_payment(paid, by=SYSTEM_ACTOR, reason="half of it was handed back")
    reverse_event_extra_sale(second, by=SYSTEM_ACTOR, reason="Leaves early")
    assert load_prize_pool(event) == pools and ledger_is_zero(event) and not faults(event)


def test_verification_finds_a_changed_price() -> None:
    event = a_charged_event(1)
    dinner = add_event_extra(event, DINNER, by=SYSTEM_ACTOR)
    sell_event_extra(dinner, entrant_of(event, 1), by=SYSTEM_ACTOR, key="one")
    assert not faults(event)
    EventExtra.objects.filter(pk=dinner.pk).update(price_cents=36_00)
    assert any(text.startswith("extras:") for text in faults(event))


def test_the_desk_sells_and_takes_back_extras() -> None:
    event = a_charged_event(1)
    client, address = client_as("director", event), event_url("tournament:desk_extras", event)
    sent = {"act": "add", "add-key": "new", "add-name": "Dinner", "add-price_cents": "35"}
    assert client.post(address, sent).status_code == 302
    dinner = EventExtra.objects.get(event=event)
    sell = {"act": "sell", "extra": dinner.pk, f"sell-{dinner.pk}-key": "s", f"sell-{dinner.pk}-count": "2"}
    sent = sell | {f"sell-{dinner.pk}-entrant": str(entrant_of(event, 1).pk)}
    assert client.post(address, sent).status_code == 302
    sale = event_url("tournament:desk_sale", event, number=1)
    assert "<kbd>F2</kbd> Dinner" in get_page(sale, client)
    paid = {"key": "p", "cents": "205", "method": "cash", "extras": [dinner.pk]}
    assert client.post(sale, paid).status_code == 302
    (state,) = load_event_extra_sales(event)
    assert [one.paid_cents for one in state.sold] == [35_00] * 3
    assert "3 × Dinner" in get_page(event_url("tournament:desk_money", event, number=1), client)
    assert "3 × Dinner" in get_page(reverse("tournament:my", args=[entrant_of(event, 1).token]), client)
    assert "Already has 3" in get_page(sale, client)
    assert get_page(address, client).count("Give one back") == 1
    back = {"act": "back", "line": state.sold[0].line, "reason": "Leaves early"}
    assert client.post(address, back).status_code == 302
    assert len(load_event_extra_sales(event)[0].sold) == 2
    listed = client.get(event_url("tournament:desk_money_list", event, listed="extras", kind="csv")).getvalue().decode()
    assert listed.count('"Dinner","1","Player 1","35.00","35.00"') == 2
    for program in JOURNAL_SYNTAXES:
        answer = client.get(event_url("tournament:desk_journal", event, scope="event", program=program))
        assert "Income:Extras:Dinner" in b"".join(answer.streaming_content).decode()
    assert "Paid for extras" in get_page(event_url("tournament:desk_expenses", event), client)
    assert ledger_is_zero(event) and not faults(event)


@time_machine.travel(EVENING, tick=False)
def test_after_the_close_an_extra_counts_to_the_next_day() -> None:
    event, ann, director = a_day_of_two_events()
    dinner = add_event_extra(event, DINNER, by=director)
    one = event.entrants.get()
    (line,) = sell_event_extra(dinner, one, by=ann, key="sold")
    close_day(record_day_count(event.tournament, FRIDAY, NIGHT, by=ann, key=""), by=director)
    friday = load_day_report(event.tournament, FRIDAY)
    (late,) = sell_event_extra(dinner, one, by=ann, key="late")
    given_back = reverse_event_extra_sale(line, by=ann, reason="Leaves early")
    assert {row.movement.day for row in (late, given_back)} == {SATURDAY}
    assert sell_event_extra(dinner, one, by=ann, key="sold") == [line], "sent again, it answers what was sold"
    assert load_day_report(event.tournament, FRIDAY) == friday


def test_the_key_of_one_sale_does_not_block_another() -> None:
    event = a_charged_event(2)
    dinner = add_event_extra(event, DINNER, by=SYSTEM_ACTOR)
    for number, count in ((1, 1), (1, 2), (2, 1)):
        assert len(sell_event_extra(dinner, entrant_of(event, number), count, by=SYSTEM_ACTOR, key="k")) == count
    sale = DeskSale(35_00, "cash", extras=(dinner.pk,))
    for _tap in range(2):
        complete_sale(entrant_of(event, 2), sale, by=SYSTEM_ACTOR, key="tapped twice")
    assert [holder["count"] for holder in load_event_extra_sales(event)[0].buyers] == [3, 2]


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_two_desks_give_back_one_dinner(self) -> None:
        event = a_charged_event(1)
        (line,) = sell_event_extra(
            add_event_extra(event, DINNER, by=SYSTEM_ACTOR), entrant_of(event, 1), by=SYSTEM_ACTOR, key="one"
        )
        give_back = [
            lambda key=key: reverse_event_extra_sale(line, by=SYSTEM_ACTOR, reason="Leaves early", key=key)
            for key in ("a", "b")
        ]
        assert codes_of(*give_back) == ["done", "out-already"]
        assert load_entry_account(entrant_of(event, 1)).extra_owed_cents == 0 and ledger_is_zero(event)

    def test_two_desks_put_one_entry_into_a_side_pool(self) -> None:
        event = a_charged_event(1)
        pool, one = add_side_pool(event, SENIOR, by=SYSTEM_ACTOR), entrant_of(event, 1)
        join = [lambda key=key: join_side_pool(pool, one, by=SYSTEM_ACTOR, key=key) for key in ("a", "b")]
        assert codes_of(*join) == ["done", "in-already"]
        assert load_entry_account(one).side_owed_cents == 20_00 and ledger_is_zero(event)

    def test_a_repeated_tap_sells_one_extra(self) -> None:
        event = a_charged_event(1)
        dinner, one = add_event_extra(event, DINNER, by=SYSTEM_ACTOR), entrant_of(event, 1)
        sell = lambda: sell_event_extra(dinner, one, by=SYSTEM_ACTOR, key="tap")  # noqa: E731
        assert codes_of(sell, sell) == ["done", "done"]
        assert load_entry_account(one).extra_owed_cents == 35_00 and ledger_is_zero(event)
