from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.draws.knockout.progress import State
from pairing.forms.results import AllTablesForm, TableForm
from pairing.selectors.boards import Board, load_board, load_match
from pairing.selectors.desk_forecast import load_event_forecast
from pairing.selectors.formats import has_desk, table_terms
from pairing.selectors.tables import load_calls
from pairing.services.tables import call_all, call_to_table
from pairing.templatetags.match_boxes import match_name, said, state_of
from tournament.errors import DomainError, NotFound
from tournament.models import Event
from tournament.views.access import ActorRequest, console_event


@console_event("desk")
def tables(request: ActorRequest, event: Event) -> HttpResponse:
    """Which match is at which table, which waits for one; all ready matches are sent out in one act."""
    if table_terms(event) is not None:
        return redirect("pairing:desk_seatings", tournament=event.tournament.slug, event=event.slug)
    if request.method == "POST":
        try:
            messages.success(request, act_on_tables(request, event))
        except DomainError as error:
            messages.error(request, error.message)
        return redirect(request.path)
    board = load_board(event)
    if board is None and has_desk(event):
        return redirect("pairing:desk_pairing", tournament=event.tournament.slug, event=event.slug)
    context: dict[str, object] = {"board": board}
    if board is not None:
        context.update(_context(board, load_calls(event)), forecast=load_event_forecast(event))
    return render(request, "pairing/console/tables.html", context)


def _context(board: Board, called: Mapping[str, datetime]) -> dict[str, object]:
    busy = set(board.tables.values())
    ready = [view for view in board.progress.ready if len(view.entries) == 2]
    waiting = [view for view in ready if view.match.id not in board.tables]
    free = [number for number in range(1, len(ready) + len(busy) + 2) if number not in busy]
    playing = sorted(
        ((board.tables[view.match.id], view) for view in ready if view.match.id in board.tables), key=lambda row: row[0]
    )
    rows = [*((table, view) for table, view in playing), *((None, view) for view in waiting)]
    return {
        "rows": [
            _row(board, view.match.id, table, free[0]) | {"since": called.get(view.match.id) if table else None}
            for table, view in rows
        ],
        "waiting": len(waiting),
        "all_form": AllTablesForm(initial={"first": 1, "last": max([*busy, len(ready)], default=1)}),
        "open": sum(view.state is State.WAITING for view in board.progress.views.values()),
    }


def _row(board: Board, ident: str, table: int | None, suggested: int) -> dict[str, object]:
    view = board.progress[ident]
    return {
        "ident": ident,
        "label": match_name(ident),
        "table": table,
        "suggested": table or suggested,
        "said": said(board, view),
        "names": [(number, board.name(number), False) for number in view.entries],
        "state": state_of(board, view),
    }


def act_on_tables(request: ActorRequest, event: Event) -> str:
    """All ready matches are sent out, or one is called, called again, or taken off its table."""
    if request.POST.get("act") == "all":
        form = AllTablesForm(request.POST)
        if not form.is_valid():
            raise DomainError("bad-range", _("Name the tables from a lower to a higher number, like 1 to 32."))
        called = call_all(event, form.cleaned_data["first"], form.cleaned_data["last"], by=request.actor)
        said = ngettext("One match was sent to its table.", "%(called)s matches were sent to tables.", called)
        return said % {"called": called}
    match = load_match(event, request.POST.get("match", ""))
    if match is None:
        raise NotFound("no-match", _("There is no such match in the bracket."))
    if request.POST.get("act") == "release":
        call_to_table(match, None, by=request.actor)
        return _("%(match)s has no table now.") % {"match": match_name(match.ident)}
    one = TableForm(request.POST)
    if not one.is_valid():
        raise DomainError("bad-table", _("A table has a number from 1."))
    call_to_table(match, one.cleaned_data["table"], by=request.actor)
    said_now = _("%(match)s is called to table %(table)s.")
    return said_now % {"match": match_name(match.ident), "table": one.cleaned_data["table"]}
