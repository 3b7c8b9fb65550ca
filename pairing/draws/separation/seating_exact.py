"""The proof for a small field: table after table, keeping only the best of all ways to seat the same entries.

Entries are renamed by how many they have met, most first. Sets of entries are bits of whole numbers.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

Layer = dict[int, tuple[int, tuple[int, ...]]]
"""A map from the set of seated entries to the fewest repeats and the tables, the last one first."""


class _TooLong(Exception):
    pass


def least_repeats(
    known: Mapping[int, Collection[int]], sizes: Sequence[int], *, below: int, steps: int | None
) -> tuple[list[list[int]] | None, bool]:
    """Return the tables with the fewest repeats if that is fewer than `below`, and whether it is certain.

    `known` maps each entry to those it has met. `sizes` lists the larger tables first, and sizes differ by one at
    most. `steps` limits how many entries are tried, and None means no limit.
    """
    busiest = sorted(known, key=lambda entry: -len(known[entry]))
    name = {entry: place for place, entry in enumerate(busiest)}
    met = [sum(1 << name[other] for other in known[entry]) for entry in busiest]
    try:
        found = _Search(met, sizes, below, steps).run()
    except _TooLong:
        return None, False
    return [[busiest[place] for place in _places(table)] for table in found] or None, True


def unavoidable(new: Iterable[int], smallest: int) -> int:
    """Return the repeats that no seating avoids. `new` has each entry's number of possible new opponents.

    An entry with fewer new opponents than other seats at the smallest table must repeat a meeting anywhere.

    >>> unavoidable([3, 1, 0, 2], 4)
    3
    """
    return -(-sum(max(0, smallest - 1 - count) for count in new) // 2)


def _places(entries: int) -> list[int]:
    return [place for place in range(entries.bit_length()) if entries >> place & 1]


class _Search:
    """The search: the first waiting entry takes the next table, with every choice of companions that can still win."""

    def __init__(self, met: Sequence[int], sizes: Sequence[int], below: int, steps: int | None) -> None:
        self.met, self.sizes, self.below, self.steps = met, sizes, below, steps
        self.everybody = (1 << len(met)) - 1

    def run(self) -> tuple[int, ...]:
        """Return the tables. Return none if no seating has fewer repeats than `below`.

        Raises:
            _TooLong: the steps are used up.
        """
        layer: Layer = {0: (0, ())}
        for tables_left in range(len(self.sizes), 0, -1):
            following: Layer = {}
            for seated, (repeats, tables) in layer.items():
                for table, more in self._next_tables(self.everybody & ~seated, tables_left, self.below - repeats - 1):
                    after, total = seated | table, repeats + more
                    if after not in following or following[after][0] > total:
                        following[after] = total, (table, *tables)
            layer = following
        return layer.get(self.everybody, (0, ()))[1]

    def _next_tables(self, waiting: int, tables_left: int, room: int) -> Iterator[tuple[int, int]]:
        """Yield the tables at which the first waiting entry can sit, with the repeats there."""
        self._count(len(self.met))
        small = self.sizes[-1]
        new = ((waiting & ~self.met[place]).bit_count() - 1 for place in _places(waiting))
        if room < unavoidable(new, small):
            return
        first = waiting & -waiting
        large_left = waiting.bit_count() - small * tables_left
        for size in [small + 1] * (large_left > 0) + [small] * (large_left < tables_left):
            yield from self._companions(first, waiting ^ first, size - 1, room)

    def _companions(self, table: int, choice: int, places: int, room: int) -> Iterator[tuple[int, int]]:
        """Yield this table with `places` more seats filled from the choice, and the repeats that this adds."""
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
