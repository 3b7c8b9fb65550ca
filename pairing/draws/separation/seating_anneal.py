"""A longer search for a seating, when exchanging stops short: random exchanges, fewer and fewer bad ones (annealing).

The search uses only whole numbers, so every machine makes the same exchanges. An exchange that makes it worse by d is
made if d lots in a row fall below a chance. That chance falls from `WARM` of 65,536 to zero.
"""

from typing import Final

from pairing.draws.order.lots import Lots
from pairing.draws.separation.kit import Seats

WARM: Final = 24_000
WHOLE: Final = 65_536
PER_ENTRY: Final = 2_500
MOST: Final = 200_000
"""The most exchanges that are tried, about half a second of work."""


def anneal(hall: Seats, lots: Lots, *, enough: int) -> Seats:
    """Return the best seating found on the way from this one. The search ends at `enough` repeats."""
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
