"""Seeding: assign ranks to places so that the best meet as late as possible and byes are spread.

One plan serves both seeded and drawn brackets. Every place has a rank: 1 at the top, 2 at the bottom. Each doubling of
the bracket puts a new rank beside rank r, so that the two add up to one more than the number of places. The places of
ranks that nobody holds stay empty. So in a seeded draw the best ranks have the byes.

In any draw, the two halves of any part of the bracket differ by at most one empty place. Ranks fall to the two halves
in the turn a, b, b, a, a, b, b, a …, so this holds for any number of ranks.
"""

from collections.abc import Sequence
from functools import lru_cache

from pairing.draws.order.entries import check_each_once
from pairing.draws.placement.places import Places


def bracket_size(entries: int) -> int:
    """Return the number of places: the next power of two.

    >>> [bracket_size(n) for n in (2, 3, 4, 5, 64, 65)]
    [2, 4, 4, 8, 64, 128]

    Raises:
        ValueError: there are fewer than two entries.
    """
    if entries < 2:
        raise ValueError("a bracket needs at least two entries")
    return 1 << (entries - 1).bit_length()


@lru_cache(maxsize=16)
def place_ranks(size: int) -> tuple[int, ...]:
    """Return the rank of each place from top to bottom. `size` is a power of two.

    >>> place_ranks(8)
    (1, 8, 5, 4, 3, 6, 7, 2)
    """
    ranks = [1]
    while len(ranks) < size:
        both = 2 * len(ranks) + 1
        ranks = [
            rank
            for place, held in enumerate(ranks)
            for rank in ((held, both - held) if place % 2 == 0 else (both - held, held))
        ]
    return tuple(ranks)


def seeded_places(ranked: Sequence[int]) -> Places:
    """Put entries in rank order on the places of their ranks: 1 and 2 can meet in the final, 1 to 4 in the semifinals.

    >>> seeded_places([11, 12, 13, 14, 15])
    (11, None, 15, 14, 13, None, None, 12)

    Raises:
        ValueError: there are fewer than two entries, or one occurs twice.
    """
    check_each_once(ranked)
    return tuple(ranked[rank - 1] if rank <= len(ranked) else None for rank in place_ranks(bracket_size(len(ranked))))


def drawn_places(order: Sequence[int]) -> Places:
    """Put the drawn order on the places from top to bottom, and skip the places that stay empty.

    >>> drawn_places([11, 12, 13, 14, 15])
    (11, None, 12, 13, 14, None, None, 15)

    Raises:
        ValueError: there are fewer than two entries, or one occurs twice.
    """
    check_each_once(order)
    drawn = iter(order)
    return tuple(next(drawn) if rank <= len(order) else None for rank in place_ranks(bracket_size(len(order))))
