from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from tournament.purse.business_day import (
    PostingGroupKey,
    find_current_business_day,
    find_next_open_day,
    is_day_closed,
    make_day_report,
)
from tournament.purse.kinds import AccountKind
from tournament.purse.postings import MoneyMovement, make_movement, sum_movements

CENTS, METHODS, DRAWERS = st.integers(1, 10**6), st.sampled_from(["cash", "check"]), st.integers(0, 3)
OF_ENTRY = st.sampled_from(["charge", "discount", "complimentary", "cancellation"])
BY_METHOD = st.sampled_from(["payment", "refund", "payout"])
AT_DESK = st.sampled_from(["added", "brought", "banked", "over", "short"])
OF_NO_ENTRY = st.one_of(
    st.builds(make_movement, AT_DESK, CENTS, method=METHODS),
    st.builds(make_movement, st.just("expense"), CENTS, method=METHODS, category=st.sampled_from(["Trays", "Postage"])),
    st.builds(make_movement, st.just("transfer"), CENTS, method=METHODS, drawer=DRAWERS, to_drawer=DRAWERS),
)
MOVED = st.one_of(
    st.builds(make_movement, OF_ENTRY, CENTS, entry=st.just(7)),
    st.builds(make_movement, BY_METHOD, CENTS, entry=st.just(7), method=METHODS),
    OF_NO_ENTRY,
)
MOVEMENTS = st.lists(
    st.builds(lambda one, back: one.make_reversal() if back else one, MOVED, st.booleans()), max_size=20
)
DAYS = st.dates(dt.date(2026, 11, 20), dt.date(2026, 12, 5))


def groups(movements: list[MoneyMovement]) -> list[tuple[PostingGroupKey, int]]:
    return [
        ((one.account.value, movement.kind.value, movement.method, movement.category), one.cents)
        for movement in movements
        for one in movement.postings
    ]


@given(MOVEMENTS, MOVEMENTS)
def test_a_day_report_lists_all_money_and_adds_up_to_zero(
    before: list[MoneyMovement], today: list[MoneyMovement]
) -> None:
    report = make_day_report(groups(before), groups(today))
    assert (report.before_cents, report.day_cents, report.after_cents) == (0, 0, 0)
    in_hand = sum_movements([*before, *today]).in_hand
    for method in ("cash", "check"):
        assert report.get_cents_on_hand(method, includes_earlier=True) == in_hand[method]
    assert report.moved_cents == sum_movements(today).in_hand.total()
    asked = [line for line in report.accounts if line.account in (AccountKind.FEES, AccountKind.DISCOUNTS)]
    assert report.fees_cents == -sum(line.day_cents for line in asked)


@given(st.lists(OF_NO_ENTRY, max_size=20))
def test_money_of_no_entry_leaves_the_proof_at_zero(movements: list[MoneyMovement]) -> None:
    balances = sum_movements(
        [make_movement("charge", 300_00, entry=7), make_movement("payment", 350_00, entry=7, method="cash"), *movements]
    )
    assert (balances.total, balances.compute_balance_check()) == (0, 0)


@given(DAYS, st.none() | DAYS, st.none() | DAYS)
def test_a_closed_day_is_never_chosen_over_one_that_is_open(
    today: dt.date, override: dt.date | None, closed: dt.date | None
) -> None:
    day = find_current_business_day(today, override, closed)
    assert day in (today, override, find_next_open_day(today, closed))
    assert not is_day_closed(day, closed)
    assert not is_day_closed(find_next_open_day(today, closed), closed)
    assert find_next_open_day(today, closed) >= today
