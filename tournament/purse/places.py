"""From the pool to the places: what the first, the second, the third … place is worth, in whole cents.

Two ways to divide: a `Scale` of percents, which a `PrizeTable` may choose by the number of entries, or
`FlatAmounts`. Either way the places add up to the pool, to the
cent.
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
"""Places are rounded to this unless the director sets something else: whole dollars."""


@dataclass(frozen=True, slots=True)
class RoundedPlace:
    """The steps from a place's percent to its amount, in cents.

    `exact` is its percent of the pool, and `down` that in whole units. `unit` is a unit left over that it gets, `rest`
    what is less than a unit in the pool.
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
            raise DomainError("bad-scale", _off_by(Fraction(off)))

    def divide(self, pool_cents: int) -> tuple[int, ...]:
        """Each place its percent, rounded down to whole units; then the rest, so that nothing is left.

        Whole units left over go one each to the largest remainders (equal: the better place first). What is
        less than a unit goes to first place. A place of 0 % gets nothing, unless it is the first.

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
        # Sorting keeps the order of equals, so of equal remainders the better place stands first.
        largest_first = sorted(range(len(exact)), key=lambda place: exact[place] % self.unit_cents, reverse=True)
        with_unit, rest = largest_first[:left_over], pool_cents % self.unit_cents
        return tuple(
            RoundedPlace(
                amount, count * self.unit_cents, self.unit_cents * (place in with_unit), rest if place == 0 else 0
            )
            for place, (amount, count) in enumerate(zip(exact, units, strict=True))
        )


def _off_by(off: Fraction) -> str:
    """Say the sum, and by how much it misses: so near to 100 that it reads “100” only the gap tells."""
    gap = Decimal(off.numerator) / off.denominator
    said = {"sum": f"{gap + 100:.10g}", "gap": f"{abs(gap):.6g}"}
    if off > 0:
        return worded(
            "The percents must be exactly 100 in all. These add up to %(sum)s, which is %(gap)s over.", **said
        )
    return worded("The percents must be exactly 100 in all. These add up to %(sum)s, which is %(gap)s short.", **said)


@dataclass(frozen=True, slots=True)
class PrizeTable:
    """Scales by the number of entries: each row counts from so many on, up to the next row.

    Raises:
        DomainError: `bad-table`, where it has no row, or the rows do not begin with 1 entry and go up.
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
        """Return the scale of a field of this size.

        >>> table = make_table([(1, ["100"]), (8, ["65", "35"])])
        >>> [len(table.scale_for(entries).percents) for entries in (0, 7, 8, 200)]
        [1, 1, 2, 2]
        """
        return next(scale for begin, scale in reversed(self.rows) if begin <= max(1, entries))


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


def make_table(rows: Iterable[tuple[int, Sequence[str]]], unit_cents: int = UNIT_CENTS) -> PrizeTable:
    """A table from its rows as they are written: from how many entries on, and the percents.

    Raises:
        DomainError: `bad-table`; of one row `bad-value`, `bad-scale`, and it says which row.
    """
    return PrizeTable(tuple((begin, _row_of(begin, percents, unit_cents)) for begin, percents in rows))


def _row_of(begin: int, percents: Sequence[str], unit_cents: int) -> Scale:
    try:
        return make_scale(percents, unit_cents)
    except DomainError as refusal:
        said = worded("From %(entries)s entries on: %(why)s", entries=begin, why=refusal.message)
        raise DomainError(refusal.code, said) from refusal


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
