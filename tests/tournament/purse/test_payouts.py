import pytest

from tests.kit import refused
from tournament.purse.prizes import (
    Award,
    FlatAmounts,
    Placing,
    compute_payout,
    make_awards,
    make_placings_from_finish,
    make_prize_scale,
)

SCALE = make_prize_scale(["50", "30", "20"])


def test_a_placing_occupies_as_many_places_as_it_has_entries() -> None:
    quarterfinalists = Placing(5, (4, 1, 3, 2))
    assert (quarterfinalists.place, quarterfinalists.last_place) == (5, 8)
    assert quarterfinalists.is_tie
    assert str(quarterfinalists) == "5–8"


def test_a_placing_of_one_is_no_tie() -> None:
    champion = Placing(1, (7,))
    assert (champion.last_place, champion.is_tie, str(champion)) == (1, False, "1")


@pytest.mark.parametrize(
    ("place", "entries", "why"), [(0, (1,), "count from 1"), (1, (), "at least one"), (1, (2, 2), "each once")]
)
def test_an_invalid_placing_is_a_programming_error(place: int, entries: tuple[int, ...], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Placing(place, entries)


def test_a_finish_becomes_placings_that_follow_each_other() -> None:
    assert make_placings_from_finish([[7], [9, 3], [4]]) == (Placing(1, (7,)), Placing(2, (9, 3)), Placing(4, (4,)))
    assert make_placings_from_finish([]) == ()


def test_awards_are_sorted_by_place_and_entry_number() -> None:
    payout = compute_payout(100_01, SCALE, make_placings_from_finish([[7], [12, 9]]))
    first, second = Placing(1, (7,)), Placing(2, (12, 9))
    assert payout.places_cents == (50_01, 30_00, 20_00)
    assert payout.awards == (Award(7, first, 50_01), Award(9, second, 25_00), Award(12, second, 25_00))


def test_odd_cents_go_to_the_lower_entry_numbers_one_each() -> None:
    awards = make_awards((5,), Placing(1, (30, 4, 200)))
    assert [(paid.entry, paid.cents) for paid in awards] == [(4, 2), (30, 2), (200, 1)]


def test_a_placing_beyond_the_last_place_paid_wins_nothing() -> None:
    assert make_awards((100,), Placing(2, (1, 2))) == ()


def test_a_placing_can_be_told_its_money_before_the_event_is_over() -> None:
    # Two finalists still play; the losers of the semifinals know what they have.
    assert [paid.cents for paid in make_awards((50_00, 30_00, 15_00, 5_00), Placing(3, (8, 2)))] == [10_00, 10_00]


@pytest.mark.parametrize(
    "placings",
    [
        (Placing(2, (1,)),),
        (Placing(1, (1, 2)), Placing(2, (3,))),
        (Placing(1, (1,)), Placing(3, (2,))),
        (Placing(2, (1,)), Placing(1, (2,))),
    ],
)
def test_placings_leave_no_place_out(placings: tuple[Placing, ...]) -> None:
    with pytest.raises(ValueError, match="leave none out"):
        compute_payout(100_00, SCALE, placings)


def test_an_entry_is_in_one_placing_only() -> None:
    with pytest.raises(ValueError, match="one placing only"):
        compute_payout(100_00, SCALE, make_placings_from_finish([[1], [2, 1]]))


def test_nobody_finished_and_too_large_amounts_are_refusals() -> None:
    with refused("no-finish"):
        compute_payout(100_00, SCALE, ())
    with refused("bad-scale"):
        compute_payout(100_00, FlatAmounts((100_01,)), make_placings_from_finish([[1]]))
