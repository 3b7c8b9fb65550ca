"""A longer search for where exchanging stops short: exchanges by lot, the worse ones taken less and less (annealing).

Whole numbers only, so that every machine takes the same exchanges: one that makes it worse by d is taken if d lots in a
row fall below a chance, which sinks from `WARM` of 65,536 to nothing.
"""

from __future__ import annotations

from typing import Final

from pairing.draws.order.lots import Lots
from pairing.draws.separation.seating_exchange import MutableSeating

WARM: Final = 24_000
WHOLE: Final = 65_536
PER_ENTRY: Final = 2_500
MOST: Final = 200_000
"""How many exchanges are weighed: about half a second at most."""


def anneal(hall: MutableSeating, lots: Lots, *, enough: int) -> MutableSeating:
    """The best seating on the way from this one; `enough` repeats end the search."""
    count = len(hall.known)
    effort = min(MOST, PER_ENTRY * count)
    now = best = hall.repeats
    best_tables = hall.copied()
    for turn in range(effort):
        one, other = lots.below(count), lots.below(count)
        if hall.at[one] == hall.at[other]:
            continue
        worse = _worse_by(hall, one, other)
        left = effort - turn
        if worse > 0 and not _is_taken(worse, WARM * left * left // (effort * effort), lots):
            continue
        hall.swap(one, other)
        now += worse
        if now < best:
            best, best_tables = now, hall.copied()
            if best <= enough:
                break
    return MutableSeating(hall.known, best_tables)


def _is_taken(worse: int, chance: int, lots: Lots) -> bool:
    return all(lots.below(WHOLE) < chance for _ in range(worse))


def _worse_by(hall: MutableSeating, one: int, other: int) -> int:
    """How many repeats more there are after the two have changed places."""
    known_to_one, known_to_other = hall.known[one], hall.known[other]
    worse = 0
    for beside in hall.tables[hall.at[one]]:
        if beside != one:
            worse += (beside in known_to_other) - (beside in known_to_one)
    for beside in hall.tables[hall.at[other]]:
        if beside != other:
            worse += (beside in known_to_one) - (beside in known_to_other)
    return worse
