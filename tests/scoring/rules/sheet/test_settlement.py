"""The payments between players settle every balance with as few payments as possible."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.rules.sheet.transfers import MAX_EXACT_SEARCH_PLAYERS, find_fewest_transfers, sum_game_balances


def balanced(amounts: list[int]) -> dict[int, int]:
    return dict(enumerate([*amounts, -sum(amounts)], start=1))


def most_groups(values: list[int]) -> int:
    """Return the largest number of groups with a sum of zero into which the values can be divided.

    All divisions are tried.
    """
    if not values:
        return 0
    first, rest = values[0], values[1:]
    found = []
    for size in range(len(rest) + 1):
        for chosen in itertools.combinations(range(len(rest)), size):
            if first + sum(rest[place] for place in chosen) == 0:
                left = [value for place, value in enumerate(rest) if place not in chosen]
                found.append(1 + most_groups(left))
    return max(found)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=6))
def test_payments_are_the_fewest_and_settle_everybody(amounts: list[int]) -> None:
    balances = balanced(amounts)
    transfers = find_fewest_transfers(balances)
    paid = sum_game_balances([balances, *({payer: cents, payee: -cents} for payer, payee, cents in transfers)])
    assert set(paid.values()) == {0}
    assert all(cents > 0 and balances[payer] < 0 < balances[payee] for payer, payee, cents in transfers)
    still = [cents for cents in balances.values() if cents]
    assert len(transfers) == len(still) - most_groups(still)


@given(st.lists(st.integers(-10_000, 10_000), min_size=MAX_EXACT_SEARCH_PLAYERS + 1, max_size=60))
def test_many_players_need_at_most_one_payment_fewer_than_players(amounts: list[int]) -> None:
    balances = balanced(amounts)
    transfers = find_fewest_transfers(balances)
    paid = sum_game_balances([balances, *({payer: cents, payee: -cents} for payer, payee, cents in transfers)])
    assert set(paid.values()) == {0}
    assert len(transfers) <= max(0, len([cents for cents in balances.values() if cents]) - 1)


def test_balances_that_do_not_add_up_to_zero_are_refused() -> None:
    with pytest.raises(ValueError, match="others pay"):
        find_fewest_transfers({1: 1})
