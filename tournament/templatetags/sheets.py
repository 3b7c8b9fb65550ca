"""Fast rendering for score sheets, whose lines have about a hundred cells that are mostly plain numbers."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import template
from django.template.loader import get_template
from django.utils.html import escape
from django.utils.safestring import SafeString

from tournament.templatetags.gin import card

register = template.Library()

MAX_UNHYPHENATED_LETTERS: Final = 10
"""The maximum length of a word that fits into a narrow column without hyphens."""
MAX_HYPHENATED_PART_LETTERS: Final = 8
"""The preferred maximum length of each part of a hyphenated word."""
SOFT_HYPHEN: Final = "\u00ad"
_LONG_WORD_PATTERN: Final = re.compile(rf"\w{{{MAX_UNHYPHENATED_LETTERS + 1},}}")
_BETWEEN_CONSONANTS: Final = re.compile(
    r"(?<=\w{2}[aeiouyäöü][bcdfgjklmnpqrstvwxz])(?=[bcdfgjklmnpqrstvwxz]\w{2})(?<!c(?=k))(?<!s(?=ch))"
)
_BEFORE_ONE: Final = re.compile(r"(?<=\w{2}[aeiouyäöü])(?=[bcdfghjklmnpqrstvwxz][aeiouyäöü]\w)")


@register.filter
def hyphenated(name: str) -> str:
    """Add soft hyphens to long words in a name, because browsers do not hyphenate capitalized words.

    A word can break between two consonants after a vowel. Parts that are still too long can break before a consonant
    between vowels.

    >>> hyphenated("Featherstonehaugh").split(SOFT_HYPHEN)
    ['Feather', 'sto', 'ne', 'haugh']
    >>> hyphenated("Maximiliane Turing").split(SOFT_HYPHEN)
    ['Maxi', 'mi', 'liane Turing']
    """
    return _LONG_WORD_PATTERN.sub(lambda found: _hyphenate_word(found[0]), name)


def _hyphenate_word(word: str) -> str:
    parts = _BETWEEN_CONSONANTS.sub(SOFT_HYPHEN, word).split(SOFT_HYPHEN)
    return SOFT_HYPHEN.join(
        _BEFORE_ONE.sub(SOFT_HYPHEN, part) if len(part) > MAX_HYPHENATED_PART_LETTERS else part for part in parts
    )


@register.simple_tag
def sheet_cells(cells: Sequence[Mapping[str, Any]]) -> SafeString:
    """Render the cells of a score sheet's line. The first cell becomes a heading, unless it is empty."""
    return SafeString(
        "".join(_render_heading_cell(cell) if not place else _render_cell(cell) for place, cell in enumerate(cells))
    )


def _render_heading_cell(cell: Mapping[str, Any]) -> str:
    css = "is-number" if cell.get("numeric") else ""
    content = _render_content(cell)
    return (
        f'<th scope="row"{_render_attributes(cell, css)}>{content}</th>'
        if content
        else f"<td{_render_attributes(cell, css)}></td>"
    )


def _render_cell(cell: Mapping[str, Any]) -> str:
    return f"<td{_render_attributes(cell, cell.get('css', ''))}>{_render_content(cell)}</td>"


def _render_attributes(cell: Mapping[str, Any], css: str) -> str:
    span = int(cell.get("span", 1))
    return (f' colspan="{span}"' if span > 1 else "") + (f' class="{escape(css)}"' if css else "")


def _render_content(cell: Mapping[str, Any]) -> str:
    if cell.get("correction") or cell.get("rings") or cell.get("mark"):
        return get_template("components/sheet_cell.html").render({"cell": cell})
    return card(cell["card"]) if cell.get("card") else escape(cell.get("text", ""))
