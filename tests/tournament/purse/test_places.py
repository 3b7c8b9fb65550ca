import pytest

from tests.kit import refused
from tournament.errors import DomainError
from tournament.purse.prizes import (
    FlatAmounts,
    Percent,
    PrizeScale,
    divide_pool_by_place,
    make_prize_scale,
    make_prize_table,
)


def test_places_are_rounded_to_whole_dollars_by_default() -> None:
    assert make_prize_scale(["60", "40"]).divide(101_55) == (61_55, 40_00)
    assert PrizeScale((Percent("100"),)).unit_cents == 100


def test_largest_remainders_take_the_units_left_over() -> None:
    # 3.33, 3.34, 3.33 dollars of $10: nine given, one left over, to the second.
    assert make_prize_scale(["33.3", "33.4", "33.3"]).divide(10_00) == (3_00, 4_00, 3_00)


def test_of_equal_remainders_the_better_place_comes_first() -> None:
    assert make_prize_scale(["12.5"] * 8).divide(12_00) == (2_00,) * 4 + (1_00,) * 4


def test_a_place_of_zero_percent_gets_no_left_over_unit() -> None:
    assert make_prize_scale(["0", "50", "0", "50"], 100).divide(3_00) == (0, 2_00, 0, 1_00)


def test_the_rest_below_a_unit_goes_to_first_place() -> None:
    assert make_prize_scale(["0", "100"], 5_00).divide(14_99) == (4_99, 10_00)
    assert make_prize_scale(["0", "100"], 5_00).divide(4_99) == (4_99, 0)


@pytest.mark.parametrize(
    ("percents", "gap"),
    [
        ((), "0, which is 100 short"),
        (("99.5",), "99.5, which is 0.5 short"),
        (("50", "75"), "125, which is 25 over"),
        (("50", "50.5"), "100.5, which is 0.5 over"),
        (("99.99999999999999999999999999999",), "100.0000000, which is 1e-29 short"),
        (("9" * 900,), "1.000000000e+900, which is 1.00000e+900 over"),
    ],
)
def test_a_scale_is_exactly_a_hundred_percent(percents: tuple[str, ...], gap: str) -> None:
    with refused("bad-scale") as refusal:
        make_prize_scale(percents)
    assert refusal.value.message.endswith(f" These add up to {gap}.")


def test_a_unit_is_a_cent_or_more() -> None:
    assert make_prize_scale(["60", "40"], 1).divide(3) == (2, 1)
    with pytest.raises(ValueError, match="one cent or more"):
        make_prize_scale(["100"], 0)


def test_flat_amounts_give_the_rest_to_first_place() -> None:
    flat = FlatAmounts((50_00, 30_00, 0))
    assert flat.divide(80_00) == (50_00, 30_00, 0)
    assert flat.divide(80_01) == (50_01, 30_00, 0)


def test_flat_amounts_over_the_pool_are_refused_by_how_much() -> None:
    with pytest.raises(DomainError, match=r"^The flat amounts are more than the pool\.$") as refusal:
        FlatAmounts((50_00, 30_00)).divide(79_98)
    assert refusal.value.code == "bad-scale"
    assert refusal.value.data["missing_cents"] == 2


def test_flat_amounts_have_a_place_and_none_below_zero() -> None:
    with pytest.raises(DomainError, match=r"^The flat amounts need at least one place\.$") as refusal:
        FlatAmounts(())
    assert refusal.value.code == "bad-scale"
    with pytest.raises(ValueError, match="zero or more"):
        FlatAmounts((5, -1))


@pytest.mark.parametrize(
    ("finishers", "places"),
    [(1, (100_00,)), (2, (70_00, 30_00)), (3, (50_00, 30_00, 20_00)), (9, (50_00, 30_00, 20_00))],
)
def test_the_money_of_places_nobody_takes_goes_to_first(finishers: int, places: tuple[int, ...]) -> None:
    assert divide_pool_by_place(100_00, make_prize_scale(["50", "30", "20"]), finishers) == places


def test_nobody_finished_is_refused() -> None:
    with pytest.raises(DomainError, match=r"^No player has a final place, so there is nobody to pay\.$") as refusal:
        divide_pool_by_place(100_00, make_prize_scale(["100"]), 0)
    assert refusal.value.code == "no-finish"


# --- Prize tables ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("percents", "code", "message"),
    [
        (
            ["60", "30"],
            "bad-scale",
            "From 8 entries on: The percents must be exactly 100 in all. These add up to 90, which is 10 short.",
        ),
        (["60", "40%"], "bad-value", "From 8 entries on: “40%” is not a percent: write it like “82” or “12.5”."),
    ],
)
def test_a_wrong_row_of_a_prize_table_is_named(percents: list[str], code: str, message: str) -> None:
    with refused(code) as refusal:
        make_prize_table([(1, ["100"]), (8, percents)])
    assert refusal.value.message == message


@pytest.mark.parametrize(
    ("begins", "message"),
    [
        ([], "The table must begin with the prizes from 1 entry on."),
        ([2, 8], "The table must begin with the prizes from 1 entry on."),
        ([1, 8, 4], "The numbers of entries in the table must go up, and each may be there once."),
        ([1, 8, 8], "The numbers of entries in the table must go up, and each may be there once."),
    ],
)
def test_a_prize_table_begins_at_one_entry_and_goes_up(begins: list[int], message: str) -> None:
    with refused("bad-table") as refusal:
        make_prize_table([(begin, ["100"]) for begin in begins])
    assert refusal.value.message == message


@pytest.mark.parametrize(
    ("entries", "percents"),
    [(0, "100"), (1, "100"), (7, "100"), (8, "65 35"), (15, "65 35"), (16, "50 30 20"), (200, "50 30 20")],
)
def test_a_row_of_a_prize_table_applies_until_the_next_one(entries: int, percents: str) -> None:
    table = make_prize_table([(1, ["100"]), (8, ["65", "35"]), (16, ["50", "30", "20"])])
    assert table.find_scale(entries) == make_prize_scale(percents.split())


def test_every_row_of_a_prize_table_is_rounded_to_its_unit() -> None:
    table = make_prize_table([(1, ["100"]), (8, ["65", "35"])], 5_00)
    # 63.70 and 34.30 are 60.00 and 30.00 in whole units. The left-over unit goes to second place, which lost 4.30 by
    # rounding, and the last 3.00 go to first place.
    assert table.find_scale(8).divide(98_00) == (63_00, 35_00)
