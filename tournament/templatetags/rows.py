"""`{% table_rows table %}`: the rows of a list, formatted once (see `tournament.core.tables.fast`).

`{% kept_filters %}`: what a search keeps of the address: how the list is filtered and sorted, never its page.
"""

from typing import Any, Final

from django import template

from tournament.core.tables.fast import rows_html

FILTERS: Final = ("stage", "site", "state", "only", "sort")

register = template.Library()

register.simple_tag(rows_html, name="table_rows")


@register.simple_tag(takes_context=True)
def kept_filters(context: template.Context, search: str = "") -> list[tuple[str, Any]]:
    request = context.get("request")
    asked = request.GET if request is not None else {}
    return [(name, asked[name]) for name in FILTERS if name != search and asked.get(name)]
