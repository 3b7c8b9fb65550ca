"""Percents as exact decimals, so that a tenth of a percent is never a binary fraction near it."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from tournament.errors import DomainError
from tournament.said import worded

LONGEST: Final = 1_000
"""The most characters of a percent. It is enough for any real percent, and short enough to parse quickly."""

_WRITTEN: Final = re.compile(r"[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Percent:
    """A percent, zero or more, as written on the rule sheet: digits, or digits, a point and digits.

    >>> Percent("12.5").of(100_00)
    Fraction(1250, 1)

    Raises:
        DomainError: `bad-value`, if the text is written in any other way (a sign, a space, “%”, “1e2”, “.5”).
    """

    text: str

    def __post_init__(self) -> None:
        if len(self.text) > LONGEST:
            raise DomainError(
                "bad-value", worded("This percent is too long: %(longest)s characters at most.", longest=LONGEST)
            )
        if not _WRITTEN.fullmatch(self.text):
            message = worded("“%(text)s” is not a percent: write it like “82” or “12.5”.", text=self.text[:40])
            raise DomainError("bad-value", message)

    @property
    def value(self) -> Fraction:
        """Return the number itself, such as 82 for “82”."""
        return Fraction(self.text)

    def of(self, cents: int) -> Fraction:
        """Return this percent of an amount in cents, exact and not yet rounded."""
        return self.value * cents / 100


def half_up(cents: Fraction) -> int:
    """Round to whole cents, with half a cent up.

    >>> half_up(Fraction("82.49")), half_up(Fraction("82.5"))
    (82, 83)
    """
    return (2 * cents.numerator + cents.denominator) // (2 * cents.denominator)
