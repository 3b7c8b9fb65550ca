"""What stands in one cell: an amount, how it was paid, a date, an e-mail address, a name."""

import datetime as dt
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tournament.said import worded
from tournament.spreadsheets.keys import name_key, tidy


class Paid(StrEnum):
    NOTHING = "nothing"
    PAYMENT = "payment"
    EARLY = "early"
    COMPLIMENTARY = "complimentary"


@dataclass(frozen=True, slots=True)
class Amount:
    """`paid` EARLY is a payment that calls itself the early-bird fee. In cents."""

    paid: Paid
    cents: int = 0


class Unreadable(Exception):
    """A cell that means nothing we know; the sentence is for staff."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


_COMP: Final = re.compile(r"comp(lim?entary|ed|\.)?|free|guest", re.IGNORECASE)
_NUMBER: Final = re.compile(
    r"\d{1,3}(?:[ ,]\d{3})+(?:\.\d{1,2})?|\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?|\d{1,9}(?:[.,]\d{1,2})?"
)
_AMOUNT: Final = re.compile(
    r"(?P<sign>[-−(]?)\s*(?:USD|US|[$€£])?\s*(?P<minus>[-−]?)"
    r"(?P<number>\d[\d., ]*)\s*(?:USD|[$€£])?\s*\)?(?P<rest>.*)"
)
_EMAIL: Final = re.compile(r"[^@\s,;<>\"'()]+@[^@\s,;<>\"'().]+(\.[^@\s,;<>\"'().]+)+")
_DATES: Final = (
    "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d",
    "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%m/%d/%Y", "%d.%m.%Y %H:%M", "%d.%m.%Y",
)  # fmt: skip
_METHODS: Final = {
    "cash": "cash", "check": "check", "cheque": "check", "card": "card", "credit": "card", "visa": "card",
    "transfer": "transfer", "wire": "transfer", "bank": "transfer", "zelle": "transfer", "paypal": "transfer",
}  # fmt: skip


def read_amount(cell: str) -> Amount:
    """
    >>> read_amount("$275.00 (early)")
    Amount(paid=<Paid.EARLY: 'early'>, cents=27500)
    >>> read_amount("500,00").cents, read_amount(" 300 ").cents, read_amount("1,250.50").cents
    (50000, 30000, 125050)
    >>> str(read_amount("comp").paid), str(read_amount("0").paid)
    ('complimentary', 'nothing')

    Raises:
        Unreadable: below zero, or no amount at all.
    """
    text = tidy(cell)
    if not text:
        return Amount(Paid.NOTHING)
    if _COMP.fullmatch(text):
        return Amount(Paid.COMPLIMENTARY)
    found = _AMOUNT.fullmatch(text)
    number = found["number"].strip() if found else ""
    if found is None or not _NUMBER.fullmatch(number):
        raise Unreadable(
            worded("“%(cell)s” is not an amount. Write it like 300.00 or “comp”, or leave it empty.", cell=text[:40])
        )
    if found["sign"] or found["minus"]:
        raise Unreadable(
            worded(
                "The amount “%(cell)s” is below zero. Correct or empty it; refunds are made at the desk.",
                cell=text[:40],
            )
        )
    rest = found["rest"].strip(" ()").casefold()
    if rest not in ("", "early", "early bird", "early-bird", "paid"):
        raise Unreadable(worded("“%(cell)s” is more than an amount. Move the words to the notes.", cell=text[:40]))
    cents = _cents(number)
    if cents == 0:
        return Amount(Paid.NOTHING)
    return Amount(Paid.EARLY if rest.startswith("early") else Paid.PAYMENT, cents)


def _cents(number: str) -> int:
    whole, sign, part = number, "", ""
    for mark in ".,":
        head, sign_found, tail = number.rpartition(mark)
        if sign_found and len(tail) <= 2:
            whole, sign, part = head, sign_found, tail
    digits = re.sub(r"\D", "", whole)
    return int(digits) * 100 + (int(part.ljust(2, "0")) if sign and part else 0)


def read_method(cell: str) -> tuple[str, str]:
    """The method and what identifies the payment.

    >>> read_method("Check #1042"), read_method(""), read_method("barter")
    (('check', '1042'), ('', ''), ('other', 'barter'))
    """
    text = tidy(cell)
    if not text:
        return "", ""
    word = re.match(r"[^\W\d]+", text)
    method = _METHODS.get(word[0].casefold() if word else "", "other")
    rest = text if method == "other" else text[len(word[0]) if word else 0 :].strip(" #:.-")
    return method, rest[:100]


def read_moment(cell: str) -> dt.datetime | None:
    """The clock at the venue, without a zone; None for an empty cell.

    Raises:
        Unreadable: no date we know.
    """
    text = tidy(cell)
    if not text:
        return None
    for shape in _DATES:
        try:
            return dt.datetime.strptime(text, shape)  # noqa: DTZ007 - the zone is the venue's and added there
        except ValueError:
            continue
    raise Unreadable(
        worded("“%(cell)s” is not a date. Write it like 2026-10-25 17:49, or leave it empty.", cell=text[:40])
    )


_WANTED: Final = (
    "", "wanted", "want", "wants", "need", "needs", "needed", "looking", "seeking", "ask", "asks", "draw", "blind draw",
    "tbd", "tba", "none", "no", "needs one", "looking one", "any", "anybody",
)  # fmt: skip
_FILLING: Final = frozenset({"a", "the", "for", "my", "please", "partner", "still"})


def asks_for_partner(cell: str) -> bool:
    """Whether the partner's cell says that one is wanted; an empty one says nothing.

    >>> [asks_for_partner(cell) for cell in ("Partner wanted", "needs a partner!", "?", "TBD", "Ann Wanted", " ")]
    [True, True, True, True, False, False]
    """
    words = (word for word in name_key(cell).split() if word not in _FILLING)
    return bool(tidy(cell)) and " ".join(words) in _WANTED


def read_pool(cell: str) -> str:
    """
    >>> read_pool(" b "), read_pool("Pool A"), read_pool("")
    ('B', 'A', '')

    Raises:
        Unreadable: neither of the two.
    """
    said = name_key(cell).removeprefix("pool").strip().upper()
    if said not in ("A", "B", ""):
        raise Unreadable(worded("“%(cell)s” is not a pool. Write A or B, or leave it empty.", cell=tidy(cell)[:40]))
    return said


MEN: Final = frozenset(
    {"m", "man", "men", "male", "gentleman", "gentlemen", "gent", "gents", "guy", "guys", "boy", "boys", "mr"}
)
LADIES: Final = frozenset({"f", "w", "woman", "women", "female", "lady", "ladies", "girl", "girls", "mrs", "ms", "l"})


def read_side(cell: str, sides: tuple[tuple[str, str], ...]) -> str:
    """The value of a side: by its name in this event, by A or B, or by any word for men or ladies.

    `sides`: value and name of each of the two, the left one first.

    >>> whist = (("left", "Gentlemen"), ("right", "Ladies"))
    >>> [read_side(cell, whist) for cell in ("ladies", "Lady", "M", "female", "a", "Side B", "")]
    ['right', 'right', 'left', 'right', 'left', 'right', '']
    >>> read_side("m", (("left", "Women"), ("right", "Men")))
    'right'

    Raises:
        Unreadable: neither of the two, or not to be told which.
    """
    said = name_key(cell).removeprefix("side").strip()
    if not said:
        return ""
    named = {name_key(name): value for value, name in sides}
    if said in named:
        return named[said]
    if said in ("a", "b"):
        return sides[said == "b"][0]
    for words in (MEN, LADIES):
        found = [value for value, name in sides if name_key(name) in words]
        if said in words and len(found) == 1:
            return found[0]
    names = " or ".join(name for _value, name in sides)
    raise Unreadable(
        worded("“%(cell)s” is not a side of this event. Write %(sides)s, or A or B.", cell=tidy(cell)[:40], sides=names)
    )


def is_email(text: str) -> bool:
    return len(text) <= 254 and _EMAIL.fullmatch(text) is not None


def is_formula(text: str) -> bool:
    """What a spreadsheet would run. A phone number may begin with a plus, a note with a dash."""
    text = text.strip()
    return text[:1] in ("=", "@") or (text[:1] in ("+", "-") and re.search(r"[(!]", text) is not None)


def is_markup(text: str) -> bool:
    return re.search(r"<\s*/?\s*[a-zA-Z!]", text) is not None


def lost_letters(text: str) -> bool:
    """A question mark inside a word: a letter that an older program could not write.

    >>> lost_letters("Lili?uokalani"), lost_letters("Really?")
    (True, False)
    """
    return "\ufffd" in text or re.search(r"\w\?\w", text) is not None
