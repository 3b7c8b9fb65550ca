"""The damages of a game in which the low total wins: each loser pays the winners for the difference.

Source: Fort Worth Gin (John Greer, 1997), B 7, C 6 and the foot of its score sheet; CONTRACTS.md, tally, fort-worth.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Damages:
    """The settlement of a finished game. `cents` is what each side gets (negative for a loser), and its sum is zero."""

    totals: Mapping[str, int]
    doubled: bool
    low: int
    winners: tuple[str, ...]
    cents: Mapping[str, int]


def settle_low(totals: Mapping[str, int], *, double_negative: bool, value_cents: int) -> Damages:
    """Settle the totals: each side pays down to the lowest total.

    All totals are doubled first if `double_negative` is played and the lowest is under zero. Tied winners share all
    payments. Odd cents go one each to the earlier winners.

    >>> settle_low({"Ann": 40, "Bob": 12, "Cy": 12}, double_negative=False, value_cents=25).cents
    {'Ann': -700, 'Bob': 350, 'Cy': 350}
    >>> settle_low({"Ann": 3, "Bob": 0, "Cy": 0}, double_negative=False, value_cents=1).cents
    {'Ann': -3, 'Bob': 2, 'Cy': 1}
    """
    doubled = double_negative and min(totals.values()) < 0
    final = {side: total * 2 for side, total in totals.items()} if doubled else dict(totals)
    low = min(final.values())
    winners = tuple(side for side, total in final.items() if total == low)
    cents = {side: (low - total) * value_cents for side, total in final.items()}
    share, odd = divmod(-sum(cents.values()), len(winners))
    for place, side in enumerate(winners):
        cents[side] = share + (place < odd)
    return Damages(totals=final, doubled=doubled, low=low, winners=winners, cents=cents)


def written_money(cents: int) -> str:
    """Return an amount in cents as a decimal number.

    >>> written_money(50), written_money(123405)
    ('0.50', '1234.05')
    """
    return f"{cents // 100}.{cents % 100:02d}"
