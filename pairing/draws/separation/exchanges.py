"""Keep certain entries apart: seatings, exchanges of two entries, and a search that finds the best arrangement."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from pairing.draws.places import BracketPlaces, EntryMove, EntryMoveReason

AvoidedOpponents = Mapping[int, Mapping[int, EntryMoveReason]]
"""Maps each entry to the entries that it should not meet, with the reasons. Every pair is listed in both directions."""


class PlacedEntries:
    """The entries at their bracket positions. None is an empty position."""

    def __init__(self, places: Iterable[int | None]) -> None:
        self.places = list(places)
        self.place_of = {entry: place for place, entry in enumerate(self.places) if entry is not None}

    def exchange(self, one: int, other: int) -> None:
        here, there = self.place_of[one], self.place_of[other]
        self.places[here], self.places[there] = other, one
        self.place_of[one], self.place_of[other] = there, here


class SeatingArrangement:
    """The entries at each table. `known` maps an entry to the entries that should not sit at its table.

    `known` may include entries that have no seat.

    >>> hall = SeatingArrangement([(1, 2), (3, 4)], {1: {2}, 2: {1}})
    >>> list(hall.iter_conflicts()), hall.count_added_conflicts(2, 3), hall.find_first_fit(2, [1, 3, 4])
    ([(1, 2)], -1, 3)
    """

    def __init__(self, tables: Iterable[Iterable[int]], known: Mapping[int, Collection[int]]) -> None:
        self.tables = [list(table) for table in tables]
        self.known: Mapping[int, Collection[int]] = defaultdict(frozenset, known)
        self.at = {entry: number for number, table in enumerate(self.tables) for entry in table}

    @property
    def entries(self) -> tuple[int, ...]:
        """All seated entries, from the first table to the last."""
        return tuple(entry for table in self.tables for entry in table)

    @property
    def conflict_count(self) -> int:
        return sum(1 for _pair in self.iter_conflicts())

    def iter_conflicts(self, key: Callable[[int], Any] | None = None) -> Iterator[tuple[int, int]]:
        """Yield each pair that sits together but should not, table by table.

        At each table, pairs are sorted by `key`, or in seat order if there is none.
        """
        for table in self.tables:
            for one, later in combinations(table if key is None else sorted(table, key=key), 2):
                if later in self.known[one]:
                    yield one, later

    def count_conflicts(self, entry: int, table: int) -> int:
        """Return how many entries at this table should not sit with the given entry."""
        known = self.known[entry]
        return sum(1 for other in self.tables[table] if other in known)

    def copy_tables(self) -> list[list[int]]:
        return [list(table) for table in self.tables]

    def exchange(self, one: int, other: int) -> None:
        here, there = self.at[one], self.at[other]
        self.tables[here][self.tables[here].index(one)] = other
        self.tables[there][self.tables[there].index(other)] = one
        self.at[one], self.at[other] = there, here

    def count_added_conflicts(self, one: int, other: int) -> int:
        """Return how many more conflicts there would be if these two entries changed places.

        A conflict is a pair that sits together but should not. The two entries must sit at different tables.
        """
        known_to_one, known_to_other = self.known[one], self.known[other]
        worse = 0
        for beside in self.tables[self.at[one]]:
            if beside != one:
                worse += (beside in known_to_other) - (beside in known_to_one)
        for beside in self.tables[self.at[other]]:
            if beside != other:
                worse += (beside in known_to_one) - (beside in known_to_other)
        return worse

    def find_first_fit(self, entry: int, others: Iterable[int]) -> int | None:
        """Return the first of the other entries that can change places with `entry` without a conflict, or None.

        A conflict is a pair that sits together but should not.
        """
        return next((other for other in others if other in self.at and self._can_exchange(entry, other)), None)

    def _can_exchange(self, one: int, other: int) -> bool:
        here, there = self.at[one], self.at[other]
        if here == there:
            return False
        both = other in self.known[one]
        return self.count_conflicts(one, there) == both and self.count_conflicts(other, here) == both

    def find_best_exchange(self, entry: int, others: Iterable[int]) -> int | None:
        """Return the entry from another table that removes the most conflicts if it changes places with `entry`.

        A conflict is a pair that sits together but should not. Only the entries in `others` are tried, and the first
        one wins a tie. Return None if no exchange removes any conflict.
        """
        elsewhere = (other for other in others if self.at[other] != self.at[entry])
        best = min(elsewhere, key=lambda other: self.count_added_conflicts(entry, other), default=None)
        return best if best is not None and self.count_added_conflicts(entry, best) < 0 else None

    def fill_places(self, places: BracketPlaces) -> BracketPlaces:
        """Return bracket positions in which the entries at each table are a first-round pair.

        Entries without a seat stay where they were. The tables must be in the order of the first-round matches.
        """
        playing = iter(self.entries)
        return tuple(next(playing) if entry in self.at else entry for entry in places)


def separate_pairs(
    hall: SeatingArrangement,
    pairs: Iterable[tuple[int, int]],
    choose: Callable[[int, int], int | None],
    opponents: AvoidedOpponents,
) -> Iterator[EntryMove]:
    """Separate each pair that is still at the same table, and yield the exchange as a move.

    If a pair can't be separated, yield a move that records this.

    `choose(entry, stays)` returns the entry to exchange with `entry` so that it no longer sits with `stays`, or None.
    The pair's later entry is tried first.
    """
    for earlier, later in pairs:
        if hall.at[earlier] != hall.at[later]:
            continue
        for entry, stays in ((later, earlier), (earlier, later)):
            other = choose(entry, stays)
            if other is not None:
                hall.exchange(entry, other)
                yield EntryMove(entry, other, opponents[entry][stays], stays)
                break
        else:
            yield EntryMove(later, None, opponents[later][earlier], earlier)


def list_remaining_conflicts(
    hall: SeatingArrangement, opponents: AvoidedOpponents, key: Callable[[int], Any] | None = None
) -> tuple[EntryMove, ...]:
    """Return each pair that stays together, as an `EntryMove` in which the pair's later entry stays in place.

    The later entry is the one with the higher `key` or, if there is no key, the one in the later seat.
    """
    return tuple(EntryMove(later, None, opponents[one][later], one) for one, later in hall.iter_conflicts(key))


def find_moves_between_arrangements(before: BracketPlaces, after: BracketPlaces) -> tuple[EntryMove, ...]:
    """Return the exchanges that turn one arrangement into the other, from top to bottom.

    >>> [str(move) for move in find_moves_between_arrangements((1, 2, 3, 4), (1, 3, 2, 4))]
    ['Entry 3 changed places with entry 2. Several exchanges together keep everyone apart who should be.']
    """
    standing, moves = PlacedEntries(before), []
    for place, entry in enumerate(after):
        other = standing.places[place]
        if entry is not None and other is not None and entry != other:
            standing.exchange(entry, other)
            moves.append(EntryMove(entry, other, EntryMoveReason.CHAIN))
    return tuple(moves)


def rotate_order_from(order: Sequence[int], turn: int) -> tuple[int, ...]:
    """Return the entries drawn after the entry at the position `turn`, followed by the entries drawn before it.

    Both parts are in drawn order. The entry at that position is left out.

    >>> rotate_order_from([7, 8, 9], 1)
    (9, 7)
    """
    return (*order[turn + 1 :], *order[:turn])


# --- Exact search for tables -----------------------------------------------------------------------------------------
# The search goes table by table and keeps only the best of all ways to seat the same entries.

_BestTables = dict[int, tuple[int, tuple[int, ...]]]
"""Maps each set of seated entries to their fewest possible repeats, and to tables that achieve it, last table first."""


class _StepLimitReached(Exception):
    pass


def find_seating_with_fewest_repeats(
    known: Mapping[int, Collection[int]], sizes: Sequence[int], *, below: int, steps: int | None
) -> tuple[list[list[int]] | None, bool]:
    """Return the seating with the fewest repeated meetings, and whether the search was complete.

    The seating is None if the search found none with fewer repeats than `below`. `known` maps each entry to the entries
    that it has met. `sizes` lists the larger tables first, and sizes differ by at most one. `steps` limits how many
    entries are tried, or is None for no limit.
    """
    busiest = sorted(known, key=lambda entry: -len(known[entry]))
    name = {entry: place for place, entry in enumerate(busiest)}
    met = [sum(1 << name[other] for other in known[entry]) for entry in busiest]
    try:
        found = _SeatingSearch(met, sizes, below, steps).search()
    except _StepLimitReached:
        return None, False
    return [[busiest[place] for place in _list_set_bits(table)] for table in found] or None, True


def count_unavoidable_repeats(new: Iterable[int], smallest: int) -> int:
    """Return a lower bound for the number of repeated meetings in any seating.

    `new` counts each entry's possible new opponents. An entry has at least `smallest` − 1 others at its table. If it
    has fewer possible new opponents, it must repeat a meeting for each one that is missing.

    >>> count_unavoidable_repeats([3, 1, 0, 2], 4)
    3
    """
    return -(-sum(max(0, smallest - 1 - count) for count in new) // 2)


def _list_set_bits(entries: int) -> list[int]:
    return [place for place in range(entries.bit_length()) if entries >> place & 1]


class _SeatingSearch:
    """An exact search for the seating with the fewest repeats.

    It puts the first waiting entry at the next table and tries every set of companions that could still lead to a
    better result.
    """

    def __init__(self, met: Sequence[int], sizes: Sequence[int], below: int, steps: int | None) -> None:
        self.met, self.sizes, self.below, self.steps = met, sizes, below, steps
        self.everybody = (1 << len(met)) - 1

    def search(self) -> tuple[int, ...]:
        """Return the tables, or an empty tuple if no seating has fewer repeats than `below`."""
        layer: _BestTables = {0: (0, ())}
        for tables_left in range(len(self.sizes), 0, -1):
            following: _BestTables = {}
            for seated, (repeats, tables) in layer.items():
                for table, more in self._iter_next_tables(
                    self.everybody & ~seated, tables_left, self.below - repeats - 1
                ):
                    after, total = seated | table, repeats + more
                    if after not in following or following[after][0] > total:
                        following[after] = total, (table, *tables)
            layer = following
        return layer.get(self.everybody, (0, ()))[1]

    def _iter_next_tables(self, waiting: int, tables_left: int, room: int) -> Iterator[tuple[int, int]]:
        """Yield the possible tables for the first waiting entry, each with its number of repeats."""
        self._count_steps(len(self.met))
        small = self.sizes[-1]
        new = ((waiting & ~self.met[place]).bit_count() - 1 for place in _list_set_bits(waiting))
        if room < count_unavoidable_repeats(new, small):
            return
        first = waiting & -waiting
        large_left = waiting.bit_count() - small * tables_left
        for size in [small + 1] * (large_left > 0) + [small] * (large_left < tables_left):
            yield from self._iter_filled_tables(first, waiting ^ first, size - 1, room)

    def _iter_filled_tables(self, table: int, choice: int, places: int, room: int) -> Iterator[tuple[int, int]]:
        """Yield all ways to fill `places` more seats at this table from `choice`, each with its number of repeats.

        Tables and `choice` are bit sets of entries.
        """
        if places == 0:
            yield table, 0
            return
        while choice.bit_count() >= places:
            lowest = choice & -choice
            choice ^= lowest
            self._count_steps(1)
            repeats = (self.met[lowest.bit_length() - 1] & table).bit_count()
            if repeats <= room:
                for filled, more in self._iter_filled_tables(table | lowest, choice, places - 1, room - repeats):
                    yield filled, repeats + more

    def _count_steps(self, steps: int) -> None:
        if self.steps is not None:
            self.steps -= steps
            if self.steps < 0:
                raise _StepLimitReached
