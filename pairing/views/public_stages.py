"""An event in stages, for everybody: where it stands, who plays where, the standings, one game, the wall.

The views of a bracket's pages answer with these where the event is in a pool or a play-off.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairing.draws import PlayOffMatch, StageKind, StagePlan
from pairing.models import StageSeal
from pairing.selectors.boards import load_match, load_results
from pairing.selectors.brackets import outcome_of
from pairing.selectors.formats import load_plan, plays_stages
from pairing.selectors.openings import Opening, what_if
from pairing.selectors.placings import load_final_placings
from pairing.selectors.prizes import load_won
from pairing.selectors.stage_boards import StageBoard, load_stage_board, ranked_in
from pairing.selectors.stages import StageMatch, StageState
from pairing.tables.lists import PairingRow, PairingTable, PlaceTable
from pairing.tables.stages import PoolTable, course_place_rows, pool_rows
from pairing.templatetags.match_boxes import match_name, why_without_play
from pairing.views.addresses import match_address
from tournament.errors import DomainError, NotFound
from tournament.exports.tables import exported
from tournament.lists.numbers import typed_number
from tournament.models import Event
from tournament.tables.paging import Paging
from tournament.views.access import public_event
from tournament.views.caching import kept_by_version

WALL_ROWS: Final = 18


@public_event
@kept_by_version
def stages(request: HttpRequest, event: Event) -> HttpResponse:
    """Every stage of the plan: how it is played, where it stands, and who would go on from it now."""
    if not plays_stages(event):
        return redirect("pairing:bracket", tournament=event.tournament.slug, event=event.slug)
    panel = bool(getattr(request, "htmx", False))
    board = load_stage_board(event)
    context = {"board": board, "stages": stages_of(event, board), **(going_of(event, board) if board else {})}
    template = "pairing/public/stages_panel.html" if panel else "pairing/public/stages.html"
    return render(request, template, context)


def stages_of(event: Event, board: StageBoard | None) -> list[dict[str, Any]]:
    """The stages of the plan, those that are opened with what they have."""
    opened = {stage.number: stage for stage in board.course.stages} if board else {}
    found = []
    for number, plan in enumerate(load_plan(event).stages, start=1):
        stage = opened.get(number)
        shown: dict[str, Any] = {"number": number, "name": plan.name, "terms": terms_in_words(plan), "stage": stage}
        if board is not None and stage is not None:
            shown |= _progress_of(board, stage)
        found.append(shown)
    return found


def _progress_of(board: StageBoard, stage: StageState) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": stage.name,
        "state": "done" if stage.is_complete else "in-play" if stage is board.course.current else "done",
        "entries": len(stage.pool.qualifying.entrants if stage.pool else stage.row.entries),
        "decided": sum(match.is_decided for match in stage.matches.values()),
        "byes": [(board.name(bye["entry"]), bye["why"]) for bye in stage.row.record.get("byes", ())],
        "draw": _draw_line(stage),
    }
    if stage.pool is not None:
        shown["playing"] = len(stage.pool.qualifying.playing) // 2
        shown["waiting"] = len(stage.pool.qualifying.ready)
    if stage.play_off is not None:
        shown["rounds"] = play_off_rounds(board, stage)
        shown["through"] = [board.name(entry) for entry in stage.row.record["through"]]
        shown["places"] = stage.row.record["open_places"]
        shown["won_through"] = [board.name(entry) for entry in stage.play_off.through]
    if stage.progress is not None:
        views = list(stage.progress.views.values())
        shown["decided"] = sum(view.outcome is not None and not view.by_itself for view in views)
        shown["champion"] = board.name(stage.progress.champion) if stage.progress.champion else ""
    return shown


def _draw_line(stage: StageState) -> str:
    """What `verify_draw` takes as it is, of a bracket that was drawn blind after a pool."""
    record = stage.row.record
    if "seal" not in record:
        return ""
    seal = record["seal"]
    numbers = sorted(stage.row.entries)
    return json.dumps({**seal, "public": record["cut"], "numbers": numbers, "order": record["order"]})


def play_off_rounds(board: StageBoard, stage: StageState) -> list[dict[str, Any]]:
    """Each round with its matches and, with the reason, its byes."""
    assert stage.play_off is not None
    return [
        {
            "number": each.number,
            "matches": [_play_off_match(board, stage, match) for match in each.matches],
            "byes": [(board.name(bye.entry), bye.why) for bye in each.byes],
        }
        for each in stage.play_off.rounds
    ]


def _play_off_match(board: StageBoard, stage: StageState, match: PlayOffMatch) -> dict[str, Any]:
    ident = stage.ident_of(match)
    winner = match.outcome.winner if match.outcome is not None else None
    return {
        "ident": ident,
        "names": [board.name(side) for side in match.sides],
        "table": board.tables.get(ident or ""),
        "decided": match.is_decided,
        "winner": board.name(winner) if winner is not None else "",
    }


def going_of(event: Event, board: StageBoard) -> dict[str, Any]:
    """Who would go on if the current stage were over now, and by what; and the seal of a draw that comes."""
    seal = StageSeal.objects.filter(stage=board.course.current.row).last()
    context: dict[str, Any] = {"seal": seal if board.course.to_come is not None else None}
    try:
        opening = what_if(event, board.course)
    except DomainError as error:
        return {**context, "cannot": error.message}
    if opening is None:
        return context
    return {**context, "next": next_in_words(board, opening)}


def next_in_words(board: StageBoard, opening: Opening) -> dict[str, Any]:
    """The stage to come: who is in it and why, who plays off, who has a bye."""
    line = opening.going_on
    play_off = line.play_off if line is not None else ()
    lots = line.by_lot if line is not None else ()
    through = [entry for entry in opening.entries if entry not in play_off]
    why = _reasons(board)
    return {
        "name": opening.plan.name,
        "is_play_off": opening.plan.kind is StageKind.PLAY_OFF,
        "blind": opening.is_drawn_blind,
        "through": [
            {
                "number": entry,
                "name": board.name(entry),
                "why": why.get(entry, ""),
                "by_lot": entry in lots,
                "came_up": entry in opening.came_up,
            }
            for entry in through
        ],
        "play_off": [(entry, board.name(entry), why.get(entry, "")) for entry in play_off],
        "places": line.open_places if line is not None else 0,
        "byes": [(bye.entry, board.name(bye.entry), bye.why) for bye in opening.byes],
        "byes_by_lot": opening.byes_by_lot,
        "count": len(opening.entries),
    }


def _reasons(board: StageBoard) -> dict[int, str]:
    """“4–1: qualified with 4 wins”; where the standings decide, by what each stands where it does."""
    pool = board.course.last_pool.pool
    assert pool is not None
    by_record = pool.kind is StageKind.RECORD and pool.terms.qualifier.wins is not None
    if by_record:
        return {entry: one.why for entry, one in pool.qualifying.entrants.items()}
    return {row.entry: f"{row.record}. {board.called(row.before)}" for _part, row in ranked_in(pool)}


def terms_in_words(plan: StagePlan) -> list[str]:
    """How a stage is played, a sentence a term."""
    if plan.pool is not None:
        return _pool_terms(plan)
    knockout = plan.knockout
    assert knockout is not None
    said = {
        StageKind.PLAY_OFF: [_("Who is level at the line plays for the last of %(places)s places.")],
        StageKind.SINGLE: [_("Who loses is out.")],
        StageKind.DOUBLE: [_("Who has lost twice is out.")],
    }[plan.kind]
    if plan.kind is not StageKind.PLAY_OFF:
        said += [_("%(places)s places.")] if knockout.places else []
        said += [_("Seeded by the standings.") if knockout.seeded else _("Drawn blind.")]
    if knockout.byes_to:
        said += [_("Byes go to those with %(wins)s wins.")]
    wins = f" {_('or')} ".join(map(str, knockout.byes_to))
    return [text % {"places": knockout.places, "wins": wins} for text in said]


def _pool_terms(plan: StagePlan) -> list[str]:
    pool = plan.pool
    assert pool is not None
    terms = pool.qualifier
    said = []
    if plan.kind is StageKind.ROUND_ROBIN:
        said = [_("Everybody meets everybody in each of %(groups)s groups.") if pool.groups > 1 else ""]
        said = [said[0] or _("Everybody meets everybody.")]
    elif plan.kind is StageKind.SWISS:
        said = [_("%(games)s rounds: winners meet winners, nobody meets twice if it can be avoided.")]
    else:
        said = [_("Up to %(games)s games, paired at the desk as players finish.")]
        said += [_("Out with %(losses)s losses.")] if terms.losses else []
        said += [_("%(wins)s wins go on.")] if terms.wins else []
        said += [_("Who is unbeaten then plays on.")] if terms.wins and terms.unbeaten_play_on else []
    if pool.best:
        of_each = pool.groups > 1 or pool.by_site
        said += [_("The best %(best)s of each go on.") if of_each else _("The best %(best)s go on.")]
    numbers = {"games": terms.games, "losses": terms.losses, "wins": terms.wins, "groups": pool.groups}
    return [text % {**numbers, "best": pool.best} for text in said]


def show_stage_pairings(request: HttpRequest, event: Event, more: Sequence[PairingRow] = ()) -> HttpResponse:
    """Who plays whom in a pool or play-off now, and who waits; `more` are matches of the bracket."""
    board = load_stage_board(event)
    panel = bool(getattr(request, "htmx", False))
    if board is None:
        return render(request, "pairing/public/not_drawn.html", {"panel": panel})
    wanted = request.GET.get("q", "").strip()
    rows = [*duel_rows(board, wanted), *more]
    table = PairingTable(rows, address=match_address(event))
    table.query = wanted
    table.export_links = [{"label": kind.upper(), "url": f"?q={wanted}&_export={kind}"} for kind in ("csv", "xlsx")]
    Paging(request, 64).configure(table)
    download = exported(request, table, f"{event.slug}-pairings")
    if download is not None:
        return download
    waiting = [] if wanted else _waiting(board)
    template = "pairing/public/pairings_panel.html" if panel else "pairing/public/pairings.html"
    return render(request, template, {"table": table, "wanted": wanted, "waiting": waiting})


def _waiting(board: StageBoard) -> list[tuple[int, str, str]]:
    pool = board.course.current.pool
    if pool is None or pool.kind is StageKind.ROUND_ROBIN:
        return []
    return [(entry, board.name(entry), str(pool.qualifying[entry].record)) for entry in board.waiting]


def duel_rows(board: StageBoard, wanted: str = "") -> list[PairingRow]:
    """What is played now; with `wanted` every game of those whom it names, the latest first."""
    if not wanted:
        return [_duel_row(board, ident, match) for ident, match in board.playing]
    games = board.games_of(frozenset(board.entries_called(wanted)))
    return [_duel_row(board, ident, match) for ident, match in reversed(list(games))]


def _duel_row(board: StageBoard, ident: str, match: StageMatch) -> PairingRow:
    sides = match.meeting.sides
    other = sides[1] if len(sides) > 1 else None
    outcome = match.meeting.outcome
    names = board.name(sides[0]), board.name(other) if other is not None else _alone(ident)
    winner = outcome.winner if outcome is not None else None
    return PairingRow(
        ident, board.tables.get(ident), *names, (sides[0], other), winner, duel_state(board, ident, match)
    )


def _alone(ident: str) -> str:
    return _("a penalty") if ident.startswith("X") else _("a bye")


def duel_state(board: StageBoard, ident: str, match: StageMatch) -> str:
    outcome = match.meeting.outcome
    if outcome is None:
        if ident in board.tables:
            return "called"
        return "ready" if ident in board.course.current.ready else "waiting"
    if outcome.is_void:
        return "void"
    return "walk-over" if why_without_play(outcome) or len(match.meeting.sides) == 1 else "done"


def show_stage_standings(request: HttpRequest, event: Event) -> HttpResponse:
    """The places of everybody when all is over; else the standings of the last pool, and links to the others."""
    board = load_stage_board(event)
    panel = bool(getattr(request, "htmx", False))
    if board is None:
        return render(request, "pairing/public/not_drawn.html", {"panel": panel})
    placings = load_final_placings(event)
    number = typed_number(request.GET.get("stage", ""))
    if placings is not None and number is None:
        table: PlaceTable | PoolTable = PlaceTable(
            course_place_rows(board, placings, load_won(event, placings)), currency=event.tournament.currency
        )
        winners = [board.name(entry) for entry in placings.finish[0].entries] if placings.finish else []
        context: dict[str, Any] = {"winners": winners, "final": True}
    else:
        table, context = _pool_table(request, board, number)
        winners = []
    found = {key: value for key, value in request.GET.items() if key in ("q", "stage")}
    query = "&".join(f"{key}={value}" for key, value in found.items())
    table.export_links = [{"label": kind.upper(), "url": f"?{query}&_export={kind}"} for kind in ("csv", "xlsx")]
    Paging(request, 128).configure(table)
    download = exported(request, table, f"{event.slug}-standings")
    if download is not None:
        return download
    pools = [(stage.number, stage.name) for stage in board.pools]
    context |= {"table": table, "pools": pools, "places": placings is not None, "board": board}
    template = "pairing/public/list_panel.html" if panel else "pairing/public/stage_standings.html"
    return render(request, template, context)


def _pool_table(request: HttpRequest, board: StageBoard, number: int | None) -> tuple[PoolTable, dict[str, Any]]:
    found = board.pool_of(number)
    if found is None:
        raise NotFound("no-pool", _("This event has no standings but the bracket. Look at the bracket."))
    stage, pool = found
    wanted = request.GET.get("q", "").strip()
    table = PoolTable(pool_rows(board, stage, wanted), by_site=pool.terms.by_site)
    table.query = wanted
    return table, {"stage": stage, "winners": [], "tie_breaks": pool.tie_breaks}


def show_duel(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    """One game of a pool or play-off: who meets, how it ended, its cards, and all that was recorded."""
    board, row = load_stage_board(event), load_match(event, ident)
    found = board.course.find(ident) if board is not None else None
    if board is None or row is None or found is None:
        raise NotFound("no-match", _("There is no such match. Look at who plays where."))
    stage, match = found
    place = {"tournament": event.tournament.slug, "event": event.slug, "ident": ident}
    outcome = match.meeting.outcome
    context = {
        "label": match_name(ident),
        "stage": stage,
        "shown": duel_box(board, ident, match),
        "cards_url": reverse(settings.MATCH_CARDS, kwargs=place) if len(match.meeting.sides) == 2 else "",
        "results": [(result, why_without_play(outcome_of(result))) for result in load_results(row)],
        "reasons": _reasons_of(row.pairing.record if row.pairing is not None else {}, match),
        "decided": outcome is not None,
    }
    return render(request, "pairing/public/duel.html", context)


def _reasons_of(record: Mapping[str, Any], match: StageMatch) -> str:
    """Why these two were paired, as the pairing keeps it; empty where it does not say."""
    wanted = sorted(match.meeting.sides)
    return next((str(said) for pair, said in record.get("reasons", ()) if sorted(pair) == wanted), "")


def duel_box(board: StageBoard, ident: str, match: StageMatch) -> dict[str, Any]:
    """For the component `match_box`."""
    outcome, points = match.meeting.outcome, match.meeting.points
    winner = outcome.winner if outcome is not None else None
    return {
        "id": ident,
        "label": match_name(ident),
        "table": board.tables.get(ident),
        "state": duel_state(board, ident, match),
        "note": why_without_play(outcome) if outcome is not None else "",
        "sides": [
            {"name": board.name(side), "number": side, "score": points.get(side), "winner": side == winner}
            for side in match.meeting.sides
        ],
    }


def show_stage_wall(request: HttpRequest, event: Event) -> HttpResponse:
    """The standings of the pool, who plays where, and who waits, a screenful at a time."""
    board = load_stage_board(event)
    panel = bool(getattr(request, "htmx", False))
    context: dict[str, Any] = {"panel": panel, "board": board}
    found = board.pool_of(None) if board is not None else None
    if board is not None and found is not None:
        _stage, pool = found
        rows = [(row.place, part.name, board.name(row.entry), str(row.record)) for part, row in ranked_in(pool)]
        context["standings"] = _screenfuls(rows)
        seated = [
            (board.tables[ident], [board.name(side) for side in match.meeting.sides])
            for ident, match in board.playing
            if ident in board.tables
        ]
        context["screens"] = _screenfuls(seated)
        context["waiting"] = _screenfuls(_waiting(board))
    template = "pairing/public/stage_wall_panel.html" if panel else "pairing/public/stage_wall.html"
    return render(request, template, context)


def _screenfuls(rows: Sequence[Any]) -> list[Sequence[Any]]:
    return [rows[start : start + WALL_ROWS] for start in range(0, len(rows), WALL_ROWS)]
