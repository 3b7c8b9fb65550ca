"""Search for a seating: fill the tables, then exchange two entries at a time (tabu search).

`known` maps each entry to those it has met. Its order is that of the lots, which decides between equals.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from pairing.draws.order.lots import Lots
from pairing.draws.separation.kit import Seats

EFFORT: Final = 1_000_000
"""The most exchanges that are tried in a row without an improvement, less than a second of work."""

PATIENCE: Final = 400
"""The most steps in a row without an improvement."""


def fill_tables(known: Mapping[int, Collection[int]], sizes: Sequence[int]) -> Seats:
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


def exchange(hall: Seats, lots: Lots, *, enough: int) -> Seats:
    """Return the best seating found from this one by exchanging two entries at a time. It ends at `enough` repeats.

    Each step takes an entry that sits with somebody it has met, and makes the best exchange for it, better or not. An
    entry that has just moved stays for a few steps, so that the search does not go back.
    """
    own = {entry: hall.met_at(entry, hall.at[entry]) for entry in hall.known}
    best = now = hall.repeats
    best_tables = hall.copied()
    since, step = 0, 0
    rests_until = dict.fromkeys(hall.known, 0)
    most = min(PATIENCE, EFFORT // max(1, len(hall.known)))
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
