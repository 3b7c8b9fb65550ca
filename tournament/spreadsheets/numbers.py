"""Whole numbers as people, addresses and forms write them."""

from collections.abc import Iterable
from typing import Final

MOST_FIGURES: Final = 9
"""No number of an entry, a table or a row is longer, and every database holds these."""


def typed_number(text: str | None) -> int | None:
    """The whole number that was typed, or None: a search for “²” or for 5,000 figures is no number.

    >>> typed_number(" 17 "), typed_number("²"), typed_number("-1"), typed_number("9" * 5000), typed_number(None)
    (17, None, None, None, None)
    """
    figures = (text or "").strip()
    return int(figures) if figures.isdecimal() and len(figures) <= MOST_FIGURES else None


def typed_numbers(texts: Iterable[str]) -> list[int]:
    """The whole numbers among what was typed."""
    return [number for text in texts if (number := typed_number(text)) is not None]
