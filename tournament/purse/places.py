"""From the pool to the places: what the first, the second, the third … place is worth, in whole cents.

Two ways to divide: a `Scale` of percents, or `FlatAmounts`. Either way the places add up to the pool, to the
cent.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from tournament.errors import DomainError
from tournament.purse.percent import Percent
from tournament.said import worded

UNIT_CENTS: Final = 100
"""Places are rounded to this unless the director sets something else: whole dollars."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Percents by place, best place first, in any order of size, zero allowed; exactly 100 in all.

    Raises:
        DomainError: `bad-scale`, where they are not 100 in all.
        ValueError: a unit below one cent.
    """

    percents: tuple[Percent, ...]
    unit_cents: int = UNIT_CENTS

    def __post_init__(self) -> None:
        if self.unit_cents < 1:
            raise ValueError("places are rounded to a unit of one cent or more")
        off = sum(percent.value for percent in self.percents) - 100
        if off:
            gap = f"{abs(Decimal(off.numerator) / off.denominator):.6g} {'over' if off > 0 else 'short'}"
            raise DomainError(
                "bad-scale", worded("The percents must be exactly 100 in all; these are %(gap)s.", gap=gap)
            )

    def divide(self, pool_cents: int) -> tuple[int, ...]:
        """Each place its percent, rounded down to whole units; then the rest, so that nothing is left.

        Whole units left over go one each to the largest remainders (equal: the better place first). What is
        less than a unit goes to first place. A place of 0 % gets nothing, unless it is the first.

        >>> make_scale(["50", "30", "20"], unit_cents=5_00).divide(1_234_56)
        (61956, 37000, 24500)
        """
        shares = [divmod(percent.of(pool_cents), self.unit_cents) for percent in self.percents]
        units = [int(whole) for whole, _remainder in shares]
        left_over = pool_cents // self.unit_cents - sum(units)
        # Sorting keeps the order of equals, so of equal remainders the better place stands first.
        largest_first = sorted(range(len(shares)), key=lambda place: shares[place][1], reverse=True)
        for place in largest_first[:left_over]:
            units[place] += 1
        amounts = [count * self.unit_cents for count in units]
        amounts[0] += pool_cents % self.unit_cents
        return tuple(amounts)


@dataclass(frozen=True, slots=True)
class FlatAmounts:
    """Fixed amounts by place, best place first; what the pool holds beyond them goes to first place.

    They are paid as written: the unit that a scale is rounded to plays no part.

    Raises:
        DomainError: `bad-scale`, where there is no place at all.
        ValueError: an amount below zero.
    """

    amounts_cents: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.amounts_cents:
            raise DomainError("bad-scale", worded("The flat amounts need at least one place."))
        if min(self.amounts_cents) < 0:
            raise ValueError("a flat amount is zero or more")

    def divide(self, pool_cents: int) -> tuple[int, ...]:
        """The amounts as written, the rest of the pool to first place.

        >>> FlatAmounts((500_00, 300_00)).divide(1_000_00)
        (70000, 30000)

        Raises:
            DomainError: `bad-scale`, where the amounts are more than the pool.
        """
        rest = pool_cents - sum(self.amounts_cents)
        if rest < 0:
            raise DomainError("bad-scale", worded("The flat amounts are more than the pool."), missing_cents=-rest)
        return (self.amounts_cents[0] + rest, *self.amounts_cents[1:])


Division = Scale | FlatAmounts


def make_scale(percents: Iterable[str], unit_cents: int = UNIT_CENTS) -> Scale:
    """A scale from percents as they are written.

    Raises:
        DomainError: `bad-value`, where one is no percent; `bad-scale`, where they are not 100 in all.
    """
    return Scale(tuple(Percent(text) for text in percents), unit_cents)


def divide_places(pool_cents: int, division: Division, finishers: int) -> tuple[int, ...]:
    """What each place is worth when so many finish: never more places than finishers, always the whole pool.

    The money of the places nobody takes goes to first place.

    >>> divide_places(1_000_00, make_scale(["50", "30", "20"]), finishers=2)
    (70000, 30000)

    Raises:
        DomainError: `no-finish`, where nobody finishes; `bad-scale`, from `FlatAmounts.divide`.
    """
    if finishers < 1:
        raise DomainError("no-finish", worded("No player has a final place, so there is nobody to pay."))
    places = division.divide(pool_cents)
    not_taken = sum(places[finishers:])
    return (places[0] + not_taken, *places[1:finishers])
