from typing import Any

from django.http import HttpRequest, HttpResponse
from django_tables2 import RequestConfig, Table

from tournament.core.tables.exports import TYPES, exported


class Paging(RequestConfig):
    """Paging and sorting by `?page=` and `?sort=`. The view alone sets the rows per page."""

    def __init__(self, request: HttpRequest, rows: int) -> None:
        super().__init__(request, paginate={"per_page": rows})

    def configure(self, table: Table) -> Any:
        table.per_page_field = "-"
        return super().configure(table)


def listed(request: HttpRequest, table: Table, name: str, *, rows: int, kept: str = "") -> HttpResponse | None:
    """Configure the table's paging, search and links to files. Return the file if one is requested.

    `kept` is the part of the query that the links repeat, such as `q=ann&`.
    """
    table.query = request.GET.get("q", "").strip()
    table.export_links = [{"label": kind.upper(), "url": f"?{kept}_export={kind}"} for kind in TYPES]
    Paging(request, rows).configure(table)
    return exported(request, table, name)
