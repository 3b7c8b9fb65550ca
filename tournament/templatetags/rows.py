"""Template tags for lists.

    {% table_rows table %}                  the rows of a table
    {% current_filters %}                   the request's filters and sorting, which a search form sends again
    {% other_query_params "sort" "page" %}  all query parameters of the request except these
    {% sort_choices table %}                the columns by which a list can be sorted
    {% cached_row "rows/of_this.html" row what=what %}  a row of a long list, rendered only once for the same content

`table_rows` and `cached_row` are fast, because the longest lists have hundreds of rows.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from html import escape
from itertools import cycle
from operator import mod
from typing import Any, Final, NamedTuple

from django import template
from django.db.models import Model
from django.template import Context, Template
from django.template.loader import get_template
from django.utils import timezone
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import get_language
from django_tables2 import A, Column, Table
from django_tables2.columns import BoundColumn

from tournament.templatetags.gin import moment

LIST_FILTER_PARAMS: Final = ("stage", "site", "state", "only", "sort")

register = template.Library()


@register.simple_tag(takes_context=True)
def current_filters(context: template.Context, search: str = "") -> list[tuple[str, Any]]:
    request = context.get("request")
    query = request.GET if request is not None else {}
    return [(name, query[name]) for name in LIST_FILTER_PARAMS if name != search and query.get(name)]


@register.simple_tag(takes_context=True)
def other_query_params(context: template.Context, *names: str) -> list[tuple[str, str]]:
    request = context.get("request")
    if request is None:
        return []
    return [(name, value) for name, values in request.GET.lists() if name not in names for value in values]


class _SortChoice(NamedTuple):
    """A column by which a list can be sorted. For the current column, `turned` is the value for the reverse order."""

    value: str
    label: Any
    turned: str = ""
    is_descending: bool = False


@register.simple_tag
def sort_choices(table: Table) -> list[_SortChoice]:
    choices = []
    for column in table.columns:
        if column.orderable and (label := str(column.header)).strip():
            alias = column.order_by_alias
            current = (alias, label, alias.next, alias.is_descending)
            choices.append(_SortChoice(*current) if column.is_ordered else _SortChoice(alias.next, label))
    return choices


# --- Rows of a table -------------------------------------------------------------------------------------------------
# Long tables are written column by column from their records, without a template for each row. The settings of a column
# (its `render_…`, default, attributes, `localize`) have the same effect as in the template. Columns with more than a
# value (links, templates, dates) come from django-tables2. Tests compare the results of both.

_VALUE_SEPARATOR: Final = "\0"


@dataclass(frozen=True, slots=True)
class _ColumnCells:
    """The HTML before and after each cell in a column, and a function that reads the value from a record."""

    start: str
    end: str
    read: Callable[[Any], Any]
    localize: bool | None

    def render_values(self, records: list[Any]) -> list[str]:
        """Return the records' values as HTML. If all are strings, they are escaped in one call for speed."""
        values = list(map(self.read, records))
        if set(map(type, values)) == {str}:
            escaped = escape(_VALUE_SEPARATOR.join(values)).split(_VALUE_SEPARATOR)
            if len(escaped) == len(values):
                return escaped
        return [_format_value(value, self.localize) for value in values]


@register.simple_tag(name="table_rows")
def render_table_rows(table: Table) -> SafeString:
    rows = list(table.paginated_rows)
    records = [row.record for row in rows]
    plain = not (table.row_attrs or table.get_top_pinned_data() or table.get_bottom_pinned_data())
    columns = [_make_column_cells(column, table, records) for column in table.columns] if plain and rows else [None]
    simple = [column for column in columns if column is not None]
    html = _render_plain_rows(simple, records) if len(simple) == len(columns) else _render_other_rows(table, rows)
    return SafeString("".join(html))


def _render_plain_rows(columns: list[_ColumnCells], records: list[Any]) -> Iterator[str]:
    around = [(column.start.replace("%", "%%"), column.end) for column in columns]
    cells = "".join(f"{start}%s{end}" for start, end in around)
    shapes = [f'<tr class="{parity}">{cells}</tr>\n' for parity in ("even", "odd")]
    return map(mod, cycle(shapes), zip(*[column.render_values(records) for column in columns], strict=True))


def _render_other_rows(table: Table, rows: list[Any]) -> Iterator[str]:
    fixed = {
        column.name: None if _has_callables(column, table) else _make_cell_tags(column, table)
        for column in table.columns
    }
    for row in rows:
        yield f"<tr {row.attrs.as_html()}>"
        for column, value in row.items():
            start, end = fixed[column.name] or _make_cell_tags(column, table)
            yield f"{start}{_format_value(value, column.localize)}{end}"
        yield "</tr>\n"


def _make_cell_tags(column: BoundColumn, table: Table) -> tuple[str, str]:
    if column.name == getattr(table, "row_header", None):
        css = " ".join(filter(None, ("is-title", column.column.attrs.get("td", {}).get("class"))))
        return format_html('<th scope="row" class="{}">', css), "</th>"
    return format_html('<td data-label="{}" {}>', column.header, column.attrs["td"].as_html()), "</td>"


def _has_callables(column: BoundColumn, table: Table) -> bool:
    """Return whether the HTML attributes of the column's cells depend on the row."""

    def has(attrs: Any) -> bool:
        return callable(attrs) or (isinstance(attrs, dict) and any(map(has, attrs.values())))

    return has(column.column.attrs) or has(table.attrs)


def _format_value(value: Any, localize: bool | None) -> str:
    """Return a value as HTML, formatted as in a template. `localize` is the column's setting."""
    if isinstance(value, str):
        return conditional_escape(value)
    if type(value) is int:
        return str(value)
    return _make_value_template(localize).render(Context({"value": value}))


@cache
def _make_value_template(localize: bool | None) -> Template:
    filters = {None: "", True: "|localize", False: "|unlocalize"}
    return Template("{% load l10n %}{{ value" + filters[localize] + " }}")


def _make_column_cells(column: BoundColumn, table: Table, records: list[Any]) -> _ColumnCells | None:
    """Return the parts for rendering a column's cells directly, or None if only django-tables2 can render them."""
    name, own = column.accessor, column.column
    render = getattr(table, f"render_{column.name}", own.render)
    takes, catch_all = _list_parameters(getattr(render, "__func__", render))
    if type(own) is not Column or column.link or callable(name) or _has_callables(column, table):
        return None
    if catch_all or takes - {"value", "record"} or any(isinstance(record, dict) for record in records):
        return None
    if "__" in name or "." in name:
        if "value" in takes:
            return None
        resolve = _make_resolver(name)
    else:
        resolve = _make_attribute_reader(records[0], name)
    start, end = _make_cell_tags(column, table)
    is_shown = getattr(render, "__func__", None) is Column.render
    read = _make_reader(column, resolve, None if is_shown else render, takes)
    return _ColumnCells(start, end, read, column.localize)


@lru_cache(maxsize=1000)
def _list_parameters(render: Callable[..., Any]) -> tuple[frozenset[str], bool]:
    parameters = inspect.signature(render).parameters
    return frozenset(parameters) - {"self"}, any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def _make_attribute_reader(record: Any, name: str) -> Callable[[Any], Any]:
    """Return a function that reads an attribute of a record.

    For a model field with choices, the function returns the display label.
    """
    if isinstance(record, Model) and any(
        field.name == name and getattr(field, "choices", None) for field in record._meta.get_fields()
    ):
        name = f"get_{name}_display"

    def resolve(record: Any) -> Any:
        value = getattr(record, name, None)
        return value() if type(value) is not str and callable(value) else value

    return resolve


def _make_resolver(name: str) -> Callable[[Any], Any]:
    accessor = A(name)

    def resolve(record: Any) -> Any:
        try:
            return accessor.resolve(record)
        except (LookupError, TypeError, ValueError):  # django-tables2 treats these as missing
            return None

    return resolve


def _make_reader(
    column: BoundColumn, resolve: Callable[[Any], Any], render: Callable[..., Any] | None, takes: frozenset[str]
) -> Callable[[Any], Any]:
    empty, by_value, by_record = column.column.empty_values, "value" in takes, "record" in takes

    def read(record: Any) -> Any:
        value = resolve(record)
        if value in empty:
            return column.default
        if render is None:
            return value
        if by_value:
            return render(value=value, record=record) if by_record else render(value=value)
        return render(record=record) if by_record else render()

    return read


# --- Cached rows -----------------------------------------------------------------------------------------------------
# A hall may have 128 tables, and a result changes only one of their rows. The template gets `row`, the arguments of the
# tag, `tournament` and `event`. Two placeholders are filled in for each page: `{{ token_here }}` by the hidden field of
# a form, and `{{ since_here }}` by the time in `row.since` and how long ago it was.

ROW_CACHE_SIZE: Final = 2000
"""The maximum number of items in a cache. A row takes a few hundred bytes, and long lists have a few hundred rows."""
CSRF_TOKEN_PLACEHOLDER: Final = SafeString("<!--token-->")
ELAPSED_TIME_PLACEHOLDER: Final = SafeString("<!--since-->")
"""A placeholder in cached rows for a time and how long ago it was.

User input cannot contain the placeholder, because user input is escaped.
"""

PAGE_CONTEXT_KEY: Final = "cached_row.page"


class _PageValues(NamedTuple):
    """Values that are the same for all rows on a page."""

    language: str | None
    slugs: tuple[str, str]
    zone: str
    minute: datetime
    token: str


@register.simple_tag(takes_context=True)
def cached_row(context: template.Context, name: str, row: Mapping[str, Any], **given: str) -> SafeString:
    page = context.render_context.get(PAGE_CONTEXT_KEY)
    if page is None:
        page = context.render_context[PAGE_CONTEXT_KEY] = _get_page_values(context)
    fixed = {key: value for key, value in row.items() if key != "since"}
    html = _render_row(name, page.language, page.slugs, _freeze(fixed), _freeze(given))
    since = _format_time_and_age(row["since"], page.zone, page.minute, page.language) if row.get("since") else ""
    return SafeString(html.replace(CSRF_TOKEN_PLACEHOLDER, page.token).replace(ELAPSED_TIME_PLACEHOLDER, since))


def _get_page_values(context: template.Context) -> _PageValues:
    place, event = context["tournament"], context["event"]
    zone = getattr(place, "time_zone", "")
    minute = timezone.now().replace(second=0, microsecond=0)
    return _PageValues(get_language(), (place.slug, event.slug), zone, minute, _make_token_field(context))


def _freeze(values: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((key, tuple(value) if isinstance(value, list) else value) for key, value in values.items())


@lru_cache(maxsize=ROW_CACHE_SIZE)
def _render_row(
    name: str,
    _language: str | None,
    slugs: tuple[str, str],
    row: tuple[tuple[str, Any], ...],
    given: tuple[tuple[str, Any], ...],
) -> str:
    page = {
        "tournament": {"slug": slugs[0]},
        "event": {"slug": slugs[1]},
        "token_here": CSRF_TOKEN_PLACEHOLDER,
        "since_here": ELAPSED_TIME_PLACEHOLDER,
    }
    return get_template(name).render({**page, **dict(given), "row": dict(row)})


def _make_token_field(context: template.Context) -> str:
    token = context.get("csrf_token")
    return format_html('<input type="hidden" name="csrfmiddlewaretoken" value="{}">', token) if token else ""


@lru_cache(maxsize=ROW_CACHE_SIZE)
def _format_time_and_age(at: datetime, zone: str, _minute: datetime, _language: str | None) -> str:
    """Format a time, and how long ago it was.

    Results are cached, because most of a round's tables have the same time.
    """
    return format_html(' <span class="second small">{}, {}</span>', moment(at, zone), timesince(at))
