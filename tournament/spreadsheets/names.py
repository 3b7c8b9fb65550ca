"""Clean names, emails and numbers, create keys for comparing names, and derive sort names."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final


def normalize_text(text: str) -> str:
    r"""Return text as one line, without control characters, double spaces, or invisible characters.

    Invisible characters include text direction marks, zero-width spaces, and lone surrogates. Zero-width joiners are
    kept between letters, because Persian and Indian scripts need them.

    >>> normalize_text(" Neale  Hurston "), normalize_text("Ada\u202e ecalevoL"), normalize_text("Ada\u200d") == "Ada"
    ('Neale Hurston', 'Ada ecalevoL', True)
    >>> normalize_text("Sh\u200cirin") == "Sh\u200cirin"
    True
    """
    spaced = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in text)
    invisible = {char for char in spaced if unicodedata.category(char) in ("Cf", "Cs")}.union(_BLANKS) - {*_JOINERS}
    visible = (char for char in spaced if char not in invisible)
    framed = f" {''.join(visible)} "
    cleaned = "".join(
        char
        for before, char, after in zip(framed, framed[1:], framed[2:], strict=False)
        if char not in _JOINERS or (_is_letter(before) and _is_letter(after))
    )
    return " ".join(unicodedata.normalize("NFC", cleaned).split())


_JOINERS: Final = "\u200c\u200d"
_BLANKS: Final = "\u034f\u115f\u1160\u3164\uffa0"
"""Blank characters that Unicode classifies as letters or marks."""


def _is_letter(char: str) -> bool:
    return unicodedata.category(char)[0] in "LM"


_WHOLE_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ħ": "h", "’": "'"}
)
"""Letters that Unicode does not decompose into a plain letter and an accent."""


@lru_cache(maxsize=8192)
def to_plain_letters(text: str) -> str:
    """Return a name in lower case, as typed on a keyboard without accents.

    >>> to_plain_letters("Zoë Łukasz-Ørsted"), to_plain_letters("O’Brien")
    ('zoe lukasz-orsted', "o'brien")
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_WHOLE_LETTERS))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).casefold()


def name_key(name: str) -> str:
    """Return a key that is the same for names that differ only in case, accents, or punctuation.

    >>> name_key("ANTONÍN  Dvořák") == name_key("Antonin Dvorak"), name_key("Georgia O’Keeffe")
    (True, 'georgia okeeffe')
    """
    folded = unicodedata.normalize("NFKD", normalize_text(name)).casefold()
    letters = (char for char in folded if not unicodedata.combining(char))
    spaced = "".join(char if char.isalnum() else "" if char in "'’.`´" else " " for char in letters)
    return " ".join(spaced.split())[:200]


def find_site_by_name(sites: Sequence[str], typed: str) -> str:
    """Return the location with this name, ignoring case and accents, or "" if there is none.

    >>> find_site_by_name(["Austin, TX", "Köln"], "AUSTIN TX"), find_site_by_name(["Köln"], "Bonn")
    ('Austin, TX', '')
    """
    key = name_key(typed)
    return next((site for site in sites if name_key(site) == key), "") if key else ""


def email_key(email: str) -> str:
    """Return a key that is the same for email addresses that differ only in case or spacing.

    >>> email_key(" Ada.Lovelace@Example.org ")
    'ada.lovelace@example.org'
    """
    return unicodedata.normalize("NFKC", email).strip().casefold()[:254]


# --- Sort names ------------------------------------------------------------------------------------------------------
# `sort_key` turns them into keys that all databases sort in the same order.

SURNAME_PARTICLES: Final = frozenset((
    "van", "von", "vom", "der", "den", "des", "de", "del", "della", "delle", "di", "da", "dal", "dos", "das", "do",
    "du", "la", "le", "lo", "ten", "ter", "te", "zu", "zum", "zur", "af", "av", "bin", "ibn", "al", "el", "st", "st.",
    "saint",
))  # fmt: skip
NAME_SUFFIXES: Final = frozenset((
    "jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "2nd", "3rd", "4th", "esq", "esq.", "md", "m.d.", "phd", "ph.d.",
))  # fmt: skip
PARTNER_SEPARATOR: Final = " / "
MAX_SORT_KEY_LENGTH: Final = 500


def propose_sort_name(name: str) -> str:
    """Return a proposed sort name, with the family name first.

    >>> propose_sort_name("Ludwig van Beethoven"), propose_sort_name("Martin Luther King, Jr.")
    ('van Beethoven, Ludwig', 'King, Martin Luther, Jr.')
    >>> propose_sort_name("José Ortega y Gasset"), propose_sort_name("Van Morrison"), propose_sort_name("Madonna")
    ('Ortega y Gasset, José', 'Morrison, Van', 'Madonna')
    """
    words, suffixes = _split_off_suffixes(normalize_text(name).split())
    if len(words) < 2 or any(word.endswith(",") for word in words):
        return " ".join([*words, *suffixes])
    start = len(words) - 1
    if start > 2 and words[start - 1].casefold() == "y":
        start -= 2
    while start > 1 and words[start - 1].casefold() in SURNAME_PARTICLES:
        start -= 1
    return ", ".join([" ".join(words[start:]), " ".join(words[:start]), *suffixes])


def propose_entry_sort_name(name: str) -> str:
    """Return a proposed sort name for an entry, which may be a pair.

    >>> propose_entry_sort_name("Ada Lovelace / Alan Turing")
    'Lovelace, Ada / Turing, Alan'
    """
    return PARTNER_SEPARATOR.join(map(propose_sort_name, name.split(PARTNER_SEPARATOR)))


def parse_last_name_first(name: str) -> tuple[str, str]:
    """Return the name and sort name for text like “Last, First”. For any other name, the sort name is "".

    >>> parse_last_name_first("van Beethoven, Ludwig"), parse_last_name_first("King, Jr., Martin Luther")
    (('Ludwig van Beethoven', 'van Beethoven, Ludwig'), ('Martin Luther King Jr.', 'King, Martin Luther, Jr.'))
    >>> parse_last_name_first("Sammy Davis, Jr."), parse_last_name_first("Ada Lovelace")
    (('Sammy Davis Jr.', ''), ('Ada Lovelace', ''))
    """
    parts = [part.strip() for part in normalize_text(name).split(",") if part.strip()]
    plain = [part for part in parts if part.casefold() not in NAME_SUFFIXES]
    suffixes = [part for part in parts if part.casefold() in NAME_SUFFIXES]
    if len(plain) != 2:
        return (" ".join(parts) if len(plain) == 1 else normalize_text(name)), ""
    family, of_family = _split_off_suffixes(plain[0].split())
    suffixes = of_family + suffixes
    last = " ".join(family)
    return " ".join([plain[1], last, *suffixes]), ", ".join([last, plain[1], *suffixes])


def parse_uppercase_surname(name: str) -> tuple[str, str]:
    """Return the name and sort name if the family name is in capitals. For any other name, the sort name is "".

    >>> parse_uppercase_surname("DUPONT Jean-Pierre"), parse_uppercase_surname("Todd O'BRYAN")
    (('Jean-Pierre Dupont', 'Dupont, Jean-Pierre'), ("Todd O'Bryan", "O'Bryan, Todd"))
    >>> parse_uppercase_surname("VAN DEN BERG Anna"), parse_uppercase_surname("MARTIN LUTHER KING")
    (('Anna van den Berg', 'van den Berg, Anna'), ('MARTIN LUTHER KING', ''))
    >>> parse_uppercase_surname("AJ Smith"), parse_uppercase_surname("Henry VIII")
    (('AJ Smith', ''), ('Henry VIII', ''))
    >>> [parse_uppercase_surname(name)[0] for name in ("McDONALD Ronald", "BACH J. S.", "LE GOFF Yann")]
    ['Ronald McDonald', 'J. S. Bach', 'Yann Le Goff']
    """
    words = name.split()
    capitals = [_is_in_capitals(word) for word in words]
    count = sum(capitals)
    if not 0 < count < len(words):
        return name, ""
    first = capitals[:count] == [True] * count
    if not first and capitals[-count:] != [True] * count:
        return name, ""
    family, given = (words[:count], words[count:]) if first else (words[-count:], words[:-count])
    own = [word for word in family if word.casefold() not in SURNAME_PARTICLES and word.casefold() not in NAME_SUFFIXES]
    is_roman = any(set(word) <= set("IVX") for word in own)
    if not any(len(word) > 2 and "." not in word for word in own) or is_roman or not given[0][:1].isupper():
        return name, ""
    if any(word.casefold() in NAME_SUFFIXES for word in words):
        return name, ""
    called = " ".join(
        word.lower()
        if word.casefold() in SURNAME_PARTICLES - (_ARTICLES if place == 0 else set())
        else _to_normal_case(word)
        for place, word in enumerate(family)
    )
    return f"{' '.join(given)} {called}", f"{called}, {' '.join(given)}"


_ARTICLES: Final = frozenset(("la", "le", "lo"))
"""Articles that are capitalized at the beginning of a family name: Le Goff, La Rue."""


def _is_in_capitals(word: str) -> bool:
    """Return whether a word is in capitals. Initials do not count. Mac and Mc may contain lowercase letters.

    >>> [word for word in ("DUPONT", "McDONALD", "J.", "J.-P.", "A", "Ada") if _is_in_capitals(word)]
    ['DUPONT', 'McDONALD']
    """
    plain = re.sub(r"^(?:Mac|Mc)(?=[A-Z]{2})", "MC", word)
    return plain.isupper() and not re.fullmatch(r"(?:[^\W\d_]\.?-?)|(?:[^\W\d_]\.-?)+", plain)


def _to_normal_case(word: str) -> str:
    """Convert a family name from capitals to normal case.

    For example, “O'BRYAN” becomes “O'Bryan”, and “MacDONALD” becomes “MacDonald”.
    """
    if re.match(r"Mac[A-Z]{2}", word):
        return f"Mac{word[3:].capitalize()}"
    parts = re.split(r"([-'’])", word)
    small = "".join(part[:1] + part[1:].lower() for part in parts)
    return f"Mc{small[2:].capitalize()}" if small.startswith("Mc") and len(small) > 4 else small


def sort_key(sort_name: str) -> str:
    """Return a key of ASCII letters and digits, which SQLite and all PostgreSQL collations sort in the same order.

    >>> sort_key("Östlund, Åsa") == sort_key("ostlund, asa"), sort_key("O’Brien, Zoë")
    (True, 'obrien00zoe')
    >>> sorted(["Smithson, Al", "Smith, Zoe", "Smith-Hill, Al"], key=sort_key)
    ['Smith, Zoe', 'Smith-Hill, Al', 'Smithson, Al']
    """
    people = normalize_text(sort_name).split(PARTNER_SEPARATOR)
    return "000".join("00".join(map(_make_sort_key_part, person.split(","))) for person in people)[:MAX_SORT_KEY_LENGTH]


def _make_sort_key_part(part: str) -> str:
    letters = to_plain_letters(part)
    codes = (_make_letter_code(letter) if letter.isalnum() else "" if letter in "'.`´ʻ" else " " for letter in letters)
    return "0".join("".join(codes).split())


def _make_letter_code(letter: str) -> str:
    """Return a letter's code in a sort key. Letters of other scripts come after z.

    The code of a digit begins with 1, because 0 separates words.
    """
    if letter.isascii():
        return letter if letter.isalpha() else f"1{letter}"
    return f"zzz{ord(letter):06x}"


def _split_off_suffixes(words: list[str]) -> tuple[list[str], list[str]]:
    """Separate the words of a name from its suffixes, such as “Jr.”. The first word is never a suffix."""
    end = len(words)
    while end > 1 and words[end - 1].casefold() in NAME_SUFFIXES:
        end -= 1
    remaining = words[:end]
    if end < len(words):
        remaining[-1] = remaining[-1].rstrip(",")
    return remaining, words[end:]


# --- Numbers ---------------------------------------------------------------------------------------------------------

MAX_NUMBER_DIGITS: Final = 9
"""The maximum number of digits in an entry, table or row number. All databases can store such numbers."""


def parse_number(text: str | None) -> int | None:
    """Return the whole number that the user typed, or None if the text is anything else.

    >>> [parse_number(text) for text in (" 17 ", "²", "-1", "9" * 5000, None)]
    [17, None, None, None, None]
    """
    digits = (text or "").strip()
    return int(digits) if digits.isdecimal() and len(digits) <= MAX_NUMBER_DIGITS else None


def parse_numbers(texts: Iterable[str]) -> list[int]:
    return [number for text in texts if (number := parse_number(text)) is not None]
