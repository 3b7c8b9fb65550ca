from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit import refused
from tournament.purse.prizes import split_prize


def percents(parts: list[int]) -> list[str]:
    """Return whole percents that add up to 100, by cutting the range from 0 to 100 at these numbers."""
    cuts = [0, *sorted(parts), 100]
    return [str(after - before) for before, after in pairwise(cuts)]


@given(st.integers(0, 10**9), st.lists(st.integers(0, 100), max_size=3), st.booleans())
def test_shares_add_up_to_the_prize_and_nobody_loses_a_cent_of_what_was_agreed(
    cents: int, cuts: list[int], agreed: bool
) -> None:
    shares = percents(cuts)
    parts = split_prize(cents, len(shares), shares if agreed else ())
    assert sum(parts) == cents
    exact = [cents * int(share) / 100 if agreed else cents / len(shares) for share in shares]
    assert all(abs(part - own) < 1 + 1e-6 for part, own in zip(parts, exact, strict=True))


@pytest.mark.parametrize(
    ("shares", "code"), [(["60"], "bad-shares"), (["60", "50"], "bad-scale"), (["60", "a"], "bad-value")]
)
def test_shares_that_do_not_fit_are_refused(shares: list[str], code: str) -> None:
    with refused(code):
        split_prize(100_00, 2, shares)
