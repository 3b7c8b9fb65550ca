"""The proof for a small field: table after table, and of all ways to seat the same entries only the best is kept.

Entries are known by their turn in the lots, 0 to n − 1, and renamed by how many they have met, most first; sets of
them are bits of whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


class _TooLong(Exception):
    """The steps are used up."""


@dataclass(frozen=True, slots=True)
class _Seated:
    """The best way to seat some entries at the first tables."""

    repeats: int
    table: int
    before: _Seated | None


Layer = dict[int, _Seated]
"""By the set of entries that are seated."""


def least_repeats(
    known: Sequence[set[int]], sizes: Sequence[int], *, below: int, steps: int | None
) -> tuple[list[list[int]] | None, bool]:
    """The tables with the fewest repeats if that is fewer than `below`, and whether it is certain.

    `steps` is how many entries may be weighed; None: as many as it takes.
    """
    busiest = sorted(range(len(known)), key=lambda entry: (-len(known[entry]), entry))
    name = {entry: place for place, entry in enumerate(busiest)}
    met = [sum(1 << name[other] for other in known[entry]) for entry in busiest]
    try:
        found = _Search(met, sizes, below, steps).run()
    except _TooLong:
        return None, False
    return [[busiest[place] for place in _places(table)] for table in _tables(found)] or None, True


def _tables(seated: _Seated | None) -> Iterator[int]:
    while seated is not None and seated.before is not None:
        yield seated.table
        seated = seated.before


def _places(entries: int) -> list[int]:
    return [place for place in range(entries.bit_length()) if entries >> place & 1]


class _Search:
    """The first entry that waits takes the next table, with every choice of companions that can still be better."""

    def __init__(self, met: Sequence[int], sizes: Sequence[int], below: int, steps: int | None) -> None:
        self.met = met
        self.everybody = (1 << len(met)) - 1
        self.larger = sizes.count(sizes[0])
        self.sizes = sizes
        self.below = below
        self.steps = steps

    def run(self) -> _Seated | None:
        """
        Raises:
            _TooLong: the steps are used up.
        """
        layer: Layer = {0: _Seated(0, 0, None)}
        for seated_tables in range(len(self.sizes)):
            following: Layer = {}
            for seated, way in layer.items():
                self._seat_table(seated, way, seated_tables, following)
            layer = following
        return layer.get(self.everybody)

    def _seat_table(self, seated: int, way: _Seated, seated_tables: int, following: Layer) -> None:
        waiting = self.everybody & ~seated
        self._count(len(self.met))
        room = self.below - way.repeats - 1
        if room < self._unavoidable(waiting):
            return
        first = (waiting & -waiting).bit_length() - 1
        for size, repeats_room in self._next_sizes(seated, seated_tables, room):
            for table, repeats in self._companions(1 << first, waiting ^ 1 << first, size - 1, repeats_room):
                after = seated | table
                total = way.repeats + repeats
                if after not in following or following[after].repeats > total:
                    following[after] = _Seated(total, table, way)

    def _next_sizes(self, seated: int, seated_tables: int, room: int) -> Iterator[tuple[int, int]]:
        """The sizes a table can have that are not used up: how many are seated says how many tables were large."""
        if room < 0:
            return
        small = self.sizes[-1]
        large_so_far = seated.bit_count() - small * seated_tables if self.larger < len(self.sizes) else seated_tables
        if large_so_far < self.larger:
            yield self.sizes[0], room
        if self.larger < len(self.sizes) and seated_tables - large_so_far < len(self.sizes) - self.larger:
            yield small, room

    def _companions(self, table: int, choice: int, places: int, room: int) -> Iterator[tuple[int, int]]:
        """The tables that come of this one with so many places filled from the choice, and the repeats added."""
        if places == 0:
            yield table, 0
            return
        while choice.bit_count() >= places:
            lowest = choice & -choice
            choice ^= lowest
            self._count(1)
            repeats = (self.met[lowest.bit_length() - 1] & table).bit_count()
            if repeats <= room:
                for filled, more in self._companions(table | lowest, choice, places - 1, room - repeats):
                    yield filled, repeats + more

    def _count(self, steps: int) -> None:
        if self.steps is not None:
            self.steps -= steps
            if self.steps < 0:
                raise _TooLong

    def _unavoidable(self, waiting: int) -> int:
        """An entry that waits with fewer new opponents than places beside it meets old ones in any seating."""
        beside = self.sizes[-1] - 1
        lacking = 0
        for place in _places(waiting):
            new = (waiting & ~self.met[place]).bit_count() - 1
            if new < beside:
                lacking += beside - new
        return -(-lacking // 2)
