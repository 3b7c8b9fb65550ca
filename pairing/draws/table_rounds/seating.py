"""Seat tables of two to five so that as few entries as possible sit again with somebody they have met.

    entries ──table_sizes──► sizes      as even as possible
    entries, met ──seat──► seating      exchanges, then annealing if needed, and a proof for small fields

Two entries have met or not. How often does not matter. The seed's lots decide among equals.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pairing.draws.order.entries import check_each_once
from pairing.draws.order.lots import Lots, by_lot
from pairing.draws.pairs.record import pair_by_record
from pairing.draws.pairs.record_field import RecordEntry
from pairing.draws.separation.kit import Seats
from pairing.draws.separation.seating_anneal import anneal
from pairing.draws.separation.seating_exact import least_repeats, unavoidable
from pairing.draws.separation.seating_exchange import exchange, fill_tables

SMALLEST_TABLE: Final = 2
LARGEST_TABLE: Final = 5

PROVEN_UP_TO: Final = 20
"""Up to this many entries the answer always has the fewest repeats possible, whatever has been played."""

TRIED_UP_TO: Final = 40
"""Up to this many entries the proof is tried, and given up if it takes too long."""

PROOF_STEPS: Final = 300_000
"""The limit for the proof of a larger field, about a second of work."""


@dataclass(frozen=True, slots=True)
class TableGroups:
    """The entries at each table. Each table is sorted, and the tables are sorted by their first entry.

    `repeats` counts the pairs at one table that had met before. `is_least` is true if no seating can have fewer.
    """

    tables: tuple[tuple[int, ...], ...]
    repeats: int
    is_least: bool


def table_sizes(entries: int, size: int = 4) -> tuple[int, ...]:
    """Return the sizes of the tables, larger ones first: as few tables as possible, as even as possible.

    A table has at most `size` entries. Nobody sits alone, so with tables of two an odd number makes one table of three.

    >>> table_sizes(9), table_sizes(5, 5), table_sizes(7, 2)
    ((3, 3, 3), (5,), (3, 2, 2))

    Raises:
        ValueError: there are fewer than two entries, or the size is not from two to five.
    """
    if entries < SMALLEST_TABLE or not SMALLEST_TABLE <= size <= LARGEST_TABLE:
        raise ValueError("tables take two to five, and nobody sits alone")
    tables = min(-(-entries // size), entries // SMALLEST_TABLE)
    small, larger = divmod(entries, tables)
    return (small + 1,) * larger + (small,) * (tables - larger)


def seat(entries: Sequence[int], met: Iterable[tuple[int, int]], *, size: int = 4, seed: str) -> TableGroups:
    """Return the tables of the next round with the fewest repeated meetings.

    `met` may name entries that have left, and may list a pair twice. The result is certain to be the least up to
    `PROVEN_UP_TO` entries and at tables of two. Elsewhere `is_least` tells whether it is: the search reached the lower
    bound, or the proof succeeded. In practice, the search reaches the bound for every field whose history leaves room.
    The same input gives the same tables in any order of entries, on any machine.

    >>> seat([1, 2, 3, 4, 5, 6], [(1, 2), (3, 4)], size=2, seed="friday").repeats
    0
    >>> seat([1, 2, 3], [(1, 2), (2, 1), (3, 9)], size=3, seed="friday")
    TableGroups(tables=((1, 2, 3),), repeats=1, is_least=True)

    Raises:
        ValueError: there are fewer than two entries, one occurs twice, or the size is not from two to five.
    """
    check_each_once(entries)
    sizes = table_sizes(len(entries), size)
    turn = by_lot(entries, seed=seed)
    known = _meetings(turn, met)
    hall, is_least = _search(known, sizes, seed)
    tables = sorted(tuple(sorted(turn[place] for place in table)) for table in hall.tables)
    return TableGroups(tuple(tables), hall.repeats, is_least)


def _search(known: Mapping[int, set[int]], sizes: Sequence[int], seed: str) -> tuple[Seats, bool]:
    """Return the best seating found, and whether it is known to be the best possible."""
    if sizes[0] == SMALLEST_TABLE:
        # Tables of two only are a pairing without records, which is exact for any field.
        field = [RecordEntry(entry, wins=0, met=frozenset(met)) for entry, met in known.items()]
        return Seats(pair_by_record(field, seed=seed).pairs, known), True
    enough, lots = unavoidable((len(known) - 1 - len(met) for met in known.values()), sizes[-1]), Lots(seed)
    hall = exchange(fill_tables(known, sizes), lots, enough=enough)
    if hall.repeats > enough:
        annealed = anneal(Seats(hall.tables, known), lots, enough=enough)
        hall = min(hall, annealed, key=lambda found: found.repeats)
    if hall.repeats == enough or len(known) > TRIED_UP_TO:
        return hall, hall.repeats == enough
    steps = None if len(known) <= PROVEN_UP_TO else PROOF_STEPS
    better, is_least = least_repeats(known, sizes, below=hall.repeats, steps=steps)
    return hall if better is None else Seats(better, known), is_least


def _meetings(turn: Sequence[int], met: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    """Map each entry, by its turn in the lots, to the turns of the entries it has met."""
    turn_of = {entry: index for index, entry in enumerate(turn)}
    known: dict[int, set[int]] = {index: set() for index in range(len(turn))}
    for one, other in met:
        if one in turn_of and other in turn_of:
            known[turn_of[one]].add(turn_of[other])
            known[turn_of[other]].add(turn_of[one])
    return known
