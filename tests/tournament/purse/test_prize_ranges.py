"""Test what tied entries win, and what an entry can still win, with amounts worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest

from tournament.purse.prizes import (
    CentsRange,
    TiedPlaces,
    TieShare,
    compute_prize_ranges,
    compute_tie_share,
    compute_tie_shares,
)

PLACES = (500_00, 300_00, 150_01)
FIRST, SECOND, THIRD, FOURTH, FIFTH = (TiedPlaces(place, place) for place in range(1, 6))
SHARED_THIRD = TiedPlaces(3, 4)


# --- The share of a tied entry ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("places_cents", "tie", "cents", "odd_cents"),
    [
        (PLACES, FIRST, 500_00, 0),
        (PLACES, TiedPlaces(1, 2), 400_00, 0),  # 800.00 / 2
        (PLACES, TiedPlaces(2, 3), 225_00, 1),  # 450.01 / 2
        (PLACES, TiedPlaces(1, 3), 316_67, 0),  # 950.01 / 3
        (PLACES, SHARED_THIRD, 75_00, 1),  # 150.01 / 2, as fourth place wins nothing
        (PLACES, TiedPlaces(3, 6), 37_50, 1),  # 150.01 / 4
        ((5,), TiedPlaces(1, 3), 1, 2),  # 1 cent each, and two of the three get another
        ((2,), TiedPlaces(1, 3), 0, 2),  # Two of the three get a cent, the other one gets nothing.
        (PLACES, FOURTH, 0, 0),
        (PLACES, TiedPlaces(4, 5), 0, 0),
    ],
)
def test_tied_entries_share_the_prizes_of_their_places(
    places_cents: Sequence[int], tie: TiedPlaces, cents: int, odd_cents: int
) -> None:
    assert compute_tie_share(places_cents, tie) == TieShare(tie.first, tie.last, cents, odd_cents)


# --- All possible ties -----------------------------------------------------------------------------------------------


def list_ties(places_cents: Sequence[int], still_in: int) -> list[tuple[int, int]]:
    return [(tie.first, tie.last) for tie in compute_tie_shares(places_cents, still_in)]


@pytest.mark.parametrize(
    ("places_cents", "still_in", "ties"),
    [
        ((50, 30, 20), 2, [(1, 2)]),
        ((50, 30, 20), 3, [(1, 2), (1, 3), (2, 3)]),
        ((50, 30, 20), 4, [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]),
        ((100,), 3, [(1, 2), (1, 3)]),
        ((60, 40, 0, 0), 4, [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4)]),
        ((60, 0, 40), 3, [(1, 2), (1, 3), (2, 3)]),
        # Up to eight entries, every tie that takes a paid place is listed. From nine on, only ties among paid places.
        ((60, 40), 8, [(1, last) for last in range(2, 9)] + [(2, last) for last in range(3, 9)]),
        ((60, 40), 9, [(1, 2)]),
        ((50, 30, 20), 64, [(1, 2), (1, 3), (2, 3)]),
        ((10,) * 12, 9, list(combinations(range(1, 9), 2))),
    ],
)
def test_possible_ties_that_win_money(places_cents: Sequence[int], still_in: int, ties: list[tuple[int, int]]) -> None:
    assert list_ties(places_cents, still_in) == ties


@pytest.mark.parametrize(
    ("places_cents", "still_in"), [((), 4), ((), 9), ((0, 0), 4), ((0, 0), 9), ((50, 30), 1), ((50, 30), 0)]
)
def test_without_prizes_or_opponents_no_tie_wins_money(places_cents: Sequence[int], still_in: int) -> None:
    assert list_ties(places_cents, still_in) == []


def test_possible_ties_have_the_share_of_each_entry() -> None:
    # 30.01 / 2 and 30.01 / 3, which leaves one cent over.
    assert compute_tie_shares((20_00, 10_01), 3) == (
        TieShare(1, 2, 15_00, 1),
        TieShare(1, 3, 10_00, 1),
        TieShare(2, 3, 5_00, 1),
    )


# --- The range of an entry -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "cents"), [(FIRST, 500_00), (SECOND, 300_00), (THIRD, 150_01), (FOURTH, 0), (FIFTH, 0)]
)
def test_an_entry_with_a_certain_place_has_exactly_its_prize(place: TiedPlaces, cents: int) -> None:
    assert compute_prize_ranges(PLACES, {7: (place,)}) == {7: CentsRange(cents, cents)}


def test_the_lowest_number_of_a_complete_tie_has_the_odd_cent() -> None:
    # 150.01 / 2
    ranges = compute_prize_ranges(PLACES, {9: (SHARED_THIRD,), 4: (SHARED_THIRD,)})
    assert ranges == {9: CentsRange(75_00, 75_00), 4: CentsRange(75_01, 75_01)}


def test_each_of_two_complete_ties_has_its_own_odd_cent() -> None:
    # 800.01 / 2 and 150.01 / 2
    shared_first = TiedPlaces(1, 2)
    finishes = {5: (shared_first,), 1: (shared_first,), 4: (SHARED_THIRD,), 9: (SHARED_THIRD,)}
    assert compute_prize_ranges((500_00, 300_01, 150_01), finishes) == {
        5: CentsRange(400_00, 400_00),
        1: CentsRange(400_01, 400_01),
        4: CentsRange(75_01, 75_01),
        9: CentsRange(75_00, 75_00),
    }


def test_a_complete_tie_can_win_less_than_a_cent_each() -> None:
    ranges = compute_prize_ranges((2,), {entry: (TiedPlaces(1, 3),) for entry in (9, 4, 6)})
    assert ranges == {9: CentsRange(0, 0), 4: CentsRange(1, 1), 6: CentsRange(1, 1)}


def test_a_complete_tie_beyond_the_paid_places_wins_nothing() -> None:
    tie = TiedPlaces(4, 5)
    assert compute_prize_ranges(PLACES, {9: (tie,), 4: (tie,)}) == {9: CentsRange(0, 0), 4: CentsRange(0, 0)}


def test_the_odd_cent_is_open_while_others_can_still_join_the_tie() -> None:
    # Entry 4 lost its semifinal. The number of the other semifinal's loser is not known.
    assert compute_prize_ranges(PLACES, {4: (SHARED_THIRD,)}) == {4: CentsRange(75_00, 75_01)}


@pytest.mark.parametrize(
    ("ties", "least", "most"),
    [
        ((FIRST, SECOND), 300_00, 500_00),
        ((SECOND, FIRST), 300_00, 500_00),
        ((FIRST, SECOND, SHARED_THIRD), 75_00, 500_00),
        ((SHARED_THIRD, TiedPlaces(2, 3)), 75_00, 225_01),  # 450.01 / 2, perhaps with the odd cent
        ((SECOND, FIFTH), 0, 300_00),
        ((FOURTH, FIFTH), 0, 0),
    ],
)
def test_an_entry_can_win_from_its_worst_to_its_best_place(ties: Sequence[TiedPlaces], least: int, most: int) -> None:
    assert compute_prize_ranges(PLACES, {7: ties}) == {7: CentsRange(least, most)}


def test_entries_that_share_two_possible_places_are_not_settled() -> None:
    # Two entries play for second and third place.
    ranges = compute_prize_ranges(PLACES, {7: (SECOND, THIRD), 3: (SECOND, THIRD)})
    assert ranges == {7: CentsRange(150_01, 300_00), 3: CentsRange(150_01, 300_00)}


def test_settled_and_open_entries_of_one_event() -> None:
    # Entries 8 and 2 lost the semifinals and share 150.01. Entries 7 and 3 play the final.
    finishes = {7: (FIRST, SECOND), 3: (FIRST, SECOND), 8: (SHARED_THIRD,), 2: (SHARED_THIRD,)}
    assert compute_prize_ranges(PLACES, finishes) == {
        7: CentsRange(300_00, 500_00),
        3: CentsRange(300_00, 500_00),
        8: CentsRange(75_00, 75_00),
        2: CentsRange(75_01, 75_01),
    }


@pytest.mark.parametrize(("most", "is_final"), [(75_00, True), (75_01, False)])
def test_an_amount_is_final_if_nothing_else_is_possible(most: int, is_final: bool) -> None:
    assert CentsRange(75_00, most).is_final is is_final
