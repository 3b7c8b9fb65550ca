"""The melds of a hand: an exact search, fast enough to try every discard of every hand.

A hand is a number of 52 bits: clubs lowest, then diamonds, hearts and spades. In a suit the ace is lowest and the king
highest. A run never leaves its suit. The best runs of each of the 8,192 holdings of a suit are therefore computed once
and looked up afterwards. Only sets connect the suits, so the search tries which sets to take:

    least of a hand = minimum over every choice of its sets of the four suits that the sets leave

Sources: GRA 2012, singles 2 (ace low); CONTRACTS.md, deadwood (melds, aces both ways). `hand` and `meld` are numbers of
52 bits, and `held` is one suit of 13 bits.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, reduce
from operator import or_
from typing import Final

from scoring.rules.hand.cards import DECK, RANKS, SUITS

RANK_COUNT: Final = len(RANKS)
SUIT: Final = (1 << RANK_COUNT) - 1
"""All cards of a suit."""
SUIT_STARTS: Final = (0, 13, 26, 39)
RANK: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39
"""All aces. Multiplied by ranks of one suit, it gives the cards of those ranks in every suit."""
SHORTEST_RUN: Final = 3
VALUES: Final = tuple(DECK[rank + SUITS[0]].value for rank in RANKS)

# The cost of an arrangement is one number that compares like a tuple, so that ties in points are also broken:
# points of the loose cards, number of loose cards, number of cards laid off, number of runs.
POINTS: Final = 12
LOOSE: Final = 8
LAID_OFF: Final = 4
ONE_RUN: Final = 1


class Ace(StrEnum):
    """The places of an ace in a run. It always counts one point."""

    LOW = "low"
    """A-2-3."""
    BOTH = "both"
    """A-2-3 and Q-K-A, but never around the corner."""


def by_suit(hand: int) -> tuple[int, int, int, int]:
    return hand & SUIT, hand >> 13 & SUIT, hand >> 26 & SUIT, hand >> 39


def is_set(meld: int) -> bool:
    return sum(map(bool, by_suit(meld))) > 1


def ends_with_ace(run: int) -> bool:
    """Return whether the ace of a run is above its king."""
    ace_without_two = 0b01
    return any(held & 0b11 == ace_without_two for held in by_suit(run))


def _runs(ace: Ace) -> Iterator[int]:
    """Yield every run of a suit, the longest first."""
    places = RANK_COUNT + (ace is Ace.BOTH)  # the last place is the ace again, above the king
    for length in range(RANK_COUNT, SHORTEST_RUN - 1, -1):
        for lowest in range(places - length + 1):
            yield sum(1 << place % RANK_COUNT for place in range(lowest, lowest + length))


SETS: Final = tuple(
    (RANK << rank, *((RANK ^ 1 << start) << rank for start in SUIT_STARTS)) for rank in range(RANK_COUNT)
)
"""The five sets of each rank: all four cards, or all but one."""


@dataclass(frozen=True, slots=True)
class Melds:
    """All melds, and tables computed from them, for one use of the ace. Created by `melds_with`."""

    cost: Sequence[int]
    """The cost of a suit with its best runs, by the cards held."""
    in_runs: Sequence[int]
    """The cards held that are part of some run, by the cards held."""
    runs_from: Sequence[Sequence[int]]
    """The runs of a suit by their lowest bit, the longest first. Runs up to a high ace are listed under the ace."""
    extensions: Mapping[int, Sequence[int]]
    """Every meld, and the groups of cards that extend it, the largest first."""

    def least_deadwood(self, hand: int) -> int:
        """Return the points of the loose cards in the best arrangement of a hand."""
        cost = self.cost
        clubs, diamonds, hearts, spades = hand & SUIT, hand >> 13 & SUIT, hand >> 26 & SUIT, hand >> 39
        if not (clubs & diamonds & (hearts | spades) or hearts & spades & (clubs | diamonds)):
            return (cost[clubs] + cost[diamonds] + cost[hearts] + cost[spades]) >> POINTS
        costs = [
            cost[rest & SUIT] + cost[rest >> 13 & SUIT] + cost[rest >> 26 & SUIT] + cost[rest >> 39]
            for rest in self.without_sets(hand)
        ]
        return min(costs) >> POINTS

    def without_sets(self, hand: int, wanted: int = 0) -> list[int]:
        """Return what each sensible choice of sets leaves of a hand, beginning with the choice of no optional set.

        A set whose cards cannot be part of a run is always taken whole. `wanted` are the ranks of which a card could be
        laid off. Their sets are optional as well.
        """
        clubs, diamonds, hearts, spades = by_suit(hand)
        threes = clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds)
        in_runs = self.in_runs
        contested = threes & (wanted | in_runs[clubs] | in_runs[diamonds] | in_runs[hearts] | in_runs[spades])
        left = [hand & ~((threes ^ contested) * RANK)]
        while contested:
            rank = contested.bit_length() - 1
            contested ^= 1 << rank
            sets = [meld for meld in SETS[rank] if hand & meld == meld]
            left += [rest ^ meld for rest in left for meld in sets]
        return left

    def runs_of(self, held: int) -> Iterator[int]:
        """Yield the best runs of the cards held in a suit, which are the runs that `cost` counts."""
        cost = self.cost
        held = self.in_runs[held]
        while held:
            lowest = held & -held
            possible = (run for run in self.runs_from[lowest.bit_length() - 1] if held & run == run)
            run = next((run for run in possible if cost[held] == cost[held ^ run] + ONE_RUN), 0)
            if run:
                yield run
            held ^= run or lowest


@cache
def melds_with(ace: Ace) -> Melds:
    """Return the tables for one use of the ace. They are computed at first use (some 20 ms) and cached."""
    runs_from: list[list[int]] = [[] for _rank in RANKS]
    for run in _runs(ace):
        runs_from[(run & -run).bit_length() - 1].append(run)
    cost, in_runs = [0], [0]
    for held in range(1, SUIT + 1):
        # The lowest card is loose or starts a run, and what is left is a smaller holding.
        lowest = held & -held
        rank = lowest.bit_length() - 1
        others = held ^ lowest
        possible = [run for run in runs_from[rank] if held & run == run]
        loose = (VALUES[rank] << POINTS) + (1 << LOOSE) + cost[others]
        cost.append(min([loose, *(cost[held ^ run] + ONE_RUN for run in possible)]))
        in_runs.append(reduce(or_, possible, in_runs[others]))
    return Melds(cost, in_runs, runs_from, dict(_extensions(ace)))


def _extensions(ace: Ace) -> Iterator[tuple[int, tuple[int, ...]]]:
    runs = list(_runs(ace))
    for start in SUIT_STARTS:
        for run in runs:
            yield run << start, tuple((longer ^ run) << start for longer in runs if longer & run == run != longer)
    for whole, *threes in SETS:
        yield whole, ()
        yield from ((three, (whole ^ three,)) for three in threes)
