"""A pseudo-language with longer texts and accented letters, which makes untranslated English texts visible."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final
from unittest import mock

from django.utils.translation import _trans, get_language, override

PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
OWN = "áɓćďéƒǵĥíĵķĺɱńóþɋŕšťúνŵхýžÁɃĆĎÉƑǴĤÍĴĶĹṀŃÓÞɊŔŠŤÚṼŴХÝŽ"
LETTERS = str.maketrans(PLAIN, OWN)
KEPT = re.compile(r"%\(\w+\)[sdif]|%[sdif%]|\{\w*\}|<[^>]*>|&\w+;|&#\w+;")
"""Placeholders, tags, and entities, which stay unchanged."""


def pseudo(text: str) -> str:
    """Return the text with accented letters, about a fourth longer, and with the same tags and placeholders.

    >>> pseudo("Undo %(count)s <b>pairings</b>")
    'Úńďó %(count)s <b>þáíŕíńǵš</b> ~~~~~~ ~'
    """
    if not text.strip():
        return text
    pieces, at = [], 0
    for kept in KEPT.finditer(text):
        pieces += [text[at : kept.start()].translate(LETTERS), kept[0]]
        at = kept.end()
    pieces.append(text[at:].translate(LETTERS))
    return " ".join(["".join(pieces), *_more(max(1, len(text) // LONGER))])


LONGER: Final = 4
"""Texts get longer by one part in this many. German texts are also about a fourth longer than English ones."""
WORD: Final = 6


def _more(letters: int) -> Iterator[str]:
    """Yield filler words that have this number of letters in total.

    >>> list(_more(8))
    ['~~~~~~', '~~']
    """
    while letters > 0:
        yield "~" * min(letters, WORD)
        letters -= WORD


def several(singular: str, plural: str, number: Any) -> str:
    return pseudo(singular if number == 1 else plural)


def speak_pseudo() -> None:
    """Make a whole process use the pseudo-language. Call this before anything is translated."""
    translations: Any = _trans
    translations.get_language_from_request = lambda request, check_path=False: "eo"
    for name, function in FUNCTIONS.items():
        setattr(translations, name, function)


FUNCTIONS: Final[dict[str, Callable[..., str]]] = {
    "gettext": pseudo,
    "ngettext": several,
    "pgettext": lambda _context, text: pseudo(text),
    "npgettext": lambda _context, one, more, number: several(one, more, number),
}


@contextmanager
def pseudo_catalog() -> Iterator[None]:
    """Within the block, translate texts into the pseudo-language whenever it is the active language."""
    with ExitStack() as patched:
        for name, answer in FUNCTIONS.items():
            patched.enter_context(mock.patch.object(_trans, name, _only_in_eo(answer, getattr(_trans, name))))
        yield


def _only_in_eo(pseudo_text: Callable[..., str], own_text: Callable[..., str]) -> Callable[..., str]:
    return lambda *asked: (pseudo_text if get_language() == "eo" else own_text)(*asked)


@contextmanager
def pseudo_language() -> Iterator[None]:
    """Activate the pseudo-language within the block, and translate every text into it."""
    with ExitStack() as patched:
        patched.enter_context(override("eo"))  # what is kept for a language is not kept for this one
        patched.enter_context(mock.patch.object(_trans, "get_language_from_request", return_value="eo"))
        for name, function in FUNCTIONS.items():
            patched.enter_context(mock.patch.object(_trans, name, function))
        yield
