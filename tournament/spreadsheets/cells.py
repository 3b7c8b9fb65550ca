"""Read single cells: a payment method, a side, an email address, a formula."""

import re
from typing import Final

from tournament.said import worded
from tournament.spreadsheets.amounts import Unreadable
from tournament.spreadsheets.keys import name_key, tidy

_EMAIL: Final = re.compile(r"[^@\s,;<>\"'()]+@[^@\s,;<>\"'().]+(\.[^@\s,;<>\"'().]+)+")
_METHODS: Final = {
    "cash": "cash", "check": "check", "cheque": "check", "card": "card", "credit": "card", "visa": "card",
    "transfer": "transfer", "wire": "transfer", "bank": "transfer", "zelle": "transfer", "paypal": "transfer",
}  # fmt: skip


def read_method(cell: str) -> tuple[str, str]:
    """Return the payment method, and the text that identifies the payment.

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


_WANTED: Final = (
    "", "wanted", "want", "wants", "need", "needs", "needed", "looking", "seeking", "ask", "asks", "draw", "blind draw",
    "tbd", "tba", "none", "no", "needs one", "looking one", "any", "anybody",
)  # fmt: skip
_FILLING: Final = frozenset({"a", "the", "for", "my", "please", "partner", "still"})


def asks_for_partner(cell: str) -> bool:
    """Return whether the partner's cell asks for a partner. An empty cell does not.

    >>> [asks_for_partner(cell) for cell in ("Partner wanted", "needs a partner!", "?", "TBD", "Ann Wanted", " ")]
    [True, True, True, True, False, False]
    """
    words = (word for word in name_key(cell).split() if word not in _FILLING)
    return bool(tidy(cell)) and " ".join(words) in _WANTED


def read_pool(cell: str) -> str:
    """Return the pool that a cell names, A or B, or an empty string.

    >>> read_pool(" b "), read_pool("Pool A"), read_pool("")
    ('B', 'A', '')

    Raises:
        Unreadable: neither of the two.
    """
    said = name_key(cell).removeprefix("pool").strip().upper()
    if said not in ("A", "B", ""):
        raise Unreadable(worded("“%(cell)s” is not a pool. Write A or B, or leave it empty.", cell=tidy(cell)[:40]))
    return said


_YES: Final = frozenset({"yes", "y", "true", "1", "x", "ja", "oui", "si", "да"})
_NO: Final = frozenset({"no", "n", "false", "0", "nein", "non", "нет"})


def read_answers(cell: str) -> tuple[bool, ...]:
    """Return the answers of a cell, one for each player of a pair if a slash divides them.

    >>> read_answers("Yes"), read_answers("no / yes"), read_answers("")
    ((True,), (False, True), ())

    Raises:
        Unreadable: neither yes nor no.
    """
    said = [name_key(part) for part in cell.split("/") if name_key(part)]
    if not all(each in _YES or each in _NO for each in said):
        raise Unreadable(
            worded("“%(cell)s” is neither yes nor no. Write one of them, or leave it empty.", cell=tidy(cell)[:40])
        )
    return tuple(each in _YES for each in said)


MEN: Final = frozenset(
    {"m", "man", "men", "male", "gentleman", "gentlemen", "gent", "gents", "guy", "guys", "boy", "boys", "mr"}
)
LADIES: Final = frozenset({"f", "w", "woman", "women", "female", "lady", "ladies", "girl", "girls", "mrs", "ms", "l"})


def read_side(cell: str, sides: tuple[tuple[str, str], ...]) -> str:
    """Return the value of a side, from its name in this event, A or B, or any word for men or ladies.

    `sides` has the value and name of each side, the left one first.

    >>> whist = (("left", "Gentlemen"), ("right", "Ladies"))
    >>> [read_side(cell, whist) for cell in ("ladies", "Lady", "M", "female", "a", "Side B", "")]
    ['right', 'right', 'left', 'right', 'left', 'right', '']
    >>> read_side("m", (("left", "Women"), ("right", "Men")))
    'right'

    Raises:
        Unreadable: neither of the two, or ambiguous.
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
    """Return whether a spreadsheet would run the text. A phone number may begin with a plus, a note with a dash."""
    text = text.strip()
    return text[:1] in ("=", "@") or (text[:1] in ("+", "-") and re.search(r"[(!]", text) is not None)


def is_markup(text: str) -> bool:
    return re.search(r"<\s*/?\s*[a-zA-Z!]", text) is not None


def lost_letters(text: str) -> bool:
    """Return whether a question mark in a word shows that another program could not write a letter.

    >>> lost_letters("Lili?uokalani"), lost_letters("Really?")
    (True, False)
    """
    return "\ufffd" in text or re.search(r"\w\?\w", text) is not None
