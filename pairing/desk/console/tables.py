"""The tables page for events that are not paired at the desk: call matches to tables."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import redirect, render

from pairing.desk.pages import run_table_action
from pairing.desk.selectors.forecast import load_event_forecast
from pairing.draws.knockout.progress import BracketMatchState
from pairing.results.forms import TableRangeForm
from pairing.stages.pictures.boxes import describe_match, format_match_name, get_match_state_code
from pairing.stages.selectors.boards import BracketBoard, load_bracket_board
from pairing.stages.selectors.course import load_table_calls, load_tables_used_elsewhere, suggest_tables
from pairing.stages.selectors.plans import load_event_plan, load_stage_traits
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import make_event_url, run_and_flash_result
from tournament.models import Event
from tournament.spreadsheets.names import parse_number

MAX_ROWS_WITHOUT_SEARCH: Final = 10
"""A list with more rows than this gets a search field, which helps most on a phone."""


@staff_event_view("desk")
def tables_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the matches that are at tables or waiting for one.

    Staff can call a match to a table, free its table, or call all ready matches at once.
    """
    if load_stage_traits(event).at_tables:
        return redirect(make_event_url(event, "pairing:desk_seatings"))
    if request.method == "POST":
        run_and_flash_result(request, lambda: run_table_action(request, event))
        return redirect(request.get_full_path())
    board = load_bracket_board(event)
    if board is None and load_event_plan(event).desk_stages:
        return redirect(make_event_url(event, "pairing:desk_pairing"))
    context: dict[str, object] = {"board": board}
    if board is not None:
        context.update(
            _make_tables_context(board, load_table_calls(event), load_tables_used_elsewhere(event)),
            forecast=load_event_forecast(event),
        )
        context.update(_search_rows(context["rows"], request.GET.get("q", "").strip()))
    return render(request, "pairing/desk/tables.html", context)


def _make_tables_context(
    board: BracketBoard, called: Mapping[str, datetime], elsewhere: frozenset[int]
) -> dict[str, object]:
    busy, tables = set(board.tables.values()), board.tables
    ready = [view.match.id for view in board.progress.ready if len(view.entries) == 2]
    waiting = [ident for ident in ready if ident not in tables]
    free, _last = suggest_tables(1, (), busy | elsewhere)
    first, last = suggest_tables(len(ready), busy, elsewhere)
    playing = sorted((ident for ident in ready if ident in tables), key=lambda ident: tables[ident])
    return {
        "rows": [
            *(_make_row(board, ident, tables[ident], free) | {"since": called.get(ident)} for ident in playing),
            *(_make_row(board, ident, None, free) | {"since": None} for ident in waiting),
        ],
        "waiting": len(waiting),
        "all_form": TableRangeForm(initial={"first": first, "last": last}),
        "open": sum(view.state is BracketMatchState.WAITING for view in board.progress.views.values()),
    }


def _search_rows(rows: Any, wanted: str) -> dict[str, object]:
    """Return the rows that match the search text: a table, an entry number, or part of a name."""
    number = parse_number(wanted)
    if number is not None:
        found = [row for row in rows if number in (row["table"], *(entry for entry, _name, _out in row["names"]))]
    else:
        found = [
            row for row in rows if any(wanted.casefold() in name.casefold() for _entry, name, _out in row["names"])
        ]
    shown = {"rows": found, "clear_url": "?"} if wanted else {"rows": rows}
    return {"wanted": wanted, "is_long": len(rows) > MAX_ROWS_WITHOUT_SEARCH, **shown}


def _make_row(board: BracketBoard, ident: str, table: int | None, suggested: int) -> dict[str, object]:
    view = board.progress[ident]
    return {
        "ident": ident,
        "label": format_match_name(ident, board.round_count),
        "table": table,
        "suggested": table or suggested,
        "said": describe_match(board, view),
        "names": [(number, board.name(number), False) for number in view.entries],
        "state": get_match_state_code(board, view),
    }
