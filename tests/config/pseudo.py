"""A language nobody speaks: every text longer and in letters of its own, so that one left in English shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from django.utils.translation import _trans, override

PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
OWN = "áɓćďéƒǵĥíĵķĺɱńóþɋŕšťúνŵхýžÁɃĆĎÉƑǴĤÍĴĶĹṀŃÓÞɊŔŠŤÚṼŴХÝŽ"
LETTERS = str.maketrans(PLAIN, OWN)
KEPT = re.compile(r"%\(\w+\)[sdif]|%[sdif%]|\{\w*\}|<[^>]*>|&\w+;|&#\w+;")
"""What a text carries and must not lose: values, tags, entities."""


def pseudo(text: str) -> str:
    """
    >>> pseudo("Undo %(count)s <b>pairings</b>")
    'Úńďó %(count)s <b>þáíŕíńǵš</b> ~~~'
    """
    if not text.strip():
        return text
    pieces, at = [], 0
    for kept in KEPT.finditer(text):
        pieces += [text[at : kept.start()].translate(LETTERS), kept[0]]
        at = kept.end()
    pieces.append(text[at:].translate(LETTERS))
    return "".join(pieces) + " " + "~" * max(1, len(text) // 10)


@contextmanager
def pseudo_language() -> Iterator[None]:
    """Everything that is asked of the catalogues answers in the pseudo-language."""

    def several(singular: str, plural: str, number: Any) -> str:
        return pseudo(singular if number == 1 else plural)

    with (
        override("eo"),  # what is kept for a language is not kept for this one
        mock.patch.object(_trans, "get_language_from_request", return_value="eo"),  # nor by a request
        mock.patch.object(_trans, "gettext", pseudo),
        mock.patch.object(_trans, "ngettext", several),
        mock.patch.object(_trans, "pgettext", lambda _context, text: pseudo(text)),
        mock.patch.object(_trans, "npgettext", lambda _context, one, more, number: several(one, more, number)),
    ):
        yield
