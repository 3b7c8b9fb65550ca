"""Divide a prize pool among places, pay the ranked entries, and split each prize among its players.

All amounts are whole cents, and the parts always add up to the whole.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple

from tournament.errors import DomainError
from tournament.lazy_text import lazy_text

# --- Percents --------------------------------------------------------------------------------------------------------
# Percents are exact decimals, so that a tenth of a percent is never a binary fraction near it.

_LONGEST: Final = 1_000
"""The maximum length of a percentage, which keeps parsing fast."""

_DIGITS: Final = re.compile(r"[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Percent:
    """A percentage of zero or more, as written on the rule sheet: digits, optionally with a point and more digits.

    >>> Percent("12.5").compute_share(100_00)
    Fraction(1250, 1)

    Raises:
        DomainError: `bad-value` for any other text, such as one with a sign, a space, “%”, “1e2” or “.5”.
    """

    text: str

    def __post_init__(self) -> None:
        if len(self.text) > _LONGEST:
            raise DomainError(
                "bad-value", lazy_text("This percent is too long: %(longest)s characters at most.", longest=_LONGEST)
            )
        if not _DIGITS.fullmatch(self.text):
            message = lazy_text("“%(text)s” is not a percent: write it like “82” or “12.5”.", text=self.text[:40])
            raise DomainError("bad-value", message)

    @property
    def value(self) -> Fraction:
        return Fraction(self.text)

    def compute_share(self, cents: int) -> Fraction:
        """Return this percentage of an amount in cents, exact and unrounded."""
        return self.value * cents / 100


def round_half_up(cents: Fraction) -> int:
    return (2 * cents.numerator + cents.denominator) // (2 * cents.denominator)


# --- Places ----------------------------------------------------------------------------------------------------------
# A division turns the pool into the money of first, second, third … place.

DEFAULT_ROUNDING_UNIT_CENTS: Final = 100
"""The default unit to which prizes are rounded: whole dollars."""


@dataclass(frozen=True, slots=True)
class _RoundedPlace:
    """The steps of rounding one place's prize, in cents.

    - `exact_cents`: its percentage of the pool. `rounded_down_cents`: that amount, rounded down to whole units.
    - `extra_unit_cents`: a left-over unit that the place gets.
    - `remainder_cents`: the part of the pool that is less than a unit. Only first place gets it.
    """

    exact_cents: Fraction
    rounded_down_cents: int
    extra_unit_cents: int = 0
    remainder_cents: int = 0

    @property
    def cents(self) -> int:
        return self.rounded_down_cents + self.extra_unit_cents + self.remainder_cents


@dataclass(frozen=True, slots=True)
class PrizeScale:
    """Each place's percentage of the prize pool, best place first. Zeros are allowed, and the sum is exactly 100.

    `unit_cents` is the unit to which prizes are rounded (see `divide`).

    Raises:
        DomainError: `bad-scale`, if the percentages do not add up to 100.
        ValueError: `unit_cents` is less than one.
    """

    percents: tuple[Percent, ...]
    unit_cents: int = DEFAULT_ROUNDING_UNIT_CENTS

    def __post_init__(self) -> None:
        if self.unit_cents < 1:
            raise ValueError("places are rounded to a unit of one cent or more")
        excess = sum(percent.value for percent in self.percents) - 100
        if excess:
            raise DomainError("bad-scale", _describe_wrong_sum(Fraction(excess)))

    def divide(self, pool_cents: int) -> tuple[int, ...]:
        """Return each place's prize: its percentage, rounded down to whole units, and its part of what is left over.

        Left-over whole units go to the places with the largest remainders, one each. If remainders are equal, the
        better place comes first. Anything less than a unit goes to first place, even if its percentage is 0. All other
        places with 0% get nothing.

        >>> make_prize_scale(["50", "30", "20"], unit_cents=5_00).divide(1_234_56)
        (61956, 37000, 24500)
        """
        return tuple(place.cents for place in self.round_places(pool_cents))

    def round_places(self, pool_cents: int) -> tuple[_RoundedPlace, ...]:
        """Return the rounding steps from which `divide` computes each place's prize.

        >>> places = make_prize_scale(["75", "25"], unit_cents=5_00).round_places(33_00)
        >>> [(place.rounded_down_cents, place.extra_unit_cents, place.remainder_cents) for place in places]
        [(2000, 500, 300), (500, 0, 0)]
        """
        exact = [percent.compute_share(pool_cents) for percent in self.percents]
        units = [int(amount // self.unit_cents) for amount in exact]
        left_over = pool_cents // self.unit_cents - sum(units)
        # The sort is stable, so of equal remainders the better place comes first.
        largest_first = sorted(range(len(exact)), key=lambda place: exact[place] % self.unit_cents, reverse=True)
        with_unit, rest = largest_first[:left_over], pool_cents % self.unit_cents
        return tuple(
            _RoundedPlace(
                amount, count * self.unit_cents, self.unit_cents * (place in with_unit), rest if place == 0 else 0
            )
            for place, (amount, count) in enumerate(zip(exact, units, strict=True))
        )


def _describe_wrong_sum(off: Fraction) -> str:
    """Describe how far a sum of percentages is from 100.

    The sum alone is not enough, because a sum very close to 100 could be displayed as “100”.
    """
    gap = Decimal(off.numerator) / off.denominator
    values = {"sum": f"{gap + 100:.10g}", "gap": f"{abs(gap):.6g}"}
    if off > 0:
        return lazy_text(
            "The percents must be exactly 100 in all. These add up to %(sum)s, which is %(gap)s over.", **values
        )
    return lazy_text(
        "The percents must be exactly 100 in all. These add up to %(sum)s, which is %(gap)s short.", **values
    )


@dataclass(frozen=True, slots=True)
class _PrizeTable:
    """Percentages that depend on the number of entries. Each row applies until the next row's number is reached.

    Raises:
        DomainError: `bad-table`, if there are no rows, the first number is not 1, or the numbers do not increase.
    """

    rows: tuple[tuple[int, PrizeScale], ...]

    def __post_init__(self) -> None:
        begins = [begin for begin, _scale in self.rows]
        if not begins or begins[0] != 1:
            raise DomainError("bad-table", lazy_text("The table must begin with the prizes from 1 entry on."))
        if begins != sorted(set(begins)):
            raise DomainError(
                "bad-table", lazy_text("The numbers of entries in the table must go up, and each may be there once.")
            )

    def find_scale(self, entries: int) -> PrizeScale:
        """Return the percentages for this number of entries.

        >>> table = make_prize_table([(1, ["100"]), (8, ["65", "35"])])
        >>> [len(table.find_scale(entries).percents) for entries in (0, 7, 8, 200)]
        [1, 1, 2, 2]
        """
        return next(scale for begin, scale in reversed(self.rows) if begin <= max(1, entries))


@dataclass(frozen=True, slots=True)
class FlatAmounts:
    """Fixed amounts by place, best place first. Any further money in the pool goes to first place.

    They are paid exactly as written, without rounding to units.

    Raises:
        DomainError: `bad-scale` if there are no places.
        ValueError: an amount below zero.
    """

    amounts_cents: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.amounts_cents:
            raise DomainError("bad-scale", lazy_text("The flat amounts need at least one place."))
        if min(self.amounts_cents) < 0:
            raise ValueError("a flat amount is zero or more")

    def divide(self, pool_cents: int) -> tuple[int, ...]:
        """Return the fixed amounts, with the rest of the pool added to first place.

        >>> FlatAmounts((500_00, 300_00)).divide(1_000_00)
        (70000, 30000)

        Raises:
            DomainError: `bad-scale`, if the amounts are more than the pool.
        """
        rest = pool_cents - sum(self.amounts_cents)
        if rest < 0:
            raise DomainError("bad-scale", lazy_text("The flat amounts are more than the pool."), missing_cents=-rest)
        return (self.amounts_cents[0] + rest, *self.amounts_cents[1:])


PoolDivision = PrizeScale | FlatAmounts


def make_prize_scale(percents: Iterable[str], unit_cents: int = DEFAULT_ROUNDING_UNIT_CENTS) -> PrizeScale:
    """Return a scale of percentages, given as strings.

    Raises:
        DomainError: `bad-value` if a string is not a percentage, `bad-scale` if they do not add up to 100.
    """
    return PrizeScale(tuple(Percent(text) for text in percents), unit_cents)


def make_prize_table(
    rows: Iterable[tuple[int, Sequence[str]]], unit_cents: int = DEFAULT_ROUNDING_UNIT_CENTS
) -> _PrizeTable:
    """Return a prize table.

    Each row contains the smallest number of entries to which it applies, and the percentages as strings.

    Raises:
        DomainError: `bad-table`, or a row's `bad-value` or `bad-scale` with a message that names the row.
    """
    return _PrizeTable(tuple((begin, _make_row_scale(begin, percents, unit_cents)) for begin, percents in rows))


def _make_row_scale(begin: int, percents: Sequence[str], unit_cents: int) -> PrizeScale:
    try:
        return make_prize_scale(percents, unit_cents)
    except DomainError as refusal:
        message = lazy_text("From %(entries)s entries on: %(why)s", entries=begin, why=refusal.message)
        raise DomainError(refusal.code, message) from refusal


def divide_pool_by_place(pool_cents: int, division: PoolDivision, finishers: int) -> tuple[int, ...]:
    """Return the prize for each place with this number of ranked entries. The sum is always the whole pool.

    There are never more places than ranked entries. The money of missing places goes to first place.

    >>> divide_pool_by_place(1_000_00, make_prize_scale(["50", "30", "20"]), finishers=2)
    (70000, 30000)

    Raises:
        DomainError: `no-finish` if nobody finishes, `bad-scale` from `FlatAmounts.divide`.
    """
    if finishers < 1:
        raise DomainError("no-finish", lazy_text("No player has a final place, so there is nobody to pay."))
    places = division.divide(pool_cents)
    not_taken = sum(places[finishers:])
    return (places[0] + not_taken, *places[1:finishers])


# --- Payouts ---------------------------------------------------------------------------------------------------------
# The entries that finished get the money of their places. Entries that tie share the money of the places they take.


class TiedPlaces(NamedTuple):
    """The places that tied entries share, from `first` to `last`, or a single place.

    >>> str(TiedPlaces(3, 4)), str(TiedPlaces(2, 2))
    ('3–4', '2')
    """

    first: int
    last: int

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"


@dataclass(frozen=True, slots=True)
class Placing:
    """Entries with the same rank: a single entry, or a group of tied entries.

    A group occupies as many places as it has entries. `place` is the best of these places, starting at 1. `entries`
    contains entry numbers in any order.

    >>> semifinalists = Placing(place=3, entries=(12, 5))
    >>> semifinalists.last_place, str(semifinalists)
    (4, '3–4')

    Raises:
        ValueError: no entry, an entry twice, or a place below 1.
    """

    place: int
    entries: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.place < 1:
            raise ValueError("places count from 1")
        if not self.entries or len(set(self.entries)) < len(self.entries):
            raise ValueError("a placing names at least one entry, and each once")

    @property
    def last_place(self) -> int:
        return self.place + len(self.entries) - 1

    @property
    def places(self) -> TiedPlaces:
        return TiedPlaces(self.place, self.last_place)

    @property
    def is_tie(self) -> bool:
        return len(self.entries) > 1

    def __str__(self) -> str:
        return str(self.places)


@dataclass(frozen=True, slots=True)
class Award:
    """The prize that an entry won by its rank, in cents. It is always more than zero."""

    entry: int
    placing: Placing
    cents: int


@dataclass(frozen=True, slots=True)
class Payout:
    """The prize for each place, and the awards sorted by place and entry number. Both add up to the pool."""

    places_cents: tuple[int, ...]
    awards: tuple[Award, ...]


def make_placings_from_finish(finish: Iterable[Sequence[int]]) -> tuple[Placing, ...]:
    """Return the ranks of groups of tied entries, which are given best first.

    A group occupies as many places as it has entries.

    >>> [str(placing) for placing in make_placings_from_finish([[7], [3, 9], [4]])]
    ['1', '2–3', '4']
    """
    placings: list[Placing] = []
    place = 1
    for entries in finish:
        placings.append(Placing(place, tuple(entries)))
        place += len(entries)
    return tuple(placings)


def make_awards(places_cents: Sequence[int], placing: Placing) -> tuple[Award, ...]:
    """Return the awards of the entries at one rank, in order of entry number. Entries that win nothing are left out.

    Tied entries add up the prizes of their places and split them equally. Odd cents go to the lower entry numbers.
    Places beyond the last paid place are worth nothing.

    >>> [(prize.entry, prize.cents) for prize in make_awards((500_00, 300_00, 200_01), Placing(2, (9, 3)))]
    [(3, 25001), (9, 25000)]
    """
    pooled = sum(places_cents[placing.place - 1 : placing.last_place])
    each, odd_cents = divmod(pooled, len(placing.entries))
    amounts = ((entry, each + (turn < odd_cents)) for turn, entry in enumerate(sorted(placing.entries)))
    return tuple(Award(entry, placing, cents) for entry, cents in amounts if cents)


@dataclass(frozen=True, slots=True)
class TieShare:
    """The prize in cents of each entry that shares these places.

    `odd_cents` is the number of these entries that get one cent more.
    """

    first: int
    last: int
    cents: int
    odd_cents: int

    def __str__(self) -> str:
        return str(TiedPlaces(self.first, self.last))


_MOST_TIED: Final = 8
"""The size of the largest tie to list. If more entries are in play, only ties among the paid places are listed."""


def compute_tie_shares(places_cents: Sequence[int], still_in: int) -> tuple[TieShare, ...]:
    """Return all possible ties that win money among the entries still in play, best places first.

    The example has two finalists and two players for third place, with three places paid.

    >>> [(str(tie), tie.cents) for tie in compute_tie_shares((500_00, 300_00, 200_00), 4)]
    [('1–2', 40000), ('1–3', 33333), ('1–4', 25000), ('2–3', 25000), ('2–4', 16666), ('3–4', 10000)]
    """
    paid = max((place for place, cents in enumerate(places_cents, start=1) if cents), default=0)
    last = still_in if still_in <= _MOST_TIED else min(paid, _MOST_TIED)
    ties = (TiedPlaces(a, b) for a in range(1, min(paid, last) + 1) for b in range(a + 1, last + 1))
    return tuple(compute_tie_share(places_cents, tie) for tie in ties)


def compute_tie_share(places_cents: Sequence[int], tie: TiedPlaces) -> TieShare:
    """Return the amount for each entry that shares these places, computed in the same way as in `make_awards`.

    >>> compute_tie_share((500_00, 300_00, 200_01), TiedPlaces(1, 2))
    TieShare(first=1, last=2, cents=40000, odd_cents=0)
    """
    first, last = tie
    awards = make_awards(places_cents, Placing(first, tuple(range(first, last + 1))))
    cents = [paid.cents for paid in awards]
    least = min(cents) if len(cents) == last - first + 1 else 0
    return TieShare(first, last, least, sum(cents) - least * (last - first + 1))


class CentsRange(NamedTuple):
    """An amount from `least` to `most` cents. If both are equal, the amount is final."""

    least: int
    most: int

    @property
    def is_final(self) -> bool:
        return self.least == self.most


def compute_prize_ranges(
    places_cents: Sequence[int], finishes: Mapping[int, Sequence[TiedPlaces]]
) -> dict[int, CentsRange]:
    """Return the smallest and largest prize that each entry can still win, based on its possible ranks.

    If it is not known which of the tied entries gets an odd cent, the larger amount includes that cent.

    >>> two, three = TiedPlaces(2, 2), TiedPlaces(3, 4)
    >>> ranges = compute_prize_ranges((500_00, 300_00, 150_01), {7: (TiedPlaces(1, 1), two, three), 4: (three,)})
    >>> ranges[7], ranges[4]
    (CentsRange(least=7500, most=50000), CentsRange(least=7500, most=7501))
    """
    settled: defaultdict[TiedPlaces, list[int]] = defaultdict(list)
    for entry, ties in finishes.items():
        if len(ties) == 1:
            settled[ties[0]].append(entry)
    exact: dict[int, int] = {}
    for tie, entries in settled.items():
        if len(entries) == tie.last - tie.first + 1:
            won = {paid.entry: paid.cents for paid in make_awards(places_cents, Placing(tie.first, tuple(entries)))}
            exact |= {entry: won.get(entry, 0) for entry in entries}
    worth = {tie: compute_tie_share(places_cents, tie) for tie in {tie for ties in finishes.values() for tie in ties}}
    ranges = {
        entry: CentsRange(
            min(worth[tie].cents for tie in ties), max(worth[tie].cents + bool(worth[tie].odd_cents) for tie in ties)
        )
        for entry, ties in finishes.items()
    }
    return ranges | {entry: CentsRange(cents, cents) for entry, cents in exact.items()}


def compute_payout(pool_cents: int, division: PoolDivision, placings: Sequence[Placing]) -> Payout:
    """Compute how the pool is paid out to the ranked entries.

    In the example, the losing semifinalists tie for third and fourth place and share the prizes of both. Entries that
    win nothing can be left out.

    >>> placings = make_placings_from_finish([[7], [3], [9, 4]])
    >>> payout = compute_payout(1_000_00, make_prize_scale(["50", "30", "15", "5"]), placings)
    >>> {paid.entry: paid.cents for paid in payout.awards}
    {7: 50000, 3: 30000, 4: 10000, 9: 10000}

    Raises:
        DomainError: `no-finish`, `bad-scale`, from `divide_pool_by_place`.
        ValueError: placings that leave a place out or name an entry twice.
    """
    _require_complete(placings)
    finishers = sum(len(placing.entries) for placing in placings)
    places_cents = divide_pool_by_place(pool_cents, division, finishers)
    awards = (paid for placing in placings for paid in make_awards(places_cents, placing))
    return Payout(places_cents, tuple(awards))


def _require_complete(placings: Sequence[Placing]) -> None:
    if list(placings) != list(make_placings_from_finish(placing.entries for placing in placings)):
        raise ValueError("placings stand in order, from place 1, and leave none out")
    entries = [entry for placing in placings for entry in placing.entries]
    if len(set(entries)) < len(entries):
        raise ValueError("an entry stands in one placing only")


# --- Shares of players -----------------------------------------------------------------------------------------------
# The players of an entry split its prize equally or as they agreed.


def split_prize(cents: int, players: int, percents: Sequence[str] = ()) -> tuple[int, ...]:
    """Return each player's share of a prize, in the order of their seats. The shares add up to the prize.

    Without percentages, the players share equally, and odd cents go to the first seats. With percentages, each share is
    rounded down to whole cents, and left-over cents go to the players who lost the most by rounding.

    >>> split_prize(100_01, 2)
    (5001, 5000)
    >>> split_prize(100_01, 2, ["60", "40"])
    (6001, 4000)

    Raises:
        DomainError: `bad-shares` without one percentage for each player, or from `make_prize_scale`.
        ValueError: no player, or an amount below zero.
    """
    if players < 1 or cents < 0:
        raise ValueError("a prize of zero or more is split among one player or more")
    if not percents:
        each, odd = divmod(cents, players)
        return tuple(each + (seat < odd) for seat in range(players))
    if len(percents) != players:
        raise DomainError(
            "bad-shares",
            lazy_text("Write one percent for each of the %(players)s players, such as 60, 40.", players=players),
        )
    return make_prize_scale(percents, unit_cents=1).divide(cents)


# --- Withheld taxes --------------------------------------------------------------------------------------------------
# Taxes are withheld from each player's part of a prize. If the prize gets smaller, payouts are reversed.


def compute_withholding(cents: int, percent: str) -> int:
    """Return the amount to withhold from a prize: this percentage of it, rounded half up.

    >>> compute_withholding(1_771_00, "24")
    42504

    Raises:
        DomainError: `bad-value` from `Percent`.
    """
    return round_half_up(Percent(percent).compute_share(cents))


def split_withholding(withheld_cents: int, shares: Sequence[int]) -> tuple[int, ...]:
    """Return the withheld part of each player's share. It is proportional to the share and never exceeds it.

    Each part is rounded down to whole cents. Left-over cents go, one each, to the first players whose share allows it.

    >>> split_withholding(24_01, [60_00, 40_00])
    (1441, 960)

    Raises:
        ValueError: more is withheld than the shares add up to, or less than zero.
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
    """A valid payout in cents: the prize, and the part withheld from it."""

    cents: int
    withheld_cents: int = 0


@dataclass(frozen=True, slots=True)
class PayoutReduction:
    """The steps that reduce an overpaid entry's payouts to its prize.

    The last `reversed_count` payouts are reversed, and `replacement` is paid instead. `released_cents` are no longer
    withheld, and the player hands back `return_cents`.
    """

    reversed_count: int
    replacement: PaidPrize
    released_cents: int
    return_cents: int


def reduce_payouts(newest_first: Sequence[PaidPrize], won_cents: int) -> PayoutReduction:
    """Compute the steps that reduce an overpaid entry's payouts to its prize.

    The latest payouts are reversed until no more than the prize is paid. Then any missing part is paid again. The new
    payout withholds as much as the reversed payouts did, up to its own amount, because that money may already be at the
    tax office.

    >>> reduced = reduce_payouts([PaidPrize(1_000_00, 240_00)], 600_00)
    >>> reduced.replacement, reduced.released_cents, reduced.return_cents
    (PaidPrize(cents=60000, withheld_cents=24000), 0, 40000)
    >>> reduced = reduce_payouts([PaidPrize(1_000_00, 240_00)], 100_00)
    >>> reduced.replacement, reduced.released_cents, reduced.return_cents
    (PaidPrize(cents=10000, withheld_cents=10000), 14000, 76000)
    """
    paid = sum(payout.cents for payout in newest_first)
    excess, count, withheld = paid - won_cents, 0, 0
    for payout in newest_first:
        if paid <= won_cents:
            break
        paid, count, withheld = paid - payout.cents, count + 1, withheld + payout.withheld_cents
    missing = won_cents - paid
    still_withheld = min(withheld, missing)
    released = withheld - still_withheld
    return PayoutReduction(count, PaidPrize(missing, still_withheld), released, excess - released)
