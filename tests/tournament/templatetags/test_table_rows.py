"""`render_table_rows` renders table rows fast, but with exactly the cells that the template renders."""

from __future__ import annotations

import datetime as dt
from html.parser import HTMLParser
from typing import Any

import django_tables2 as tables
import pytest
from django.template import engines
from django.test import RequestFactory
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django_tables2 import RequestConfig

from tests.factories import a_tournament, an_entrant, an_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import AuditEntry, Entrant
from tournament.money.tables import CheckInTable, EntryMoneyRow, PaymentTable
from tournament.purse.fees import EntryAccount
from tournament.registration.public import PublicEntrantTable
from tournament.registration.selectors.entries import load_public_entrants
from tournament.setup.console.staff import LogTable
from tournament.templatetags.rows import render_table_rows

THE_SLOW_WAY = """{% load l10n %}{% for row in table.paginated_rows %}
<tr {{ row.attrs.as_html }}>{% for column, cell in row.items %}
{% if column.name == table.row_header %}<th scope="row" class="is-title{% if column.column.attrs.td.class %} {{ column.column.attrs.td.class }}{% endif %}">{{ cell }}</th>
{% else %}<td data-label="{{ column.header }}" {{ column.attrs.td.as_html }}>{% if column.localize is None %}{{ cell }}{% elif column.localize %}{{ cell|localize }}{% else %}{{ cell|unlocalize }}{% endif %}</td>{% endif %}
{% endfor %}</tr>{% endfor %}"""  # noqa: E501

NAMES = ["Ada", "<b>Bob</b> & sons", '=HYPERLINK("x")', "Růžena Kealoha ʻŌ", ""]


class Cells(HTMLParser):
    """Parse the HTML of table rows, and collect the tag, the attributes and the content of each cell."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.rows: list[list[Any]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "tr":
            self.rows.append([sorted(attrs)])
        elif tag in ("td", "th"):
            self.rows[-1].append([tag, sorted(attrs), ""])
            self.inside = True
        else:
            self._add(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.inside = False
        elif tag != "tr":
            self._add(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self._add(data)

    def handle_entityref(self, name: str) -> None:
        self._add(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._add(f"&#{name};")

    def _add(self, text: str) -> None:
        if self.inside:
            self.rows[-1][-1][2] += text


def cells(html: str) -> list[list[Any]]:
    parser = Cells()
    parser.feed(html)
    return parser.rows


def assert_the_same(make: Any) -> None:
    slow = engines["django"].from_string(THE_SLOW_WAY).render({"table": make()})
    expected = cells(slow)
    assert cells(render_table_rows(make())) == expected
    assert expected, "there is a row to compare"


class Loud(tables.Column):
    def render(self, value: Any, table: Any) -> str:
        return f"{value}! of {len(table.rows)}"


class OddTable(tables.Table):
    plain = tables.Column()
    number = tables.Column(attrs={"td": {"class": "is-number", "data-kind": "n&m"}})
    money = tables.Column(localize=True)
    digits = tables.Column(localize=False)
    far = tables.Column(accessor="inner__name")
    gone = tables.Column(default="none <i>", accessor="nowhere")
    shown = tables.Column(empty_values=(), accessor="nowhere")
    by_row = tables.Column(accessor="plain", attrs={"td": {"class": lambda record: f"c{record['number']}"}})
    linked = tables.Column(accessor="plain", linkify=lambda record: f"/x/{record['number']}/?a=1&b=2")
    loud = Loud(accessor="plain")
    when = tables.DateTimeColumn(format="Y-m-d H:i")
    hidden = tables.Column(accessor="plain", visible=False)

    row_header = "plain"

    class Meta:
        row_attrs = {"data-row": lambda record: record["number"]}  # noqa: RUF012

    def render_shown(self, record: Any, bound_column: Any) -> SafeString:
        return format_html("<em>{}</em>{}", record["plain"], bound_column.name)


def _odd_rows() -> list[dict[str, Any]]:
    when = dt.datetime(2026, 11, 27, 18, 30, tzinfo=dt.UTC)
    return [
        {
            "plain": name,
            "number": 1234567 + turn,
            "money": 1234.5,
            "digits": 1234.5,
            "inner": {"name": name},
            "when": when,
        }
        for turn, name in enumerate(NAMES)
    ]


def test_every_kind_of_column() -> None:
    assert_the_same(lambda: OddTable(_odd_rows()))


class PlainTable(tables.Table):
    name = tables.Column()
    count = tables.Column(attrs={"td": {"class": "is-number"}})
    rendered = tables.Column(accessor="name")
    of_record = tables.Column(accessor="name", empty_values=())

    class Meta:
        attrs = {"td": {"class": lambda value: f"is-{value}"}}  # noqa: RUF012

    def render_rendered(self, value: str) -> SafeString:
        return format_html("<b>{}</b>", value)

    def render_of_record(self, record: Any, value: str) -> str:
        return f"<{record.count}> {value}"


class Row:
    def __init__(self, name: str, count: int) -> None:
        self.name, self.count = name, count


def test_plain_objects_and_attributes_of_the_table() -> None:
    assert_the_same(lambda: PlainTable([Row(name, turn) for turn, name in enumerate(NAMES)]))


def test_one_page_of_a_longer_list() -> None:
    def make() -> tables.Table:
        table = PlainTable([Row(f"name {turn}", turn) for turn in range(30)])
        RequestConfig(RequestFactory().get("/?page=2&sort=-count"), paginate={"per_page": 10}).configure(table)
        return table

    assert_the_same(make)
    assert [row[2][2] for row in cells(render_table_rows(make()))] == [str(n) for n in range(19, 9, -1)]


class FarTable(tables.Table):
    """A table whose columns read attributes of related objects, or compute their cells from the record."""

    there = tables.Column(accessor="inner__name")
    gone = tables.Column(accessor="inner__nowhere__name", default="none")
    always = tables.Column(accessor="nowhere__name", empty_values=())

    def render_there(self, record: Row) -> SafeString:
        return format_html("<b>{}</b>", record.name)

    def render_gone(self, record: Row) -> str:
        return record.name

    def render_always(self) -> str:
        return "always <i>"


def test_values_behind_several_names() -> None:
    def rows() -> list[Row]:
        made = [Row(name, turn) for turn, name in enumerate(NAMES)]
        for row in made[1:]:
            row.inner = Row(row.name, 0)  # type: ignore[attr-defined]
        return made

    assert_the_same(lambda: FarTable(rows()))


class SharesTable(tables.Table):
    name = tables.Column(verbose_name="Name & %s", attrs={"td": {"title": "100 %"}})
    count = tables.Column()

    row_header = "count"


@pytest.mark.parametrize("odd", ["50 % of %s", "a\0b & c", None, 7, SafeString("<i>x</i>")])
def test_columns_that_are_written_as_a_whole(odd: Any) -> None:
    rows = [Row(name, turn) for turn, name in enumerate([*NAMES, odd])]
    assert_the_same(lambda: SharesTable(rows))


def test_an_empty_list_has_no_rows() -> None:
    assert render_table_rows(PlainTable([])) == ""


def test_nothing_in_a_cell_becomes_markup() -> None:
    html = render_table_rows(PlainTable([Row("<script>alert(1)</script>", 1)]))
    assert "<script" not in html


@pytest.mark.django_db
def test_the_public_list_of_entrants() -> None:
    event = an_event()
    states = list(Entrant.State)
    for turn, name in enumerate(NAMES[:4] * 2):
        an_entrant(event, name, state=states[turn % len(states)], club="Club <1>" if turn % 2 else "")
    assert_the_same(lambda: PublicEntrantTable(load_public_entrants(event), event=event))


@pytest.mark.django_db
def test_the_public_list_of_an_event_with_sites() -> None:
    event = an_event(sites=["Palm Desert", "Čáslav & Kutná Hora"])
    for turn, name in enumerate(NAMES[:4]):
        an_entrant(event, name, site=event.sites[turn % 2])
    assert_the_same(lambda: PublicEntrantTable(load_public_entrants(event), event=event))
    assert "Čáslav &amp; Kutná Hora" in render_table_rows(PublicEntrantTable(load_public_entrants(event), event=event))


@pytest.mark.django_db
def test_the_log() -> None:
    tournament = a_tournament()
    for name in NAMES[:4]:
        with writing(tournament, verb="test.written", by=SYSTEM_ACTOR, reason=name) as write:
            write.about(name)
    assert_the_same(lambda: LogTable(AuditEntry.objects.all()))


@pytest.mark.django_db
def test_the_check_in_list() -> None:
    event, money = an_event(), [EntryAccount(owed_cents=30000, paid_cents=10000 * turn) for turn in range(len(NAMES))]
    rows = [
        EntryMoneyRow(
            turn + 1, name, "Club", name, turn % 2 == 0, "in" if turn != 3 else "removed", money[turn], "Cash"
        )
        for turn, name in enumerate(NAMES)
    ]
    for table in (CheckInTable, PaymentTable):
        assert_the_same(lambda table=table: table(rows, event=event))
