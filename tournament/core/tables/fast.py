"""The rows of a list as one piece of HTML, each cell formatted once, instead of a template pass a row.

What a column says of itself (its `render_…`, default, attributes, `localize`) holds as in the template; columns that do
more than show a value (links, templates, dates) are asked through django-tables2 itself. `tests` hold both ways to the
same cells.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import cycle
from operator import mod
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
from django_tables2.utils import Accessor, signature

Cell = Callable[[BoundRow], Any]
Text = Callable[[Any], str]
"""The HTML of a value."""

_BETWEEN: Final = "\0"
_CONTEXT: Final = Context()
_WRITTEN: Final = {None: lambda value: render_value_in_context(value, _CONTEXT), True: localize, False: unlocalize}
"""By a column's `localize`: how a value that is no text is written."""


@dataclass(frozen=True, slots=True)
class _Column:
    """How a column writes its cells: what stands before and behind each, and the text of a value between.

    `of_record`: the value is read from the record alone; else it is asked with the row.
    """

    start: str
    read: Callable[[Any], Any]
    text: Text
    end: str
    of_record: bool = False


def rows_html(table: Table) -> SafeString:
    """Every row of the table's page, or nothing where there is none."""
    plain = not any(isinstance(record, dict) for record in table.paginated_rows.data)
    columns = [_written(column, table, plain=plain) for column in table.columns]
    of_records = all(column.of_record for column in columns)
    if of_records and not table.row_attrs and not any(table.pinned_data.values()):
        return SafeString("".join(_plain_rows(table, columns)))
    return SafeString("".join(_pieces(table, columns)))


def _plain_rows(table: Table, columns: list[_Column]) -> Iterator[str]:
    """Each row filled into one shape, its cells written a column at a time: no row object is made for it."""
    cells = "".join(f"{_literal(column.start)}%s{_literal(column.end)}" for column in columns)
    shapes = [f'<tr class="{parity}">{cells}</tr>\n' for parity in ("even", "odd")]
    records = list(table.paginated_rows.data)
    rows = zip(*[_texts(column, records) for column in columns], strict=True)
    return map(mod, cycle(shapes), rows)


def _literal(text: str) -> str:
    return text.replace("%", "%%")


def _texts(column: _Column, records: list[Any]) -> list[str]:
    """The column's texts: plain ones are escaped in one go, all others one by one."""
    values = list(map(column.read, records))
    if set(map(type, values)) == {str}:
        escaped = escape(_BETWEEN.join(values)).split(_BETWEEN)
        if len(escaped) == len(values):
            return escaped
    return [column.text(value) for value in values]


def _pieces(table: Table, columns: list[_Column]) -> Iterator[str]:
    own_attrs = bool(table.row_attrs)
    for row in table.paginated_rows:
        if own_attrs or isinstance(row, BoundPinnedRow):
            yield f"<tr {row.attrs.as_html()}>"
        else:
            yield f'<tr class="{row.get_even_odd_css_class()}">'
        for column in columns:
            yield f"{column.start}{column.text(column.read(row.record if column.of_record else row))}{column.end}"
        yield "</tr>\n"


def _written(column: BoundColumn, table: Table, *, plain: bool) -> _Column:
    """How this column writes its whole cell of a row; `plain`: the records are objects, no dictionaries."""
    read, of_record = _read(column, table, plain=plain)
    text = _in_html(_WRITTEN[column.localize])
    if column.name == getattr(table, "row_header", None):
        return _Column(format_html('<th scope="row" class="{}">', _title_class(column)), read, text, "</th>", of_record)
    if _has_callables(column.column.attrs) or _has_callables(table.attrs):
        return _Column("", lambda row: row, lambda row: _cell_of_its_own(column, row), "")
    return _Column(_start(column), read, text, "</td>", of_record)


def _title_class(column: BoundColumn) -> str:
    """The cell that names its row is a title, and besides what its column says of all cells."""
    return " ".join(filter(None, ("is-title", column.column.attrs.get("td", {}).get("class"))))


def _in_html(in_words: Callable[[Any], Any]) -> Text:
    def text(value: Any) -> str:
        if type(value) is str:
            return escape(value)
        return _safe(value if isinstance(value, str) else in_words(value))

    return text


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


def _read(column: BoundColumn, table: Table, *, plain: bool) -> tuple[Callable[[Any], Any], bool]:
    """The rendered value: from the record for a plain column, by django-tables2 from the row for any other."""

    def asked(row: BoundRow) -> Any:
        return row.get_cell(column.name)

    name = column.accessor
    takes, catch_all = _takes(getattr(column.render, "__func__", column.render))
    if type(column.column) is not Column or column.link or callable(name) or "." in name:
        return asked, False
    if catch_all or takes - {"value", "record"} or not plain:
        return asked, False
    if "__" in name:
        return (asked, False) if "value" in takes else (_from_afar(column, Accessor(name)), True)
    if _has_choices(table, name):
        name = f"get_{name}_display"
    return _direct(column, str(name), by_value="value" in takes, by_record="record" in takes), True


@lru_cache(maxsize=1000)
def _takes(render: Callable[..., Any]) -> tuple[frozenset[str], bool]:
    """Names of the arguments that a method asks for, and whether it takes any others."""
    names, catch_all = signature(render)
    return frozenset(names) - {"self"}, bool(catch_all)


def _direct(column: BoundColumn, name: str, *, by_value: bool, by_record: bool) -> Callable[[Any], Any]:
    empty, render = column.column.empty_values, column.render
    shows_value = getattr(render, "__func__", None) is Column.render

    def read(record: Any) -> Any:
        value = getattr(record, name, None)
        if type(value) is not str and callable(value):
            value = value()
        if value in empty:
            return column.default
        if shows_value:
            return value
        if by_value:
            return render(value=value, record=record) if by_record else render(value=value)
        return render(record=record) if by_record else render()

    return read


def _from_afar(column: BoundColumn, name: Accessor) -> Callable[[Any], Any]:
    """Of a column that is written from its record: the value behind several names only says whether it is empty."""
    empty, render = column.column.empty_values, column.render
    of_record = {"record"} <= _takes(getattr(render, "__func__", render))[0]

    def read(record: Any) -> Any:
        try:
            value = name.resolve(record)
        except (LookupError, TypeError, ValueError):  # as django-tables2 takes what is not there
            value = None
        if value in empty:
            return column.default
        return render(record=record) if of_record else render()

    return read


def _has_choices(table: Table, name: str) -> bool:
    model: type[Model] | None = getattr(table.data, "model", None)
    if model is None:
        return False
    return any(field.name == name and getattr(field, "choices", None) for field in model._meta.get_fields())
