"""Test the report of a business day, the counted cash, and the last day that can be closed, with figures by hand."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import pytest

from tournament.purse.business_day import (
    AccountBalance,
    CountedMoney,
    DayReport,
    MovementTotal,
    PostingGroupKey,
    find_last_closable_day,
    list_currency_denominations,
    make_day_report,
    sum_bills_and_coins,
)
from tournament.purse.postings import MoneyMovement, make_movement


def posting_sums(movements: Iterable[MoneyMovement]) -> list[tuple[PostingGroupKey, int]]:
    """Return the postings of these movements as the ledger hands them to the report."""
    return [
        ((posting.account.value, movement.kind.value, movement.method, movement.category), posting.cents)
        for movement in movements
        for posting in movement.postings
    ]


def report_of(*on_day: MoneyMovement, before: Iterable[MoneyMovement] = ()) -> DayReport:
    return make_day_report(posting_sums(before), posting_sums(on_day))


CHARGE = make_movement("charge", 300_00, entry=1)
BY_CHECK = make_movement("payment", 320_00, entry=1, method="check")
IN_CASH = make_movement("payment", 100_00, entry=2, method="cash")
TRAYS = make_movement("expense", 12_50, method="cash", category="Trays")
POSTAGE = make_movement("expense", 8_00, method="check", category="Postage")


@pytest.mark.parametrize(
    ("movements", "fees"),
    [
        ([CHARGE, make_movement("charge", 250_00, entry=2)], [("charge", "", 550_00)]),
        (
            [CHARGE, make_movement("cancellation", 200_00, entry=1)],
            [("charge", "", 300_00), ("cancellation", "", -200_00)],
        ),
        ([make_movement("discount", 30_00, entry=1)], [("discount", "", -30_00)]),
        ([make_movement("complimentary", 300_00, entry=1)], [("complimentary", "", -300_00)]),
        (
            [
                make_movement("side-pool", 20_00, entry=1, category="Senior"),
                make_movement("side-pool", 10_00, entry=1, category="Mixed"),
                make_movement("side-pool", 20_00, entry=2, category="Senior"),
            ],
            [("side-pool", "Mixed", 10_00), ("side-pool", "Senior", 40_00)],
        ),
        ([make_movement("extra", 35_00, entry=1, category="Dinner")], [("extra", "Dinner", 35_00)]),
        ([CHARGE, CHARGE.make_reversal()], []),
        ([CHARGE.make_reversal()], [("charge", "", -300_00)]),
    ],
)
def test_the_report_adds_up_charges_and_subtracts_waivers(
    movements: list[MoneyMovement], fees: list[tuple[str, str, int]]
) -> None:
    report = report_of(*movements)
    assert report.fees == tuple(MovementTotal(*total) for total in fees)
    assert report.moved == ()


@pytest.mark.parametrize(
    ("movements", "moved"),
    [
        ([BY_CHECK, IN_CASH, IN_CASH], [("payment", "cash", 200_00), ("payment", "check", 320_00)]),
        ([make_movement("refund", 40_00, entry=1, method="cash")], [("refund", "cash", -40_00)]),
        ([make_movement("added", 500_00, method="check")], [("added", "check", 500_00)]),
        # Expenses are split by category. The payment method does not matter.
        ([TRAYS, POSTAGE, TRAYS], [("expense", "Postage", -8_00), ("expense", "Trays", -25_00)]),
        # 24.00 of the 100.00 are withheld and stay on hand.
        ([make_movement("payout", 100_00, entry=1, method="cash", withheld_cents=24_00)], [("payout", "cash", -76_00)]),
        (
            [make_movement("side-payout", 50_00, entry=1, method="cash", category="Senior")],
            [("side-payout", "cash", -50_00)],
        ),
        ([make_movement("remittance", 24_00, method="check")], [("remittance", "check", -24_00)]),
        ([make_movement("transfer", 60_00, method="cash", to_drawer=3)], []),
        ([make_movement("brought", 200_00, method="cash")], [("brought", "cash", 200_00)]),
        ([make_movement("banked", 150_00, method="cash")], [("banked", "cash", -150_00)]),
        ([make_movement("over", 1_00, method="cash")], [("over", "cash", 1_00)]),
        ([make_movement("short", 5_00, method="cash")], [("short", "cash", -5_00)]),
        ([BY_CHECK, BY_CHECK.make_reversal(), IN_CASH], [("payment", "cash", 100_00)]),
    ],
)
def test_the_report_adds_up_incoming_money_and_subtracts_outgoing_money(
    movements: list[MoneyMovement], moved: list[tuple[str, str, int]]
) -> None:
    report = report_of(*movements)
    assert report.moved == tuple(MovementTotal(*total) for total in moved)
    assert report.fees == ()


def test_the_report_lists_kinds_in_the_order_of_their_declarations() -> None:
    report = report_of(POSTAGE, IN_CASH, make_movement("discount", 30_00, entry=1), CHARGE)
    assert [total.kind for total in (*report.fees, *report.moved)] == ["charge", "discount", "payment", "expense"]


def test_the_report_sums_up_fees_and_money_separately() -> None:
    report = report_of(CHARGE, make_movement("discount", 30_00, entry=1), BY_CHECK, TRAYS)
    assert report.fees_cents == 270_00  # 300.00 − 30.00
    assert report.moved_cents == 307_50  # 320.00 − 12.50


def test_the_report_lists_each_account_and_each_method_of_money_on_hand() -> None:
    report = report_of(BY_CHECK, IN_CASH, TRAYS, before=[CHARGE, IN_CASH])
    assert report.accounts == (
        # 300.00 were charged and 100.00 paid before the day. Then 320.00 + 100.00 were paid.
        AccountBalance("entrant", "", 200_00, -420_00),
        AccountBalance("fees", "", -300_00, 0),
        AccountBalance("money", "cash", 100_00, 87_50),  # 100.00 − 12.50 on the day
        AccountBalance("money", "check", 0, 320_00),
        AccountBalance("expense", "", 0, 12_50),
    )


def test_the_report_lists_an_unknown_account_last() -> None:
    off = [(("advances", "payment", "cash", ""), -5_00), (("money", "payment", "cash", ""), 5_00)]
    assert [line.account for line in make_day_report([], off).accounts] == ["money", "advances"]


def test_the_report_leaves_out_an_account_without_money() -> None:
    report = report_of(TRAYS, before=[IN_CASH, IN_CASH.make_reversal()])
    assert [line.account for line in report.accounts] == ["money", "expense"]


def test_the_report_lists_an_account_that_the_day_empties() -> None:
    report = report_of(IN_CASH.make_reversal(), before=[IN_CASH])
    assert AccountBalance("money", "cash", 100_00, -100_00) in report.accounts


def test_the_balance_after_the_day_is_the_balance_before_it_plus_the_change() -> None:
    assert AccountBalance("money", "cash", 100_00, -12_50).after_cents == 87_50


def test_the_sums_of_a_report_show_how_far_its_accounts_are_off() -> None:
    # One cent is missing before the day, and two more are missing on it.
    off = DayReport(
        (), (), (AccountBalance("money", "cash", 99_99, 49_98), AccountBalance("fees", "", -100_00, -50_00))
    )
    assert (off.before_cents, off.day_cents, off.after_cents) == (-1, -2, -3)


@pytest.mark.parametrize(
    ("method", "includes_earlier", "cents"),
    [("cash", True, 187_50), ("cash", False, 87_50), ("check", True, 320_00), ("card", True, 0), ("card", False, 0)],
)
def test_money_on_hand_is_asked_with_or_without_earlier_days(method: str, includes_earlier: bool, cents: int) -> None:
    # Cash: 100.00 before the day, and 100.00 − 12.50 on the day.
    report = report_of(BY_CHECK, IN_CASH, TRAYS, before=[CHARGE, IN_CASH])
    assert report.get_cents_on_hand(method, includes_earlier=includes_earlier) == cents


# --- Counted cash ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pieces", "cents"),
    [
        ({}, 0),
        ({20_00: 3}, 60_00),
        ({100_00: 2, 5_00: 0, 25: 3, 1: 4}, 200_79),  # 200.00 + 0.75 + 0.04
    ],
)
def test_counted_cash_is_the_sum_of_all_bills_and_coins(pieces: dict[int, int], cents: int) -> None:
    assert sum_bills_and_coins(pieces) == cents


@pytest.mark.parametrize(("counted", "difference"), [(475_00, 0), (474_50, -50), (480_00, 5_00)])
def test_the_difference_is_negative_if_money_is_missing(counted: int, difference: int) -> None:
    assert CountedMoney("cash", 475_00, counted).difference_cents == difference


def test_each_currency_has_its_own_bills_and_coins() -> None:
    assert list_currency_denominations("GBP") == (50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 50, 20, 10, 5, 2, 1)


def test_an_unknown_currency_is_counted_like_the_dollar() -> None:
    assert list_currency_denominations("NOK") == list_currency_denominations("USD")


# --- The last day that can be closed ---------------------------------------------------------------------------------

FRIDAY, SATURDAY, SUNDAY = date(2026, 11, 27), date(2026, 11, 28), date(2026, 11, 29)


@pytest.mark.parametrize(
    ("override", "closed_through", "last"),
    [
        (None, None, SATURDAY),
        (None, SATURDAY, SATURDAY),
        (FRIDAY, None, FRIDAY),
        (FRIDAY, FRIDAY, SATURDAY),
        (SUNDAY, FRIDAY, SUNDAY),
        (SUNDAY, SUNDAY, SATURDAY),
    ],
)
def test_today_can_be_closed_unless_the_director_set_another_open_day(
    override: date | None, closed_through: date | None, last: date
) -> None:
    assert find_last_closable_day(SATURDAY, override, closed_through) == last
