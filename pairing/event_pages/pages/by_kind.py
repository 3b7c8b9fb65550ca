"""The pages that every event has, for each kind of event: brackets, several stages, tables, couples, and Whist."""

from collections import Counter
from dataclasses import replace
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.knockout.progress import BracketMatchProgress, BracketMatchState
from pairing.draws.order import replace_entry_numbers
from pairing.event_pages.pages import results
from pairing.results.selectors.results import load_prize_ranges
from pairing.stages import pages
from pairing.stages.console import seatings as desk_seatings
from pairing.stages.pages import (
    make_match_page_context,
    make_match_url_builder,
    show_game,
    show_stage_wall_screen,
    split_into_screens,
)
from pairing.stages.pictures.boxes import describe_side, get_match_state_code, render_match_box, render_match_boxes
from pairing.stages.pictures.brackets import draw_wall_legend, draw_wall_pictures
from pairing.stages.pictures.groups import GroupBoard, load_group_board
from pairing.stages.public import seatings
from pairing.stages.public.stages import make_group_wall_screens, show_stage_pairings, show_stage_standings
from pairing.stages.selectors.boards import BracketBoard, explain_pair_in_stage, load_bracket_board, load_match
from pairing.stages.selectors.course import load_event_stages, load_possible_places
from pairing.stages.selectors.kinds import StageKindPages
from pairing.stages.selectors.plans import load_event_plan
from pairing.stages.tables.stages import PairingRow, PairingTable, PlaceTable, load_result_history, make_place_rows
from tournament.core.pages.access import ActorRequest
from tournament.core.tables.lists import configure_or_export_list
from tournament.errors import NotFound
from tournament.models import Event
from tournament.money.selectors.ledger import load_early_finish
from tournament.ports import higher_app_url_names

MAX_WALL_BRACKET_ENTRIES = 64
"""The maximum number of entries in a bracket that is drawn on a wall screen, one part after another.

A larger bracket would take minutes to show. Only the matches of its current rounds are shown instead.
"""


def _show_match_of_stages(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    """Show a match in the final bracket, or a game in a pool or play-off."""
    board = load_bracket_board(event)
    is_in_bracket = board is not None and ident in board.progress.views
    return _show_match(request, event, ident) if is_in_bracket else show_game(request, event, ident)


def _show_match(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    board, row = load_bracket_board(event), load_match(event, ident)
    if board is None or row is None:
        raise NotFound("no-match", _("There is no such match in the bracket. Choose a match from the bracket."))
    view = board.progress[ident]
    address = make_match_url_builder(event)
    course = load_event_stages(event)
    stage = course.current_stage if course.stages else None
    reason = explain_pair_in_stage(stage, view.entries) if stage is not None and view.match.round == 1 else ""
    feeding = [getattr(side.source, "match", None) for side in view.sides]
    before = [board.progress[feeder] for feeder in feeding if feeder]
    after = _list_next_matches(board, ident)
    context = {
        **make_match_page_context(event, row, rounds=board.round_count, has_cards=len(view.entries) == 2),
        "reason": replace_entry_numbers(reason, board.name),
        "stage": stage,
        "box": render_match_box(board, view, address=address),
        "results": load_result_history(row, board.names),
        "before": render_match_boxes(board, before, address=address, prefix="before-"),
        "after": render_match_boxes(board, after, address=address, prefix="after-"),
        "after_count": len(after),
    }
    return render(request, "pairing/event_pages/match.html", context)


def _list_next_matches(board: BracketBoard, ident: str) -> list[BracketMatchProgress]:
    """Return the winner's next match and, in a double elimination, the loser's next match as well."""
    bracket = board.progress.bracket
    coming = [bracket.next_matches.get(ident)]
    if bracket.is_double:
        coming.append(bracket.loser_matches.get(ident))
    return [board.progress[ident] for ident in dict.fromkeys(match.id for match in coming if match)]


def _show_wall_of_stages(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the wall screen for an event with stages: its bracket, current groups, or tables and waiting players."""
    groups = load_group_board(event) if load_bracket_board(event) is None else None
    if load_bracket_board(event) is None and (groups is None or groups.is_over):
        return show_stage_wall_screen(request, event)
    return _show_bracket_wall(request, event, groups)


def _show_bracket_wall(request: HttpRequest, event: Event, groups: GroupBoard | None = None) -> HttpResponse:
    board = load_bracket_board(event)
    panel = bool(getattr(request, "htmx", False))
    context: dict[str, Any] = {"panel": panel, "legend": draw_wall_legend(event)}
    if board is not None:
        address = make_match_url_builder(event)
        if len(board.progress.bracket.entries) <= MAX_WALL_BRACKET_ENTRIES:
            context["pictures"], board = draw_wall_pictures(board, address=address)
        else:
            # The matches of all rounds with a ready match, or of the live round if none is ready.
            rounds = [
                views for views in board.rounds.values() if any(view.state is BracketMatchState.READY for view in views)
            ]
            live = [view for views in rounds or [board.rounds[board.first_open_round]] for view in views]
            context["boxes"] = [render_match_box(board, view, address=address) for view in live]
        context["screens"] = split_into_screens(_list_called_pairs(board))
    elif groups is not None:
        context["group_screens"], pairings = make_group_wall_screens(groups)
        context["screens"] = split_into_screens(pairings)
    template = "pairing/event_pages/wall_panel.html" if panel else "pairing/event_pages/wall.html"
    return render(request, template, context)


def _list_called_pairs(board: BracketBoard) -> list[tuple[int, str, str]]:
    pairs = []
    for ident, table in sorted(board.tables.items(), key=lambda call: call[1]):
        names = [board.shorten(board.name(entry)) for entry in board.progress[ident].entries]
        if len(names) == 2:
            pairs.append((table, names[0], names[1]))
    return pairs


def _show_all_pairings(request: HttpRequest, event: Event) -> HttpResponse:
    board = load_bracket_board(event)
    more = make_bracket_pairing_rows(board, request.GET.get("q", "").strip()) if board is not None else []
    return show_stage_pairings(request, event, more)


def _show_pairings(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the matches that are ready or at a table. If the user searches for entrants, show all of their matches."""
    board = load_bracket_board(event)
    if board is None:
        return render(request, "pairing/event_pages/not_drawn.html")
    wanted = request.GET.get("q", "").strip()
    table = PairingTable(
        make_bracket_pairing_rows(board, wanted), address=make_match_url_builder(event), round_count=board.round_count
    )
    download = configure_or_export_list(request, table, f"{event.slug}-pairings", rows=64, link_query=f"q={wanted}&")
    if download is not None:
        return download
    return render(request, "pairing/event_pages/pairings.html", {"table": table, "wanted": wanted})


def make_bracket_pairing_rows(board: BracketBoard, wanted: str = "") -> list[PairingRow]:
    entries = set(board.find_entries(wanted))
    rows = []
    for view in board.progress.views.values():
        if not (entries.intersection(view.entries) if wanted else view.state is BracketMatchState.READY):
            continue
        one, other = (describe_side(board, side, view.match.id) for side in view.sides)
        numbers = (view.sides[0].entry, view.sides[1].entry)
        state = get_match_state_code(board, view)
        rows.append(PairingRow(view.match.id, board.tables.get(view.match.id), one, other, numbers, view.winner, state))
    return sorted(rows, key=lambda row: (row.table is None, row.table or 0))


def _show_places_of_stages(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the places in the bracket if the event begins with one, or else the standings of its pools."""
    begins_with_bracket = load_event_plan(event).first.knockout is not None
    return _show_bracket_places(request, event) if begins_with_bracket else show_stage_standings(request, event)


def _show_bracket_places(request: HttpRequest, event: Event) -> HttpResponse:
    board = load_bracket_board(event)
    panel = bool(getattr(request, "htmx", False))
    possible = load_possible_places(event) if board is not None else None
    if board is None or possible is None:
        return render(request, "pairing/event_pages/not_drawn.html", {"panel": panel})
    early = load_early_finish(event)
    won = Counter(view.winner for view in board.progress.views.values() if view.winner is not None)
    rows = make_place_rows(possible, board.name, won, load_prize_ranges(event, possible))
    table = PlaceTable(rows, currency=event.tournament.currency)
    download = configure_or_export_list(request, table, f"{event.slug}-standings", rows=128)
    if download is not None:
        return download
    champion = board.names.get(board.progress.champion or 0, "")
    return render(request, "pairing/event_pages/standings.html", {"table": table, "champion": champion, "early": early})


def _redirect_to_tables(request: HttpRequest, event: Event) -> HttpResponse:
    query = request.META.get("QUERY_STRING", "")
    address = reverse("pairing:seatings", args=[event.tournament.slug, event.slug])
    return redirect(f"{address}?{query}" if query else address)


def _redirect_to_rounds(request: HttpRequest, event: Event, ident: str = "") -> HttpResponse:
    return redirect(higher_app_url_names().rounds, event.tournament.slug, event.slug)


def _redirect_to_desk(request: ActorRequest, event: Event, ident: str = "") -> HttpResponse:
    """Redirect to the event's desk page.

    Events with two sides have no pages for results, because their matches are decided only by score cards.
    """
    return redirect(higher_app_url_names().desk, event.tournament.slug, event.slug)


BRACKET_PAGES: Final = StageKindPages(
    bracket=pages.show_bracket,
    match=_show_match,
    wall=_show_bracket_wall,
    pairings=_show_pairings,
    standings=_show_bracket_places,
    results=results.show_matches,
    decide=results.decide_single_match,
)
MULTI_STAGE_PAGES: Final = StageKindPages(
    bracket=pages.show_final_stage_bracket,
    match=_show_match_of_stages,
    wall=_show_wall_of_stages,
    pairings=_show_all_pairings,
    standings=_show_places_of_stages,
    results=results.show_matches,
    decide=results.decide_single_match,
    menu={
        "tournament:event": [("tournament:event", gettext_lazy("Event")), ("pairing:stages", gettext_lazy("Stages"))]
    },
    desk_menu={
        "pairing:desk_draw": [
            ("pairing:desk_draw", gettext_lazy("Draw")),
            ("pairing:desk_stages", gettext_lazy("Stages")),
        ],
        "pairing:desk_tables": [("pairing:desk_pairing", gettext_lazy("Pairings"))],
    },
)
TABLES_PAGES: Final = StageKindPages(
    bracket=_redirect_to_tables,
    match=seatings.show_table,
    wall=seatings.show_seating_wall_screen,
    pairings=_redirect_to_tables,
    standings=seatings.show_standings,
    results=desk_seatings.show_results,
    decide=desk_seatings.enter_table_result,
    menu={"pairing:bracket": [("pairing:seatings", gettext_lazy("Tables"))], "pairing:pairings": []},
    desk_menu={"pairing:desk_tables": [("pairing:desk_seatings", gettext_lazy("Tables"))]},
)
COUPLES_PAGES: Final = StageKindPages(
    bracket=_redirect_to_rounds,
    match=_redirect_to_rounds,
    wall=lambda request, event: redirect(higher_app_url_names().rounds_wall, event.tournament.slug, event.slug),
    pairings=_redirect_to_rounds,
    standings=_redirect_to_rounds,
    results=_redirect_to_desk,
    decide=_redirect_to_desk,
    menu={
        "pairing:bracket": [("scoring:rounds", gettext_lazy("Rounds"))],
        "pairing:pairings": [],
        "pairing:standings": [],
    },
    desk_menu={"pairing:desk_tables": [("scoring:desk_worksheet", gettext_lazy("Rounds"))], "pairing:desk_results": []},
)
WHIST_PAGES: Final = replace(
    COUPLES_PAGES,
    desk_menu={**COUPLES_PAGES.desk_menu, "pairing:desk_tables": [("scoring:desk_whist", gettext_lazy("Rounds"))]},
)
