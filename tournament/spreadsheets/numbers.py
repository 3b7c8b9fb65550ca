"""Read whole numbers as people, addresses and forms write them."""

from collections.abc import Iterable
from typing import Final

MOST_FIGURES: Final = 9
"""The most digits of a number. Entries, tables and rows never need more, and every database can store these."""


def typed_number(text: str | None) -> int | None:
    """Return the whole number that was typed, or None. “²” and 5,000 digits are not valid.

    >>> typed_number(" 17 "), typed_number("²"), typed_number("-1"), typed_number("9" * 5000), typed_number(None)
    (17, None, None, None, None)
    """
    figures = (text or "").strip()
    return int(figures) if figures.isdecimal() and len(figures) <= MOST_FIGURES else None


def typed_numbers(texts: Iterable[str]) -> list[int]:
    return [number for text in texts if (number := typed_number(text)) is not None]
