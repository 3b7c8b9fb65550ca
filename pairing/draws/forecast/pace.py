"""Estimate how long a game takes today. While few games are finished, the usual lengths count as well.

The model assumes that some power of the game length is normally distributed. The power 0 means the logarithm. The power
determines how frequent long games are, from a long tail (0) to a short one (2). Each power is weighted by how well it
fits.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import erf, exp, log, sqrt, tau
from statistics import NormalDist
from typing import Final

TYPICAL_GAME_MINUTES: Final = 18.0
"""The median length in minutes that is assumed before any game has been played."""

TYPICAL_RELATIVE_DEVIATION: Final = 0.3
"""The standard deviation relative to the median that is assumed before any game has been played."""

TYPICAL_LENGTH_WEIGHT: Final = 4
"""The number of observed games that has the same weight as the usual length."""

LENGTH_POWERS: Final = (0.0, 1 / 3, 1.0, 2.0)

LENGTHS_PER_DISTRIBUTION: Final = 256
"""The number of lengths in a `GameLengthDistribution`. The number must be a power of two."""

MIN_GAME_LENGTH_MINUTES: Final = 0.5
"""The shortest length in minutes. A shorter recorded length is a mistake."""

_STANDARD_NORMAL: Final = NormalDist()
_ROOT_2: Final = sqrt(2.0)
_ROOT_TAU: Final = sqrt(tau)


@dataclass(frozen=True, slots=True)
class GameLengthDistribution:
    """The distribution of game lengths: equally likely lengths in minutes, shortest first."""

    lengths: tuple[float, ...]

    @classmethod
    def estimate(cls, ended: Sequence[float], playing: Sequence[float] = ()) -> "GameLengthDistribution":
        """Estimate the distribution from the lengths of finished games and the elapsed times of games in progress.

        All times are in minutes.

        A game in progress will be longer than its elapsed time, so it counts with its expected length.

        >>> slow = GameLengthDistribution.estimate([30.0] * 50)
        >>> 27 < slow.pick_length(0.5) < 31, slow.pick_minutes_left(0.5, elapsed=28.0) < 8
        (True, True)
        """
        fits = [_fit_distribution(power, ended, playing) for power in LENGTH_POWERS]
        best = max(likelihood for _middle, _width, likelihood in fits)
        shares = [exp(likelihood - best) for _middle, _width, likelihood in fits]
        lengths: list[float] = []
        shared = 0.0
        for power, (middle, width, _compute_log_likelihood), share in zip(LENGTH_POWERS, fits, shares, strict=True):
            shared += share
            steps = round(LENGTHS_PER_DISTRIBUTION * shared / sum(shares)) - len(lengths)
            lengths += [_compute_quantile(power, middle, width, (step + 0.5) / steps) for step in range(steps)]
        return cls(tuple(sorted(lengths)))

    def pick_length(self, lot: float) -> float:
        """Return the length of a new game in minutes. `lot` is a random number with 0 <= lot < 1."""
        return self.lengths[int(lot * LENGTHS_PER_DISTRIBUTION)]

    def pick_minutes_left(self, lot: float, elapsed: float) -> float:
        """Return the minutes left in a game that has taken `elapsed` minutes.

        `lot` is a random number with 0 <= lot < 1.
        """
        return self.list_minutes_left([lot], elapsed)[0]

    def list_minutes_left(self, lots: Iterable[float], elapsed: float) -> list[float]:
        first = bisect_right(self.lengths, elapsed)
        if first == LENGTHS_PER_DISTRIBUTION:
            return [0.2 * lot * elapsed for lot in lots]
        return [self.lengths[first + int(lot * (LENGTHS_PER_DISTRIBUTION - first))] - elapsed for lot in lots]


def _compute_quantile(power: float, middle: float, width: float, share: float) -> float:
    """Return the game length, in minutes, at this quantile: the fraction `share` of the games is shorter."""
    value = middle + width * _STANDARD_NORMAL.inv_cdf(share)
    if power == 0.0:
        return exp(value)
    return max(MIN_GAME_LENGTH_MINUTES, value) ** (1 / power) if value > 0 else MIN_GAME_LENGTH_MINUTES


def _fit_distribution(power: float, ended: Sequence[float], playing: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and standard deviation of the lengths raised to this power, and the games' log-likelihood."""
    seen = [_raise_to_power(power, minutes) for minutes in ended]
    # Half a hall may have been sent to its tables in one act, so many games have taken equally long.
    longer = [(_raise_to_power(power, minutes), count) for minutes, count in Counter(playing).items()]
    usual = _raise_to_power(power, TYPICAL_GAME_MINUTES)
    spread = TYPICAL_RELATIVE_DEVIATION * (TYPICAL_GAME_MINUTES**power * (power or 1.0))
    middle, width = usual, spread
    for _turn in range(8):
        middle, width = _improve_fit(seen, longer, (usual, spread), (middle, width))
    return middle, width, _compute_log_likelihood(power, seen, longer, (middle, width), ended)


def _raise_to_power(power: float, minutes: float) -> float:
    minutes = max(minutes, MIN_GAME_LENGTH_MINUTES)
    return log(minutes) if power == 0.0 else float(minutes**power)


def _improve_fit(
    seen: Sequence[float], longer: Sequence[tuple[float, int]], usual: tuple[float, float], now: tuple[float, float]
) -> tuple[float, float]:
    """Return a better mean and standard deviation, after one step of the expectation-maximization algorithm.

    `now` has both values before the step, and `usual` has the values that are assumed before any game. `seen` are the
    lengths of finished games. `longer` are the elapsed times of games in progress, each with the number of such games.
    All lengths and times are raised to the power that the distribution assumes.
    """
    middle, width = now
    total, squares = sum(seen), sum(value * value for value in seen)
    for value, games in longer:
        at = (value - middle) / width
        ratio = min(exp(at * at / -2.0) / _ROOT_TAU / _compute_upper_tail(at), abs(at) + 1)
        mean = middle + width * ratio
        total += games * mean
        squares += games * (mean**2 + width**2 * max(0.0, 1 + at * ratio - ratio**2))
    count = len(seen) + sum(games for _value, games in longer)
    mean = (TYPICAL_LENGTH_WEIGHT * usual[0] + total) / (TYPICAL_LENGTH_WEIGHT + count)
    around = squares - 2 * mean * total + count * mean**2
    spread = sqrt(max(0.0, TYPICAL_LENGTH_WEIGHT * usual[1] ** 2 + around) / (TYPICAL_LENGTH_WEIGHT + count))
    return mean, max(0.15 * usual[1], spread)


def _compute_log_likelihood(
    power: float,
    seen: Sequence[float],
    longer: Sequence[tuple[float, int]],
    found: tuple[float, float],
    ended: Sequence[float],
) -> float:
    middle, width = found
    of_ended = sum(-(((value - middle) / width) ** 2) / 2 for value in seen) - len(seen) * log(width)
    stretched = sum(log((power or 1.0) * max(minutes, MIN_GAME_LENGTH_MINUTES) ** (power - 1)) for minutes in ended)
    return (
        of_ended
        + stretched
        + sum(games * log(_compute_upper_tail((value - middle) / width)) for value, games in longer)
    )


def _compute_upper_tail(at: float) -> float:
    """Return the probability that a standard normal variable is larger than `at`.

    This function has to be fast, because it is called thousands of times.
    """
    return max(0.5 - 0.5 * erf(at / _ROOT_2), 1e-9)
