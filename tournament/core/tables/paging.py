from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django_tables2 import RequestConfig, Table


class Paging(RequestConfig):
    """`?page=` and `?sort=` as the visitor asks; the view alone says how many rows a page holds."""

    def __init__(self, request: HttpRequest, rows: int) -> None:
        super().__init__(request, paginate={"per_page": rows})

    def configure(self, table: Table) -> Any:
        table.per_page_field = "-"
        return super().configure(table)
