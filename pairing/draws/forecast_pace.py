"""How long a game takes today: what was played so far, and while that is little, what is usual."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import NormalDist
from typing import Final

USUAL: Final = 18.0
"""Minutes, the median before anybody has played."""

USUAL_WIDTH: Final = 0.35
"""The deviation of the logarithm before anybody has played."""

WEIGHS: Final = 6
"""Usual games count as so many that were played."""

STEPS: Final = 256
"""A power of two: so many lengths stand for all."""

SHORTEST: Final = 0.5
"""Minutes: a shorter game is a slip handed in late, or a mistake."""


@dataclass(frozen=True, slots=True)
class Pace:
    """So many equally likely lengths in minutes, the shortest first."""

    lengths: tuple[float, ...]

    @classmethod
    def of(cls, ended: Sequence[float], playing: Sequence[float] = ()) -> Pace:
        """From the minutes of the games that ended, and those that the games at the tables have taken till now.

        Lengths are taken as log-normal; a game still at a table says that it is longer, so it counts with what is
        expected of it.

        >>> slow = Pace.of([30.0] * 50)
        >>> 27 < slow.length(0.5) < 31, slow.left(0.5, elapsed=28.0) < 8
        (True, True)
        """
        logs = [log(max(minutes, SHORTEST)) for minutes in ended]
        censored = [log(max(minutes, SHORTEST)) for minutes in playing]
        middle, width = log(USUAL), USUAL_WIDTH
        for _turn in range(8):
            middle, width = _step(logs, censored, middle, width)
        lengths = NormalDist(middle, width)
        return cls(tuple([exp(lengths.inv_cdf((step + 0.5) / STEPS)) for step in range(STEPS)]))

    def length(self, lot: float) -> float:
        """Of a new game; `lot` is from 0 up to 1."""
        return self.lengths[int(lot * STEPS)]

    def left(self, lot: float, elapsed: float) -> float:
        """Of a game that has taken so many minutes; beyond the longest they take a tenth more."""
        first = bisect_right(self.lengths, elapsed)
        if first == STEPS:
            return 0.2 * lot * elapsed
        return self.lengths[first + int(lot * (STEPS - first))] - elapsed


def _step(logs: Sequence[float], censored: Sequence[float], middle: float, width: float) -> tuple[float, float]:
    """One step of expectation and maximisation: those at the tables count with what they are expected to take."""
    usual = log(USUAL)
    total, squares, count = WEIGHS * usual, WEIGHS * (USUAL_WIDTH**2 + usual**2), WEIGHS + len(logs) + len(censored)
    total += sum(logs)
    squares += sum(value * value for value in logs)
    standard = NormalDist()
    for value in censored:
        at = (value - middle) / width
        beyond = max(1 - standard.cdf(at), 1e-9)
        ratio = min(standard.pdf(at) / beyond, abs(at) + 1)
        mean = middle + width * ratio
        total += mean
        squares += mean**2 + width**2 * max(0.0, 1 + at * ratio - ratio**2)
    mean = total / count
    return mean, max(0.05, sqrt(max(0.0, squares / count - mean**2)))
