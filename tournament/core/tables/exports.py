"""Any list as CSV or XLSX, with nothing in a cell that a spreadsheet would run."""

from decimal import Decimal
from typing import Any, Final

import tablib
from babel.numbers import get_currency_precision
from django.http import HttpRequest, HttpResponse
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from django_tables2 import Table

RUNS: Final = ("=", "+", "-", "@", "\t", "\r")
TYPES: Final = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def neutral(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula gets an apostrophe in front; numbers stay numbers.

    >>> neutral('=HYPERLINK("http://example.org")'), neutral("-5"), neutral(-5)
    ('\\'=HYPERLINK("http://example.org")', "'-5", -5)
    """
    if not isinstance(value, str):
        return value
    return f"'{value}" if value.startswith(RUNS) else value


def amount(cents: int, currency: str) -> Decimal:
    """An amount as a number with the currency's decimals.

    >>> amount(-80_00, "USD")
    Decimal('-80.00')
    """
    return Decimal(cents).scaleb(-get_currency_precision(currency))


def exported(request: HttpRequest, table: Table, name: str) -> HttpResponse | None:
    """The whole list as the file asked for by `?_export=csv` or `xlsx`; None where none is asked for."""
    kind = request.GET.get("_export", "")
    if kind not in TYPES:
        return None
    return as_file(kind, [[_plain(cell) for cell in row] for row in table.as_values()], name)


def as_file(kind: str, rows: list[list[Any]], name: str) -> HttpResponse:
    """Rows as a file, the first with the headings; a number stays a number."""
    plain = [[neutral(cell) for cell in row] for row in rows]
    content = tablib.Dataset(*plain[1:], headers=plain[0]).export(kind)
    body = ("\ufeff" + content).encode() if isinstance(content, str) else content
    response = HttpResponse(body, content_type=TYPES[kind])
    response["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    return response


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, int | float):
        return "" if value is None else value
    return strip_tags(value).strip() if isinstance(value, SafeString) else str(value)
