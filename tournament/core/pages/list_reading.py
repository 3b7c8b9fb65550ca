"""Show how an uploaded list was parsed, and let the user choose its encoding, date order, and sheet."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from babel.dates import format_date
from django.utils.translation import get_language

from tournament.spreadsheets.cells import DATE_ORDERS, read_date_and_time
from tournament.spreadsheets.encodings import COMMON_ENCODINGS, decode_as

MAX_SAMPLE_LINES: Final = 3


@dataclass(frozen=True, slots=True)
class ListParsingChoice:
    """One way to parse an uploaded list, with sample lines or a sample date that were parsed in this way."""

    value: str
    sample: Sequence[str]
    is_chosen: bool
    is_likely: bool = True


@dataclass(frozen=True, slots=True)
class ListParsingChoices:
    """The parsing choices that the page for an uploaded list offers.

    Nothing can be imported until the user has answered all questions (`asks_encoding`, `asks_order`).
    """

    encoding: str
    delimiter: str = ""
    encodings: Sequence[ListParsingChoice] = ()
    asks_encoding: bool = False
    orders: Sequence[ListParsingChoice] = ()
    asks_order: bool = False
    sheet: str = ""
    sheets: Sequence[str] = ()
    titles: Sequence[str] = ()

    @property
    def is_open(self) -> bool:
        return self.asks_encoding or self.asks_order


def list_encoding_choices(
    content: bytes, read_as: str, doubted: Sequence[str], delimiter: str = ","
) -> list[ListParsingChoice]:
    """Return the likely encodings first, followed by common ones that give a different result.

    The result is empty for ASCII text and workbooks.
    """
    lines = [line for line in content.splitlines() if not line.isascii()][:MAX_SAMPLE_LINES]
    if not lines or read_as == "xlsx":
        return []
    by_sample: dict[tuple[str, ...], ListParsingChoice] = {}
    for name in dict.fromkeys((read_as, *doubted, *COMMON_ENCODINGS)):
        sample = tuple(decode_as(line, name).strip().replace(delimiter, " · ")[:80] for line in lines)
        by_sample.setdefault(
            sample, ListParsingChoice(name, sample, is_chosen=name == read_as, is_likely=name in doubted)
        )
    return list(by_sample.values())


def list_date_order_choices(cells: Iterable[str], order: str) -> list[ListParsingChoice]:
    """Return both interpretations of the first ambiguous date, or [] if no date is ambiguous."""
    for cell in cells:
        days = {name: _parse_day(cell, name) for name in DATE_ORDERS}
        if None not in days.values() and len(set(days.values())) == 2:
            locale = (get_language() or "en").replace("-", "_")
            return [
                ListParsingChoice(name, (cell, format_date(day, "long", locale=locale)), is_chosen=name == order)
                for name, day in days.items()
                if day
            ]
    return []


def _parse_day(cell: str, order: str) -> dt.date | None:
    try:
        moment = read_date_and_time(cell, order)
    except Exception:  # the cell is not a date
        return None
    return moment.at.date() if moment else None
