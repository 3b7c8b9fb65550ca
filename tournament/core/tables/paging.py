from typing import Any

from django.http import HttpRequest, HttpResponse
from django_tables2 import RequestConfig, Table

from tournament.core.tables.exports import TYPES, exported


class Paging(RequestConfig):
    """`?page=` and `?sort=` as the visitor asks; the view alone says how many rows a page holds."""

    def __init__(self, request: HttpRequest, rows: int) -> None:
        super().__init__(request, paginate={"per_page": rows})

    def configure(self, table: Table) -> Any:
        table.per_page_field = "-"
        return super().configure(table)


def listed(request: HttpRequest, table: Table, name: str, *, rows: int, kept: str = "") -> HttpResponse | None:
    """So many rows a page, what was searched for, links to files; or the file of this name that is asked for.

    `kept` of the address stays in those links: `q=ann&`.
    """
    table.query = request.GET.get("q", "").strip()
    table.export_links = [{"label": kind.upper(), "url": f"?{kept}_export={kind}"} for kind in TYPES]
    Paging(request, rows).configure(table)
    return exported(request, table, name)
