"""Test the sum that proves that the books balance."""

from __future__ import annotations

from collections import Counter

import pytest

from tournament.purse.kinds import AccountKind
from tournament.purse.postings import MovementBalances, make_movement, sum_movements

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
