"""The match page and the wall, for single brackets and for events in stages."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from pairing.above import score_cards
from pairing.course.pages import screenfuls, show_duel, show_stage_wall
from pairing.course.selectors.stage_proofs import reason_between
from pairing.course.words.recorded import recorded_of
from pairing.draws.knockout.bracket import DoubleBracket
from pairing.draws.knockout.progress import MatchView, State
from pairing.draws.order import name_entries
from pairing.groups.pages import make_group_wall
from pairing.groups.selectors import Groups, load_groups
from pairing.knockout.pictures.bracket_picture import wall_pictures
from pairing.knockout.pictures.match_boxes import box, boxes, match_name
from pairing.knockout.pictures.match_picture import legend_of_walls
from pairing.knockout.selectors import Board, load_board, load_match
from pairing.matches.pages import match_address
from pairing.stage_kinds.selectors.stages import load_course
from tournament.core.pages.responses import event_link
from tournament.errors import NotFound
from tournament.models import Event

DRAWN_ON_A_WALL = 64
"""A larger bracket appears on the wall by rounds, because paging through its sections would take minutes."""


def show_match_of_stages(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    """Show a match of the final bracket, or a game of a pool or play-off."""
    board = load_board(event)
    in_bracket = board is not None and ident in board.progress.views
    return show_match(request, event, ident) if in_bracket else show_duel(request, event, ident)


def show_match(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    board, row = load_board(event), load_match(event, ident)
    if board is None or row is None:
        raise NotFound("no-match", _("There is no such match in the bracket. Choose a match from the bracket."))
    view = board.progress[ident]
    address = match_address(event)
    course = load_course(event)
    stage = course.current if course.stages else None
    reason = reason_between(stage, view.entries) if stage is not None and view.match.round == 1 else ""
    coming = _after(board, ident)
    context = {
        "label": match_name(ident, board.round_count),
        "reason": name_entries(reason, board.name),
        "stage": stage,
        "cards_url": event_link(event, settings.MATCH_CARDS, ident=ident) if len(view.entries) == 2 else "",
        "box": box(board, view, address=address),
        "statements": score_cards().load_card_statements(event, [row.pk]),
        "results": recorded_of(row, board.names),
        "before": boxes(board, _before(board, view), address=address, prefix="before-"),
        "after": boxes(board, coming, address=address, prefix="after-"),
        "after_count": len(coming),
    }
    return render(request, "pairing/event_pages/match.html", context)


def _before(board: Board, view: MatchView) -> list[MatchView]:
    feeding = [getattr(side.source, "match", None) for side in view.sides]
    return [board.progress[ident] for ident in feeding if ident]


def _after(board: Board, ident: str) -> list[MatchView]:
    """Return the next match of the winner, and in a double elimination also that of the loser."""
    bracket = board.progress.bracket
    coming = [bracket.next_of.get(ident)]
    if isinstance(bracket, DoubleBracket):
        coming.append(bracket.drop_of.get(ident))
    return [board.progress[ident] for ident in dict.fromkeys(match.id for match in coming if match)]


def show_wall_of_stages(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the wall of an event in stages: the bracket, the groups being played, or tables and waiting players."""
    groups = load_groups(event) if load_board(event) is None else None
    if load_board(event) is None and (groups is None or groups.is_over):
        return show_stage_wall(request, event)
    return show_bracket_wall(request, event, groups)


def show_bracket_wall(request: HttpRequest, event: Event, groups: Groups | None = None) -> HttpResponse:
    board = load_board(event)
    panel = bool(getattr(request, "htmx", False))
    context: dict[str, Any] = {"panel": panel, "legend": legend_of_walls(event)}
    if board is not None:
        address = match_address(event)
        if len(board.progress.bracket.entries) <= DRAWN_ON_A_WALL:
            context["pictures"], board = wall_pictures(board, address=address)
        else:
            context["boxes"] = [box(board, view, address=address) for view in _live_views(board)]
        context["screens"] = screenfuls(_pairings(board))
    elif groups is not None:
        context["group_screens"], pairings = make_group_wall(groups)
        context["screens"] = screenfuls(pairings)
    template = "pairing/event_pages/wall_panel.html" if panel else "pairing/event_pages/wall.html"
    return render(request, template, context)


def _live_views(board: Board) -> list[MatchView]:
    """Return the matches of all rounds with a ready match, or of the live round if none is ready."""
    rounds = [views for views in board.rounds.values() if any(view.state is State.READY for view in views)]
    return [view for views in rounds or [board.rounds[board.live_round]] for view in views]


def _pairings(board: Board) -> list[tuple[int, str, str]]:
    called = sorted(board.tables.items(), key=lambda called: called[1])
    named = [
        (table, [board.spell(board.name(one)) for one in board.progress[ident].entries]) for ident, table in called
    ]
    return [(table, names[0], names[1]) for table, names in named if len(names) == 2]
