from collections import Counter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from pairing.course.public.stages import show_stage_pairings, show_stage_standings
from pairing.course.selectors.placings import load_possible_places
from pairing.course.tables.lists import PairingRow, PairingTable, PlaceTable, place_rows
from pairing.draws.knockout.progress import State
from pairing.finish.selectors.prizes import load_prize_ranges
from pairing.knockout.pictures.match_boxes import side_name, state_of
from pairing.knockout.selectors import Board, load_board
from pairing.matches.pages import match_address
from pairing.plans.selectors import load_plan
from tournament.core.tables.lists import listed
from tournament.models import Event
from tournament.money.selectors.ledger import load_ended_early


def show_all_pairings(request: HttpRequest, event: Event) -> HttpResponse:
    board = load_board(event)
    more = pairing_rows(board, request.GET.get("q", "").strip()) if board is not None else []
    return show_stage_pairings(request, event, more)


def show_pairings(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the ready matches with their tables, or all matches of the entrants that a search finds."""
    board = load_board(event)
    if board is None:
        return render(request, "pairing/event_pages/not_drawn.html")
    wanted = request.GET.get("q", "").strip()
    table = PairingTable(pairing_rows(board, wanted), address=match_address(event), round_count=board.round_count)
    download = listed(request, table, f"{event.slug}-pairings", rows=64, kept=f"q={wanted}&")
    if download is not None:
        return download
    return render(request, "pairing/event_pages/pairings.html", {"table": table, "wanted": wanted})


def pairing_rows(board: Board, wanted: str = "") -> list[PairingRow]:
    entries = set(board.entries_called(wanted))
    rows = []
    for view in board.progress.views.values():
        if not (entries.intersection(view.entries) if wanted else view.state is State.READY):
            continue
        one, other = (side_name(board, side, view.match.id) for side in view.sides)
        numbers = (view.sides[0].entry, view.sides[1].entry)
        state = state_of(board, view)
        rows.append(PairingRow(view.match.id, board.tables.get(view.match.id), one, other, numbers, view.winner, state))
    return sorted(rows, key=lambda row: (row.table is None, row.table or 0))


def show_places_of_stages(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the places in the bracket if the plan begins with one, or else the standings of the pools."""
    begins = load_plan(event).first.knockout is not None
    return show_places(request, event) if begins else show_stage_standings(request, event)


def show_places(request: HttpRequest, event: Event) -> HttpResponse:
    board = load_board(event)
    panel = bool(getattr(request, "htmx", False))
    possible = load_possible_places(event) if board is not None else None
    if board is None or possible is None:
        return render(request, "pairing/event_pages/not_drawn.html", {"panel": panel})
    early = load_ended_early(event)
    won = Counter(view.winner for view in board.progress.views.values() if view.winner is not None)
    rows = place_rows(possible, board.name, won, load_prize_ranges(event, possible))
    table = PlaceTable(rows, currency=event.tournament.currency)
    download = listed(request, table, f"{event.slug}-standings", rows=128)
    if download is not None:
        return download
    champion = board.names.get(board.progress.champion or 0, "")
    return render(request, "pairing/event_pages/standings.html", {"table": table, "champion": champion, "early": early})
