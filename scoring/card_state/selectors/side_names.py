"""What the sides of a card are called where there is little room, and in the lines as they are stored."""

from typing import Any, Final

from tournament.spreadsheets.sort_names import BETWEEN_PAIRS

PARTICLES: Final = (
    "af", "al", "av", "bin", "da", "dal", "das", "de", "degli", "dei", "del", "della", "den", "der", "des", "di", "do",
    "dos", "du", "el", "ibn", "la", "las", "le", "los", "st", "ten", "ter", "van", "von", "y", "zu", "zum", "zur",
)  # fmt: skip
"""Words in small letters that stand before a last name and belong to it; a full stop after them does not count."""
WITH_CAPITALS: Final = ("De", "Del", "Della", "Der", "Di", "Du", "La", "Le", "St", "Van", "Von")
"""Those that are written so too, after a first name: Van Morrison is a Morrison."""


def short_name(name: str) -> str:
    """The last word of a name, with what belongs to it; of both partners of a pair. Initials alone stay whole.

    >>> short_name("Marie Skłodowska-Curie"), short_name("John Smith Jr."), short_name("Ada")
    ('Skłodowska-Curie', 'Smith Jr.', 'Ada')
    >>> short_name("W. E. B. Du Bois"), short_name("Juana de la Cruz"), short_name("Van Morrison")
    ('Du Bois', 'de la Cruz', 'Morrison')
    >>> short_name("Ada Lovelace / Alan Turing"), short_name("A. L."), short_name("G. B. S. / Ada Lovelace")
    ('Lovelace / Turing', 'A. L.', 'G. B. S. / Lovelace')
    """
    return BETWEEN_PAIRS.join(map(_short_name_of_one, name.split(BETWEEN_PAIRS)))


def _short_name_of_one(name: str) -> str:
    words = name.split()
    if all(len(word) == 2 and word.endswith(".") for word in words):
        return name
    taken = 2 if words[-1:] and words[-1].rstrip(".").lower() in ("jr", "sr", "ii", "iii", "iv") else 1
    while taken < len(words) and _is_particle(words[-taken - 1], is_first=taken + 1 == len(words)):
        taken += 1
    return " ".join(words[-taken:]) or name


def _is_particle(word: str, *, is_first: bool) -> bool:
    bare = word.rstrip(".")
    return bare in PARTICLES or (bare in WITH_CAPITALS and not is_first)


def rename(value: Any, names: dict[str, str]) -> Any:
    """The side names in a line replaced, as keys and as values; a card or an outcome is never called A or B.

    >>> rename({"by": "A", "counts": {"A": 5, "B": 20}}, {"A": "Ann", "B": "Bob"})
    {'by': 'Ann', 'counts': {'Ann': 5, 'Bob': 20}}
    >>> rename({"boards": [{"by": "A"}, {"outcome": "stock"}]}, {"A": "Ann", "B": "Bob"})
    {'boards': [{'by': 'Ann'}, {'outcome': 'stock'}]}
    """
    if isinstance(value, list):
        return [rename(held, names) if isinstance(held, dict) else held for held in value]
    if isinstance(value, dict):
        return {names.get(key, key): rename(held, names) for key, held in value.items()}
    if isinstance(value, str):
        return names.get(value, value)
    return value


def as_start(words: str) -> str:
    """Words as a sentence begins with them; a name in the middle keeps its capitals, as `capitalize` would not.

    >>> as_start("hand 3 of Ann")
    'Hand 3 of Ann'
    """
    words = str(words)
    return words[:1].upper() + words[1:]
