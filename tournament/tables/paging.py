from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django_tables2 import RequestConfig, Table


class Paging(RequestConfig):
    """`?page=` and `?sort=` as the visitor asks; how many rows a page holds is for the view to say, not for him."""

    def __init__(self, request: HttpRequest, rows: int) -> None:
        super().__init__(request, paginate={"per_page": rows})

    def configure(self, table: Table) -> Any:
        table.per_page_field = "-"
        return super().configure(table)
