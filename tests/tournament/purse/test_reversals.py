"""Test which movements can be reversed, and what is left in the books after a reversal."""

from __future__ import annotations

import pytest

from tests.kit import refused
from tournament.purse.pool import DiscountSource
from tournament.purse.postings import Daybook, MoneyMovement, make_movement, require_reversible

CHARGE = make_movement("charge", 100_00, entry=7)


def pay(cents: int, method: str = "cash") -> MoneyMovement:
    return make_movement("payment", cents, entry=7, method=method)


def refund(cents: int, method: str = "cash", *, paid_by: str = "") -> MoneyMovement:
    return make_movement("refund", cents, entry=7, method=method, paid_by=paid_by)


def discount(cents: int) -> MoneyMovement:
    return make_movement("discount", cents, entry=7)


# --- A line of an entry's ledger -------------------------------------------------------------------------------------

REVERSIBLE = {
    "nothing depends on it": ([CHARGE, pay(80_00)], 1),
    "the only movement": ([CHARGE], 0),
    # 50.00 were paid without the reversed 30.00, which is exactly the refund.
    "exactly enough is left for a refund": ([CHARGE, pay(50_00), pay(30_00), refund(50_00)], 2),
    # 100.00 are charged without the reversed 20.00, which is exactly the discount.
    "exactly enough is left for a discount": ([CHARGE, make_movement("charge", 20_00, entry=7), discount(100_00)], 1),
    "the refund came before it": ([CHARGE, pay(50_00), refund(50_00), pay(30_00)], 3),
    "another method was refunded": ([CHARGE, pay(50_00), pay(30_00, "check"), refund(30_00, "check")], 1),
    "the refund itself": ([CHARGE, pay(50_00), refund(50_00)], 2),
    # The refund was 10.00 too large before, and is 40.00 too large without the first payment.
    "the refund was too large before": ([pay(30_00), refund(40_00), pay(5_00)], 0),
    "the discount was too large before": ([discount(10_00), CHARGE], 1),
    # Without the first payment, 40.00 are paid and refunded. Undoing that refund takes nothing from the entry.
    "the refund was undone": ([pay(40_00), pay(40_00), refund(40_00), refund(40_00).make_reversal()], 0),
    # Money on hand is not the entry's. 80.00 in cash for the check may come from other entries.
    "the refund was paid from other cash": ([CHARGE, pay(80_00, "check"), refund(80_00, paid_by="check")], 0),
}
NOT_REVERSIBLE = {
    "a discount of the charge": ([CHARGE, discount(20_00)], 0),
    "a refund of the payment": ([CHARGE, pay(80_00), refund(50_00)], 1),
    # 50.00 are left without the reversed 30.00, one cent less than the refund.
    "a refund of one cent more": ([CHARGE, pay(50_00), pay(30_00), refund(50_01)], 2),
    "a refund in cash of a check": ([CHARGE, pay(80_00, "check"), refund(80_00, paid_by="check")], 1),
    # The first refund was too large before, but the second was not: 30.00 + 60.00 − 40.00 = 50.00.
    "the second of two refunds": ([pay(30_00), refund(40_00), pay(60_00), refund(50_00)], 2),
    "a refund before the last movement": ([CHARGE, pay(50_00), refund(50_00), pay(10_00)], 1),
}


@pytest.mark.parametrize(("movements", "of"), REVERSIBLE.values(), ids=REVERSIBLE)
def test_a_movement_can_be_reversed_if_the_others_have_enough_money(movements: list[MoneyMovement], of: int) -> None:
    require_reversible(movements, of)


@pytest.mark.parametrize(("movements", "of"), NOT_REVERSIBLE.values(), ids=NOT_REVERSIBLE)
def test_a_movement_cannot_be_reversed_if_another_depends_on_it(movements: list[MoneyMovement], of: int) -> None:
    with refused("too-much") as refusal:
        require_reversible(movements, of)
    assert "a later movement rests on it" in refusal.value.message


# --- A movement of a daybook -----------------------------------------------------------------------------------------


def booked(daybook: Daybook, *movements: MoneyMovement) -> Daybook:
    for movement in movements:
        daybook.post(movement)
    return daybook


def test_a_reversed_movement_no_longer_counts_in_the_balances() -> None:
    daybook = booked(Daybook(), CHARGE, pay(80_00), pay(15_00, "check"))
    daybook.reverse(1)
    assert (daybook.balances.accounts[7].due_cents, daybook.balances.in_hand["cash"]) == (85_00, 0)  # 100.00 − 15.00


def test_a_daybook_has_no_movement_in_place_of_a_reversal_and_of_what_it_reversed() -> None:
    daybook = booked(Daybook(), CHARGE, pay(80_00), pay(15_00))
    daybook.reverse(1)
    assert daybook.movements == [CHARGE, None, pay(15_00), None]


def test_a_movement_after_a_reversal_can_be_reversed_by_its_own_number() -> None:
    daybook = booked(Daybook(), CHARGE, pay(80_00))
    daybook.reverse(1)
    booked(daybook, pay(30_00), pay(20_00))
    daybook.reverse(3)
    assert daybook.balances.accounts[7].paid_cents == 20_00


@pytest.mark.parametrize("of", [1, 2])
def test_neither_a_reversed_movement_nor_a_reversal_can_be_reversed(of: int) -> None:
    daybook = booked(Daybook(), CHARGE, pay(80_00))
    daybook.reverse(1)
    with pytest.raises(LookupError, match="reversed already, or is a reversal"):
        daybook.reverse(of)


def test_a_movement_of_a_daybook_cannot_be_reversed_if_a_later_one_depends_on_it() -> None:
    daybook = booked(Daybook(), CHARGE, pay(80_00), refund(50_00))
    with refused("too-much") as refusal:
        daybook.reverse(1)
    assert "a later movement rests on it" in refusal.value.message


def test_a_refused_reversal_changes_nothing() -> None:
    """After the refused reversal of the payment, the reversal of the refund leaves the payment of 80.00 on hand."""
    daybook = booked(Daybook(), CHARGE, pay(80_00), refund(50_00))
    with refused("too-much"):
        daybook.reverse(1)
    daybook.reverse(2)
    assert daybook.balances.in_hand == {"cash": 80_00}
    assert daybook.movements == [CHARGE, pay(80_00), None, None]


def test_a_charge_cannot_be_reversed_under_a_payment() -> None:
    with refused("too-much"):
        booked(Daybook(), CHARGE, pay(80_00)).reverse(0)


def test_a_reversal_keeps_the_prize_percent() -> None:
    # All of the fee is paid out, which needs 100 percent. With the usual 82 percent, only 82.00 could be paid out.
    daybook = booked(Daybook("100"), CHARGE, pay(100_00), pay(10_00))
    booked(daybook, make_movement("payout", 100_00, entry=7, method="cash"))
    daybook.reverse(2)
    assert (daybook.compute_pool().pool_cents, daybook.balances.paid_out[7]) == (100_00, 100_00)


@pytest.mark.parametrize("source", DiscountSource)
def test_a_reversal_keeps_the_source_of_discounts(source: DiscountSource) -> None:
    # The fee is 100.00 − 20.00 and 100.00 were paid, so 80.00 are collected and 20.00 are to be returned. With the
    # sponsor's 20.00, the pool is 80.00 + 20.00, and 20.00 more if the expenses cover the discount. Without the
    # sponsor, the payout of 100.00 needs this cover.
    daybook = booked(Daybook("100", source), CHARGE, discount(20_00), pay(100_00))
    booked(daybook, make_movement("added", 20_00, method="cash"))
    booked(daybook, make_movement("payout", 100_00, entry=7, method="cash"))
    if source is DiscountSource.FEE:
        with refused("too-much"):
            daybook.reverse(3)
    else:
        daybook.reverse(3)
        assert daybook.compute_pool().pool_cents == 100_00
