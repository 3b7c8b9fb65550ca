"""Replace the letters of the sides in a stored line with names."""

from typing import Any


def rename(value: Any, names: dict[str, str]) -> Any:
    """Return the line with side names replaced, as keys and as values.

    This is safe because no card or outcome is called A or B.

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
    """Return words with a capital first letter, as a sentence begins. Unlike `capitalize`, it keeps later capitals.

    >>> as_start("hand 3 of Ann")
    'Hand 3 of Ann'
    """
    words = str(words)
    return words[:1].upper() + words[1:]
