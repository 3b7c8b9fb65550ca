"""Pay the places' money to the entries that finished, with ties, to the cent.

`Placing` is the value that pairing fills in when an event finishes: the entries that share a place.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tournament.purse.places import Division, divide_places


class TiedPlaces(NamedTuple):
    """The places that one finish takes: one place, or all from `first` to `last` for a tie.

    >>> str(TiedPlaces(3, 4)), str(TiedPlaces(2, 2))
    ('3–4', '2')
    """

    first: int
    last: int

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"


@dataclass(frozen=True, slots=True)
class Placing:
    """The entries that share one finish: one entry, or several that tie and occupy as many places.

    `place` is the best of their places and counts from 1. `entries` are entry numbers, in any order.

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
    """The prize of one entry for its placing. It is more than zero cents."""

    entry: int
    placing: Placing
    cents: int


@dataclass(frozen=True, slots=True)
class Payout:
    """The money of the places, and the awards by place and then by entry number. Both add up to the pool."""

    places_cents: tuple[int, ...]
    awards: tuple[Award, ...]


def place_finish(finish: Iterable[Sequence[int]]) -> tuple[Placing, ...]:
    """Return the placings of groups of tied entries, best first. A group occupies as many places as it has entries.

    >>> [str(placing) for placing in place_finish([[7], [3, 9], [4]])]
    ['1', '2–3', '4']
    """
    placings: list[Placing] = []
    place = 1
    for entries in finish:
        placings.append(Placing(place, tuple(entries)))
        place += len(entries)
    return tuple(placings)


def award(places_cents: Sequence[int], placing: Placing) -> tuple[Award, ...]:
    """Return the awards of one placing by entry number, without entries that get nothing.

    Entries that tie pool the places they occupy and split them equally, with odd cents to the lower entry numbers.
    Places beyond the last paid place are worth nothing.

    >>> [(a.entry, a.cents) for a in award((500_00, 300_00, 200_01), Placing(2, (9, 3)))]
    [(3, 25001), (9, 25000)]
    """
    pooled = sum(places_cents[placing.place - 1 : placing.last_place])
    each, odd_cents = divmod(pooled, len(placing.entries))
    amounts = ((entry, each + (turn < odd_cents)) for turn, entry in enumerate(sorted(placing.entries)))
    return tuple(Award(entry, placing, cents) for entry, cents in amounts if cents)


@dataclass(frozen=True, slots=True)
class TieWorth:
    """The cents for each entry that shares these places. `odd_cents` of them get one cent more."""

    first: int
    last: int
    cents: int
    odd_cents: int

    def __str__(self) -> str:
        return str(TiedPlaces(self.first, self.last))


MOST_TIED: Final = 8
"""The most tied places to list. Longer lists cover only the places that are paid."""


def preview_ties(places_cents: Sequence[int], still_in: int) -> tuple[TieWorth, ...]:
    """Return every tie that those still in play can end in and that pays something, best places first.

    The example has two finalists and two players for third place, with three places paid.

    >>> [(str(tie), tie.cents) for tie in preview_ties((500_00, 300_00, 200_00), 4)]
    [('1–2', 40000), ('1–3', 33333), ('1–4', 25000), ('2–3', 25000), ('2–4', 16666), ('3–4', 10000)]
    """
    paid = max((place for place, cents in enumerate(places_cents, start=1) if cents), default=0)
    last = still_in if still_in <= MOST_TIED else min(paid, MOST_TIED)
    ties = (TiedPlaces(a, b) for a in range(1, min(paid, last) + 1) for b in range(a + 1, last + 1))
    return tuple(tie_worth(places_cents, tie) for tie in ties)


def tie_worth(places_cents: Sequence[int], tie: TiedPlaces) -> TieWorth:
    """Return the cents for each entry of this finish, as `award` pays them.

    >>> tie_worth((500_00, 300_00, 200_01), TiedPlaces(1, 2))
    TieWorth(first=1, last=2, cents=40000, odd_cents=0)
    """
    first, last = tie
    awards = award(places_cents, Placing(first, tuple(range(first, last + 1))))
    cents = [one.cents for one in awards]
    least = min(cents) if len(cents) == last - first + 1 else 0
    return TieWorth(first, last, least, sum(cents) - least * (last - first + 1))


class CentsRange(NamedTuple):
    """An amount that may not be settled yet: at least `least` cents and at most `most`."""

    least: int
    most: int

    @property
    def is_settled(self) -> bool:
        return self.least == self.most


def prize_ranges(places_cents: Sequence[int], finishes: Mapping[int, Sequence[TiedPlaces]]) -> dict[int, CentsRange]:
    """Return the range of cents that each entry can still win, from its possible finishes.

    If all entries of a tie are settled, the amount is what `award` pays. Otherwise an odd cent of the tie may go to
    any of its entries.

    >>> two, three = TiedPlaces(2, 2), TiedPlaces(3, 4)
    >>> ranges = prize_ranges((500_00, 300_00, 150_01), {7: (TiedPlaces(1, 1), two, three), 4: (three,)})
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
            won = {paid.entry: paid.cents for paid in award(places_cents, Placing(tie.first, tuple(entries)))}
            exact |= {entry: won.get(entry, 0) for entry in entries}
    worth = {tie: tie_worth(places_cents, tie) for tie in {tie for ties in finishes.values() for tie in ties}}
    ranges = {
        entry: CentsRange(
            min(worth[tie].cents for tie in ties), max(worth[tie].cents + bool(worth[tie].odd_cents) for tie in ties)
        )
        for entry, ties in finishes.items()
    }
    return ranges | {entry: CentsRange(cents, cents) for entry, cents in exact.items()}


def pay_out(pool_cents: int, division: Division, placings: Sequence[Placing]) -> Payout:
    """Pay the pool to the entries that finished.

    The losers of the semifinals tie for third and fourth place and share the money of both. Entries that win nothing
    need not be among the placings.

    >>> from tournament.purse import make_scale
    >>> payout = pay_out(1_000_00, make_scale(["50", "30", "15", "5"]), place_finish([[7], [3], [9, 4]]))
    >>> {paid.entry: paid.cents for paid in payout.awards}
    {7: 50000, 3: 30000, 4: 10000, 9: 10000}

    Raises:
        DomainError: `no-finish`, `bad-scale`, from `divide_places`.
        ValueError: placings that leave a place out or name an entry twice.
    """
    _check_complete(placings)
    finishers = sum(len(placing.entries) for placing in placings)
    places_cents = divide_places(pool_cents, division, finishers)
    awards = (paid for placing in placings for paid in award(places_cents, placing))
    return Payout(places_cents, tuple(awards))


def _check_complete(placings: Sequence[Placing]) -> None:
    if list(placings) != list(place_finish(placing.entries for placing in placings)):
        raise ValueError("placings stand in order, from place 1, and leave none out")
    entries = [entry for placing in placings for entry in placing.entries]
    if len(set(entries)) < len(entries):
        raise ValueError("an entry stands in one placing only")
