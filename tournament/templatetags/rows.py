"""`{% table_rows table %}`: the rows of a list, formatted once (see `tournament.core.tables.fast`).

`{% kept_filters %}`: what a search keeps of the address: how the list is filtered and sorted, never its page.
`{% kept_besides "sort" "page" %}`: all of the address but these.
`{% sort_choices table %}`: the columns that a list can be sorted by.
"""

from typing import Any, Final, NamedTuple

from django import template
from django_tables2 import Table

from tournament.core.tables.fast import rows_html

FILTERS: Final = ("stage", "site", "state", "only", "sort")

register = template.Library()

register.simple_tag(rows_html, name="table_rows")


@register.simple_tag(takes_context=True)
def kept_filters(context: template.Context, search: str = "") -> list[tuple[str, Any]]:
    request = context.get("request")
    asked = request.GET if request is not None else {}
    return [(name, asked[name]) for name in FILTERS if name != search and asked.get(name)]


@register.simple_tag(takes_context=True)
def kept_besides(context: template.Context, *names: str) -> list[tuple[str, str]]:
    request = context.get("request")
    if request is None:
        return []
    return [(name, value) for name, values in request.GET.lists() if name not in names for value in values]


class SortChoice(NamedTuple):
    """How the address says it, the column's head; `turned`: the other order, of the one that it is sorted by now."""

    value: str
    label: Any
    turned: str = ""
    is_descending: bool = False


@register.simple_tag
def sort_choices(table: Table) -> list[SortChoice]:
    found = []
    for column in table.columns:
        if column.orderable and (label := str(column.header)).strip():
            alias = column.order_by_alias
            of_now = (alias, label, alias.next, alias.is_descending)
            found.append(SortChoice(*of_now) if column.is_ordered else SortChoice(alias.next, label))
    return found
