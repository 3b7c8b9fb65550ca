"""Chance that is an argument: everything drawn by lot follows from a seed, on any machine, in any order of entries.

The lot of an entry is HMAC-SHA256 with the seed's UTF-8 bytes as the key over its number in decimal, read as a
whole number. Nobody cuts cards for these lots; the blind draw of a bracket is `blind`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable


def lot(seed: str, text: str) -> int:
    """A whole number of 256 bits that only the seed and the text decide."""
    return int.from_bytes(hmac.digest(seed.encode(), text.encode(), hashlib.sha256), "big")


def by_lot(numbers: Iterable[int], *, seed: str) -> tuple[int, ...]:
    """The numbers in the order of their lots, whatever order they came in.

    >>> by_lot([1, 2, 3, 4], seed="friday") == by_lot([4, 2, 3, 1], seed="friday")
    True
    """
    return tuple(sorted(numbers, key=lambda number: lot(seed, str(number))))


class Lots:
    """One lot after another from one seed, for a search that has to choose between equals.

    >>> first, second = Lots("friday"), Lots("friday")
    >>> [first.below(6) for _ in range(5)] == [second.below(6) for _ in range(5)]
    True
    """

    def __init__(self, seed: str) -> None:
        self._state = lot(seed, "lots") & _MASK

    def below(self, limit: int) -> int:
        """From 0 up to, not including, `limit`: Vigna's SplitMix64 reduced by the remainder, fair enough for ties."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return (mixed ^ (mixed >> 31)) % limit


_MASK = (1 << 64) - 1
