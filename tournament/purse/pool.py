"""From the fees to the prize pool: what is played for, and what covers the expenses.

“82 per cent of the entry fee goes back into the prize pool. 18 per cent covers advertising, brochures,
postage …” (GRA 2012, the note under the rules). By that note the 18 per cent also cover what was let off: a
discount does not make the pool smaller, unless the event says that it comes off the fee before the split. All
amounts are whole cents.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tournament.errors import DomainError
from tournament.purse.percent import Percent, half_up
from tournament.said import worded

PRIZE_PERCENT: Final = "82"
"""What goes back into the pool unless the director sets something else (GRA 2012, note)."""


class DiscountsFrom(StrEnum):
    """What pays for discounts and complimentary entries: the expenses, or the fee before it is split."""

    EXPENSES = "expenses"
    FEE = "fee"

    def covered_cents(self, settled_discounts_cents: int) -> int:
        """Return what of the discounts comes out of the expenses.

        >>> DiscountsFrom.EXPENSES.covered_cents(20_00), DiscountsFrom.FEE.covered_cents(20_00)
        (2000, 0)
        """
        return settled_discounts_cents if self is DiscountsFrom.EXPENSES else 0


@dataclass(frozen=True, slots=True)
class PrizePool:
    """Where the money came from and where it goes: collected + added + subsidy = pool + expenses.

    `collected_cents` are the entry fees, `added_cents` what a sponsor or a raffle put in whole,
    `subsidy_cents` what the organizer pays to keep a guarantee. `pool_cents` is everything played for, added
    money and subsidy included. `discounts_cents` was let off and comes out of the expenses: the pool is a percent
    of the fees as if they had been paid in whole. `expenses_cents` may be below zero.
    """

    collected_cents: int
    added_cents: int
    subsidy_cents: int
    pool_cents: int
    expenses_cents: int
    discounts_cents: int = 0

    @property
    def from_fees_cents(self) -> int:
        """The part of the pool that comes out of the entry fees."""
        return self.collected_cents - self.expenses_cents


def read_prize_percent(text: str) -> Percent:
    """The percent of the fees that goes into the pool, from “0” to “100”.

    Raises:
        DomainError: `bad-value`, where it is no percent or over 100 (the expenses would be less than
        nothing).
    """
    percent = Percent(text)
    if percent.value > 100:
        raise DomainError(
            "bad-value", worded("The prize percent is 100 at most: no more can be paid out than came in.")
        )
    return percent


def make_prize_pool(
    collected_cents: int,
    prize_percent: str = PRIZE_PERCENT,
    *,
    discounts_cents: int = 0,
    added_cents: int = 0,
    guarantee_cents: int = 0,
) -> PrizePool:
    """Return the pool that these fees make: their percent, half a cent up; the expenses are the rest.

    Sixteen players paid $300 each; 82 % of the $4,800 is played for, 18 % covers the expenses.

    >>> pool = make_prize_pool(16 * 300_00)
    >>> pool.pool_cents, pool.expenses_cents
    (393600, 86400)

    A $20 discount on a $100 fee comes out of the expenses, and the pool is that of the whole fee.

    >>> pool = make_prize_pool(80_00, discounts_cents=20_00)
    >>> pool.pool_cents, pool.expenses_cents
    (8200, -200)

    With $5,000 guaranteed the organizer puts in what is missing. Added money comes first: it makes the
    subsidy less.

    >>> make_prize_pool(16 * 300_00, guarantee_cents=5_000_00).subsidy_cents
    106400
    >>> make_prize_pool(16 * 300_00, guarantee_cents=5_000_00, added_cents=1_000_00).subsidy_cents
    6400

    Raises:
        DomainError: `bad-value`, from `read_prize_percent`.
        ValueError: an amount below zero.
    """
    if min(collected_cents, discounts_cents, added_cents, guarantee_cents) < 0:
        raise ValueError("the pool is made of amounts of zero or more")
    from_fees = half_up(read_prize_percent(prize_percent).of(collected_cents + discounts_cents))
    subsidy = max(0, guarantee_cents - from_fees - added_cents)
    return PrizePool(
        collected_cents=collected_cents,
        added_cents=added_cents,
        subsidy_cents=subsidy,
        pool_cents=from_fees + added_cents + subsidy,
        expenses_cents=collected_cents - from_fees,
        discounts_cents=discounts_cents,
    )
