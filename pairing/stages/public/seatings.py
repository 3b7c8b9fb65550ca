"""The public pages of an event over rounds at tables: assignments, standings, a table, the wall.

The common addresses of all events lead here if the event has no bracket.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairing.draws.places import Move
from pairing.draws.table_rounds import SeatedRound, make_table_placings
from pairing.models import PLAY, Match, MatchResult
from pairing.ports import score_cards
from pairing.results.selectors.results import load_prizes_by_entry
from pairing.stages.pages import match_address
from pairing.stages.pictures.boxes import match_name
from pairing.stages.selectors.boards import load_match, load_results
from pairing.stages.selectors.plans import traits_of
from pairing.stages.selectors.tables import (
    SeatedRounds,
    load_seated_rounds,
    load_seating_records,
    load_seatings_taken_back,
    outcome_at_table,
)
from pairing.stages.tables.seatings import TotalsTable, make_total_rows, points_in_words, table_box, table_boxes
from tournament.core.pages.access import public_event
from tournament.core.pages.following import cached_by_version, follows
from tournament.core.tables.lists import Paging, export_if_requested
from tournament.errors import NotFound
from tournament.models import Event
from tournament.money.selectors.ledger import load_ended_early
from tournament.ports import upper_pages

WALL_ROWS = 18
"""The number of lines on a wall screen, in two columns."""


@public_event
@follows(*PLAY)
@cached_by_version
def seatings(request: HttpRequest, event: Event) -> HttpResponse:
    """Show every round with its tables. A name or number finds somebody's tables."""
    if traits_of(event).two_meet:
        return redirect("pairing:bracket", tournament=event.tournament.slug, event=event.slug)
    hall = load_seated_rounds(event)
    panel = bool(getattr(request, "htmx", False))
    if hall is None:
        return render(request, "pairing/stages/table_rounds/not_seated.html", {"panel": panel})
    wanted = request.GET.get("me", "")
    found = hall.find_entries(wanted)
    me = found[0] if len(found) == 1 else None
    context: dict[str, Any] = {
        "hall": hall,
        "wanted": wanted,
        "found": [] if me else [(number, hall.name(number)) for number in found[:20]],
        "nobody": bool(wanted) and not found,
        "rounds": _rounds(hall, event, me),
        "winners": hall.winners,
        "old": load_seatings_taken_back(event),
    }
    if me is not None:
        address = match_address(event)
        tables = [table for _number, table in hall.rounds.tables_of(me)]
        context["my_name"] = hall.name(me)
        context["my_tables"] = table_boxes(hall, reversed(tables), address=address, me=me, prefix="mine-")
    template = "pairing/stages/table_rounds/panel.html" if panel else "pairing/stages/table_rounds/public.html"
    return render(request, template, context)


def _rounds(hall: SeatedRounds, event: Event, me: int | None) -> list[dict[str, Any]]:
    """Return the rounds for the page, the current one first."""
    address, current = match_address(event), hall.rounds.current
    return [
        {
            "key": each.number,
            "label": _("Round %(number)s") % {"number": each.number},
            "current": each is current,
            "boxes": table_boxes(hall, each.tables, address=address, me=me),
            "sits_out": [(number, hall.name(number)) for number in each.sits_out],
            "decided": len(each.tables) - len(each.unfinished),
            "tables": len(each.tables),
        }
        for each in reversed(hall.rounds.rounds)
    ]


@public_event
@follows(*PLAY)
@cached_by_version
def seatings_json(request: HttpRequest, event: Event) -> HttpResponse:
    """Return the rounds with their inputs. The `case` of a later round is a line for `manage.py pair`."""
    if not traits_of(event).at_tables:
        raise NotFound("no-seatings", _("This event is not played in rounds at tables. Look at its pairings."))
    return JsonResponse({"rounds": load_seating_records(event)})


def show_standings(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the totals, with the prize that each place is worth so far or that was awarded."""
    hall = load_seated_rounds(event)
    if hall is None:
        return render(request, "pairing/stages/table_rounds/not_seated.html")
    wanted = request.GET.get("q", "").strip()
    table = totals_table(hall, event, wanted)
    Paging(request, 128).configure(table)
    download = export_if_requested(request, table, f"{event.slug}-standings")
    if download is not None:
        return download
    context = {"table": table, "hall": hall, "winners": hall.winners, "early": load_ended_early(event)}
    return render(request, "pairing/stages/table_rounds/round_standings.html", {**context, **standings_context(hall)})


def totals_table(hall: SeatedRounds, event: Event, wanted: str = "") -> TotalsTable:
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


def standings_context(hall: SeatedRounds) -> dict[str, Any]:
    """Return the context for the line above the standings, on how far the event is."""
    current: SeatedRound | None = hall.rounds.current
    return {
        "low_wins": hall.rounds.low_wins,
        "uneven": len({one.played for one in hall.standings}) > 1,
        "round": current.number if current else 0,
        "all_rounds": hall.rounds.terms.rounds,
        "unfinished": len(hall.rounds.ready),
        "is_over": hall.is_over,
    }


def show_table(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    hall, row = load_seated_rounds(event), load_match(event, ident)
    found = hall.rounds.find(ident) if hall is not None else None
    if hall is None or row is None or found is None:
        raise NotFound("no-match", _("There is no such table. Choose one from the table assignments."))
    _number, table = found
    place = {"tournament": event.tournament.slug, "event": event.slug, "ident": ident}
    context = {
        "label": match_name(ident),
        "cards_url": reverse(upper_pages().match_cards, kwargs=place),
        "box": table_box(hall, table, address=match_address(event)),
        "statements": score_cards().load_card_summaries(event, [row.pk]),
        "results": load_table_history(hall, row),
    }
    return render(request, "pairing/stages/table_rounds/table.html", context)


def load_table_history(hall: SeatedRounds, match: Match) -> list[tuple[MatchResult, str]]:
    return [(result, points_in_words(hall, match.ident, outcome_at_table(result))) for result in load_results(match)]


def show_wall(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the standings and the tables of the current round, a screenful at a time."""
    hall = load_seated_rounds(event)
    panel = bool(getattr(request, "htmx", False))
    context: dict[str, Any] = {"panel": panel, "hall": hall}
    if hall is not None:
        played = [one for one in hall.standings if one.played]
        rows = [(one.place, hall.name(one.entry), one.total, one.played) for one in played]
        ready, gone = {table.match: table for table in hall.rounds.ready}, hall.rounds.gone
        called = sorted((table, ident) for ident, table in hall.tables.items() if ident in ready)
        seated = [
            (table, [hall.name(number) for number in ready[ident].entries if number not in gone])
            for table, ident in called
        ]
        context["standings"] = _split_screens(rows)
        context["screens"] = _split_screens(seated)
        context.update(standings_context(hall))
    template = "pairing/stages/table_rounds/wall_panel.html" if panel else "pairing/stages/table_rounds/wall.html"
    return render(request, template, context)


def _split_screens(rows: list[Any]) -> list[list[Any]]:
    return [rows[start : start + WALL_ROWS] for start in range(0, len(rows), WALL_ROWS)]


def moves_in_words(record: dict[str, Any]) -> list[str]:
    """Return the changes made to the drawn order of round 1, in words."""
    return [str(Move.from_json(move)) for move in record.get("moves", [])]
