"""Find the best arrangement of a hand by trying all of them, without the program's code.

Cards are texts such as `8H`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import combinations

LOW_TO_HIGH = "A23456789TJQK"
VALUES = dict(zip(LOW_TO_HIGH, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10], strict=True))
DECK = [rank + suit for suit in "CDHS" for rank in LOW_TO_HIGH]

Cards = frozenset[str]
Key = tuple[int, int, int, int]
"""The rank of an arrangement; lower is better.

It consists of the points and the numbers of loose cards, cards laid off, and the player's own runs.
"""


def is_set(cards: Collection[str]) -> bool:
    return len(cards) in (3, 4) and len({card[0] for card in cards}) == 1


def is_run(cards: Collection[str], *, both: bool) -> bool:
    if len(cards) < 3 or len({card[1] for card in cards}) != 1:
        return False
    order = LOW_TO_HIGH + "A" if both else LOW_TO_HIGH
    ranks = {card[0] for card in cards}
    return any(ranks == set(order[i : i + len(cards)]) for i in range(len(order) - len(cards) + 1))


def is_meld(cards: Collection[str], *, both: bool) -> bool:
    return is_set(cards) or is_run(cards, both=both)


def every_meld(hand: Iterable[str], *, both: bool) -> list[Cards]:
    """Return every meld that can be made of a hand. If `both` is true, an ace can be low or high."""
    hand = sorted(hand)
    alike = [[card for card in hand if mark in card] for mark in {mark for card in hand for mark in card}]
    groups = (group for cards in alike for size in range(3, len(cards) + 1) for group in combinations(cards, size))
    return sorted({frozenset(group) for group in groups if is_meld(group, both=both)}, key=sorted)


def best_key(hand: Iterable[str], knocker: Iterable[Iterable[str]] = (), *, both: bool = False) -> Key:
    """Return the points of the best arrangement, and its numbers of loose cards, cards laid off, and runs.

    Every way to lay off cards on the knocker's melds is tried first.
    """
    hand = frozenset(hand)
    melds = every_meld(hand, both=both)
    return min(
        (points, loose, len(hand - left), runs)
        for left in _every_rest(hand, frozenset(map(frozenset, knocker)), both=both)
        for points, loose, runs in [_best_of(left, [meld for meld in melds if meld <= left])]
    )


def _best_of(cards: Cards, melds: list[Cards]) -> tuple[int, int, int]:
    """Return the points of the best arrangement, and its numbers of loose cards and runs.

    The first card is tried as a loose card and in each of its melds, and then the other cards are arranged.
    """
    if not cards:
        return 0, 0, 0
    first = min(cards)
    points, loose, runs = _best_of(cards - {first}, [meld for meld in melds if first not in meld])
    found = [(points + VALUES[first[0]], loose + 1, runs)]
    for meld in melds:
        if first in meld:
            points, loose, runs = _best_of(cards - meld, [other for other in melds if not other & meld])
            found.append((points, loose, runs + (not is_set(meld))))
    return min(found)


def _every_rest(hand: Cards, table: frozenset[Cards], *, both: bool) -> Iterator[Cards]:
    """Yield every set of cards that can remain after cards are laid off on the melds in `table`.

    Cards are laid off one by one, in every order, on any meld that fits.
    """
    open_ways, seen = [(hand, table)], {(hand, table)}
    while open_ways:
        left, melds = open_ways.pop()
        yield left
        for card in left:
            for meld in melds:
                way = (left - {card}, melds - {meld} | {meld | {card}})
                if way not in seen and is_meld(meld | {card}, both=both):
                    seen.add(way)
                    open_ways.append(way)
