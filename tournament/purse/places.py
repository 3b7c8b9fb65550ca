"""Divide the pool into the money of first, second, third … place, in whole cents.

A `Scale` divides by percents, and a `PrizeTable` chooses a scale by the number of entries. `FlatAmounts` are fixed.
In both cases the places add up to the pool, to the cent.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from tournament.errors import DomainError
from tournament.purse.percent import Percent
from tournament.said import worded

UNIT_CENTS: Final = 100
"""The default unit of rounding for places: whole dollars."""


@dataclass(frozen=True, slots=True)
class RoundedPlace:
    """The steps from a place's percent to its amount, in cents.

    - `exact`: its percent of the pool. `down`: that amount rounded down to whole units.
    - `unit`: a left-over unit that the place gets. `rest`: the part of the pool that is less than a unit.
    """

    exact: Fraction
    down: int
    unit: int = 0
    rest: int = 0

    @property
    def cents(self) -> int:
        return self.down + self.unit + self.rest


@dataclass(frozen=True, slots=True)
class Scale:
    """Percents by place, best place first, in any order of size. Zero is allowed, and the sum is exactly 100.

    Raises:
        DomainError: `bad-scale`, if they do not add up to 100.
        ValueError: a unit below one cent.
    """

    percents: tuple[Percent, ...]
    unit_cents: int = UNIT_CENTS

    def __post_init__(self) -> None:
        if self.unit_cents < 1:
            raise ValueError("places are rounded to a unit of one cent or more")
        off = sum(percent.value for percent in self.percents) - 100
        if off:
            raise DomainError("bad-scale", _off_by(Fraction(off)))

    def divide(self, pool_cents: int) -> tuple[int, ...]:
        """Return the money of each place: its percent, rounded down to whole units, and then the rest of the pool.

        Whole units left over go one each to the largest remainders. If those are equal, the better place comes first.
        What is less than a unit goes to first place. A place of 0 % gets nothing, unless it is the first.

        >>> make_scale(["50", "30", "20"], unit_cents=5_00).divide(1_234_56)
        (61956, 37000, 24500)
        """
        return tuple(place.cents for place in self.round_places(pool_cents))

    def round_places(self, pool_cents: int) -> tuple[RoundedPlace, ...]:
        """Return each step of `divide`, by place.

        >>> first, second = make_scale(["75", "25"], unit_cents=5_00).round_places(33_00)
        >>> (first.down, first.unit, first.rest), (second.down, second.unit, second.rest)
        ((2000, 500, 300), (500, 0, 0))
        """
        exact = [percent.of(pool_cents) for percent in self.percents]
        units = [int(amount // self.unit_cents) for amount in exact]
        left_over = pool_cents // self.unit_cents - sum(units)
        # The sort is stable, so of equal remainders the better place comes first.
        largest_first = sorted(range(len(exact)), key=lambda place: exact[place] % self.unit_cents, reverse=True)
        with_unit, rest = largest_first[:left_over], pool_cents % self.unit_cents
        return tuple(
            RoundedPlace(
                amount, count * self.unit_cents, self.unit_cents * (place in with_unit), rest if place == 0 else 0
            )
            for place, (amount, count) in enumerate(zip(exact, units, strict=True))
        )


def _off_by(off: Fraction) -> str:
    """Name the sum and the gap to 100. If the sum is so near that it reads “100”, only the gap shows the fault."""
    gap = Decimal(off.numerator) / off.denominator
    said = {"sum": f"{gap + 100:.10g}", "gap": f"{abs(gap):.6g}"}
    if off > 0:
        return worded(
            "The percents must be exactly 100 in all. These add up to %(sum)s, which is %(gap)s over.", **said
        )
    return worded("The percents must be exactly 100 in all. These add up to %(sum)s, which is %(gap)s short.", **said)


@dataclass(frozen=True, slots=True)
class PrizeTable:
    """Scales by the number of entries. Each row holds from its number of entries up to the next row.

    Raises:
        DomainError: `bad-table`, if there is no row, or the rows do not begin with 1 entry and go up.
    """

    rows: tuple[tuple[int, Scale], ...]

    def __post_init__(self) -> None:
        begins = [begin for begin, _scale in self.rows]
        if not begins or begins[0] != 1:
            raise DomainError("bad-table", worded("The table must begin with the prizes from 1 entry on."))
        if begins != sorted(set(begins)):
            raise DomainError(
                "bad-table", worded("The numbers of entries in the table must go up, and each may be there once.")
            )

    def scale_for(self, entries: int) -> Scale:
        """Return the scale for this number of entries.

        >>> table = make_table([(1, ["100"]), (8, ["65", "35"])])
        >>> [len(table.scale_for(entries).percents) for entries in (0, 7, 8, 200)]
        [1, 1, 2, 2]
        """
        return next(scale for begin, scale in reversed(self.rows) if begin <= max(1, entries))


@dataclass(frozen=True, slots=True)
class FlatAmounts:
    """Fixed amounts by place, best place first. The pool's money beyond them goes to first place.

    They are paid as written, without the rounding unit of a scale.

    Raises:
        DomainError: `bad-scale`, if there are no places.
        ValueError: an amount below zero.
    """

    amounts_cents: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.amounts_cents:
            raise DomainError("bad-scale", worded("The flat amounts need at least one place."))
        if min(self.amounts_cents) < 0:
            raise ValueError("a flat amount is zero or more")

    def divide(self, pool_cents: int) -> tuple[int, ...]:
        """Return the amounts as written, with the rest of the pool added to first place.

        >>> FlatAmounts((500_00, 300_00)).divide(1_000_00)
        (70000, 30000)

        Raises:
            DomainError: `bad-scale`, if the amounts are more than the pool.
        """
        rest = pool_cents - sum(self.amounts_cents)
        if rest < 0:
            raise DomainError("bad-scale", worded("The flat amounts are more than the pool."), missing_cents=-rest)
        return (self.amounts_cents[0] + rest, *self.amounts_cents[1:])


Division = Scale | FlatAmounts


def make_scale(percents: Iterable[str], unit_cents: int = UNIT_CENTS) -> Scale:
    """Return a scale of percents as they are written.

    Raises:
        DomainError: `bad-value` if one is not a percent, `bad-scale` if they do not add up to 100.
    """
    return Scale(tuple(Percent(text) for text in percents), unit_cents)


def make_table(rows: Iterable[tuple[int, Sequence[str]]], unit_cents: int = UNIT_CENTS) -> PrizeTable:
    """Return a table from rows as they are written: the first number of entries, and the percents.

    Raises:
        DomainError: `bad-table`, or a row's `bad-value` or `bad-scale` with a message that names the row.
    """
    return PrizeTable(tuple((begin, _row_of(begin, percents, unit_cents)) for begin, percents in rows))


def _row_of(begin: int, percents: Sequence[str], unit_cents: int) -> Scale:
    try:
        return make_scale(percents, unit_cents)
    except DomainError as refusal:
        said = worded("From %(entries)s entries on: %(why)s", entries=begin, why=refusal.message)
        raise DomainError(refusal.code, said) from refusal


def divide_places(pool_cents: int, division: Division, finishers: int) -> tuple[int, ...]:
    """Return the money of each place for this number of finishers. It always adds up to the whole pool.

    There are never more places than finishers. The money of places that nobody takes goes to first place.

    >>> divide_places(1_000_00, make_scale(["50", "30", "20"]), finishers=2)
    (70000, 30000)

    Raises:
        DomainError: `no-finish` if nobody finishes, `bad-scale` from `FlatAmounts.divide`.
    """
    if finishers < 1:
        raise DomainError("no-finish", worded("No player has a final place, so there is nobody to pay."))
    places = division.divide(pool_cents)
    not_taken = sum(places[finishers:])
    return (places[0] + not_taken, *places[1:finishers])
