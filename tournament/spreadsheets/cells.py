"""Parse single cells: amounts, dates, payment methods, answers, sides, email addresses and formulas."""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from babel.dates import get_month_names

from tournament.lazy_text import lazy_text
from tournament.spreadsheets.names import name_key, normalize_text


class UnreadableCell(Exception):
    """Raised if a cell cannot be parsed. The message is for staff."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


# --- Amounts ---------------------------------------------------------------------------------------------------------
# People and banks write `300,00 EUR`, `1 300.00`, `1'300.-`, `$275.00 (early)`, or `300.00 CR`.


class PaymentKind(StrEnum):
    NOTHING = "nothing"
    PAYMENT = "payment"
    EARLY = "early"
    COMPLIMENTARY = "complimentary"


@dataclass(frozen=True, slots=True)
class ListedPayment:
    """A payment in a list of entries. `kind` is EARLY if the list describes it as the early-bird fee.

    `is_unclear` marks an ambiguous amount: 300.000 can mean three hundred thousand or three hundred.
    """

    kind: PaymentKind
    cents: int = 0
    is_unclear: bool = False
    currency: str = ""


@dataclass(frozen=True, slots=True)
class _CellMoney:
    """Signed cents, with the currency and any other text beside the number, such as “CR” or “(early)”."""

    cents: int
    other_text: str = ""
    is_unclear: bool = False
    currency: str = ""


_COMP: Final = re.compile(r"comp(lim?entary|ed|\.)?|free|guest", re.IGNORECASE)
_NOTHING: Final = frozenset({"", "-", "–", "no", "n", "none", "nothing", "unpaid", "not paid", "open", "nein", "non"})
_DOLLARS: Final = "USD CAD AUD NZD SGD HKD MXN ARS CLP COP"
_SIGNS: Final = {
    "$": _DOLLARS, "dollar": _DOLLARS, "dollars": _DOLLARS, "us$": "USD", "us": "USD", "ca$": "CAD", "c$": "CAD",
    "au$": "AUD", "a$": "AUD", "nz$": "NZD", "mx$": "MXN", "r$": "BRL", "€": "EUR", "euro": "EUR", "euros": "EUR",
    "£": "GBP EGP", "¥": "JPY CNY", "円": "JPY", "元": "CNY", "₺": "TRY", "tl": "TRY", "₽": "RUB", "руб": "RUB",
    "р": "RUB", "₴": "UAH", "грн": "UAH", "₪": "ILS", "₩": "KRW", "₹": "INR", "rs": "INR", "zł": "PLN", "kč": "CZK",
    "ft": "HUF", "kr": "SEK NOK DKK ISK", "lei": "RON", "лв": "BGN", "fr": "CHF", "sfr": "CHF", "¢": "",
}  # fmt: skip
"""The currency codes that a symbol or word can mean. Three-letter codes are in `_CODES`."""
_CODES: Final = frozenset(
    f"{_DOLLARS} EUR GBP CHF JPY CNY SEK NOK DKK ISK PLN CZK HUF RON BGN HRK RSD TRY UAH RUB ILS AED SAR EGP INR BRL"
    " ZAR KRW THB MAD TND".split()
)
_CURRENCY: Final = "(?:{})".format(
    "|".join(
        rf"{re.escape(word)}\.?" if word.isalpha() else re.escape(word)
        for word in sorted([*_SIGNS, *map(str.lower, _CODES)], key=len, reverse=True)
    )
)
_MINUS: Final = "-−–"
_AMOUNT: Final = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[{_MINUS}+]?)\s*(?P<before>{_CURRENCY}(?![^\W\d_]))?\s*(?P<minus>[{_MINUS}+]?)\s*"
    rf"(?P<number>\d(?:[\d.,'’ `]*\d)?[.,]?)(?P<dash>(?:(?<=[.,])|[:/])[{_MINUS}—]+)?"
    rf"\s*(?P<behind>{_CURRENCY}(?![^\W\d_]))?\s*(?P<after>[{_MINUS}](?=\s*$|\s*\)|\s+\D))?"
    rf"\s*(?P<last>{_CURRENCY}(?![^\W\d_]))?\s*(?P<close>\))?(?P<rest>\D.*)?",
    re.IGNORECASE | re.DOTALL,
)
_MISSING_WHOLE_PATTERN: Final = re.compile(r"(?<![\d.,'’` ])(?=[.,]\d{1,2}(?!\d))")
_CURRENCY_AS_DECIMAL_MARK_PATTERN: Final = re.compile(r"(?<=\d)([€£$])(\d{2})(?![\d.,])")
_GROUPED: Final = re.compile(r"\d{1,3}(?P<mark>[.,' ])\d{3}(?:(?P=mark)\d{3})*|\d{1,2}(?:,\d{2})+,\d{3}")


def read_money(text: str, decimal: str = "") -> _CellMoney:
    """Parse the amount in a cell. `decimal` is the column's decimal mark, if known.

    >>> [read_money(text).cents for text in ("300,00 EUR", "1 300,00", "1'300.-", "(45.00)", "85,50-", "CHF 1’000.5")]
    [30000, 130000, 130000, -4500, -8550, 100050]
    >>> read_money("300.00 CR").other_text, read_money("3.000").is_unclear, read_money("3.000", ",").is_unclear
    ('CR', True, False)

    Raises:
        UnreadableCell: the text is not an amount.
    """
    cell = normalize_text(text)
    found = _AMOUNT.fullmatch(_CURRENCY_AS_DECIMAL_MARK_PATTERN.sub(r".\2 \1", _MISSING_WHOLE_PATTERN.sub("0", cell)))
    if found is None or bool(found["open"]) != bool(found["close"]):
        raise _make_no_amount_error(cell)
    cents, is_unclear = _parse_cents(found["number"].rstrip(".,"), decimal, cell)
    signs = [sign for sign in (found["open"], found["sign"], found["minus"], found["after"]) if sign and sign != "+"]
    if len(signs) > 1:
        raise _make_no_amount_error(cell)
    currency = found["before"] or found["behind"] or found["last"] or ""
    return _CellMoney(-cents if signs else cents, (found["rest"] or "").strip(), is_unclear, currency.rstrip("."))


def find_currency_codes(text: str) -> tuple[str, ...]:
    """Return the currency codes that a symbol, word or heading can mean.

    >>> find_currency_codes("€"), find_currency_codes("kr."), find_currency_codes("Betrag (CHF)")
    (('EUR',), ('SEK', 'NOK', 'DKK', 'ISK'), ('CHF',))
    >>> find_currency_codes("Amount"), "CAD" in find_currency_codes("$")
    ((), True)
    """
    whole = normalize_text(text).casefold().rstrip(".")
    if whole in _SIGNS or whole.upper() in _CODES:
        return tuple(_SIGNS.get(whole, whole.upper()).split())
    words = re.findall(r"[^\W\d_]+|[€£₺₽₴₪₩₹]", text)
    return tuple(code for word in words for code in _SIGNS.get(word, word).split() if code in _CODES)


def read_amount_currency(cell: str) -> str:
    """Return the part of a cell that names the amount's currency, or ""."""
    try:
        return read_money(cell).currency
    except UnreadableCell:
        return ""


def is_foreign_currency(name: str, own: str) -> bool:
    """Return whether the text names a known currency that differs from `own`."""
    codes = find_currency_codes(name)
    return bool(own and codes) and own not in codes


def _make_no_amount_error(cell: str) -> UnreadableCell:
    return UnreadableCell(
        lazy_text("“%(cell)s” is not an amount. Write it like 300.00 or “comp”, or leave it empty.", cell=cell[:40])
    )


def _parse_cents(number: str, decimal: str, cell: str) -> tuple[int, bool]:
    """Return the cents, and whether the number is ambiguous."""
    plain = re.sub(r"[’`]", "'", number)
    whole, mark, part = _split_decimals(plain)
    if mark and len(part) == 3 and not re.search(r"[., ']", whole) and 0 < len(whole) <= 3 and whole != "0":
        other = {",": ".", ".": ","}[mark]
        if decimal != mark:  # it separates thousands, unless it is the column's decimal mark
            return int(whole + part) * 100, decimal != other
        return int(whole) * 100 + round(int(part) / 10), True
    if mark and len(part) == 3 and _GROUPED.fullmatch(plain):
        whole, part = plain, ""
    elif len(part) > 2 and part.strip("0") and len(part) < 6:
        raise _make_no_amount_error(cell)
    if not re.fullmatch(r"\d{1,12}", whole) and not _GROUPED.fullmatch(whole):
        raise _make_no_amount_error(cell)
    digits = re.sub(r"\D", "", whole)
    if len(digits) > 12:
        raise _make_no_amount_error(cell)
    return int(digits) * 100 + (round(float(f"0.{part}") * 100) if part else 0), False


def _split_decimals(number: str) -> tuple[str, str, str]:
    """Split a number at its decimal mark: “1.234,5” becomes ("1.234", ",", "5").

    If there is no decimal mark, the second and third part are empty.
    """
    place = max(number.rfind("."), number.rfind(","))
    if place < 0 or number.count(number[place]) > 1:
        return number, "", ""
    return number[:place], number[place], number[place + 1 :]


def detect_decimal_mark(cells: Iterable[str]) -> str:
    """Return a column's decimal mark, or "" if its cells do not show it or contradict each other."""
    marks = set()
    for cell in cells:
        found = _AMOUNT.fullmatch(normalize_text(cell))
        number = found["number"].rstrip(".,") if found else ""
        _whole, mark, part = _split_decimals(number)
        if mark and len(part) in (1, 2):
            marks.add(mark)
        elif not mark and (several := {sign for sign in ".," if number.count(sign) > 1}):
            marks |= {",", "."} - several
    return marks.pop() if len(marks) == 1 else ""


def read_amount(cell: str, decimal: str = "") -> ListedPayment:
    """Parse the payment in a cell of an entry list.

    >>> read_amount("$275.00 (early)").cents, read_amount("comp").kind.value, read_amount("275,-").cents
    (27500, 'complimentary', 27500)

    Raises:
        UnreadableCell: the amount is below zero, or the cell is not an amount.
    """
    text = normalize_text(cell)
    if text.casefold() in _NOTHING:
        return ListedPayment(PaymentKind.NOTHING)
    if _COMP.fullmatch(text):
        return ListedPayment(PaymentKind.COMPLIMENTARY)
    money = read_money(text, decimal)
    if money.cents < 0 or text.startswith("("):
        raise UnreadableCell(
            lazy_text(
                "The amount “%(cell)s” is below zero. Correct or empty it; refunds are made at the desk.",
                cell=text[:40],
            )
        )
    rest = money.other_text.strip(" ()").casefold()
    if rest not in ("", "early", "early bird", "early-bird", "paid"):
        raise UnreadableCell(
            lazy_text("“%(cell)s” is more than an amount. Move the words to the notes.", cell=text[:40])
        )
    if money.cents == 0:
        return ListedPayment(PaymentKind.NOTHING)
    paid = PaymentKind.EARLY if rest.startswith("early") else PaymentKind.PAYMENT
    return ListedPayment(paid, money.cents, money.is_unclear, money.currency)


# --- Dates and times -------------------------------------------------------------------------------------------------
# A single row can show the order of day and month for its whole column.

MONTH_FIRST: Final = "month-day"
DAY_FIRST: Final = "day-month"
DATE_ORDERS: Final = (MONTH_FIRST, DAY_FIRST)
DATE_LANGUAGES: Final = (
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
)
"""The languages in which a month can be written."""

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
"""A date as a spreadsheet stores it internally: the number of days since the end of 1899."""


@dataclass(frozen=True, slots=True)
class _CellDateTime:
    """A date and time from a cell. It is local time at the venue, unless the cell includes a UTC offset.

    If the date order was guessed, `is_unclear` is true.
    """

    at: dt.datetime
    is_unclear: bool = False


def detect_date_order(cells: Iterable[str]) -> tuple[str, bool]:
    """Return the date order in a column, and whether it is certain.

    A single day after the 12th determines the order for all rows. If no date has such a day, the American order is
    assumed. If rows contradict each other, the order is "".

    >>> detect_date_order(["25/10/2026", "05/11/2026"]), detect_date_order(["05/11/2026"])
    (('day-month', True), ('month-day', False))
    >>> detect_date_order(["12/31/25", "31/12/25", "05/11/25"])
    ('', False)
    """
    orders, is_ambiguous = set(), False
    rows = [found for cell in cells if (found := _YEAR_LAST.fullmatch(normalize_text(cell))) and found["mark"] != "."]
    if rows and all(map(_may_begin_with_year, rows)):
        return DAY_FIRST, False
    for found in rows:
        first, second = int(found["first"]), int(found["second_"])
        if first > 12 >= second:
            orders.add(DAY_FIRST)
        elif second > 12 >= first:
            orders.add(MONTH_FIRST)
        elif first != second:
            is_ambiguous = True
    if len(orders) == 1:
        return orders.pop(), True
    return ("" if orders else MONTH_FIRST), not is_ambiguous


def read_date_and_time(cell: str, order: str = "", *, is_sure: bool = True) -> _CellDateTime | None:
    """Parse the date and time in a cell, or return None if the cell is empty.

    Without a date order, only unambiguous dates are accepted.

    >>> str(read_date_and_time("05/11/2026 5:49 PM", "day-month").at), str(read_date_and_time("Nov 5, 2026").at)
    ('2026-11-05 17:49:00', '2026-11-05 00:00:00')
    >>> str(read_date_and_time("2026-11-20T13:39:50+01:00").at), str(read_date_and_time("46331.5").at)
    ('2026-11-20 13:39:50+01:00', '2026-11-05 12:00:00')

    Raises:
        UnreadableCell: the cell is not a known date.
    """
    text = normalize_text(cell)
    if not text:
        return None
    try:
        found = _parse_date_and_time(text, order, is_sure=is_sure)
    except (ValueError, OverflowError):
        found = None
    if found is None or not 1900 < found.at.year < 2200:
        raise UnreadableCell(
            lazy_text("“%(cell)s” is not a date. Write it like 2026-10-25 17:49, or leave it empty.", cell=text[:40])
        )
    return found


def _parse_date_and_time(text: str, order: str, *, is_sure: bool) -> _CellDateTime | None:
    if _SERIAL.fullmatch(text):
        at = dt.datetime(1899, 12, 30) + dt.timedelta(days=float(text))  # noqa: DTZ001 - the venue's clock
        return _CellDateTime((at + dt.timedelta(milliseconds=500)).replace(microsecond=0))
    if found := _YEAR_FIRST.fullmatch(text):
        month = found["month"] or found["m2"] or found["m3"]
        return _CellDateTime(_make_datetime(found, int(found["year"]), int(month), int(found["day"])))
    if found := _COMPACT.fullmatch(text):
        return _CellDateTime(_make_datetime(found, int(found["year"]), int(found["month"]), int(found["day"])))
    if found := _WORDED.fullmatch(text):
        month = _load_month_numbers().get(name_key(found["name"] or found["name2"]), 0)
        return _CellDateTime(
            _make_datetime(found, _expand_year(found["year"]), month, int(found["day"] or found["day2"]))
        )
    if found := _YEAR_LAST.fullmatch(text):
        first, second = int(found["first"]), int(found["second_"])
        by_month = second > 12 or (order == MONTH_FIRST and first <= 12)
        if found["mark"] == "." and second <= 12:
            by_month = False
        is_ambiguous = found["mark"] != "." and first != second and first <= 12 and second <= 12
        is_ambiguous |= _may_begin_with_year(found)
        month, day = (first, second) if by_month else (second, first)
        return _CellDateTime(
            _make_datetime(found, _expand_year(found["year"]), month, day), is_ambiguous and not (order and is_sure)
        )
    return None


def _may_begin_with_year(found: re.Match[str]) -> bool:
    """Return whether a date such as 26-10-25 could mean both October 25, 2026 and October 26, 2025."""
    return found["mark"] == "-" and 20 <= int(found["first"]) <= 31 and 1 <= int(found["year"]) <= 31


def is_implausible_date(day: dt.date, today: dt.date) -> bool:
    """Return whether this is an unlikely day for an entry or payment: in the future, or more than two years ago."""
    return day > today or day < today - dt.timedelta(days=2 * 366)


def _expand_year(figures: str) -> int:
    return int(figures) + (2000 if len(figures) == 2 else 0)


def _make_datetime(found: re.Match[str], year: int, month: int, day: int) -> dt.datetime:
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if (found["half"] or found["morning"] or found["evening"]) and hour <= 12:
        hour = hour % 12 + (12 if found["evening"] or (found["half"] or "a")[0] in "pP" else 0)
    return dt.datetime(year, month, day, hour, minute, second, tzinfo=_parse_utc_offset(found["zone"] or ""))


def _parse_utc_offset(text: str) -> dt.timezone | None:
    """Return the UTC offset, or None if there is none.

    A zone name such as CST is assumed to be the venue's time zone.
    """
    offset = re.search(r"([-+−])(\d{1,2}):?(\d{2})?$", text)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        return dt.timezone(dt.timedelta(minutes=minutes if offset[1] == "+" else -minutes))
    return dt.UTC if text.upper() in ("Z", "UTC", "GMT") else None


@cache
def _load_month_numbers() -> dict[str, int]:
    """Return a mapping from the long and short names of months, normalized by `name_key`, to month numbers."""
    numbers: dict[str, int] = {}
    for language in DATE_LANGUAGES:
        for width in ("wide", "abbreviated"):
            for context in ("format", "stand-alone"):
                for number, name in get_month_names(width, context, language).items():
                    numbers.setdefault(name_key(unicodedata.normalize("NFC", name)), number)
    return numbers


# --- Other cells -----------------------------------------------------------------------------------------------------

_EMAIL: Final = re.compile(r"[^@\s,;<>\"'()]+@[^@\s,;<>\"'().]+(\.[^@\s,;<>\"'().]+)+")
_METHODS: Final = {
    "cash": "cash", "check": "check", "cheque": "check", "card": "card", "credit": "card", "visa": "card",
    "transfer": "transfer", "wire": "transfer", "bank": "transfer", "zelle": "transfer", "paypal": "transfer",
}  # fmt: skip


def read_payment_method(cell: str) -> tuple[str, str]:
    """Return the payment method, and a reference such as a check number.

    >>> read_payment_method("Check #1042"), read_payment_method(""), read_payment_method("barter")
    (('check', '1042'), ('', ''), ('other', 'barter'))
    """
    text = normalize_text(cell)
    if not text:
        return "", ""
    word = re.match(r"[^\W\d]+", text)
    method = _METHODS.get(word[0].casefold() if word else "", "other")
    rest = text if method == "other" else text[len(word[0]) if word else 0 :].strip(" #:.-")
    return method, rest[:100]


_PARTNER_WANTED_WORDS: Final = (
    "", "wanted", "want", "wants", "need", "needs", "needed", "looking", "seeking", "ask", "asks", "draw", "blind draw",
    "tbd", "tba", "none", "no", "needs one", "looking one", "any", "anybody",
)  # fmt: skip
_FILLER_WORDS: Final = frozenset({"a", "the", "for", "my", "please", "partner", "still"})


def wants_partner(cell: str) -> bool:
    """Return whether the cell for the partner's name asks for a partner. An empty cell does not.

    >>> [wants_partner(cell) for cell in ("Partner wanted", "needs a partner!", "?", "TBD", "Ann Wanted", " ")]
    [True, True, True, True, False, False]
    """
    words = (word for word in name_key(cell).split() if word not in _FILLER_WORDS)
    return bool(normalize_text(cell)) and " ".join(words) in _PARTNER_WANTED_WORDS


def read_partner_pool(cell: str) -> str:
    """Parse a cell that names the pool of a player without a partner: A, B, or "" if the cell is empty.

    Raises:
        UnreadableCell: the cell contains anything else.
    """
    pool = name_key(cell).removeprefix("pool").strip().upper()
    if pool not in ("A", "B", ""):
        raise UnreadableCell(
            lazy_text("“%(cell)s” is not a pool. Write A or B, or leave it empty.", cell=normalize_text(cell)[:40])
        )
    return pool


_YES: Final = frozenset({"yes", "y", "true", "1", "x", "ja", "oui", "si", "да"})
_NO: Final = frozenset({"no", "n", "false", "0", "nein", "non", "нет"})


def read_yes_no_answers(cell: str) -> tuple[bool, ...]:
    """Parse the answers in a cell: none, one, or one for each player in a pair (“no / yes”).

    Raises:
        UnreadableCell: an answer is neither yes nor no.
    """
    answers = [name_key(part) for part in cell.split("/") if name_key(part)]
    if not all(each in _YES or each in _NO for each in answers):
        raise UnreadableCell(
            lazy_text(
                "“%(cell)s” is neither yes nor no. Write one of them, or leave it empty.",
                cell=normalize_text(cell)[:40],
            )
        )
    return tuple(each in _YES for each in answers)


MALE_WORDS: Final = frozenset(
    {"m", "man", "men", "male", "gentleman", "gentlemen", "gent", "gents", "guy", "guys", "boy", "boys", "mr"}
)
FEMALE_WORDS: Final = frozenset(
    {"f", "w", "woman", "women", "female", "lady", "ladies", "girl", "girls", "mrs", "ms", "l"}
)


def read_side(cell: str, sides: tuple[tuple[str, str], ...]) -> str:
    """Parse a side: its name in this event, A or B, or a word for men or ladies.

    `sides` contains each side's value and name, the left side first.

    >>> whist = (("left", "Gentlemen"), ("right", "Ladies"))
    >>> [read_side(cell, whist) for cell in ("ladies", "Lady", "M", "female", "a", "Side B", "")]
    ['right', 'right', 'left', 'right', 'left', 'right', '']
    >>> read_side("m", (("left", "Women"), ("right", "Men")))
    'right'

    Raises:
        UnreadableCell: the cell names no side, or both.
    """
    word = name_key(cell).removeprefix("side").strip()
    if not word:
        return ""
    by_name = {name_key(name): value for value, name in sides}
    if word in by_name:
        return by_name[word]
    if word in ("a", "b"):
        return sides[word == "b"][0]
    for words in (MALE_WORDS, FEMALE_WORDS):
        values = [value for value, name in sides if name_key(name) in words]
        if word in words and len(values) == 1:
            return values[0]
    names = " or ".join(name for _value, name in sides)
    raise UnreadableCell(
        lazy_text(
            "“%(cell)s” is not a side of this event. Write %(sides)s, or A or B.",
            cell=normalize_text(cell)[:40],
            sides=names,
        )
    )


def is_email(text: str) -> bool:
    return len(text) <= 254 and _EMAIL.fullmatch(text) is not None


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet would execute the text. Phone numbers with “+” and notes with “-” do not count."""
    text = text.strip()
    return text[:1] in ("=", "@") or (text[:1] in ("+", "-") and re.search(r"[(!]", text) is not None)


def has_markup(text: str) -> bool:
    return re.search(r"<\s*/?\s*[a-zA-Z!]", text) is not None


def has_lost_letters(text: str) -> bool:
    """Return whether a question mark inside a word indicates that another program has lost a letter.

    >>> has_lost_letters("Lili?uokalani"), has_lost_letters("Really?")
    (True, False)
    """
    return "\ufffd" in text or re.search(r"\w\?\w", text) is not None
