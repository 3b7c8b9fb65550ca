"""The rows of a list as one piece of HTML, each cell formatted once, instead of a template pass a row.

What a column says of itself (its `render_…`, default, attributes, `localize`) holds as in the template; columns that do
more than show a value (links, templates, dates) are asked through django-tables2 itself. `tests` hold both ways to the
same cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from typing import Any, Final

from django.db.models import Model
from django.template import Context
from django.template.base import render_value_in_context
from django.templatetags.l10n import localize, unlocalize
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django_tables2 import Column, Table
from django_tables2.columns.base import BoundColumn
from django_tables2.rows import BoundPinnedRow, BoundRow
from django_tables2.utils import signature

Cell = Callable[[BoundRow], Any]

_CONTEXT: Final = Context()
_WRITTEN: Final = {None: lambda value: render_value_in_context(value, _CONTEXT), True: localize, False: unlocalize}
"""By a column's `localize`: how a value that is no text is written."""


def rows_html(table: Table) -> SafeString:
    """Every row of the table's page, or nothing where there is none."""
    cells = [_written(column, table) for column in table.columns]
    return SafeString("".join(_pieces(table, cells)))


def _pieces(table: Table, cells: list[Callable[[BoundRow], str]]) -> Iterator[str]:
    own_attrs = bool(table.row_attrs)
    for row in table.paginated_rows:
        if own_attrs or isinstance(row, BoundPinnedRow):
            yield f"<tr {row.attrs.as_html()}>"
        else:
            yield f'<tr class="{row.get_even_odd_css_class()}">'
        for write in cells:
            yield write(row)
        yield "</tr>\n"


def _written(column: BoundColumn, table: Table) -> Callable[[BoundRow], str]:
    """How this column writes its whole cell of a row."""
    read = _read(column, table)
    in_words = _WRITTEN[column.localize]

    def inside(row: BoundRow) -> str:
        value = read(row)
        if type(value) is str:
            return escape(value)
        return _safe(value if isinstance(value, str) else in_words(value))

    if column.name == getattr(table, "row_header", None):
        return lambda row: f'<th scope="row" class="is-title">{inside(row)}</th>'
    if _has_callables(column.column.attrs) or _has_callables(table.attrs):
        return lambda row: _cell_of_its_own(column, row)
    start = _start(column)
    return lambda row: f"{start}{inside(row)}</td>"


def _safe(text: str) -> str:
    """Django's `conditional_escape` for what is a text already, at a fifth of its cost."""
    return text if isinstance(text, SafeString) else escape(text)


def _start(column: BoundColumn) -> str:
    return format_html('<td data-label="{}" {}>', column.header, column.attrs["td"].as_html())


def _cell_of_its_own(column: BoundColumn, row: BoundRow) -> str:
    """Where attributes depend on the row, the column is told which row it is about first."""
    column.current_value, column.current_record = row.get_cell(column.name), row.record
    value = column.current_value
    text = value if isinstance(value, str) else _WRITTEN[column.localize](value)
    return f"{_start(column)}{_safe(text)}</td>"


def _has_callables(attrs: Any) -> bool:
    return callable(attrs) or (isinstance(attrs, dict) and any(map(_has_callables, attrs.values())))


def _read(column: BoundColumn, table: Table) -> Cell:
    """The rendered value of a row: directly for a plain column, by django-tables2 for any other."""

    def asked(row: BoundRow) -> Any:
        return row.get_cell(column.name)

    name = column.accessor
    takes, catch_all = signature(column.render)
    if type(column.column) is not Column or column.link or callable(name) or "__" in name or "." in name:
        return asked
    if catch_all or set(takes) - {"value", "record"}:
        return asked
    if _has_choices(table, name):
        name = f"get_{name}_display"
    return _direct(column, str(name), (asked, "value" in takes, "record" in takes))


def _direct(column: BoundColumn, name: str, how: tuple[Cell, bool, bool]) -> Cell:
    asked, by_value, by_record = how
    empty, render = column.column.empty_values, column.render

    def read(row: BoundRow) -> Any:
        record = row.record
        if isinstance(record, dict):
            return asked(row)
        value = getattr(record, name, None)
        if type(value) is not str and callable(value):
            value = value()
        if value in empty:
            return column.default
        if by_value:
            return render(value=value, record=record) if by_record else render(value=value)
        return render(record=record) if by_record else render()

    return read


def _has_choices(table: Table, name: str) -> bool:
    model: type[Model] | None = getattr(table.data, "model", None)
    if model is None:
        return False
    return any(field.name == name and getattr(field, "choices", None) for field in model._meta.get_fields())
