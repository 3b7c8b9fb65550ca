"""Schedules that are fixed beforehand: everybody against everybody, and two sides in rotation."""

from collections.abc import Sequence

from pairing.draws.order import require_unique

Pair = tuple[int, int]


def round_robin(entries: Sequence[int]) -> tuple[tuple[Pair, ...], ...]:
    """Return the rounds in which every pair meets once, by the circle method.

    Pairs are `(low, high)`, sorted in each round.

    The first entry stays, or nobody if the number is odd. The others form a circle that turns by one place each round.
    In round r, the entry that stays meets the r-th of the circle, or the r-th sits out if the number is odd. The
    entries at equal distances to its left and right meet.

    >>> round_robin([1, 2, 3, 4])
    (((1, 2), (3, 4)), ((1, 3), (2, 4)), ((1, 4), (2, 3)))
    >>> round_robin([1, 2, 3])
    (((2, 3),), ((1, 3),), ((1, 2),))

    Raises:
        ValueError: an entry occurs twice.
    """
    require_unique(entries)
    if len(entries) < 2:
        return ()
    stays, circle = (entries[:1], entries[1:]) if len(entries) % 2 == 0 else ((), entries)
    size = len(circle)
    rounds: list[tuple[Pair, ...]] = []
    for turn in range(size):
        pairs = [(stayer, circle[turn]) for stayer in stays]
        pairs += [(circle[turn - step], circle[(turn + step) % size]) for step in range(1, size // 2 + 1)]
        rounds.append(tuple(sorted((min(pair), max(pair)) for pair in pairs)))
    return tuple(rounds)


def rotation(left: Sequence[int], right: Sequence[int], *, turn: int) -> tuple[Pair, ...]:
    """Return round `turn` (from 1) of two sides. The left side keeps its seats, the right side moves up by one a round.

    Pairs are `(left, right)` in the order of the left side. After as many rounds as a side has members, everybody has
    met everybody of the other side, and the rotation begins again.

    >>> rotation([1, 2, 3], [7, 8, 9], turn=2)
    ((1, 8), (2, 9), (3, 7))

    Raises:
        ValueError: an entry occurs twice, the sides have different sizes, or the round is before the first.
    """
    require_unique([*left, *right])
    if len(left) != len(right) or turn < 1:
        raise ValueError("a rotation has two sides of one size, and rounds from 1")
    size = len(left)
    return tuple((entry, right[(seat + turn - 1) % size]) for seat, entry in enumerate(left))
