"""Public pages for rounds at tables: assignments, standings, a single table, and the wall."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from pairing.draws.table_rounds import TableRound, make_table_placings
from pairing.models import PAIRING_AND_RESULT_TOPICS, Match, MatchResult
from pairing.results.selectors.results import load_prizes_by_entry
from pairing.stages.pages import (
    make_match_page_context,
    make_match_url_builder,
    make_search_context,
    split_into_screens,
)
from pairing.stages.selectors.boards import load_match, load_match_results
from pairing.stages.selectors.plans import load_stage_traits
from pairing.stages.selectors.tables import (
    SeatingBoard,
    load_seating_board,
    load_seating_records,
    load_undone_seatings,
    read_table_outcome,
)
from pairing.stages.tables.seatings import (
    TotalsTable,
    describe_table_points,
    make_total_rows,
    render_table_box,
    render_table_boxes,
)
from tournament.core.pages.access import public_event_view
from tournament.core.pages.following import cached_by_version, follows_topics
from tournament.core.tables.lists import ListRequestConfig, export_if_requested
from tournament.errors import NotFound
from tournament.models import Event
from tournament.money.selectors.ledger import load_early_finish


@public_event_view
@follows_topics(*PAIRING_AND_RESULT_TOPICS)
@cached_by_version
def show_seatings(request: HttpRequest, event: Event) -> HttpResponse:
    """Show all rounds with their tables, or find an entrant's tables by name or number."""
    if load_stage_traits(event).two_meet:
        return redirect("pairing:bracket", tournament=event.tournament.slug, event=event.slug)
    hall = load_seating_board(event)
    panel = bool(getattr(request, "htmx", False))
    if hall is None:
        return render(request, "pairing/stages/table_rounds/not_seated.html", {"panel": panel})
    wanted = request.GET.get("me", "")
    numbers = hall.find_entries(wanted)
    me = numbers[0] if len(numbers) == 1 else None
    context: dict[str, Any] = {
        "hall": hall,
        **make_search_context(wanted, numbers, hall.name),
        "rounds": _make_rounds_context(hall, event, me),
        "winners": hall.winners,
        "old": load_undone_seatings(event),
    }
    if me is not None:
        address = make_match_url_builder(event)
        tables = [table for _number, table in hall.rounds.list_tables_of_entry(me)]
        context["my_name"] = hall.name(me)
        context["my_tables"] = render_table_boxes(hall, reversed(tables), address=address, me=me, prefix="mine-")
    template = "pairing/stages/table_rounds/panel.html" if panel else "pairing/stages/table_rounds/public.html"
    return render(request, template, context)


def _make_rounds_context(hall: SeatingBoard, event: Event, me: int | None) -> list[dict[str, Any]]:
    """Return the rounds for the template, latest first."""
    address, current = make_match_url_builder(event), hall.rounds.current_round
    return [
        {
            "key": each.number,
            "label": _("Round %(number)s") % {"number": each.number},
            "current": each is current,
            "boxes": render_table_boxes(hall, each.tables, address=address, me=me),
            "sits_out": [(number, hall.name(number)) for number in each.sits_out],
            "decided": len(each.tables) - len(each.unfinished_tables),
            "tables": len(each.tables),
        }
        for each in reversed(hall.rounds.rounds)
    ]


@public_event_view
@follows_topics(*PAIRING_AND_RESULT_TOPICS)
@cached_by_version
def seatings_json(request: HttpRequest, event: Event) -> HttpResponse:
    """Return the rounds as JSON.

    Every round after the first has a `case`, which is an input line for `manage.py pair`.
    """
    if not load_stage_traits(event).at_tables:
        raise NotFound("no-seatings", _("This event is not played in rounds at tables. Look at its pairings."))
    return JsonResponse({"rounds": load_seating_records(event)})


def show_standings(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the totals with the prizes. Until the event is over, the prizes are those for the current places."""
    hall = load_seating_board(event)
    if hall is None:
        return render(request, "pairing/stages/table_rounds/not_seated.html")
    wanted = request.GET.get("q", "").strip()
    table = make_totals_table(hall, event, wanted)
    ListRequestConfig(request, 128).configure(table)
    download = export_if_requested(request, table, f"{event.slug}-standings")
    if download is not None:
        return download
    context = {"table": table, "hall": hall, "winners": hall.winners, "early": load_early_finish(event)}
    return render(
        request, "pairing/stages/table_rounds/round_standings.html", {**context, **make_standings_context(hall)}
    )


def make_totals_table(hall: SeatingBoard, event: Event, wanted: str = "") -> TotalsTable:
    prizes = load_prizes_by_entry(event, make_table_placings(hall.standings))
    table = TotalsTable(
        make_total_rows(hall, prizes, wanted),
        rounds=len(hall.rounds.rounds),
        currency=event.tournament.currency,
        is_over=hall.is_over,
    )
    table.query = wanted
    table.export_links = [{"label": kind.upper(), "url": f"?q={wanted}&_export={kind}"} for kind in ("csv", "xlsx")]
    return table


def make_standings_context(hall: SeatingBoard) -> dict[str, Any]:
    """Return the context for the text about the event's progress, which is shown above the standings."""
    current: TableRound | None = hall.rounds.current_round
    return {
        "low_wins": hall.rounds.low_wins,
        "uneven": len({row.rounds_with_points for row in hall.standings}) > 1,
        "round": current.number if current else 0,
        "all_rounds": hall.rounds.terms.rounds,
        "unfinished": len(hall.rounds.ready_tables),
        "is_over": hall.is_over,
    }


def show_table(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    hall, row = load_seating_board(event), load_match(event, ident)
    numbered_table = hall.rounds.find_table(ident) if hall is not None else None
    if hall is None or row is None or numbered_table is None:
        raise NotFound("no-match", _("There is no such table. Choose one from the table assignments."))
    context = {
        **make_match_page_context(event, row),
        "box": render_table_box(hall, numbered_table[1], address=make_match_url_builder(event)),
        "results": load_table_result_history(hall, row),
    }
    return render(request, "pairing/stages/table_rounds/table.html", context)


def load_table_result_history(hall: SeatingBoard, match: Match) -> list[tuple[MatchResult, str]]:
    return [
        (result, describe_table_points(hall, match.ident, read_table_outcome(result)))
        for result in load_match_results(match)
    ]


def show_seating_wall_screen(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the wall screen, which cycles through the standings and the tables of the current round."""
    hall = load_seating_board(event)
    panel = bool(getattr(request, "htmx", False))
    context: dict[str, Any] = {"panel": panel, "hall": hall}
    if hall is not None:
        rows = [
            (row.place, hall.name(row.entry), row.total, row.rounds_with_points)
            for row in hall.standings
            if row.rounds_with_points
        ]
        ready, gone = {table.match: table for table in hall.rounds.ready_tables}, hall.rounds.removal_reasons
        called = sorted((table, ident) for ident, table in hall.tables.items() if ident in ready)
        seated = [
            (table, [hall.name(number) for number in ready[ident].entries if number not in gone])
            for table, ident in called
        ]
        context["standings"] = split_into_screens(rows)
        context["screens"] = split_into_screens(seated)
        context.update(make_standings_context(hall))
    template = "pairing/stages/table_rounds/wall_panel.html" if panel else "pairing/stages/table_rounds/wall.html"
    return render(request, template, context)
