"""Side pools: optional money beside the prize pool, among those who entered it (sweepstake, senior, best game).

    what its entrants paid for it ──make_side_pool──► prizes and the rest ──pay_side_pool──► awards

A side pool never enters the base of the prize pool. Places, rounding and ties are those of the main prizes.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from tournament.purse.payouts import Payout, pay_out, place_finish
from tournament.purse.percent import half_up
from tournament.purse.places import Scale
from tournament.purse.pool import read_prize_percent


@dataclass(frozen=True, slots=True)
class SidePoolMoney:
    """What was collected for a side pool, and what of it is paid out, in cents."""

    collected_cents: int
    prizes_cents: int

    @property
    def kept_cents(self) -> int:
        """The rest: it goes to the expenses."""
        return self.collected_cents - self.prizes_cents


def make_side_pool(collected_cents: int, prize_percent: str = "100") -> SidePoolMoney:
    """Return the part that is paid out, half a cent up.

    >>> make_side_pool(8 * 20_00, "90")
    SidePoolMoney(collected_cents=16000, prizes_cents=14400)

    Raises:
        DomainError: `bad-value`, from `read_prize_percent`.
    """
    if collected_cents < 0:
        raise ValueError("a side pool is made of amounts of zero or more")
    return SidePoolMoney(collected_cents, half_up(read_prize_percent(prize_percent).of(collected_cents)))


def share_payment(cents: int, charges: Sequence[int]) -> tuple[int, ...]:
    """What an entry paid for each of its side pools, or of its extras: the one that it has longest is paid first.

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
    """The finish of an event among the entrants of a side pool: who tied still ties.

    >>> places_among([[7], [3, 9], [4], [1, 2]], {9, 3, 2})
    ((3, 9), (2,))
    """
    groups = (tuple(entry for entry in group if entry in entrants) for group in finish)
    return tuple(group for group in groups if group)


def pay_side_pool(money: SidePoolMoney, scale: Scale, groups: Sequence[Sequence[int]]) -> Payout | None:
    """Its prizes to these groups of tied entries, best first; None where nobody has a place.

    >>> from tournament.purse.places import make_scale
    >>> payout = pay_side_pool(make_side_pool(100_00), make_scale(["60", "40"]), [[3, 9], [2]])
    >>> {award.entry: award.cents for award in payout.awards}
    {3: 5000, 9: 5000}
    """
    return pay_out(money.prizes_cents, scale, place_finish(groups)) if groups else None
