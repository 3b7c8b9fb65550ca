"""References for bank transfers by ISO 11649: “RF”, two check digits, and the number of the entry.

A bank's own form refuses a reference with a typo. The check finds every wrong digit and any two swapped digits.
"""

import re
from typing import Final

FIGURES: Final = 8
_LETTERS: Final = "271500"
"""“RF” as figures (R is 27, F is 15), and 00 in the place of the check digits."""
_SHAPE: Final = re.compile(rf"(?=RF(\d\d)(\d{{{FIGURES}}}))")


def make_reference(number: int) -> str:
    """Return the reference of a number.

    >>> make_reference(123)
    'RF78 0000 0123'
    """
    body = f"{number:0{FIGURES}}"
    if len(body) > FIGURES:
        raise ValueError(f"{number} is too large for a reference")
    check = _check_of(body)
    return f"RF{check} {body[:4]} {body[4:]}"


def find_references(text: str) -> tuple[int, ...]:
    """Return the numbers of all valid references in a text, each once. Their spacing does not matter.

    >>> find_references("entry fee rf78-0000-0123 thank you"), find_references("RF78 0000 0132")
    ((123,), ())
    """
    plain = re.sub(r"[\W_]", "", text.upper(), flags=re.ASCII)
    found = (int(body) for check, body in _SHAPE.findall(plain) if check == _check_of(body))
    return tuple(dict.fromkeys(found))


def _check_of(body: str) -> str:
    return f"{98 - int(body + _LETTERS) % 97:02}"
