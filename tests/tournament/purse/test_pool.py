import pytest

from tournament.errors import DomainError
from tournament.purse.pool import make_prize_pool, read_prize_percent
from tournament.purse.prizes import Percent


def test_the_association_plays_for_82_percent() -> None:
    pool = make_prize_pool(64 * 300_00)
    assert (pool.pool_cents, pool.expenses_cents) == (15_744_00, 3_456_00)
    assert (pool.added_cents, pool.subsidy_cents) == (0, 0)


@pytest.mark.parametrize(
    ("collected", "percent", "in_pool"),
    [(25, "82", 21), (1, "50", 1), (1, "49.999999999999999999999", 0), (3, "50", 2), (300_00, "0", 0), (1, "100", 1)],
)
def test_half_a_cent_goes_to_the_pool_and_less_to_the_expenses(collected: int, percent: str, in_pool: int) -> None:
    pool = make_prize_pool(collected, percent)
    assert (pool.pool_cents, pool.expenses_cents) == (in_pool, collected - in_pool)


def test_no_binary_fraction_creeps_in_where_amounts_are_large() -> None:
    collected = 2**53 - 1
    assert make_prize_pool(collected, "0.1").pool_cents == 9007199254741  # 9,007,199,254,740.991 cents
    assert make_prize_pool(collected, "100").pool_cents == collected


def test_added_money_is_played_for_whole() -> None:
    pool = make_prize_pool(100_00, added_cents=1_000_00)
    assert (pool.pool_cents, pool.expenses_cents, pool.added_cents) == (1_082_00, 18_00, 1_000_00)
    assert pool.from_fees_cents == 82_00


def test_a_discount_comes_out_of_the_eighteen_percent() -> None:
    pool = make_prize_pool(80_00, discounts_cents=20_00)
    assert (pool.pool_cents, pool.expenses_cents) == (82_00, -2_00)
    assert pool.from_fees_cents == 82_00


@pytest.mark.parametrize(("guarantee", "subsidy"), [(0, 0), (91_99, 0), (92_00, 0), (92_01, 1), (150_00, 58_00)])
def test_the_subsidy_fills_up_to_the_guarantee(guarantee: int, subsidy: int) -> None:
    pool = make_prize_pool(100_00, added_cents=10_00, guarantee_cents=guarantee)
    assert pool.subsidy_cents == subsidy
    assert pool.pool_cents == 92_00 + subsidy
    assert pool.expenses_cents == 18_00


def test_a_percent_over_a_hundred_is_refused() -> None:
    with pytest.raises(DomainError, match="100 at most") as refusal:
        make_prize_pool(100_00, "100.1")
    assert refusal.value.code == "bad-value"
    assert read_prize_percent("100").value == 100


@pytest.mark.parametrize(
    ("collected", "discounts", "added", "guarantee"), [(-1, 0, 0, 0), (0, -1, 0, 0), (0, 0, -1, 0), (0, 0, 0, -1)]
)
def test_a_negative_amount_is_a_programming_error(collected: int, discounts: int, added: int, guarantee: int) -> None:
    with pytest.raises(ValueError, match="zero or more"):
        make_prize_pool(collected, discounts_cents=discounts, added_cents=added, guarantee_cents=guarantee)


@pytest.mark.parametrize(
    "text", ["", " ", "82 ", "82\n", "+82", "-1", "8,2", "82%", ".5", "5.", "1e2", "NaN", "٨٢", "1_0"]
)
def test_a_percent_is_digits_or_digits_a_point_and_digits(text: str) -> None:
    with pytest.raises(DomainError, match="is not a percent") as refusal:
        Percent(text)
    assert refusal.value.code == "bad-value"


def test_a_percent_is_as_long_as_a_thousand_characters() -> None:
    assert Percent("0." + "0" * 997 + "1").value > 0
    with pytest.raises(DomainError, match="too long: 1000") as refusal:
        Percent("0" * 1_001)
    assert refusal.value.code == "bad-value"


def test_a_percent_may_begin_with_a_zero() -> None:
    assert Percent("012.50").compute_share(1_00) * 2 == 25
