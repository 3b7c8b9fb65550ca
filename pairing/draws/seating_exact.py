"""The proof for a small field: every seating that could be better is tried, the hopeless ones as early as can be.

Entries are known by their turn in the lots, 0 to n − 1; sets of them are bits of whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence


class _TooLong(Exception):
    """The steps are used up."""


def least_repeats(
    known: Sequence[set[int]], sizes: Sequence[int], *, below: int, steps: int | None
) -> tuple[list[list[int]] | None, bool]:
    """The tables with the fewest repeats if that is fewer than `below`, and whether it is certain.

    `steps` is how many seats may be tried; None: as many as it takes.
    """
    search = _Search(known, sizes, below, steps)
    try:
        search.seat_next(0)
    except _TooLong:
        return search.best, False
    return search.best, True


class _Search:
    """Branch and bound: the entry that fits worst is seated next, at the table where it costs least first."""

    def __init__(self, known: Sequence[set[int]], sizes: Sequence[int], below: int, steps: int | None) -> None:
        self.met = [sum(1 << other for other in others) for others in known]
        self.sizes = sizes
        self.below = below
        self.steps = steps
        self.best: list[list[int]] | None = None
        self.waiting = set(range(len(known)))
        self.tables: list[list[int]] = [[] for _ in sizes]
        self.masks = [0] * len(sizes)

    def seat_next(self, repeats: int) -> None:
        """Seat everybody who waits in every way that can still come out better.

        Raises:
            _TooLong: the steps are used up.
        """
        if not self.waiting:
            self.below, self.best = repeats, [list(table) for table in self.tables]
            return
        open_tables = self._open_tables()
        costs = self._costs(open_tables)
        if repeats + (sum(map(min, costs.values())) + 1) // 2 >= self.below:
            return
        entry = max(self.waiting, key=lambda one: (min(costs[one]), sum(costs[one]), -one))
        for _, table in sorted(zip(costs[entry], open_tables, strict=True)):
            new = repeats + (self.met[entry] & self.masks[table]).bit_count()
            if new < self.below:
                self._try(entry, table, new)

    def _costs(self, open_tables: Sequence[int]) -> dict[int, list[int]]:
        """For each who waits, by open table, the least that sitting there costs, in halves of a repeat.

        A repeat with somebody who sits there is two halves, of which both count here; one with somebody who waits
        too is a half for each of them, and cannot be avoided where more seats are free than new opponents wait.
        """
        waiting = sum(1 << entry for entry in self.waiting)
        places = [(self.masks[table], self.sizes[table] - len(self.tables[table]) - 1) for table in open_tables]
        costs = {}
        for entry in self.waiting:
            met = self.met[entry]
            new = (waiting & ~met).bit_count() - 1
            costs[entry] = [2 * (met & mask).bit_count() + max(0, beside - new) for mask, beside in places]
        return costs

    def _try(self, entry: int, table: int, repeats: int) -> None:
        if self.steps is not None:
            if self.steps == 0:
                raise _TooLong
            self.steps -= 1
        self.waiting.remove(entry)
        self.tables[table].append(entry)
        self.masks[table] |= 1 << entry
        self.seat_next(repeats)
        self.masks[table] &= ~(1 << entry)
        self.tables[table].pop()
        self.waiting.add(entry)

    def _open_tables(self) -> list[int]:
        """The tables with a free seat; of the empty ones of one size only the first, they are all alike."""
        found = []
        empty_sizes = set()
        for table, size in enumerate(self.sizes):
            if self.tables[table]:
                if len(self.tables[table]) < size:
                    found.append(table)
            elif size not in empty_sizes:
                empty_sizes.add(size)
                found.append(table)
        return found
