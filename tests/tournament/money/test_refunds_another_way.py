"""A refund can use another method than the payment, such as cash for a check."""

from __future__ import annotations

import pytest

from tests.factories import a_director, an_event
from tests.races import codes_of
from tests.tournament.helpers.money import case_for_the_command, charged, money_checks, opened, paid
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict
from tournament.models import RefundSource
from tournament.money.selectors.drawers_and_close import (
    compute_expected_cents_by_method,
    load_report_since_last_close,
    sum_cents_in_drawer,
)
from tournament.money.selectors.ledger import (
    find_posting_faults,
    load_entry_account,
    sum_money_on_hand_by_method,
    sum_payments_by_method,
)
from tournament.money.services.fees_and_refunds import correct_payment, refund_entry, reverse_ledger_line, take_payment
from tournament.money.words import describe_expected_cash, line_method_label
from tournament.purse.cases import run_ledger_case


@pytest.mark.django_db
class TestAnotherWay:
    def test_a_check_is_handed_back_in_cash_and_stays_in_the_box(self) -> None:
        """A check of $60 pays a fee of $48, and the desk refunds $12 in cash.

        The drawer, the close, the exported case and the verification show the same amounts.
        """
        event = an_event(fee_cents=48_00)
        cashier = director = a_director(event.tournament)
        drawer = opened(event, cashier, 0)
        paid(event, 48_00)
        one = charged(event)
        take_payment(one, 60_00, "check", by=cashier, key="")
        line, again = (
            refund_entry(one, 12_00, "cash", by=cashier, key="k", reason="wrote $60", paid_by="check") for _ in range(2)
        )
        assert line == again
        with pytest.raises(Conflict, match="A refund cannot be more than what was paid"):
            refund_entry(one, 48_01, "cash", by=director, key="", reason="again", paid_by="check")
        with pytest.raises(Conflict, match="by this method"):
            refund_entry(one, 1_00, "cash", by=director, key="", reason="again")
        assert (sum_cents_in_drawer(drawer), sum_payments_by_method(one)) == (
            {"cash": -12_00, "check": 60_00},
            {"cash": 0, "check": 48_00},
        )
        assert sum_money_on_hand_by_method(event) == {"cash": 36_00, "check": 60_00}
        assert [(line_method_label(line), line.movement.drawer)] == [("Cash, paid by check", drawer)]
        report = load_report_since_last_close(event.tournament, line.movement.day)
        assert describe_expected_cash(compute_expected_cents_by_method(report), "USD") == [
            "Should be in the box: $36.00 cash, $60.00 in checks."
        ]
        answer = run_ledger_case(case_for_the_command(event))
        assert (answer["in_hand_cents"], answer["methods"]) == (96_00, {"cash": 48_00, "check": 48_00})
        assert answer["entries"][str(one.number)] == {"owed": 48_00, "paid": 48_00, "due": 0, "to_return": 0}
        assert (find_posting_faults(event), all(money_checks(event).values())) == ([], True)
        RefundSource.objects.update(method="card")
        assert not all(check.passed for check in verify_event(event))

    def test_a_refund_by_another_method_is_reversed_completely(self) -> None:
        event = an_event()
        one = paid(event, 300_00, "card")
        line = refund_entry(one, 100_00, "cash", by=SYSTEM_ACTOR, key="", reason="left", paid_by="card")
        with pytest.raises(Conflict, match="a later movement rests on it"):
            correct_payment(one.ledger.get(kind="payment"), by=SYSTEM_ACTOR, reason="typed twice")
        reverse_ledger_line(line, by=SYSTEM_ACTOR, reason="was not given")
        assert sum_payments_by_method(one) == {"card": 300_00, "cash": 0}
        refund_entry(one, 300_00, "card", by=SYSTEM_ACTOR, key="", reason="left")
        assert (find_posting_faults(event), load_entry_account(one).net_paid_cents) == ([], 0)


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_two_refunds_of_one_check_in_cash_and_by_check(self) -> None:
        one = paid(an_event(), 300_00, "check")
        by = a_director(one.event.tournament)
        acts = [
            lambda way=way: refund_entry(one, 200_00, way, by=by, key=way, reason="left", paid_by="check")
            for way in ("cash", "check")
        ]
        assert codes_of(*acts) == ["done", "too-much"]
        assert sum_payments_by_method(one)["check"] == 100_00 == load_entry_account(one).net_paid_cents
