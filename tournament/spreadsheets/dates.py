"""Dates and times as lists write them. One row of a column can show the order of day and month for all rows."""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from babel.dates import get_month_names

from tournament.said import worded
from tournament.spreadsheets.amounts import Unreadable
from tournament.spreadsheets.keys import name_key, tidy

MONTH_DAY: Final = "month-day"
DAY_MONTH: Final = "day-month"
ORDERS: Final = (MONTH_DAY, DAY_MONTH)
LANGUAGES: Final = [
    "en",
    "de",
    "fr",
    "es",
    "it",
    "pt",
    "nl",
    "pl",
    "cs",
    "sv",
    "da",
    "nb",
    "fi",
    "hu",
    "ro",
    "tr",
    "ru",
]
"""The languages in which a month may be written."""

_TIME: Final = (
    r"(?:[\sT,]+(?:at\s+|um\s+)?(?:(?P<morning>오전|上午|午前)|(?P<evening>오후|下午|午後))?\s*(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,]\d+)?)?"
    r"|(?=\s*[ap]\.?\s?m\b))"
    r"\s*(?P<half>[ap]\.?\s?m\.?)?\s*(?P<zone>Z|(?:UTC|GMT)?\s*[-+−]\d{1,2}(?::?\d{2})?|UTC|GMT|[A-Z]{3,4}|Uhr)?)?"
)
_YEAR_FIRST: Final = re.compile(
    rf"(?P<year>\d{{4}})(?:-(?P<month>\d{{1,2}})-|/(?P<m2>\d{{1,2}})/|\.\s?(?P<m3>\d{{1,2}})\.\s?)(?P<day>\d{{1,2}})\.?{_TIME}",
    re.IGNORECASE,
)
_COMPACT: Final = re.compile(r"(?P<year>20\d{2})(?P<month>\d{2})(?P<day>\d{2})" + _TIME, re.IGNORECASE)
_YEAR_LAST: Final = re.compile(
    rf"(?P<first>\d{{1,2}})(?P<mark>[./-])\s?(?P<second_>\d{{1,2}})(?P=mark)\s?(?P<year>\d{{4}}|\d{{2}}){_TIME}",
    re.IGNORECASE,
)
_WORDED: Final = re.compile(
    rf"(?:[^\W\d_]+\.?,?\s+)?(?:(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th)?[\s-]+(?:de\s+)?(?P<name>[^\W\d_]+)\.?"
    rf"|(?P<name2>[^\W\d_]+)\.?[\s-]+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)[\s,-]+(?:de\s+)?(?P<year>\d{{4}}|\d{{2}}){_TIME}",
    re.IGNORECASE,
)
_SERIAL: Final = re.compile(r"[345]\d{4}(?:\.\d+)?")
"""Spreadsheets count days since the end of 1899."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment by the venue's clock, or with the list's own offset. It is unclear if the order was guessed."""

    at: dt.datetime
    is_unclear: bool = False


def order_of(cells: Iterable[str]) -> tuple[str, bool]:
    """Return the order of day and month in a column, and whether it is sure.

    One day after the 12th shows it for all rows. The order is empty if rows show both, and American if no row shows
    any.

    >>> order_of(["25/10/2026", "05/11/2026"]), order_of(["05/11/2026"]), order_of(["12/31/25", "31/12/25", "05/11/25"])
    (('day-month', True), ('month-day', False), ('', False))
    >>> order_of(["2026-11-05", "5.11.2026", "05/05/2026"]), order_of(["26-10-25"])
    (('month-day', True), ('day-month', False))
    """
    shown, is_open = set(), False
    rows = [found for cell in cells if (found := _YEAR_LAST.fullmatch(tidy(cell))) and found["mark"] != "."]
    if rows and all(map(_may_begin_with_the_year, rows)):
        return DAY_MONTH, False
    for found in rows:
        first, second = int(found["first"]), int(found["second_"])
        if first > 12 >= second:
            shown.add(DAY_MONTH)
        elif second > 12 >= first:
            shown.add(MONTH_DAY)
        elif first != second:
            is_open = True
    if len(shown) == 1:
        return shown.pop(), True
    return ("" if shown else MONTH_DAY), not is_open


def read_moment(cell: str, order: str = "", *, is_sure: bool = True) -> Moment | None:
    """Return the moment in a cell, or None if it is empty. Without an order, only unambiguous cells are read.

    >>> str(read_moment("05/11/2026 5:49 PM", "day-month").at), str(read_moment("Nov 5, 2026").at)
    ('2026-11-05 17:49:00', '2026-11-05 00:00:00')
    >>> str(read_moment("2026-11-20T13:39:50+01:00").at), str(read_moment("46331.5").at)
    ('2026-11-20 13:39:50+01:00', '2026-11-05 12:00:00')

    Raises:
        Unreadable: the cell is not a known date.
    """
    text = tidy(cell)
    if not text:
        return None
    try:
        found = _read(text, order, is_sure=is_sure)
    except (ValueError, OverflowError):
        found = None
    if found is None or not 1900 < found.at.year < 2200:
        raise Unreadable(
            worded("“%(cell)s” is not a date. Write it like 2026-10-25 17:49, or leave it empty.", cell=text[:40])
        )
    return found


def _read(text: str, order: str, *, is_sure: bool) -> Moment | None:
    if _SERIAL.fullmatch(text):
        at = dt.datetime(1899, 12, 30) + dt.timedelta(days=float(text))  # noqa: DTZ001 - the venue's clock
        return Moment((at + dt.timedelta(milliseconds=500)).replace(microsecond=0))
    if found := _YEAR_FIRST.fullmatch(text):
        month = found["month"] or found["m2"] or found["m3"]
        return Moment(_at(found, int(found["year"]), int(month), int(found["day"])))
    if found := _COMPACT.fullmatch(text):
        return Moment(_at(found, int(found["year"]), int(found["month"]), int(found["day"])))
    if found := _WORDED.fullmatch(text):
        month = _months().get(name_key(found["name"] or found["name2"]), 0)
        return Moment(_at(found, _year(found["year"]), month, int(found["day"] or found["day2"])))
    if found := _YEAR_LAST.fullmatch(text):
        first, second = int(found["first"]), int(found["second_"])
        by_month = second > 12 or (order == MONTH_DAY and first <= 12)
        if found["mark"] == "." and second <= 12:
            by_month = False
        is_open = found["mark"] != "." and first != second and first <= 12 and second <= 12
        is_open |= _may_begin_with_the_year(found)
        month, day = (first, second) if by_month else (second, first)
        return Moment(_at(found, _year(found["year"]), month, day), is_open and not (order and is_sure))
    return None


def _may_begin_with_the_year(found: re.Match[str]) -> bool:
    """Return whether a date such as 26-10-25 may be October 25, 2026, or October 26, 2025."""
    return found["mark"] == "-" and 20 <= int(found["first"]) <= 31 and 1 <= int(found["year"]) <= 31


def is_unlikely(day: dt.date, today: dt.date) -> bool:
    """Return whether an entry or a payment on this day is unlikely: it is in the future, or over two years ago.

    >>> today = dt.date(2026, 11, 28)
    >>> [is_unlikely(day, today) for day in (dt.date(2026, 11, 29), dt.date(2026, 11, 28), dt.date(2005, 11, 26))]
    [True, False, True]
    """
    return day > today or day < today - dt.timedelta(days=2 * 366)


def _year(figures: str) -> int:
    return int(figures) + (2000 if len(figures) == 2 else 0)


def _at(found: re.Match[str], year: int, month: int, day: int) -> dt.datetime:
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if (found["half"] or found["morning"] or found["evening"]) and hour <= 12:
        hour = hour % 12 + (12 if found["evening"] or (found["half"] or "a")[0] in "pP" else 0)
    return dt.datetime(year, month, day, hour, minute, second, tzinfo=_zone(found["zone"] or ""))


def _zone(said: str) -> dt.timezone | None:
    """Return a UTC offset, or None. The letters of a time zone are taken for the venue's own zone."""
    offset = re.search(r"([-+−])(\d{1,2}):?(\d{2})?$", said)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        return dt.timezone(dt.timedelta(minutes=minutes if offset[1] == "+" else -minutes))
    return dt.UTC if said.upper() in ("Z", "UTC", "GMT") else None


@cache
def _months() -> dict[str, int]:
    """Return the number of each month by its name, long and short, as `name_key`."""
    found: dict[str, int] = {}
    for language in LANGUAGES:
        for width in ("wide", "abbreviated"):
            for context in ("format", "stand-alone"):
                for number, name in get_month_names(width, context, language).items():
                    found.setdefault(name_key(unicodedata.normalize("NFC", name)), number)
    return found
