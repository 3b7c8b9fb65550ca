from dataclasses import replace
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from pairing.draws.knockout.elimination import rounds_of
from pairing.knockout.pictures.bracket_picture import PAGE, picture
from pairing.knockout.pictures.match_boxes import PARTS, boxes, round_name, short_round_name
from pairing.knockout.pictures.match_picture import fit_board, legend, width_for_names
from pairing.knockout.pictures.path_picture import WIDTH as PATH_WIDTH
from pairing.knockout.pictures.path_picture import path_picture
from pairing.knockout.selectors import Board, load_board
from pairing.matches.pages import match_address
from tournament.models import Event

WIDEST_BOX: Final = 300.0


def show_bracket(request: HttpRequest, event: Event) -> HttpResponse:
    drawn = load_board(event)
    panel = bool(getattr(request, "htmx", False))
    if drawn is None:
        return render(request, "pairing/event_pages/not_drawn.html", {"panel": panel})
    wanted = request.GET.get("me", "")
    found = drawn.entries_called(wanted)
    me = found[0] if len(found) == 1 else None
    measures = replace(PAGE, box_width=_box_width(drawn, has_path=me is not None))
    board = fit_board(drawn, measures.box_width)
    context: dict[str, Any] = {
        "board": board,
        "wanted": wanted,
        "found": [] if me else [(number, board.spell(board.name(number))) for number in found[:20]],
        "nobody": bool(wanted) and not found,
        "rounds": _rounds(board, event, me),
        "legend": legend(two_lives=board.has_two_lives),
        "picture": picture(board, measures, address=match_address(event), me=me),
        "champion": board.spell(board.names.get(board.progress.champion or 0, "")),
    }
    if me is not None:
        context["me"] = me
        context["my_name"] = board.spell(board.name(me))
        context["my_way"] = path_picture(board, me, address=match_address(event))
    template = "pairing/knockout/panel.html" if panel else "pairing/knockout/public.html"
    return render(request, template, context)


def _box_width(board: Board, *, has_path: bool) -> float:
    """Return a box width that leaves as many names unshortened as possible.

    If a path is shown beside the bracket, boxes are as narrow as on a phone, so that both spell names alike.
    """
    return min(max(PAGE.box_width, round(width_for_names(board))), PATH_WIDTH if has_path else WIDEST_BOX)


def show_last_bracket(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the final bracket, or redirect to the stages if it is not open yet."""
    if load_board(event) is None:
        return redirect("pairing:stages", event.tournament.slug, event.slug)
    return show_bracket(request, event)


def _rounds(board: Board, event: Event, me: int | None) -> list[dict[str, Any]]:
    """Return every round with its matches and names. In a double elimination, each round has the name of its part."""
    address, bracket, live = match_address(event), board.progress.bracket, board.live_round
    found = []
    counts = {part: rounds_of(bracket, part) for part in {key.part for key in board.rounds}}
    for key, views in board.rounds.items():
        rounds = counts[key.part]
        found.append(
            {
                "key": key,
                "part": PARTS[key.part] if key.part else "",
                "label": round_name(key, rounds),
                "short": short_round_name(key, rounds),
                "current": key == live,
                "boxes": boxes(board, views, address=address, me=me),
            }
        )
    return found
