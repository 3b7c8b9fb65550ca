"""Normalize names, emails and sites, so that two records of one person compare as equal."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final


def tidy(text: str) -> str:
    """Return a text as one line, without control characters, doubled spaces and invisible characters.

    Those are marks of text direction, blanks without a width, and halves of characters. The two joiners stay between
    letters, because Persian and the scripts of India are written with them.

    >>> tidy(" Neale  Hurston "), tidy("Ada\\u202e ecalevoL"), tidy("Ada\\u200d") == "Ada"
    ('Neale Hurston', 'Ada ecalevoL', True)
    >>> tidy("Sh\\u200cirin") == "Sh\\u200cirin"
    True
    """
    spaced = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in text)
    seen = f" {''.join(char for char in spaced if char in _JOINERS or not _is_unseen(char))} "
    kept = "".join(
        char
        for before, char, after in zip(seen, seen[1:], seen[2:], strict=False)
        if char not in _JOINERS or (_is_letter(before) and _is_letter(after))
    )
    return " ".join(unicodedata.normalize("NFC", kept).split())


_JOINERS: Final = "\u200c\u200d"
_BLANKS: Final = "\u034f\u115f\u1160\u3164\uffa0"
"""Blank characters that Unicode counts among letters and marks."""


def _is_unseen(char: str) -> bool:
    return unicodedata.category(char) in ("Cf", "Cs") or char in _BLANKS


def _is_letter(char: str) -> bool:
    return unicodedata.category(char)[0] in "LM"


_WHOLE_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ħ": "h", "’": "'"}
)
"""Letters that Unicode does not split into a plain letter and an accent."""


@lru_cache(maxsize=8192)
def plain_letters(text: str) -> str:
    """Return a name as a person types it without accents on the keyboard.

    >>> plain_letters("Zoë Łukasz-Ørsted"), plain_letters("O’Brien")
    ('zoe lukasz-orsted', "o'brien")
    """
    apart = unicodedata.normalize("NFKD", text.casefold().translate(_WHOLE_LETTERS))
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).casefold()


def name_key(name: str) -> str:
    """Return a name without case, accents and punctuation.

    >>> name_key("ANTONÍN  Dvořák") == name_key("Antonin Dvorak"), name_key("Georgia O’Keeffe")
    (True, 'georgia okeeffe')
    """
    folded = unicodedata.normalize("NFKD", tidy(name)).casefold()
    letters = (char for char in folded if not unicodedata.combining(char))
    spaced = "".join(char if char.isalnum() else "" if char in "'’.`´" else " " for char in letters)
    return " ".join(spaced.split())[:200]


def site_named(sites: Sequence[str], typed: str) -> str:
    """Return the site with this name, however it was typed, or an empty string if there is none.

    >>> site_named(["Austin, TX", "Köln"], "AUSTIN TX"), site_named(["Köln"], "Bonn")
    ('Austin, TX', '')
    """
    key = name_key(typed)
    return next((site for site in sites if name_key(site) == key), "") if key else ""


def email_key(email: str) -> str:
    """Return an email address in the form in which addresses are compared.

    >>> email_key(" Ada.Lovelace@Example.org ")
    'ada.lovelace@example.org'
    """
    return unicodedata.normalize("NFKC", email).strip().casefold()[:254]
