"""Taxes withheld from prizes: each player's part, and the change if a prize gets smaller."""

from collections.abc import Sequence
from dataclasses import dataclass

from tournament.purse.percent import Percent, half_up


def withhold_percent(cents: int, percent: str) -> int:
    """Return this percent of a prize, with half a cent up.

    >>> withhold_percent(1_771_00, "24")
    42504

    Raises:
        DomainError: `bad-value` from `Percent`.
    """
    return half_up(Percent(percent).of(cents))


def split_withheld(withheld_cents: int, shares: Sequence[int]) -> tuple[int, ...]:
    """Return the part of each player's share that is withheld, in proportion and never more than the share.

    Each part is rounded down to whole cents. Cents left over go one each to the first players with room for them.

    >>> split_withheld(24_01, [60_00, 40_00])
    (1441, 960)

    Raises:
        ValueError: more is withheld than the shares come to, or less than zero.
    """
    whole = sum(shares)
    if not 0 <= withheld_cents <= whole:
        raise ValueError("from nothing up to all of the shares can be withheld")
    if not whole:
        return tuple(0 for _share in shares)
    parts = [withheld_cents * share // whole for share in shares]
    left = withheld_cents - sum(parts)
    for place, share in enumerate(shares):
        if left and parts[place] < share:
            parts[place], left = parts[place] + 1, left - 1
    return tuple(parts)


@dataclass(frozen=True, slots=True)
class PaidPrize:
    """A payout that is not reversed, in cents: the prize, and the part withheld from it."""

    cents: int
    withheld_cents: int = 0


@dataclass(frozen=True, slots=True)
class BroughtDown:
    """The steps that bring an entry that was paid too much down to its prize.

    The last `reversed` payouts are reversed, and `again` is paid instead. `released_cents` are no longer withheld,
    and the player gives back `back_cents`.
    """

    reversed: int
    again: PaidPrize
    released_cents: int
    back_cents: int


def bring_down(newest_first: Sequence[PaidPrize], won_cents: int) -> BroughtDown:
    """Reverse the last payouts until the rest is no more than the prize, and pay what is then missing.

    Withheld money stays withheld as far as the remaining prize has room for it, because it may be at the tax office.

    >>> bring_down([PaidPrize(1_000_00, 240_00)], 600_00)
    BroughtDown(reversed=1, again=PaidPrize(cents=60000, withheld_cents=24000), released_cents=0, back_cents=40000)
    >>> bring_down([PaidPrize(1_000_00, 240_00)], 100_00)
    BroughtDown(reversed=1, again=PaidPrize(cents=10000, withheld_cents=10000), released_cents=14000, back_cents=76000)
    """
    had = sum(one.cents for one in newest_first)
    excess, count, withheld = had - won_cents, 0, 0
    for one in newest_first:
        if had <= won_cents:
            break
        had, count, withheld = had - one.cents, count + 1, withheld + one.withheld_cents
    again = won_cents - had
    kept = min(withheld, again)
    return BroughtDown(count, PaidPrize(again, kept), withheld - kept, excess - (withheld - kept))
