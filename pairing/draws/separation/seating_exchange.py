"""The search for a seating: fill the tables, then exchange two entries at a time (tabu search).

`known` are in the order of the lots, which decides between equals: for each entry those it has met.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from pairing.draws.order.lots import Lots
from pairing.draws.separation.kit import Seats

EFFORT: Final = 1_000_000
"""How many exchanges may be weighed in a row without anything better: less than a second."""

PATIENCE: Final = 400
"""How many exchanges in a row may bring nothing better."""


def fill_tables(known: Mapping[int, Collection[int]], sizes: Sequence[int]) -> Seats:
    """One after another takes the first of the emptiest tables with the fewest it has met."""
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
    """The best seating found from this one by exchanging two entries at a time; `enough` repeats end the search.

    Each step takes an entry that sits with somebody it has met and makes the best exchange for it, better or not;
    who has just moved stays for a few steps, so that the search does not go back.
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
    """By how many repeats the best exchange of `one` makes it better, and with whom; equals by lot."""
    known, at = hall.known, hall.at
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
