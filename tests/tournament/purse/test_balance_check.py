"""Test the sum that proves that the books balance, and the totals of all entries that it includes."""

from __future__ import annotations

from collections import Counter

import pytest

from tournament.purse.kinds import AccountKind
from tournament.purse.postings import MoneyMovement, MovementBalances, make_movement, sum_movements

DAY = (
    make_movement("charge", 100_00, entry=7),
    make_movement("side-pool", 20_00, entry=7, category="Senior"),
    make_movement("extra", 35_00, entry=7, category="Dinner"),
    make_movement("payment", 170_00, entry=7, method="cash"),
    make_movement("donation", 12_00, entry=7, method="cash"),
    make_movement("added", 500_00, method="check"),
    make_movement("brought", 200_00, method="cash"),
    make_movement("banked", 150_00, method="cash"),
    make_movement("over", 3_00, method="cash"),
    make_movement("short", 1_00, method="cash"),
    make_movement("expense", 8_00, method="cash", category="Trays"),
    make_movement("payout", 82_00, entry=7, method="cash", withheld_cents=24_00),
    make_movement("side-payout", 20_00, entry=7, method="cash", category="Senior", withheld_cents=5_00),
    make_movement("remittance", 9_00, method="check"),
    make_movement("charity", 7_00, method="cash"),
)
"""A day with every kind of money that the sum includes."""


def test_the_sum_is_zero_after_a_day_with_every_kind_of_money() -> None:
    balances = sum_movements(DAY)
    # Cash: 170 + 12 + 200 − 150 + 3 − 1 − 8 − (82 − 24) − (20 − 5) − 7 = 146. Checks: 500 − 9 = 491.
    assert balances.in_hand == {"cash": 146_00, "check": 491_00}
    assert balances.other_cents == 52_00  # 200 − 150 from the bank, and 3 − 1 too much in the drawer
    assert balances.spent == {"Trays": 8_00}
    assert (balances.paid_out, balances.side_paid_out) == ({7: 82_00}, {7: 20_00})
    # Of the 170.00, 100.00 cover the fee, 20.00 the side pool and 35.00 the dinner. 15.00 are too much.
    collected = (balances.collected_cents, balances.side_collected_cents, balances.extra_collected_cents)
    assert (collected, balances.to_return_cents) == ((100_00, 20_00, 35_00), 15_00)
    assert balances.added_cents == 500_00
    assert balances.get_held_cents(AccountKind.WITHHELD) == 20_00  # 24 + 5 − 9
    assert balances.get_held_cents(AccountKind.DONATIONS) == 5_00  # 12 − 7
    # 637 on hand − 52 + 8 + 102 = 695, and 155 collected + 500 added + 15 to be returned + 25 held = 695.
    assert balances.compute_balance_check() == 0


@pytest.mark.parametrize(
    ("balances", "off"),
    [
        (MovementBalances(in_hand=Counter(cash=5, check=2)), 7),
        (MovementBalances(spent=Counter(Trays=5, Postage=2)), 7),
        (MovementBalances(paid_out=Counter({7: 5, 8: 2})), 7),
        (MovementBalances(side_paid_out=Counter({7: 5, 8: 2})), 7),
        (MovementBalances(collected_cents=5), -5),
        (MovementBalances(side_collected_cents=5), -5),
        (MovementBalances(extra_collected_cents=5), -5),
        (MovementBalances(to_return_cents=5), -5),
        # The postings to these accounts are negative if money came in.
        (MovementBalances(by_account=Counter({AccountKind.ADDED: -5})), -5),
        (MovementBalances(by_account=Counter({AccountKind.BANK: -5})), -5),
        (MovementBalances(by_account=Counter({AccountKind.DIFFERENCE: -5})), -5),
        (MovementBalances(by_account=Counter({AccountKind.WITHHELD: -5})), -5),
        (MovementBalances(by_account=Counter({AccountKind.DONATIONS: -5})), -5),
        # The account of the fees says what was charged, not what was collected.
        (MovementBalances(by_account=Counter({AccountKind.FEES: -5})), 0),
    ],
)
def test_the_sum_shows_how_far_each_balance_is_off(balances: MovementBalances, off: int) -> None:
    assert balances.compute_balance_check() == off


# --- Totals of all entries -------------------------------------------------------------------------------------------


def charge_entry(entry: int) -> list[MoneyMovement]:
    """Charge a fee of 100.00, less a discount of 10.00, a side pool of 20.00, and a dinner of 35.00."""
    return [
        make_movement("charge", 100_00, entry=entry),
        make_movement("discount", 10_00, entry=entry),
        make_movement("side-pool", 20_00, entry=entry, category="Senior"),
        make_movement("extra", 35_00, entry=entry, category="Dinner"),
    ]


def pay(entry: int, cents: int) -> MoneyMovement:
    return make_movement("payment", cents, entry=entry, method="cash")


@pytest.mark.parametrize(
    ("movements", "collected", "to_return"),
    [
        ([pay(7, 40_00)], (40_00, 0, 0), 0),
        ([pay(7, 40_00), pay(7, 60_00)], (90_00, 10_00, 0), 0),
        ([pay(7, 100_00), pay(7, 15_00), pay(7, 25_00)], (90_00, 20_00, 30_00), 0),
        # Entry 7 paid 140.00 of the 145.00 in all, and entry 8 paid 150.00.
        ([pay(7, 115_00), pay(8, 120_00), pay(7, 25_00), pay(8, 30_00)], (180_00, 40_00, 65_00), 5_00),
        # Entry 8 gets its 5.00 back, and entry 7 pays 3.00 too much.
        (
            [pay(7, 140_00), pay(8, 150_00), pay(7, 8_00), make_movement("refund", 5_00, entry=8, method="cash")],
            (180_00, 40_00, 70_00),
            3_00,
        ),
        # The payment of 140.00 is canceled, and 95.00 are paid instead.
        ([pay(7, 140_00), pay(7, 140_00).make_reversal(), pay(7, 95_00)], (90_00, 5_00, 0), 0),
    ],
)
def test_payments_of_an_entry_cover_its_fee_then_its_side_pool_and_then_its_dinner(
    movements: list[MoneyMovement], collected: tuple[int, int, int], to_return: int
) -> None:
    balances = sum_movements([*charge_entry(7), *charge_entry(8), *movements])
    assert (balances.collected_cents, balances.side_collected_cents, balances.extra_collected_cents) == collected
    assert balances.to_return_cents == to_return


@pytest.mark.parametrize(
    ("movements", "discounts"),
    [
        ([pay(7, 89_99)], 0),
        ([pay(7, 89_99), pay(7, 1)], 10_00),
        ([pay(7, 90_00), pay(7, 5_00)], 10_00),
        ([pay(7, 90_00), pay(8, 100_00), pay(7, 5_00)], 20_00),
        ([pay(7, 90_00), pay(8, 90_00), pay(7, 90_00).make_reversal()], 10_00),
    ],
)
def test_a_discount_is_settled_once_the_rest_of_the_fee_is_paid(movements: list[MoneyMovement], discounts: int) -> None:
    # The fee is 100.00 − 10.00 for each entry.
    balances = sum_movements([*charge_entry(7), *charge_entry(8), *movements])
    assert balances.settled_discounts_cents == discounts
