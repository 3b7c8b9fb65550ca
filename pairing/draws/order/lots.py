"""Lots that follow from a seed, on any machine and in any order of the entries.

The lot of an entry is the SHA-256 of the UTF-8 text `seed|number`, with the number in decimal. Nobody cuts cards for
these lots. The draw of a bracket is in `blind`.
"""

import hashlib
from collections.abc import Iterable


def by_lot(numbers: Iterable[int], *, seed: str) -> tuple[int, ...]:
    """Return the numbers, each once, in the order of their lots. The order in which they are passed does not matter.

    >>> by_lot([1, 2, 3, 4], seed="friday") == by_lot([4, 2, 3, 1], seed="friday")
    True
    """
    begin = hashlib.sha256(f"{seed}|".encode()).copy
    lots: dict[int, bytes] = {}
    for number in numbers:
        lot = begin()
        lot.update(b"%d" % number)
        lots[number] = lot.digest()
    return tuple(sorted(lots, key=lots.__getitem__))


def pair_lot(seed: str, pair: tuple[int, int], *, bits: int) -> int:
    """Return the lot of a pair, drawn from `seed|low|high`: a whole number of `bits` bits, 256 at most.

    >>> pair_lot("friday", (4, 9), bits=48) == pair_lot("friday", (9, 4), bits=48) < 1 << 48
    True
    """
    text = f"{seed}|{min(pair)}|{max(pair)}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big") >> (256 - bits)


class Lots:
    """A sequence of lots from one seed, for a search that has to choose between equal options.

    >>> first, second = Lots("friday"), Lots("friday")
    >>> [first.below(6) for _ in range(5)] == [second.below(6) for _ in range(5)]
    True
    """

    def __init__(self, seed: str) -> None:
        self._state = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")

    def below(self, limit: int) -> int:
        """Return a number from 0 up to, but not including, `limit`.

        This is Vigna's SplitMix64, reduced by the remainder. That is fair enough for ties.
        """
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return (mixed ^ (mixed >> 31)) % limit


_MASK = (1 << 64) - 1
