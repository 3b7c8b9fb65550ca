from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from pairing.course.public.stages import show_stage_pairings, show_stage_standings
from pairing.course.selectors.placings import load_placings_so_far
from pairing.course.tables.lists import PairingRow, PairingTable, PlaceRow, PlaceTable
from pairing.draws.knockout.elimination import make_any_placings
from pairing.draws.knockout.placing import Placings
from pairing.draws.knockout.progress import State
from pairing.finish.selectors.prizes import load_won
from pairing.knockout.pictures.match_boxes import side_name, state_of
from pairing.knockout.selectors import Board, load_board
from pairing.matches.pages import match_address
from pairing.plans.selectors import load_plan
from tournament.core.tables.exports import exported
from tournament.core.tables.paging import Paging
from tournament.models import Event
from tournament.money.selectors.ledger import load_ended_early


def show_all_pairings(request: HttpRequest, event: Event) -> HttpResponse:
    """The games of pools and play-off, and the matches of the bracket at the end."""
    board = load_board(event)
    more = pairing_rows(board, request.GET.get("q", "").strip()) if board is not None else []
    return show_stage_pairings(request, event, more)


def show_pairings(request: HttpRequest, event: Event) -> HttpResponse:
    """Who meets whom now, with the table; a search for a name shows all of that entrant's matches."""
    board = load_board(event)
    panel = bool(getattr(request, "htmx", False))
    if board is None:
        return render(request, "pairing/event_pages/not_drawn.html", {"panel": panel})
    wanted = request.GET.get("q", "").strip()
    table = PairingTable(pairing_rows(board, wanted), address=match_address(event))
    table.query = wanted
    table.export_links = [{"label": kind.upper(), "url": f"?q={wanted}&_export={kind}"} for kind in ("csv", "xlsx")]
    Paging(request, 64).configure(table)
    download = exported(request, table, f"{event.slug}-pairings")
    if download is not None:
        return download
    template = "pairing/event_pages/list_panel.html" if panel else "pairing/event_pages/pairings.html"
    return render(request, template, {"table": table, "wanted": wanted})


def pairing_rows(board: Board, wanted: str = "") -> list[PairingRow]:
    entries = set(board.entries_called(wanted))
    rows = []
    for view in board.progress.views.values():
        shown = bool(entries & set(view.entries)) if wanted else view.state is State.READY
        if not shown:
            continue
        one, other = (side_name(board, side, view.match.id) for side in view.sides)
        numbers = (view.sides[0].entry, view.sides[1].entry)
        state = state_of(board, view)
        rows.append(PairingRow(view.match.id, board.tables.get(view.match.id), one, other, numbers, view.winner, state))
    return sorted(rows, key=lambda row: (row.table is None, row.table or 0))


def show_places_of_stages(request: HttpRequest, event: Event) -> HttpResponse:
    """Of a plan that begins with a bracket the places in it; else the standings of the pools."""
    begins = load_plan(event).first.knockout is not None
    return show_places(request, event) if begins else show_stage_standings(request, event)


def show_places(request: HttpRequest, event: Event) -> HttpResponse:
    """Who came where in the bracket, and who is still in."""
    board = load_board(event)
    panel = bool(getattr(request, "htmx", False))
    if board is None:
        return render(request, "pairing/event_pages/not_drawn.html", {"panel": panel})
    early = load_ended_early(event)
    placings = (load_placings_so_far(event) if early else None) or make_any_placings(board.progress)
    table = PlaceTable(place_rows(board, placings, load_won(event, placings)), currency=event.tournament.currency)
    table.export_links = [{"label": kind.upper(), "url": f"?_export={kind}"} for kind in ("csv", "xlsx")]
    Paging(request, 128).configure(table)
    download = exported(request, table, f"{event.slug}-standings")
    if download is not None:
        return download
    template = "pairing/event_pages/list_panel.html" if panel else "pairing/event_pages/standings.html"
    champion = board.names.get(board.progress.champion or 0, "")
    return render(request, template, {"table": table, "champion": champion, "early": early})


def place_rows(board: Board, placings: Placings, prizes: Mapping[int, int]) -> list[PlaceRow]:
    """Those still in first, then the placed with what they have won, then the disqualified."""
    won = dict.fromkeys(board.progress.bracket.entries, 0)
    for view in board.progress.views.values():
        if view.winner is not None:
            won[view.winner] += 1
    rows = [PlaceRow(None, None, number, board.name(number), won[number], "in") for number in placings.still_in]
    for placing in placings.finish:
        for number in placing.entries:
            places, name = (placing.place, placing.last_place), board.name(number)
            rows.append(PlaceRow(*places, number, name, won[number], "placed", prizes.get(number)))
    rows += [
        PlaceRow(None, None, number, board.name(number), won[number], "disqualified")
        for number in placings.disqualified
    ]
    return rows
