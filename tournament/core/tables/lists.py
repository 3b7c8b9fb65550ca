"""Lists as tables, with name columns, paging and search, and downloads of the whole list as CSV or XLSX."""

import csv
import datetime as dt
import io
import re
from decimal import Decimal
from typing import Any, Final

import tablib
from babel.numbers import get_currency_precision
from django.http import HttpRequest, HttpResponse
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django_tables2 import RequestConfig, Table

from tournament.core.selectors.copies import is_output_of_copy
from tournament.core.selectors.program import format_program_version
from tournament.spreadsheets.names import propose_entry_sort_name, sort_key

NAME_CELL_ATTRS: Final = {"td": {"class": "is-name"}, "tf": {"class": "is-title"}}
"""HTML attributes of a name column.

Long words in its cells may wrap, and its footer cell is the title of the totals.
"""

PERSON_CELL_ATTRS: Final = {"td": {"class": "is-name is-person"}}
"""HTML attributes of a column with people's names, which is wide enough that long names do not wrap."""

HIDDEN_ON_TABLET_CLASS: Final = "is-extra"
"""The CSS class of cells that are hidden on a tablet in portrait orientation."""

ORDER_BY_FAMILY_NAME: Final = ("sort_key", "number")
"""The `order_by` of a name column. Rows that only have a name get their sort key from `FamilyNameSortMixin`."""


class FamilyNameSortMixin:
    """A mixin for rows that have only a name. The sort key is derived from the name when the list is sorted."""

    __slots__ = ()
    name: str

    @property
    def sort_key(self) -> str:
        return make_entry_sort_key(self.name)


def make_entry_sort_key(name: str) -> str:
    return sort_key(propose_entry_sort_name(name))


def export_plain_value(table: Table, value: Any) -> Any:
    """Return the plain value of a cell for exported files.

    Tables use this function as the `value_…` method of a column that contains markup on the page.
    """
    return value


class ListRequestConfig(RequestConfig):
    """Paging and sorting with `?page=` and `?sort=`. Only the view can set the number of rows per page."""

    def __init__(self, request: HttpRequest, rows: int) -> None:
        super().__init__(request, paginate={"per_page": rows})

    def configure(self, table: Table) -> Any:
        table.per_page_field = "-"
        return super().configure(table)


def configure_or_export_list(
    request: HttpRequest, table: Table, name: str, *, rows: int, link_query: str = ""
) -> HttpResponse | None:
    """Configure the table's paging, search and download links. Return the file if the request asks for one.

    The download links include `link_query`, such as `q=ann&`.
    """
    table.query = request.GET.get("q", "").strip()
    table.export_links = [
        {"label": kind.upper(), "url": f"?{link_query}_export={kind}"} for kind in EXPORT_CONTENT_TYPES
    ]
    ListRequestConfig(request, rows).configure(table)
    return export_if_requested(request, table, name)


# --- Files -----------------------------------------------------------------------------------------------------------
# No cell may contain anything that a spreadsheet would run as a formula.

FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t", "\r")
EXPORT_CONTENT_TYPES: Final = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

_LINE_START_IN_TEXT_PATTERN: Final = re.compile(r"([;\t\r\n]\s*)(?=[=+@-])")
"""A character at which some programs split cells, followed by one that begins a formula."""
_PHONE_PATTERN: Final = re.compile(r"\+\d[\d\s().-]*")


def escape_formula(value: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would treat as a formula. Phone numbers are not changed.

    The reader of imported lists removes the apostrophe.

    >>> escape_formula("=1+1"), escape_formula("-5"), escape_formula(-5), escape_formula("+1 512 555 0100")
    ("'=1+1", "'-5", -5, '+1 512 555 0100')
    >>> escape_formula("Ada;=1+1")
    "Ada;'=1+1"
    """
    if not isinstance(value, str):
        return value
    text = _LINE_START_IN_TEXT_PATTERN.sub(r"\1'", value)
    return f"'{text}" if text.startswith(FORMULA_PREFIXES) and not _PHONE_PATTERN.fullmatch(text) else text


def to_decimal_amount(cents: int, currency: str) -> Decimal:
    """Return an amount in cents as a decimal number in the currency's main unit.

    >>> to_decimal_amount(-80_00, "USD")
    Decimal('-80.00')
    """
    return Decimal(cents).scaleb(-get_currency_precision(currency))


def export_if_requested(request: HttpRequest, table: Table, name: str) -> HttpResponse | None:
    """Return the whole list as a file if the query contains `_export=csv` or `_export=xlsx`, otherwise None."""
    kind = request.GET.get("_export", "")
    if kind not in EXPORT_CONTENT_TYPES:
        return None
    return export_rows(kind, [[_to_export_value(cell) for cell in row] for row in table.as_values()], name)


def export_rows(kind: str, rows: list[list[Any]], name: str) -> HttpResponse:
    """Return rows as a file for download. The first row contains the headings."""
    if is_output_of_copy():
        name = f"copy-{name}"
    body = _make_workbook(rows) if kind == "xlsx" else _make_csv(rows)
    response = HttpResponse(body, content_type=EXPORT_CONTENT_TYPES[kind])
    response["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    return response


def _make_csv(rows: list[list[Any]]) -> bytes:
    data = tablib.Dataset(headers=[escape_formula(heading) for heading in rows[0]])
    data.extend([escape_formula(cell) for cell in row] for row in rows[1:])
    content: str = data.export("csv", quoting=csv.QUOTE_ALL)  # so that a separator inside a cell does not split it
    return ("\ufeff" + content).encode()


def _make_workbook(rows: list[list[Any]]) -> bytes:
    """Return a workbook with typed numbers, amounts and dates. Text is never treated as a formula."""
    from openpyxl import Workbook  # here, because it takes a tenth of the time in which a process starts

    book = Workbook(write_only=True)
    book.properties.creator = format_program_version()
    sheet = book.create_sheet(_("COPY") if is_output_of_copy() else None)
    for row in rows:
        sheet.append([_make_workbook_cell(sheet, value) for value in row])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _make_workbook_cell(sheet: Any, value: Any) -> Any:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if isinstance(value, dt.datetime) and value.tzinfo is not None:  # a workbook has no time zones
        value = value.replace(tzinfo=None)
    cell = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("", value) if isinstance(value, str) else value)
    if isinstance(value, str):
        cell.data_type = "s"
        cell.quotePrefix = value.startswith(FORMULA_PREFIXES)
    if isinstance(value, Decimal):
        cell.number_format = "#,##0.00"
    return cell


def _to_export_value(value: Any) -> Any:
    if value is None or isinstance(value, int | float | Decimal | dt.date):
        return "" if value is None else value
    return strip_tags(value).strip() if isinstance(value, SafeString) else str(value)
