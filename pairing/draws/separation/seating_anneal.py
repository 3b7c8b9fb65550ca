"""A longer search for where exchanging stops short: exchanges by lot, the worse ones taken less and less (annealing).

Whole numbers only, so that every machine takes the same exchanges: one that makes it worse by d is taken if d lots in a
row fall below a chance, which sinks from `WARM` of 65,536 to nothing.
"""

from typing import Final

from pairing.draws.order.lots import Lots
from pairing.draws.separation.kit import Seats

WARM: Final = 24_000
WHOLE: Final = 65_536
PER_ENTRY: Final = 2_500
MOST: Final = 200_000
"""How many exchanges are weighed: about half a second at most."""


def anneal(hall: Seats, lots: Lots, *, enough: int) -> Seats:
    """The best seating on the way from this one; `enough` repeats end the search."""
    entries = tuple(hall.known)
    count = len(entries)
    effort = min(MOST, PER_ENTRY * count)
    now = best = hall.repeats
    best_tables = hall.copied()
    for turn in range(effort):
        one, other = entries[lots.below(count)], entries[lots.below(count)]
        if hall.at[one] == hall.at[other]:
            continue
        worse = hall.worse_by(one, other)
        left = effort - turn
        if worse > 0 and not _is_taken(worse, WARM * left * left // (effort * effort), lots):
            continue
        hall.exchange(one, other)
        now += worse
        if now < best:
            best, best_tables = now, hall.copied()
            if best <= enough:
                break
    return Seats(best_tables, hall.known)


def _is_taken(worse: int, chance: int, lots: Lots) -> bool:
    return all(lots.below(WHOLE) < chance for _ in range(worse))
