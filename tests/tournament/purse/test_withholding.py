from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit import refused
from tournament.purse.kinds import AccountKind
from tournament.purse.postings import Daybook, MoneyMovement, make_movement, sum_movements
from tournament.purse.prizes import PaidPrize, PayoutReduction, reduce_payouts, split_withholding

CENTS = st.integers(0, 500_00)
METHOD = st.sampled_from(["cash", "check"])


@st.composite
def a_payout(draw: st.DrawFn) -> MoneyMovement:
    cents = draw(CENTS)
    withheld = draw(st.integers(0, cents))
    if draw(st.booleans()):
        return make_movement(
            "payout", cents, entry=draw(st.integers(1, 3)), method=draw(METHOD), withheld_cents=withheld
        )
    return make_movement(
        "side-payout",
        cents,
        entry=draw(st.integers(1, 3)),
        method=draw(METHOD),
        category="Senior",
        withheld_cents=withheld,
    )


MOVED = st.one_of(
    a_payout(),
    st.builds(make_movement, st.just("remittance"), CENTS, method=METHOD),
    st.builds(make_movement, st.just("charge"), CENTS, entry=st.integers(1, 3)),
    st.builds(make_movement, st.just("payment"), CENTS, entry=st.integers(1, 3), method=METHOD),
    st.builds(make_movement, st.just("side-pool"), CENTS, entry=st.integers(1, 3), category=st.just("Senior")),
    st.builds(make_movement, st.just("extra"), CENTS, entry=st.integers(1, 3), category=st.just("Dinner")),
    st.builds(make_movement, st.just("expense"), CENTS, method=METHOD, category=st.just("Trays")),
    st.builds(make_movement, st.just("added"), CENTS, method=METHOD),
    st.builds(make_movement, st.just("brought"), CENTS, method=METHOD),
)


@given(st.lists(MOVED, max_size=20))
def test_withheld_money_is_on_hand_and_owed_on_and_every_cent_stays_in_the_ledger(
    movements: list[MoneyMovement],
) -> None:
    for booked in (movements, [*movements, *(one.make_reversal() for one in movements[::3])]):
        found = sum_movements(booked)
        assert (found.total, found.compute_balance_check()) == (0, 0)
        withheld = sum(p.cents for one in booked for p in one.postings if p.account is AccountKind.WITHHELD)
        assert found.get_held_cents(AccountKind.WITHHELD) == -withheld
        paid_out = found.paid_out.total() + found.side_paid_out.total()
        came = found.collected_cents + found.side_collected_cents + found.extra_collected_cents + found.added_cents
        on_hand = found.in_hand.total() - found.other_cents
        held = found.get_held_cents(AccountKind.WITHHELD)
        assert on_hand + found.spent.total() + paid_out == came + found.to_return_cents + held


@given(a_payout())
def test_a_payout_is_the_whole_prize_and_hands_over_the_rest(paid: MoneyMovement) -> None:
    by_account = {one.account: one.cents for one in paid.postings}
    assert paid.cents == paid.outgoing_cents - by_account.get(AccountKind.WITHHELD, 0)
    assert 0 <= paid.outgoing_cents <= paid.cents
    assert len(paid.postings) <= 3 and 0 not in by_account.values()


@pytest.mark.parametrize("withheld", [-1, 100_01])
def test_no_more_is_withheld_than_the_prize(withheld: int) -> None:
    with pytest.raises(ValueError, match="can be withheld"):
        make_movement("payout", 100_00, entry=1, method="cash", withheld_cents=withheld)


def test_a_remittance_is_limited_to_withheld_money_on_hand() -> None:
    daybook = Daybook("100")
    for movement in (
        make_movement("charge", 100_00, entry=1),
        make_movement("payment", 100_00, entry=1, method="cash"),
        make_movement("payout", 100_00, entry=1, method="cash", withheld_cents=24_00),
    ):
        daybook.post(movement)
    for cents, method in ((24_01, "cash"), (24_00, "check")):
        with refused("too-much"):
            daybook.post(make_movement("remittance", cents, method=method))
    daybook.post(make_movement("remittance", 24_00, method="cash"))
    left = daybook.balances
    assert (left.in_hand["cash"], left.get_held_cents(AccountKind.WITHHELD), left.compute_balance_check()) == (0, 0, 0)


@given(st.lists(CENTS, max_size=5), st.data())
def test_withheld_money_is_divided_in_proportion_up_to_each_share(shares: list[int], data: st.DataObject) -> None:
    withheld = data.draw(st.integers(0, sum(shares)))
    parts = split_withholding(withheld, shares)
    assert sum(parts) == withheld and len(parts) == len(shares)
    assert all(0 <= part <= share for part, share in zip(parts, shares, strict=True))
    whole = max(1, sum(shares))
    assert all(abs(part * whole - withheld * share) < whole for part, share in zip(parts, shares, strict=True))


def test_more_than_all_shares_is_not_split() -> None:
    with pytest.raises(ValueError, match="can be withheld"):
        split_withholding(3, [1, 1])


@st.composite
def paid_and_won(draw: st.DrawFn) -> tuple[list[PaidPrize], int]:
    cents = draw(st.lists(st.integers(1, 500_00), min_size=1, max_size=4))
    rows = [PaidPrize(one, draw(st.integers(0, one))) for one in cents]
    return rows, draw(st.integers(0, sum(cents)))


@given(paid_and_won())
def test_an_overpaid_entry_keeps_its_prize(case: tuple[list[PaidPrize], int]) -> None:
    rows, won = case
    down = reduce_payouts(rows, won)
    stand = [*rows[down.reversed_count :], *([down.replacement] if down.replacement.cents else [])]
    assert sum(one.cents for one in stand) == won
    assert all(0 <= one.withheld_cents <= one.cents for one in stand)
    before, after = (sum(one.withheld_cents for one in these) for these in (rows, stand))
    assert before - after == down.released_cents >= 0
    handed = sum(one.cents - one.withheld_cents for one in rows) - (won - after)
    assert handed == down.return_cents >= 0


def test_a_payout_that_stays_below_what_was_won_is_left_alone() -> None:
    rows = [PaidPrize(100_00, 24_00), PaidPrize(600_00, 144_00)]
    assert reduce_payouts(rows, 700_00) == PayoutReduction(0, PaidPrize(0), 0, 0)
    assert reduce_payouts(rows, 600_00) == PayoutReduction(1, PaidPrize(0), 24_00, 76_00)
    assert reduce_payouts(rows, 610_00) == PayoutReduction(1, PaidPrize(10_00, 10_00), 14_00, 76_00)


def test_a_player_without_a_share_bears_nothing_of_what_is_withheld() -> None:
    assert split_withholding(1, [0, 3, 3]) == (0, 1, 0)
    assert split_withholding(0, [0, 0]) == (0, 0)
