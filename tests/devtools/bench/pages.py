from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.cache import cache
from django.template import engines
from django.test import Client

from config.pages.page_process import reduce_garbage_collection
from tests.devtools.bench.timing import Figure, best_in_turn
from tests.factories import an_entrant, an_event
from tests.kit import public_url
from tournament.models import Event
from tournament.registration.public import ROWS_PER_PAGE, PublicEntrantTable
from tournament.registration.selectors.entries import load_public_entrants
from tournament.templatetags.rows import render_table_rows

ROWS = 256
TURNS = 6
"""The number of rounds. Each function runs five times a round, so that disturbances affect all functions equally."""
A_TENTH = 0.1
A_PASS_A_ROW = """{% for row in table.paginated_rows %}<tr {{ row.attrs.as_html }}>{% for column, cell in row.items %}
{% if column.name == table.row_header %}<th scope="row" class="is-title">{{ cell }}</th>
{% else %}<td data-label="{{ column.header }}" {{ column.attrs.td.as_html }}>{{ cell }}</td>{% endif %}
{% endfor %}</tr>{% endfor %}"""


def _an_event_of_many() -> Event:
    event = an_event()
    for turn in range(ROWS):
        an_entrant(event, f"Růžena Kealoha {turn}", club="Palm Desert & Indio")
    return event


def measure_pages() -> list[Figure]:
    event = _an_event_of_many()
    slow_template = engines["django"].from_string(A_PASS_A_ROW)

    def table() -> PublicEntrantTable:
        return PublicEntrantTable(load_public_entrants(event), event=event)

    def loaded() -> PublicEntrantTable:
        made = table()
        list(made.data.data)
        return made

    page = _page(event)
    page()
    reduce_garbage_collection()  # as in a process that makes pages
    slow, fast, cold, kept = best_in_turn(
        _on_fresh(loaded, lambda made: slow_template.render({"table": made})),
        _on_fresh(loaded, render_table_rows),
        lambda: _cold(page),
        page,
        tries=TURNS,
    )
    tenth, whole = "a tenth of row-by-row rendering", "a tenth of the page with row-by-row rendering"
    return [
        Figure(f"rendering the rows of {ROWS} entrants as HTML", fast, slow * A_TENTH, against=tenth),
        Figure(f"the whole page of {ROWS} entrants, from cold", cold, (cold - fast + slow) * A_TENTH, against=whole),
        Figure(
            f"the whole page of {ROWS} entrants, for the next reader",
            kept,
            (cold - fast + slow) * A_TENTH,
            against=whole,
        ),
    ]


def _on_fresh(make: Callable[[], Any], work: Callable[[Any], object]) -> Callable[[], object]:
    """Return a function that calls `work` with an argument from `make`.

    The arguments are made in advance, so that only `work` is measured.
    """
    made = [make() for _turn in range(5 * TURNS)]
    return lambda: work(made.pop())


def _page(event: Event) -> Callable[[], None]:
    client = Client(headers={"host": "localhost"})
    address = public_url(event, "entrants/")

    def read() -> None:
        answer = client.get(address)
        if answer.status_code != 200 or answer.content.count(b'scope="row"') != ROWS_PER_PAGE:
            raise RuntimeError("the page does not show its rows")

    return read


def _cold(page: Callable[[], None]) -> None:
    cache.clear()
    page()
