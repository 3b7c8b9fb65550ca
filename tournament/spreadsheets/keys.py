"""What two records of one person have in common, however they were typed."""

import unicodedata
from collections.abc import Sequence


def tidy(text: str) -> str:
    """One line of text: control characters and doubled spaces gone.

    >>> tidy(" Neale  Hurston ")
    'Neale Hurston'
    """
    seen = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in text)
    return " ".join(unicodedata.normalize("NFC", seen).split())


def name_key(name: str) -> str:
    """A name without case, accents and punctuation.

    >>> name_key("ANTONÍN  Dvořák") == name_key("Antonin Dvorak"), name_key("Georgia O’Keeffe")
    (True, 'georgia okeeffe')
    """
    folded = unicodedata.normalize("NFKD", name).casefold()
    letters = (char for char in folded if not unicodedata.combining(char))
    spaced = "".join(char if char.isalnum() else "" if char in "'’.`´" else " " for char in letters)
    return " ".join(spaced.split())[:200]


def site_named(sites: Sequence[str], typed: str) -> str:
    """The site that is meant, however it was typed; nothing where there is no such site.

    >>> site_named(["Austin, TX", "Köln"], "AUSTIN TX"), site_named(["Köln"], "Bonn")
    ('Austin, TX', '')
    """
    key = name_key(typed)
    return next((site for site in sites if name_key(site) == key), "") if key else ""


def email_key(email: str) -> str:
    """
    >>> email_key(" Ada.Lovelace@Example.org ")
    'ada.lovelace@example.org'
    """
    return unicodedata.normalize("NFKC", email).strip().casefold()[:254]
