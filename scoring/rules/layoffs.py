"""A hand against a knocker: which cards to meld and which to lay off on his melds, decided together.

A card that completes a set may be worth more on the knocker's run, and one laid off may let the next follow it. Even
so only sets tie the suits together (`scoring.rules.melds`): a run stays in its suit, and what a set lacks is a single
card. So with the choice of own sets made, every suit can be settled for itself: lay off what leaves the least.

Shapes: hands, melds and what is laid off are numbers of 52 bits; within one suit, of 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from itertools import chain
from operator import or_

from scoring.rules.melds import LAID_OFF, RANK, RANK_COUNT, SUIT, SUIT_STARTS, Melds, by_suit, is_set


def find_best(hand: int, knocker: Sequence[int], melds: Melds) -> tuple[list[int], list[int]]:
    """The best melds of a hand, and what it then lays off on each of the knocker's (on none where nobody knocked)."""
    possible = _possible_layoffs(hand, knocker, melds)

    @cache
    def settle(suit: int, held: int) -> tuple[int, int]:
        """The least that these cards of a suit cost, and what they lay off for that."""
        layoffs = [laid for laid in possible[suit] if held & laid == laid]
        return min([(melds.cost[held ^ laid] + (laid.bit_count() << LAID_OFF), laid) for laid in layoffs])

    def cost(rest: int) -> int:
        clubs, diamonds, hearts, spades = by_suit(rest)
        return settle(0, clubs)[0] + settle(1, diamonds)[0] + settle(2, hearts)[0] + settle(3, spades)[0]

    wanted = reduce(or_, chain.from_iterable(possible))
    rest = min(melds.without_sets(hand, wanted), key=cost)
    laid_off = sum(settle(suit, held)[1] << SUIT_STARTS[suit] for suit, held in enumerate(by_suit(rest)))
    sets = [taken for rank in range(RANK_COUNT) if (taken := (hand ^ rest) & RANK << rank)]
    runs = [
        run << start
        for start, held in zip(SUIT_STARTS, by_suit(rest ^ laid_off), strict=True)
        for run in melds.runs_of(held)
    ]
    return sets + runs, _by_meld(laid_off, knocker, melds)


def _possible_layoffs(hand: int, knocker: Sequence[int], melds: Melds) -> list[list[int]]:
    """By suit, all that can be laid off of it together; nothing comes first."""
    possible = [[0] for _start in SUIT_STARTS]
    for meld in knocker:
        fitting = [cards for cards in melds.extensions[meld] if hand & cards == cards]
        for suit, start in enumerate(SUIT_STARTS):
            here = [cards >> start for cards in fitting if cards >> start & SUIT]
            possible[suit] += [cards | others for cards in here for others in possible[suit]]
    return possible


def _by_meld(laid_off: int, knocker: Sequence[int], melds: Melds) -> list[int]:
    """What goes on which meld. Runs come first: a card that some set lacks may be a step to the next on a run."""
    found = dict.fromkeys(knocker, 0)
    for meld in sorted(knocker, key=is_set):
        found[meld] = next((cards for cards in melds.extensions[meld] if laid_off & cards == cards), 0)
        laid_off ^= found[meld]
    return list(found.values())
