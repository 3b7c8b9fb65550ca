"""Which cards of a hand go together: exact, and fast enough to ask about every discard of every hand.

A hand is one number of 52 bits: clubs lowest, then diamonds, hearts, spades; in a suit the ace lowest, the king
highest. Runs never leave their suit, so the best runs of each of the 8,192 holdings of a suit are worked out once and
looked up ever after. Only sets tie the suits together, so what is left to try is which sets to take:

    the least of a hand = the least, over every choice of its sets, of the four suits of what the sets leave

Sources: GRA 2012, singles 2 (ace low); CONTRACTS.md, deadwood (melds, aces both ways). Shapes: `hand` and `meld` are
numbers of 52 bits, `held` one suit of 13.
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
"""All cards of one suit."""
SUIT_STARTS: Final = (0, 13, 26, 39)
RANK: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39
"""All cards of one rank. Times some ranks of a suit: the cards of those ranks in every suit."""
SHORTEST_RUN: Final = 3
VALUES: Final = tuple(DECK[rank + SUITS[0]].value for rank in RANKS)

# What an arrangement costs is one number, compared as a tuple would be, so that equal points are settled too:
# points of the loose cards, how many they are, how many are laid off, how many runs there are.
POINTS: Final = 12
LOOSE: Final = 8
LAID_OFF: Final = 4
ONE_RUN: Final = 1


class Ace(StrEnum):
    """Where an ace may stand in a run. It always counts one."""

    LOW = "low"
    """A-2-3."""
    BOTH = "both"
    """A-2-3 and Q-K-A, never around the corner."""


def by_suit(hand: int) -> tuple[int, int, int, int]:
    return hand & SUIT, hand >> 13 & SUIT, hand >> 26 & SUIT, hand >> 39


def is_set(meld: int) -> bool:
    return sum(map(bool, by_suit(meld))) > 1


def ends_with_ace(run: int) -> bool:
    """Whether the ace of a run stands above its king."""
    ace_without_two = 0b01
    return any(held & 0b11 == ace_without_two for held in by_suit(run))


def _runs(ace: Ace) -> Iterator[int]:
    """Every run of one suit, the longest first."""
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
    """All melds and what follows from them, for one way to see the ace; made by `melds_with`."""

    cost: Sequence[int]
    """What a suit costs when its runs are chosen best, by the cards held."""
    in_runs: Sequence[int]
    """Those of the cards held that some run of them has."""
    runs_from: Sequence[Sequence[int]]
    """The runs of a suit by their lowest bit, the longest first; the runs up to a high ace stand with the ace."""
    extensions: Mapping[int, Sequence[int]]
    """Every meld, and all that can be laid off on it: the cards that make it a longer one, the most first."""

    def least_deadwood(self, hand: int) -> int:
        """The points of the loose cards when a hand is arranged best."""
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
        """What each choice of sets worth a thought leaves of a hand; the choice of no sets first.

        A set whose cards no run could have is always taken, and whole. `wanted` are ranks of which a card could be
        laid off: their sets are a matter of choice as well.
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
        """The best runs of the cards held of one suit: those that `cost` counts."""
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
    """The tables, worked out at first use (some 20 ms) and kept: one for each way to see the ace."""
    runs_from: list[list[int]] = [[] for _rank in RANKS]
    for run in _runs(ace):
        runs_from[(run & -run).bit_length() - 1].append(run)
    cost, in_runs = [0], [0]
    for held in range(1, SUIT + 1):
        # The lowest card is loose or in a run that starts with it, and what is left is a smaller holding.
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
