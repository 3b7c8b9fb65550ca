"""Seat tables of two to five so that as few entries as possible sit again with somebody they have met.

    entries ──table_sizes──► sizes      as even as possible
    entries, met ──seat──► seating      exchanges, then annealing if needed, and a proof for small fields

Two entries have met or not. How often does not matter. The seed's lots decide among equals.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pairing.draws.order import Lots, by_lot, require_unique
from pairing.draws.pairs.field import RecordEntry
from pairing.draws.pairs.record import pair_by_record
from pairing.draws.separation.exchanges import Seats, find_fewest_repeats, min_repeats

SMALLEST_TABLE: Final = 2
LARGEST_TABLE: Final = 5

PROVEN_UP_TO: Final = 20
"""Up to this many entries the answer always has the fewest repeats possible, whatever has been played."""

TRIED_UP_TO: Final = 40
"""Up to this many entries the proof is tried, and given up if it takes too long."""

_PROOF_STEPS: Final = 300_000
"""The limit for the proof of a larger field, about a second of work."""


@dataclass(frozen=True, slots=True)
class SeatedTables:
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


def seat(entries: Sequence[int], met: Iterable[tuple[int, int]], *, size: int = 4, seed: str) -> SeatedTables:
    """Return the tables of the next round with the fewest repeated meetings.

    `met` may name entries that have left, and may list a pair twice. The result is certain to be the least up to
    `PROVEN_UP_TO` entries and at tables of two. Elsewhere `is_least` tells whether it is: the search reached the lower
    bound, or the proof succeeded. In practice, the search reaches the bound for every field whose history leaves room.
    The same input gives the same tables in any order of entries, on any machine.

    >>> seat([1, 2, 3, 4, 5, 6], [(1, 2), (3, 4)], size=2, seed="friday").repeats
    0
    >>> seat([1, 2, 3], [(1, 2), (2, 1), (3, 9)], size=3, seed="friday")
    SeatedTables(tables=((1, 2, 3),), repeats=1, is_least=True)

    Raises:
        ValueError: there are fewer than two entries, one occurs twice, or the size is not from two to five.
    """
    require_unique(entries)
    sizes = table_sizes(len(entries), size)
    turn = by_lot(entries, seed=seed)
    known = _known_by_turn(turn, met)
    hall, is_least = _search(known, sizes, seed)
    tables = sorted(tuple(sorted(turn[place] for place in table)) for table in hall.tables)
    return SeatedTables(tuple(tables), hall.repeats, is_least)


def _search(known: Mapping[int, set[int]], sizes: Sequence[int], seed: str) -> tuple[Seats, bool]:
    """Return the best seating found, and whether it is known to be the best possible."""
    if sizes[0] == SMALLEST_TABLE:
        # Tables of two only are a pairing without records, which is exact for any field.
        field = [RecordEntry(entry, wins=0, met=frozenset(met)) for entry, met in known.items()]
        return Seats(pair_by_record(field, seed=seed).pairs, known), True
    enough, lots = min_repeats((len(known) - 1 - len(met) for met in known.values()), sizes[-1]), Lots(seed)
    hall = _improve_by_exchanges(_fill_tables(known, sizes), lots, enough=enough)
    if hall.repeats > enough:
        annealed = _anneal(Seats(hall.tables, known), lots, enough=enough)
        hall = min(hall, annealed, key=lambda found: found.repeats)
    if hall.repeats == enough or len(known) > TRIED_UP_TO:
        return hall, hall.repeats == enough
    steps = None if len(known) <= PROVEN_UP_TO else _PROOF_STEPS
    better, is_least = find_fewest_repeats(known, sizes, below=hall.repeats, steps=steps)
    return hall if better is None else Seats(better, known), is_least


def _known_by_turn(turn: Sequence[int], met: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    """Map each entry, by its turn in the lots, to the turns of the entries it has met."""
    turn_of = {entry: index for index, entry in enumerate(turn)}
    known: dict[int, set[int]] = {index: set() for index in range(len(turn))}
    for one, other in met:
        if one in turn_of and other in turn_of:
            known[turn_of[one]].add(turn_of[other])
            known[turn_of[other]].add(turn_of[one])
    return known


# --- Search by exchanges ---------------------------------------------------------------------------------------------
# The tables are filled, then two entries at a time are exchanged (tabu search).

_EFFORT: Final = 1_000_000
"""The most exchanges that are tried in a row without an improvement, less than a second of work."""

_PATIENCE: Final = 400
"""The most steps in a row without an improvement."""


def _fill_tables(known: Mapping[int, Collection[int]], sizes: Sequence[int]) -> Seats:
    """Seat one entry after another at the first of the emptiest tables with the fewest entries it has met."""
    tables: list[list[int]] = [[] for _ in sizes]
    at: dict[int, int] = {}
    open_tables = list(range(len(sizes)))
    for entry in known:
        met = Counter(at[other] for other in known[entry] if other in at)
        chosen = min(open_tables, key=met.__getitem__)
        tables[chosen].append(entry)
        at[entry] = chosen
        open_tables.remove(chosen)
        if len(tables[chosen]) < sizes[chosen]:
            open_tables.append(chosen)
    return Seats(tables, known)


def _improve_by_exchanges(hall: Seats, lots: Lots, *, enough: int) -> Seats:
    """Return the best seating found from this one by exchanging two entries at a time. It ends at `enough` repeats.

    Each step takes an entry that sits with somebody it has met, and makes the best exchange for it, better or not. An
    entry that has just moved stays for a few steps, so that the search does not go back.
    """
    own = {entry: hall.met_at(entry, hall.at[entry]) for entry in hall.known}
    best = now = hall.repeats
    best_tables = hall.copied()
    since, step = 0, 0
    rests_until = dict.fromkeys(hall.known, 0)
    most = min(_PATIENCE, _EFFORT // max(1, len(hall.known)))
    while best > enough and since < most:
        step, since = step + 1, since + 1
        unhappy = [entry for entry, repeats in own.items() if repeats]
        one = unhappy[lots.below(len(unhappy))]
        awake = [other for other, until in rests_until.items() if until < step]
        found = _best_exchange(hall, own, one, awake, lots)
        if found is None:
            continue
        gain, other = found
        hall.exchange(one, other)
        for table in (hall.at[one], hall.at[other]):
            own |= {entry: hall.met_at(entry, table) for entry in hall.tables[table]}
        now -= gain
        rests_until[one], rests_until[other] = step + 1 + lots.below(3), step + 1 + lots.below(3)
        if now < best:
            best, best_tables, since = now, hall.copied(), 0
    return Seats(best_tables, hall.known)


def _best_exchange(
    hall: Seats, own: Mapping[int, int], one: int, others: Iterable[int], lots: Lots
) -> tuple[int, int] | None:
    """Return the improvement of the best exchange of `one`, and its partner. The lots decide among equals."""
    known, at = hall.known, hall.at
    here, met = at[one], known[one]
    there = Counter(at[other] for other in met)
    knows_here = Counter(other for sitting in hall.tables[here] for other in known[sitting])
    best: list[int] = []
    most = -len(known) * len(known)
    for other in others:
        if at[other] == here:
            continue
        # An entry that has met `one` is counted once too often at either table, since the two swap tables.
        gain = own[one] + own[other] - there[at[other]] - knows_here[other] + 2 * (other in met)
        if gain > most:
            most, best = gain, [other]
        elif gain == most:
            best.append(other)
    return (most, best[lots.below(len(best))]) if best else None


# --- Search by annealing ---------------------------------------------------------------------------------------------
# If the exchanges stop short, a longer search makes random exchanges, fewer and fewer of them bad.

_WARM: Final = 24_000
_WHOLE: Final = 65_536
_PER_ENTRY: Final = 2_500
_MOST_ANNEALED: Final = 200_000
"""The most exchanges that are tried, about half a second of work."""


def _anneal(hall: Seats, lots: Lots, *, enough: int) -> Seats:
    """Return the best seating found on the way from this one. The search ends at `enough` repeats."""
    entries = tuple(hall.known)
    count = len(entries)
    effort = min(_MOST_ANNEALED, _PER_ENTRY * count)
    now = best = hall.repeats
    best_tables = hall.copied()
    for turn in range(effort):
        one, other = entries[lots.below(count)], entries[lots.below(count)]
        if hall.at[one] == hall.at[other]:
            continue
        worse = hall.added_conflicts(one, other)
        left = effort - turn
        chance = _WARM * left * left // (effort * effort)
        if worse > 0 and not all(lots.below(_WHOLE) < chance for _ in range(worse)):
            continue
        hall.exchange(one, other)
        now += worse
        if now < best:
            best, best_tables = now, hall.copied()
            if best <= enough:
                break
    return Seats(best_tables, hall.known)
