"""The search for a seating: fill the tables, then exchange two entries at a time (tabu search).

Entries are known by their turn in the lots, 0 to n − 1; `known[turn]` are the turns of those it has met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from pairing.draws.order.lots import Lots

EFFORT: Final = 1_000_000
"""How many exchanges may be weighed in a row without anything better: less than a second."""

PATIENCE: Final = 400
"""How many exchanges in a row may bring nothing better."""


class MutableSeating:
    """A seating that can change: the tables, the table of each entry, and its repeats there."""

    def __init__(self, known: Sequence[set[int]], tables: Iterable[Iterable[int]]) -> None:
        self.known = known
        self.tables = [list(table) for table in tables]
        self.at = [0] * len(known)
        for number, table in enumerate(self.tables):
            for entry in table:
                self.at[entry] = number
        self.own = [self.repeats_at(entry, self.at[entry]) for entry in range(len(known))]

    @classmethod
    def filled(cls, known: Sequence[set[int]], sizes: Sequence[int]) -> MutableSeating:
        """One after another takes the first of the emptiest tables with the fewest it has met."""
        tables: list[list[int]] = [[] for _ in sizes]
        at: dict[int, int] = {}
        open_tables = list(range(len(sizes)))
        for entry in range(len(known)):
            met = Counter(at[other] for other in known[entry] if other in at)
            chosen = _first_without(met, open_tables)
            tables[chosen].append(entry)
            at[entry] = chosen
            open_tables.remove(chosen)
            if len(tables[chosen]) < sizes[chosen]:
                open_tables.append(chosen)
        return cls(known, tables)

    @property
    def repeats(self) -> int:
        return sum(self.own) // 2

    def repeats_at(self, entry: int, table: int) -> int:
        return sum(1 for other in self.tables[table] if other in self.known[entry])

    def copied(self) -> list[list[int]]:
        return [list(table) for table in self.tables]

    def swap(self, one: int, other: int) -> None:
        """The two change places; `own` is not kept."""
        here, there = self.at[one], self.at[other]
        self.tables[here][self.tables[here].index(one)] = other
        self.tables[there][self.tables[there].index(other)] = one
        self.at[one], self.at[other] = there, here

    def change_places(self, one: int, other: int) -> None:
        self.swap(one, other)
        for table in (self.at[one], self.at[other]):
            for entry in self.tables[table]:
                self.own[entry] = self.repeats_at(entry, table)


def _first_without(met: Counter[int], open_tables: Sequence[int]) -> int:
    """The first open table with nobody met, else the first of those with the fewest."""
    for table in open_tables:
        if table not in met:
            return table
    return min(open_tables, key=lambda table: met[table])


def exchange(hall: MutableSeating, lots: Lots, *, enough: int) -> MutableSeating:
    """The best seating found from this one by exchanging two entries at a time; `enough` repeats end the search.

    Each step takes an entry that sits with somebody it has met and makes the best exchange for it, better or not;
    who has just moved stays for a few steps, so that the search does not go back.
    """
    best, best_tables = hall.repeats, hall.copied()
    now, since, step = best, 0, 0
    rests_until = [0] * len(hall.known)
    most = min(PATIENCE, EFFORT // max(1, len(hall.known)))
    while best > enough and since < most:
        step, since = step + 1, since + 1
        unhappy = [entry for entry, repeats in enumerate(hall.own) if repeats]
        one = unhappy[lots.below(len(unhappy))]
        found = _best_exchange(hall, one, [other for other, until in enumerate(rests_until) if until < step], lots)
        if found is None:
            continue
        gain, other = found
        hall.change_places(one, other)
        now -= gain
        rests_until[one], rests_until[other] = step + 1 + lots.below(3), step + 1 + lots.below(3)
        if now < best:
            best, best_tables, since = now, hall.copied(), 0
    return MutableSeating(hall.known, best_tables)


def _best_exchange(hall: MutableSeating, one: int, others: Iterable[int], lots: Lots) -> tuple[int, int] | None:
    """By how many repeats the best exchange of `one` makes it better, and with whom; equals by lot."""
    known, at, own = hall.known, hall.at, hall.own
    here, met = at[one], known[one]
    there = Counter(at[other] for other in met)
    knows_here = Counter(other for sitting in hall.tables[here] for other in known[sitting])
    best: list[int] = []
    most = -len(known) * len(known)
    for other in others:
        if at[other] == here:
            continue
        # Who has met `one` counts once too often at either table: they never sit together after the exchange.
        gain = own[one] + own[other] - there[at[other]] - knows_here[other] + 2 * (other in met)
        if gain > most:
            most, best = gain, [other]
        elif gain == most:
            best.append(other)
    return (most, best[lots.below(len(best))]) if best else None
