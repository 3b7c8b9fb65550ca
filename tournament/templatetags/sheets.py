"""The cells of a line of a score sheet: a card has a hundred of them, and most are nothing but a figure."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.template.loader import get_template
from django.utils.html import escape
from django.utils.safestring import SafeString

from tournament.templatetags.gin import card

register = template.Library()


@register.simple_tag
def sheet_cells(cells: Sequence[Mapping[str, Any]]) -> SafeString:
    """The first one heads its line, if there is anything in it."""
    return SafeString("".join(_head(cell) if not place else _cell(cell) for place, cell in enumerate(cells)))


def _head(cell: Mapping[str, Any]) -> str:
    css = "is-number" if cell.get("numeric") else ""
    content = _content(cell)
    return (
        f'<th scope="row"{_attributes(cell, css)}>{content}</th>' if content else f"<td{_attributes(cell, css)}></td>"
    )


def _cell(cell: Mapping[str, Any]) -> str:
    return f"<td{_attributes(cell, cell.get('css', ''))}>{_content(cell)}</td>"


def _attributes(cell: Mapping[str, Any], css: str) -> str:
    span = int(cell.get("span", 1))
    return (f' colspan="{span}"' if span > 1 else "") + (f' class="{escape(css)}"' if css else "")


def _content(cell: Mapping[str, Any]) -> str:
    if cell.get("correction") or cell.get("rings") or cell.get("mark"):
        return get_template("components/sheet_cell.html").render({"cell": cell})
    return card(cell["card"]) if cell.get("card") else escape(cell.get("text", ""))
