"""Each row of a long list is rendered once for the same content. Every page inserts its own form token and time."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
import time_machine
from django.template import Context, Template
from django.utils import translation

from tests.factories import an_event
from tournament.models import Event
from tournament.templatetags import rows as tags

PAGE = Template(
    '{% load rows %}{% for row in rows %}{% cached_row "pairing/desk/call_row.html" row what="Match" %}{% endfor %}'
)
CALLED = dt.datetime(2026, 11, 28, 18, 0, tzinfo=dt.UTC)


def a_row(**said: Any) -> dict[str, Any]:
    row = {"ident": "W1M1", "label": "Match 1", "table": 4, "suggested": 4, "said": "Ada – Bob", "state": "playing"}
    return row | {"names": [(1, "Ada <b>", False), (2, "Bob", False)], "since": CALLED} | said


def rendered(event: Event, *rows: dict[str, Any], token: str = "one") -> str:
    context = {"tournament": event.tournament, "event": event, "rows": rows, "csrf_token": token}
    return PAGE.render(Context(context))


@pytest.fixture
def event(db: None) -> Event:
    tags._render_row.cache_clear()
    return an_event()


@time_machine.travel(CALLED + dt.timedelta(minutes=12), tick=False)
def test_a_second_view_renders_no_row_but_has_its_own_token(event: Event) -> None:
    first = rendered(event, a_row(), a_row(ident="W1M2", table=5))
    second = rendered(event, a_row(), a_row(ident="W1M2", table=5), token="two")
    assert tags._render_row.cache_info().misses == 2
    assert first.count('value="one"') == 2 and second == first.replace('value="one"', 'value="two"')
    assert "Ada &lt;b&gt;" in first and "<!--" not in first and "12\xa0minutes" in first


def test_time_goes_on_and_another_row_is_another(event: Event) -> None:
    with time_machine.travel(CALLED + dt.timedelta(minutes=12), tick=False):
        before = rendered(event, a_row())
    with time_machine.travel(CALLED + dt.timedelta(minutes=15), tick=False):
        later, moved = rendered(event, a_row()), rendered(event, a_row(table=9))
        waits = rendered(event, a_row(table=None, since=None))
    assert later == before.replace("12\xa0minutes", "15\xa0minutes") != moved
    assert ">9<" in moved and "minutes" not in waits


def test_each_language_and_each_event_has_its_own(event: Event) -> None:
    english = rendered(event, a_row())
    with translation.override("de"):
        rendered(event, a_row())
    assert tags._render_row.cache_info().misses == 2
    assert english != rendered(an_event(), a_row())
