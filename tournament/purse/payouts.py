"""From the places to the payouts: who gets what, ties included, to the cent.

`Placing` is the value that pairing fills in when an event finishes: who came where, and who shares a place.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tournament.purse.places import Division, divide_places


@dataclass(frozen=True, slots=True)
class Placing:
    """The entries that share one finish: one entry, or several that tie and occupy as many places.

    `place` counts from 1 and is the best of them; `entries` are entry numbers, in any order.

    >>> semifinalists = Placing(place=3, entries=(12, 5))
    >>> semifinalists.last_place, str(semifinalists)
    (4, '3–4')

    Raises:
        ValueError: no entry, one twice, or a place below 1.
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
    def is_tie(self) -> bool:
        return len(self.entries) > 1

    def __str__(self) -> str:
        return f"{self.place}–{self.last_place}" if self.is_tie else str(self.place)


@dataclass(frozen=True, slots=True)
class Award:
    """What one entry gets, more than nothing, and for which placing."""

    entry: int
    placing: Placing
    cents: int


@dataclass(frozen=True, slots=True)
class Payout:
    """The places' money, and the awards by place and then by entry number; both add up to the pool."""

    places_cents: tuple[int, ...]
    awards: tuple[Award, ...]


def place_finish(finish: Iterable[Sequence[int]]) -> tuple[Placing, ...]:
    """Groups of tied entries, best first, as placings: a group occupies as many places as it has entries.

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
    """What each entry of one placing gets, by entry number; who gets nothing is left out.

    Entries that tie pool the places they occupy and split them equally, odd cents to the lower entry numbers.
    Places beyond the last one paid are worth nothing.

    >>> [(a.entry, a.cents) for a in award((500_00, 300_00, 200_01), Placing(2, (9, 3)))]
    [(3, 25001), (9, 25000)]
    """
    pooled = sum(places_cents[placing.place - 1 : placing.last_place])
    each, odd_cents = divmod(pooled, len(placing.entries))
    amounts = ((entry, each + (turn < odd_cents)) for turn, entry in enumerate(sorted(placing.entries)))
    return tuple(Award(entry, placing, cents) for entry, cents in amounts if cents)


def pay_out(pool_cents: int, division: Division, placings: Sequence[Placing]) -> Payout:
    """The pool, paid to those who finished.

    The losers of the semifinals tie for third and fourth and share what both places are worth.

    >>> from tournament.purse import make_scale
    >>> payout = pay_out(1_000_00, make_scale(["50", "30", "15", "5"]), place_finish([[7], [3], [9, 4]]))
    >>> {paid.entry: paid.cents for paid in payout.awards}
    {7: 50000, 3: 30000, 4: 10000, 9: 10000}

    Entries that win nothing need not be among the placings.

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
