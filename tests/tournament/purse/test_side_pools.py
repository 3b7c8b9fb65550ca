from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.kit import refused
from tournament.purse.fees import leaves_prizes_unchanged, make_entry_account
from tournament.purse.kinds import MoneyKind
from tournament.purse.pool import (
    compute_side_pool_payout,
    divide_payment,
    make_side_pool_money,
    restrict_finish_to_entrants,
)
from tournament.purse.postings import MoneyMovement, make_movement, sum_movements
from tournament.purse.prizes import make_prize_scale

AMOUNTS = st.integers(0, 100_000_00)


@st.composite
def finishes(draw: st.DrawFn) -> list[list[int]]:
    """Draw the final places of up to 20 entries: groups of tied entries, the best group first."""
    numbers = draw(st.permutations(range(1, draw(st.integers(1, 20)) + 1)))
    groups: list[list[int]] = [[numbers[0]]]
    for number in numbers[1:]:
        groups[-1].append(number) if draw(st.booleans()) else groups.append([number])
    return groups


@given(
    collected=AMOUNTS,
    percent=st.sampled_from(["0", "37.5", "82", "90", "100"]),
    scale=st.sampled_from([("100",), ("60", "40"), ("50", "30", "20"), ("33.4", "33.3", "33.3", "0")]),
    unit=st.sampled_from([1, 100, 500]),
    finish=finishes(),
    inside=st.sets(st.integers(1, 20), min_size=1),
)
def test_awards_are_the_part_that_is_paid_out_for_every_field_scale_and_tie(
    collected: int, percent: str, scale: tuple[str, ...], unit: int, finish: list[list[int]], inside: set[int]
) -> None:
    money = make_side_pool_money(collected, percent)
    assert money.prizes_cents + money.kept_cents == collected
    payout = compute_side_pool_payout(money, make_prize_scale(scale, unit), restrict_finish_to_entrants(finish, inside))
    placed = {entry for group in finish for entry in group} & inside
    if payout is None:
        assert not placed
    else:
        assert sum(award.cents for award in payout.awards) == money.prizes_cents
        assert {award.entry for award in payout.awards} <= placed


@given(cents=st.integers(-500, 500), charges=st.lists(st.integers(0, 200), max_size=6))
def test_a_payment_is_shared_first_come_first_paid_and_never_beyond_a_charge(cents: int, charges: list[int]) -> None:
    paid = divide_payment(cents, charges)
    assert sum(paid) == max(0, min(cents, sum(charges)))
    assert all(0 <= part <= charge for part, charge in zip(paid, charges, strict=True))
    first_short = next((at for at, part in enumerate(paid) if part < charges[at]), len(charges))
    assert not any(paid[first_short + 1 :])


@given(fee=AMOUNTS, side=AMOUNTS, paid=AMOUNTS, off=AMOUNTS)
def test_a_side_pool_never_changes_what_the_prize_pool_is_made_of(fee: int, side: int, paid: int, off: int) -> None:
    sums = {"charge": fee, "discount": off, "payment": paid}
    without, account = make_entry_account(sums), make_entry_account({**sums, "side-pool": side})
    assert account.collected_cents == without.collected_cents
    assert account.settled_discounts_cents == without.settled_discounts_cents
    assert account.owed_cents == without.owed_cents
    assert account.collected_cents + account.side_collected_cents + account.refund_due_cents == paid
    assert account.due_cents == account.fee_due_cents + side - account.side_collected_cents


@given(
    sums=st.fixed_dictionaries(
        {
            **{
                kind: st.integers(0, 2_000)
                for kind in ("charge", "side-pool", "discount", "complimentary", "cancellation", "refund")
            },
            "payment": st.integers(-500, 2_000),
        }
    ),
    extras=st.lists(st.integers(0, 300), max_size=4),
    given_back=st.integers(0, 4),
)
def test_extras_never_change_the_pools_the_expenses_and_the_side_pools(
    sums: dict[str, int], extras: list[int], given_back: int
) -> None:
    standing = extras[given_back:]
    without, account = make_entry_account(sums), make_entry_account({**sums, "extra": sum(standing)})
    assert account.prize_basis == without.prize_basis
    assert account.extra_owed_cents == sum(standing)
    parts = (account.collected_cents, account.side_collected_cents, account.extra_collected_cents)
    assert sum(parts) + account.refund_due_cents == max(0, account.net_paid_cents)
    assert account.extra_collected_cents == sum(divide_payment(without.refund_due_cents, standing))


@given(
    st.fixed_dictionaries(
        {kind: st.integers(0, 300) for kind in ("charge", "side-pool", "extra", "payment", "discount", "refund")}
    ),
    st.sampled_from([MoneyKind.EXTRA, MoneyKind.PAYMENT, MoneyKind.SIDE_POOL, MoneyKind.CHARGE]),
    st.integers(1, 300),
)
def test_a_finished_event_accepts_only_lines_that_change_no_prize(
    sums: dict[str, int], kind: MoneyKind, cents: int
) -> None:
    before, after = make_entry_account(sums), make_entry_account({**sums, kind: sums.get(kind, 0) + cents})
    if leaves_prizes_unchanged(sums, kind, cents):
        assert before.prize_basis == after.prize_basis
        assert kind is not MoneyKind.PAYMENT or cents <= before.due_cents
    else:
        assert kind is not MoneyKind.EXTRA


@given(
    st.lists(
        st.one_of(
            st.builds(
                make_movement,
                st.just("extra"),
                AMOUNTS,
                entry=st.integers(1, 3),
                category=st.sampled_from(["Dinner", "Lunch"]),
            ),
            st.builds(make_movement, st.just("charge"), AMOUNTS, entry=st.integers(1, 3)),
            st.builds(
                make_movement,
                st.just("side-pool"),
                AMOUNTS,
                entry=st.integers(1, 3),
                category=st.sampled_from(["Senior", "Best game"]),
            ),
            st.builds(make_movement, st.just("payment"), AMOUNTS, entry=st.integers(1, 3), method=st.just("cash")),
            st.builds(
                make_movement,
                st.just("side-payout"),
                AMOUNTS,
                entry=st.integers(1, 3),
                method=st.just("cash"),
                category=st.just("Senior"),
            ),
        ),
        max_size=20,
    )
)
def test_every_cent_stays_in_a_ledger_that_is_zero(movements: list[MoneyMovement]) -> None:
    back = [movement.make_reversal() for movement in movements[::3]]
    for booked in (movements, [*movements, *back]):
        balances = sum_movements(booked)
        assert (balances.total, balances.compute_balance_check()) == (0, 0)


def test_no_more_is_paid_out_than_came_in() -> None:
    with refused("bad-value"):
        make_side_pool_money(100_00, "101")


def test_a_payment_goes_to_the_fee_then_to_the_side_pools_and_then_to_the_extras() -> None:
    account = make_entry_account({"charge": 100_00, "side-pool": 20_00, "extra": 35_00, "payment": 130_00})
    parts = (account.collected_cents, account.side_collected_cents, account.extra_collected_cents)
    assert (account.charged_cents, parts, account.due_cents) == (155_00, (100_00, 20_00, 10_00), 25_00)


def test_a_refund_of_a_dinner_leaves_the_prizes_and_one_of_the_fee_does_not() -> None:
    sums = {"charge": 100_00, "extra": 35_00, "payment": 135_00}
    refund = MoneyKind.REFUND
    assert [leaves_prizes_unchanged(sums, refund, cents) for cents in (35_00, 36_00)] == [True, False]
    assert leaves_prizes_unchanged({"charge": 100_00}, MoneyKind.EXTRA, 35_00)
    assert leaves_prizes_unchanged({"charge": 100_00}, MoneyKind.DISCOUNT, 0)
