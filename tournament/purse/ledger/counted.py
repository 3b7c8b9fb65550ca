"""Count cash by denomination, and compare it with the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

DENOMINATIONS: Final[Mapping[str, tuple[int, ...]]] = {
    "USD": (100_00, 50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 50, 25, 10, 5, 1),
    "CAD": (100_00, 50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 25, 10, 5),
    "EUR": (200_00, 100_00, 50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 50, 20, 10, 5, 2, 1),
    "AUD": (100_00, 50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 50, 20, 10, 5),
    "CHF": (200_00, 100_00, 50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 50, 20, 10, 5),
    "MXN": (1000_00, 500_00, 200_00, 100_00, 50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 50),
    "GBP": (50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 50, 20, 10, 5, 2, 1),
}
"""Bills and coins in cents, the largest first."""


def denominations_of(currency: str) -> tuple[int, ...]:
    """Return the bills and coins of a currency. An unknown currency gets those of the dollar.

    >>> denominations_of("GBP")[:2]
    (5000, 2000)
    """
    return DENOMINATIONS.get(currency, DENOMINATIONS["USD"])


def count_cash(pieces: Mapping[int, int]) -> int:
    """Return the total in cents of these numbers of bills and coins.

    >>> count_cash({20_00: 3, 25: 2})
    6050
    """
    return sum(cents * number for cents, number in pieces.items())


@dataclass(frozen=True, slots=True)
class CountedCash:
    method: str
    expected_cents: int
    counted_cents: int

    @property
    def difference_cents(self) -> int:
        """Return the difference. It is above zero if there is too much, and below zero if something is missing."""
        return self.counted_cents - self.expected_cents
