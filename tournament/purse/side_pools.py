"""Side pools: optional money beside the prize pool, among the entries that paid for it (sweepstake, senior).

    payments for the pool ──make_side_pool──► prizes and the rest ──pay_side_pool──► awards

A side pool is never part of the prize pool. Its places, rounding and ties work as for the main prizes.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from tournament.purse.payouts import Payout, pay_out, place_finish
from tournament.purse.percent import half_up
from tournament.purse.places import Scale
from tournament.purse.pool import read_prize_percent


@dataclass(frozen=True, slots=True)
class SidePoolMoney:
    collected_cents: int
    prizes_cents: int

    @property
    def kept_cents(self) -> int:
        """Return the rest, which goes to the expenses."""
        return self.collected_cents - self.prizes_cents


def make_side_pool(collected_cents: int, prize_percent: str = "100") -> SidePoolMoney:
    """Return a side pool's money with the part that is paid out, rounded with half a cent up.

    >>> make_side_pool(8 * 20_00, "90")
    SidePoolMoney(collected_cents=16000, prizes_cents=14400)

    Raises:
        DomainError: `bad-value`, from `read_prize_percent`.
        ValueError: an amount below zero.
    """
    if collected_cents < 0:
        raise ValueError("a side pool is made of amounts of zero or more")
    return SidePoolMoney(collected_cents, half_up(read_prize_percent(prize_percent).of(collected_cents)))


def share_payment(cents: int, charges: Sequence[int]) -> tuple[int, ...]:
    """Divide an entry's payment among its side pools or extras. The oldest charge is paid first.

    >>> share_payment(30_00, [20_00, 25_00])
    (2000, 1000)
    """
    paid = []
    for charge in charges:
        part = max(0, min(cents, charge))
        paid.append(part)
        cents -= part
    return tuple(paid)


def places_among(finish: Iterable[Sequence[int]], entrants: Collection[int]) -> tuple[tuple[int, ...], ...]:
    """Return the finish of an event among the entrants of a side pool. Entries that tied still tie.

    >>> places_among([[7], [3, 9], [4], [1, 2]], {9, 3, 2})
    ((3, 9), (2,))
    """
    groups = (tuple(entry for entry in group if entry in entrants) for group in finish)
    return tuple(group for group in groups if group)


def pay_side_pool(money: SidePoolMoney, scale: Scale, groups: Sequence[Sequence[int]]) -> Payout | None:
    """Pay a side pool to these groups of tied entries, best first. Return None if there is no group.

    >>> from tournament.purse.places import make_scale
    >>> payout = pay_side_pool(make_side_pool(100_00), make_scale(["60", "40"]), [[3, 9], [2]])
    >>> {award.entry: award.cents for award in payout.awards}
    {3: 5000, 9: 5000}
    """
    return pay_out(money.prizes_cents, scale, place_finish(groups)) if groups else None
