"""The prize pool, the expenses paid from entry fees, and side pools. All amounts are whole cents.

“82 per cent of the entry fee goes back into the prize pool. 18 per cent covers advertising, brochures, postage …” (GRA
2012, the note below the rules). According to that note, the 18 percent also covers discounts. A discount does not
reduce the pool, unless the event subtracts discounts from the fee before the split.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tournament.errors import DomainError
from tournament.lazy_text import lazy_text
from tournament.purse.prizes import (
    Payout,
    Percent,
    PrizeScale,
    compute_payout,
    make_placings_from_finish,
    round_half_up,
)

DEFAULT_PRIZE_PERCENT: Final = "82"
"""The default percentage of entry fees that goes into the prize pool (GRA 2012, note)."""


class DiscountSource(StrEnum):
    """The money that pays for discounts and complimentary entries: the expense budget, or the fees before the split."""

    EXPENSES = "expenses"
    FEE = "fee"

    def compute_covered_cents(self, settled_discounts_cents: int) -> int:
        """Return the part of these discounts that the expenses have to cover, in cents."""
        return settled_discounts_cents if self is DiscountSource.EXPENSES else 0


@dataclass(frozen=True, slots=True)
class PrizePool:
    """The sources and uses of the money: collected + added + subsidy = pool + expenses.

    - `collected_cents`: the entry fees. `added_cents`: money from a sponsor or a raffle. All of it joins the pool.
    - `subsidy_cents`: paid by the organizer to reach a guarantee.
    - `pool_cents`: the whole prize pool, including added money and subsidy.
    - `discounts_cents`: waived fees that the expenses cover. In the pool, they count as if they had been paid.
    - `expenses_cents`: the rest of the fees. It may be below zero.
    """

    collected_cents: int
    added_cents: int
    subsidy_cents: int
    pool_cents: int
    expenses_cents: int
    discounts_cents: int = 0

    @property
    def from_fees_cents(self) -> int:
        return self.collected_cents - self.expenses_cents


def read_prize_percent(text: str) -> Percent:
    """Parse the percentage of entry fees that goes into the prize pool, from “0” to “100”.

    Raises:
        DomainError: `bad-value` if it is not a percentage, or is over 100.
    """
    percent = Percent(text)
    if percent.value > 100:
        raise DomainError(
            "bad-value", lazy_text("The prize percent is 100 at most: no more can be paid out than came in.")
        )
    return percent


def make_prize_pool(
    collected_cents: int,
    prize_percent: str = DEFAULT_PRIZE_PERCENT,
    *,
    discounts_cents: int = 0,
    added_cents: int = 0,
    guarantee_cents: int = 0,
) -> PrizePool:
    """Return the prize pool for these entry fees.

    The pool gets a percentage of the fees, rounded half up, and the expenses get the rest.

    Sixteen players paid $300 each. 82% of the $4,800 goes into the pool, and 18% covers the expenses.

    >>> pool = make_prize_pool(16 * 300_00)
    >>> pool.pool_cents, pool.expenses_cents
    (393600, 86400)

    A $20 discount on a $100 fee comes out of the expenses. The pool is as large as if the whole fee had been paid.

    >>> pool = make_prize_pool(80_00, discounts_cents=20_00)
    >>> pool.pool_cents, pool.expenses_cents
    (8200, -200)

    If $5,000 is guaranteed, the organizer adds the missing money. Added money makes the subsidy smaller.

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
    from_fees = round_half_up(read_prize_percent(prize_percent).compute_share(collected_cents + discounts_cents))
    subsidy = max(0, guarantee_cents - from_fees - added_cents)
    return PrizePool(
        collected_cents=collected_cents,
        added_cents=added_cents,
        subsidy_cents=subsidy,
        pool_cents=from_fees + added_cents + subsidy,
        expenses_cents=collected_cents - from_fees,
        discounts_cents=discounts_cents,
    )


# --- Side pools ------------------------------------------------------------------------------------------------------
# A side pool is optional money beside the prize pool, among the entries that paid for it (sweepstake, senior).


@dataclass(frozen=True, slots=True)
class SidePoolMoney:
    collected_cents: int
    prizes_cents: int

    @property
    def kept_cents(self) -> int:
        """Return the collected cents that are not for prizes. They go to the expenses."""
        return self.collected_cents - self.prizes_cents


def make_side_pool_money(collected_cents: int, prize_percent: str = "100") -> SidePoolMoney:
    """Return a side pool's money, and the part that is paid out in prizes, rounded half up.

    >>> make_side_pool_money(8 * 20_00, "90")
    SidePoolMoney(collected_cents=16000, prizes_cents=14400)

    Raises:
        DomainError: `bad-value`, from `read_prize_percent`.
        ValueError: an amount below zero.
    """
    if collected_cents < 0:
        raise ValueError("a side pool is made of amounts of zero or more")
    return SidePoolMoney(
        collected_cents, round_half_up(read_prize_percent(prize_percent).compute_share(collected_cents))
    )


def divide_payment(cents: int, charges: Sequence[int]) -> tuple[int, ...]:
    """Divide an entry's payment among its charges for side pools or extras, oldest charge first.

    >>> divide_payment(30_00, [20_00, 25_00])
    (2000, 1000)
    """
    paid = []
    for charge in charges:
        part = max(0, min(cents, charge))
        paid.append(part)
        cents -= part
    return tuple(paid)


def restrict_finish_to_entrants(
    finish: Iterable[Sequence[int]], entrants: Collection[int]
) -> tuple[tuple[int, ...], ...]:
    """Return the event's ranking reduced to a side pool's entrants. Tied entries stay tied.

    >>> restrict_finish_to_entrants([[7], [3, 9], [4], [1, 2]], {9, 3, 2})
    ((3, 9), (2,))
    """
    groups = (tuple(entry for entry in group if entry in entrants) for group in finish)
    return tuple(group for group in groups if group)


def compute_side_pool_payout(money: SidePoolMoney, scale: PrizeScale, groups: Sequence[Sequence[int]]) -> Payout | None:
    """Compute a side pool's payout to these groups of tied entries, best first. Return None if there are no groups.

    >>> from tournament.purse.prizes import make_prize_scale
    >>> payout = compute_side_pool_payout(make_side_pool_money(100_00), make_prize_scale(["60", "40"]), [[3, 9], [2]])
    >>> {award.entry: award.cents for award in payout.awards}
    {3: 5000, 9: 5000}
    """
    return compute_payout(money.prizes_cents, scale, make_placings_from_finish(groups)) if groups else None
