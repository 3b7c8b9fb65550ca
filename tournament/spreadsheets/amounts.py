"""Amounts as people and banks write them: `300,00 EUR`, `1 300.00`, `1'300.-`, `$275.00 (early)`, `300.00 CR`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tournament.said import worded
from tournament.spreadsheets.keys import tidy


class Unreadable(Exception):
    """A cell that cannot be read. The message is a sentence for staff."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Paid(StrEnum):
    NOTHING = "nothing"
    PAYMENT = "payment"
    EARLY = "early"
    COMPLIMENTARY = "complimentary"


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of a list of entries, in cents. `paid` is EARLY if the list calls it the early-bird fee.

    `is_unclear` marks amounts with two readings, such as 300.000: three hundred thousand or three hundred.
    """

    paid: Paid
    cents: int = 0
    is_unclear: bool = False
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Money:
    """Signed cents, with the text and the currency beside the number, such as “CR”, “(early)” or “€”."""

    cents: int
    rest: str = ""
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
"""Signs and words for a currency, with the codes of the currencies that use them. A three-letter code is its own."""
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
_NO_WHOLE: Final = re.compile(r"(?<![\d.,'’` ])(?=[.,]\d{1,2}(?!\d))")
_SIGN_AS_MARK: Final = re.compile(r"(?<=\d)([€£$])(\d{2})(?![\d.,])")
_GROUPED: Final = re.compile(r"\d{1,3}(?P<mark>[.,' ])\d{3}(?:(?P=mark)\d{3})*|\d{1,2}(?:,\d{2})+,\d{3}")


def read_money(text: str, decimal: str = "") -> Money:
    """Return an amount with its sign. `decimal` is the decimal mark of its column, if the column shows one.

    >>> [read_money(text).cents for text in ("300,00 EUR", "1 300,00", "1'300.-", "(45.00)", "85,50-", "CHF 1’000.5")]
    [30000, 130000, 130000, -4500, -8550, 100050]
    >>> [read_money(text).cents for text in (".50", "$,50", "300€50")]
    [50, 50, 30050]
    >>> read_money("300.00 CR").rest, read_money("3.000").is_unclear, read_money("3.000", ",").is_unclear
    ('CR', True, False)
    >>> [read_money(text).currency for text in ("300,00 EUR", "$300", "1'300.-", "300:- kr", "-45.00 € CR")]
    ['EUR', '$', '', 'kr', '€']

    Raises:
        Unreadable: the text is not an amount.
    """
    cell = tidy(text)
    found = _AMOUNT.fullmatch(_SIGN_AS_MARK.sub(r".\2 \1", _NO_WHOLE.sub("0", cell)))
    if found is None or bool(found["open"]) != bool(found["close"]):
        raise _no_amount(cell)
    cents, is_unclear = _cents(found["number"].rstrip(".,"), decimal, cell)
    signs = [sign for sign in (found["open"], found["sign"], found["minus"], found["after"]) if sign and sign != "+"]
    if len(signs) > 1:
        raise _no_amount(cell)
    currency = found["before"] or found["behind"] or found["last"] or ""
    return Money(-cents if signs else cents, (found["rest"] or "").strip(), is_unclear, currency.rstrip("."))


def currencies_of(text: str) -> tuple[str, ...]:
    """Return the codes of the currencies that a sign, a code or a heading can mean, or an empty tuple.

    >>> currencies_of("€"), currencies_of("kr."), currencies_of("Betrag (CHF)"), currencies_of("eur")
    (('EUR',), ('SEK', 'NOK', 'DKK', 'ISK'), ('CHF',), ('EUR',))
    >>> currencies_of("Amount"), "CAD" in currencies_of("$")
    ((), True)
    """
    whole = tidy(text).casefold().rstrip(".")
    if whole in _SIGNS or whole.upper() in _CODES:
        return tuple(_SIGNS.get(whole, whole.upper()).split())
    words = re.findall(r"[^\W\d_]+|[€£₺₽₴₪₩₹]", text)
    return tuple(code for word in words for code in _SIGNS.get(word, word).split() if code in _CODES)


def currency_of_amount(cell: str) -> str:
    """Return the currency beside an amount, as it is written, or an empty string."""
    try:
        return read_money(cell).currency
    except Unreadable:
        return ""


def is_foreign(name: str, own: str) -> bool:
    """Return whether the text beside an amount names another currency than our own. Unknown ones do not count."""
    codes = currencies_of(name)
    return bool(own and codes) and own not in codes


def _no_amount(cell: str) -> Unreadable:
    return Unreadable(
        worded("“%(cell)s” is not an amount. Write it like 300.00 or “comp”, or leave it empty.", cell=cell[:40])
    )


def _cents(number: str, decimal: str, cell: str) -> tuple[int, bool]:
    """Return cents, and whether the number has another reading."""
    plain = re.sub(r"[’`]", "'", number)
    whole, mark, part = _divided(plain)
    if mark and len(part) == 3 and not re.search(r"[., ']", whole) and 0 < len(whole) <= 3 and whole != "0":
        other = {",": ".", ".": ","}[mark]
        if decimal != mark:  # a thousands separator, unless the column shows another use of it
            return int(whole + part) * 100, decimal != other
        return int(whole) * 100 + round(int(part) / 10), True
    if mark and len(part) == 3 and _GROUPED.fullmatch(plain):
        whole, part = plain, ""
    elif len(part) > 2 and part.strip("0") and len(part) < 6:
        raise _no_amount(cell)
    if not re.fullmatch(r"\d{1,12}", whole) and not _GROUPED.fullmatch(whole):
        raise _no_amount(cell)
    digits = re.sub(r"\D", "", whole)
    if len(digits) > 12:
        raise _no_amount(cell)
    return int(digits) * 100 + (round(float(f"0.{part}") * 100) if part else 0), False


def _divided(number: str) -> tuple[str, str, str]:
    """Return the parts of a number around its last point or comma: before it, the mark, and after it.

    >>> _divided("1.234,5"), _divided("1.234.567"), _divided("300")
    (('1.234', ',', '5'), ('1.234.567', '', ''), ('300', '', ''))
    """
    place = max(number.rfind("."), number.rfind(","))
    if place < 0 or number.count(number[place]) > 1:
        return number, "", ""
    return number[:place], number[place], number[place + 1 :]


def decimal_mark(cells: Iterable[str]) -> str:
    """Return the decimal mark of a column if its cells show exactly one, or an empty string.

    >>> decimal_mark(["1.234,50", "3.000"]), decimal_mark(["7.50", "300,00"]), decimal_mark(["1,250"])
    (',', '', '')
    """
    marks = set()
    for cell in cells:
        found = _AMOUNT.fullmatch(tidy(cell))
        number = found["number"].rstrip(".,") if found else ""
        _whole, mark, part = _divided(number)
        if mark and len(part) in (1, 2):
            marks.add(mark)
        elif not mark and (several := {sign for sign in ".," if number.count(sign) > 1}):
            marks |= {",", "."} - several
    return marks.pop() if len(marks) == 1 else ""


def read_amount(cell: str, decimal: str = "") -> Amount:
    """Return the payment that a cell of a list of entries describes.

    >>> read_amount("$275.00 (early)").cents, read_amount("comp").paid.value, read_amount("275,-").cents
    (27500, 'complimentary', 27500)

    Raises:
        Unreadable: an amount below zero, or not an amount.
    """
    text = tidy(cell)
    if text.casefold() in _NOTHING:
        return Amount(Paid.NOTHING)
    if _COMP.fullmatch(text):
        return Amount(Paid.COMPLIMENTARY)
    money = read_money(text, decimal)
    if money.cents < 0 or text.startswith("("):
        raise Unreadable(
            worded(
                "The amount “%(cell)s” is below zero. Correct or empty it; refunds are made at the desk.",
                cell=text[:40],
            )
        )
    rest = money.rest.strip(" ()").casefold()
    if rest not in ("", "early", "early bird", "early-bird", "paid"):
        raise Unreadable(worded("“%(cell)s” is more than an amount. Move the words to the notes.", cell=text[:40]))
    if money.cents == 0:
        return Amount(Paid.NOTHING)
    paid = Paid.EARLY if rest.startswith("early") else Paid.PAYMENT
    return Amount(paid, money.cents, money.is_unclear, money.currency)
