"""Template tags for lists.

    {% table_rows table %}           the rows of a table (see `tournament.core.tables.fast`)
    {% kept_filters %}               filters and sorting that a search form sends along, without the page number
    {% kept_besides "sort" "page" %} the whole query except these names
    {% sort_choices table %}         the columns by which a list can be sorted

The two tags in the middle read the query of the current request.
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
    """A column that a list can be sorted by: its value in the query and its heading.

    For the column of the current order, `turned` is the value of the reverse order.
    """

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
