"""Public pages for an event with stages: its stages, pairings with their reasons, standings, and groups."""

import json
from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from pairing.blind_draw.pages import list_undone_stage_draws
from pairing.draws.cases.drawn_reasons import ExplainedPairings
from pairing.draws.cases.pair import run_pair_case
from pairing.draws.places import EntryMove
from pairing.draws.separation.draw import DrawTerms
from pairing.draws.separation.groups_and_seeds import describe_group_move
from pairing.models import PAIRING_AND_RESULT_TOPICS, StageSeal
from pairing.results.selectors.results import load_prize_ranges
from pairing.stages.pages import (
    list_waiting_entrants,
    make_game_rows,
    make_match_url_builder,
    make_play_off_round_contexts,
    make_search_context,
)
from pairing.stages.pictures.groups import (
    PAGE_GROUP_DIMENSIONS,
    PHONE_GROUP_DIMENSIONS,
    GroupBoard,
    draw_group,
    load_group_board,
    make_group_legend,
    shorten_group_names,
)
from pairing.stages.selectors.boards import (
    StageBoard,
    explain_pairings,
    is_paired_at_opening,
    iter_ranked_entries,
    load_round_count,
    load_stage_board,
)
from pairing.stages.selectors.brackets import read_drawn_places
from pairing.stages.selectors.course import load_final_placings, load_possible_places
from pairing.stages.selectors.kinds import StageState, find_stage_kind_hooks
from pairing.stages.selectors.openings import StageOpening, preview_next_stage
from pairing.stages.selectors.plans import describe_stage_terms, load_event_plan
from pairing.stages.tables.stages import (
    OPTIMALITY_PROOF_TEXTS,
    PairingRow,
    PairingTable,
    PlaceTable,
    PoolTable,
    make_event_place_rows,
    make_pool_rows,
)
from tournament.core.pages.access import public_event_view
from tournament.core.pages.following import cached_by_version, follows_topics
from tournament.core.pages.responses import make_event_url
from tournament.core.selectors.events import load_entry_names, search_entries
from tournament.core.tables.lists import configure_or_export_list
from tournament.errors import DomainError, NotFound
from tournament.lazy_text import text_from_json
from tournament.models import Event
from tournament.money.selectors.ledger import load_early_finish
from tournament.spreadsheets.names import parse_number


@public_event_view
@follows_topics(*PAIRING_AND_RESULT_TOPICS)
@cached_by_version
def show_stages(request: HttpRequest, event: Event) -> HttpResponse:
    """Show all planned stages with their terms, their progress, and who would advance from them."""
    if not load_event_plan(event).desk_stages:
        return redirect(make_event_url(event, "pairing:bracket"))
    panel = bool(getattr(request, "htmx", False))
    board = load_stage_board(event)
    context = {
        "board": board,
        "stages": load_stage_contexts(event, board),
        **(load_next_stage_context(event, board) if board else {}),
    }
    context["old"] = list_undone_stage_draws(event, load_entry_names(event)) if board else []
    template = "pairing/stages/course/stages_panel.html" if panel else "pairing/stages/course/public.html"
    return render(request, template, context)


def load_stage_contexts(event: Event, board: StageBoard | None) -> list[dict[str, Any]]:
    """Return the planned stages for the template. Stages that have been opened include their progress."""
    opened = {stage.number: stage for stage in board.course.stages} if board else {}
    stages = []
    for number, plan in enumerate(load_event_plan(event).stages, start=1):
        stage = opened.get(number)
        drawn = DrawTerms.from_json(stage.row.record["terms"]) if stage and "terms" in stage.row.record else None
        context = {"number": number, "name": plan.name, "terms": describe_stage_terms(plan, drawn), "stage": stage}
        stages.append(
            context | (_make_progress_context(board, stage) if board is not None and stage is not None else {})
        )
    return stages


def _make_progress_context(board: StageBoard, stage: StageState) -> dict[str, Any]:
    moves = [EntryMove.from_json(move) for move in stage.row.record.get("moves", ())]
    progress: dict[str, Any] = {
        "name": stage.name,
        "state": "done" if stage.is_complete else "in-play" if stage is board.course.current_stage else "done",
        "entries": len(stage.entries),
        "decided": sum(match.is_decided for match in stage.matches.values()),
        "byes": [
            (board.name(bye["entry"]), text_from_json(bye.get("text", bye["why"])))
            for bye in stage.row.record.get("byes", ())
        ],
        "moves": [describe_group_move(move) if stage.pool is not None else str(move) for move in moves],
        "draw": _make_verify_draw_line(stage),
        "drawn": is_paired_at_opening(stage),
    }
    if stage.pool is not None:
        progress["playing"] = len(stage.pool.qualifying.playing_entries) // 2
        progress["waiting"] = len(stage.pool.qualifying.ready_entries)
    part = find_stage_kind_hooks(stage.kind).section_template
    if part is not None:
        template, context_of = part
        progress |= {"part": template, **context_of(board, stage)}
    if stage.play_off is not None:
        progress["rounds"] = make_play_off_round_contexts(
            board, stage, make_match_url_builder(board.course.draw.commitment.event)
        )
        progress["through"] = [board.name(entry) for entry in stage.row.record["through"]]
        progress["places"] = stage.row.record["open_places"]
        progress["won_through"] = [board.name(entry) for entry in stage.play_off.advancing_entries]
    if stage.progress is not None:
        views = list(stage.progress.views.values())
        progress["decided"] = sum(view.outcome is not None and not view.is_decided_without_result for view in views)
        progress["champion"] = board.name(stage.progress.champion) if stage.progress.champion else ""
    return progress


def _make_verify_draw_line(stage: StageState) -> str:
    """Return the input line for `verify_draw` if a bracket was drawn blind after a pool.

    Otherwise return an empty string.
    """
    record, numbers = stage.row.record, sorted(stage.row.entries)
    if "seal" not in record:
        return ""
    return json.dumps({**record["seal"], "public": record["cut"], "numbers": numbers, "order": record["order"]})


def load_next_stage_context(event: Event, board: StageBoard) -> dict[str, Any]:
    """Return the template context for a preview of the next stage, as if the current stage were over.

    It has the entrants who would advance, or the reason why there is no preview. If the next stage is drawn blind, it
    also has the published hash of the draw's secret (`seal`).
    """
    seal = StageSeal.objects.filter(stage=board.course.current_stage.row).last()
    context: dict[str, Any] = {"seal": seal if board.course.next_plan is not None else None}
    try:
        opening = preview_next_stage(event, board.course)
    except DomainError as error:
        return {**context, "cannot": error.message}
    return context | ({"next": _make_opening_context(board, opening)} if opening is not None else {})


def _make_opening_context(board: StageBoard, opening: StageOpening) -> dict[str, Any]:
    """Describe the next stage: the entries that advance and why, the entries that play off, and the byes."""
    advancement = opening.advancement
    play_off, lots = (advancement.play_off, advancement.advanced_by_lot) if advancement is not None else ((), ())
    across = opening.plan.kind.traits.for_places or bool(opening.plan.knockout and opening.plan.knockout.places)
    why = _explain_ranks(board, across=across)
    return {
        "name": opening.plan.name,
        "is_play_off": opening.plan.kind.traits.for_places,
        "blind": opening.is_drawn_blind,
        "through": [
            {
                "number": entry,
                "name": board.name(entry),
                "why": why.get(entry, ""),
                "by_lot": entry in lots,
                "came_up": entry in opening.promoted_alternates,
            }
            for entry in opening.entries
            if entry not in play_off
        ],
        "play_off": [(entry, board.name(entry), why.get(entry, "")) for entry in play_off],
        "places": advancement.open_places if advancement is not None else 0,
        "byes": [(bye.entry, board.name(bye.entry), bye.why) for bye in opening.byes],
        "byes_by_lot": opening.byes_by_lot,
        "count": len(opening.entries),
        "by_match": board.course.last_pool.pool.uses_averages(board.course.last_pool.pool.qualifying.entrants),
    }


def _explain_ranks(board: StageBoard, *, across: bool) -> dict[int, str]:
    """Explain each entry's rank, for example “4–1: qualified with 4 wins”.

    `across` is true if a single ranking of all groups or sites decides who advances.
    """
    pool = board.course.last_pool.pool
    if pool.terms.qualifier.wins is not None:
        return {entry: entrant.why for entry, entrant in pool.qualifying.entrants.items()}
    if not across or len(pool.parts) == 1:
        return {
            row.entry: f"{row.record}. {board.insert_names(row.short_reason)}"
            for _part, row in iter_ranked_entries(pool)
        }
    part_of = {entry: part.name for part in pool.parts for entry in part.entries}
    return {
        row.entry: f"{part_of[row.entry]}, {row.record}. {board.insert_names(row.short_reason)}"
        for row in pool.overall_ranking
    }


def show_stage_pairings(request: HttpRequest, event: Event, more: Sequence[PairingRow] = ()) -> HttpResponse:
    """Show the games of a pool or play-off, and the players who are waiting for a game.

    `more` are rows for a bracket's matches.
    """
    board = load_stage_board(event)
    if board is None:
        return render(request, "pairing/event_pages/not_drawn.html")
    wanted = request.GET.get("q", "").strip()
    rows = [*make_game_rows(board, wanted), *more]
    table = PairingTable(rows, address=make_match_url_builder(event), round_count=load_round_count(event))
    download = configure_or_export_list(request, table, f"{event.slug}-pairings", rows=64, link_query=f"q={wanted}&")
    if download is not None:
        return download
    waiting = [] if wanted else list_waiting_entrants(board)
    context = {"table": table, "wanted": wanted, "waiting": waiting, "proofs": True}
    return render(request, "pairing/event_pages/pairings.html", context)


def show_stage_standings(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the standings of the latest pool or, once the final bracket is open, each entry's possible places.

    These are the places that the entry can still get. Once everything is decided, they are the final places. `?stage=`
    selects a pool.
    """
    board = load_stage_board(event)
    if board is None:
        return render(request, "pairing/event_pages/not_drawn.html")
    placings, possible = load_final_placings(event), load_possible_places(event)
    number = parse_number(request.GET.get("stage", ""))
    if possible is not None and number is None:
        rows = make_event_place_rows(board, possible, load_prize_ranges(event, possible))
        table: PlaceTable | PoolTable = PlaceTable(rows, currency=event.tournament.currency)
        winners = [board.name(entry) for entry in placings.finish[0].entries] if placings and placings.finish else []
        context: dict[str, Any] = {"winners": winners, "places": True}
    else:
        table, context = _make_pool_table(request, board, number)
    kept = "".join(f"{key}={value}&" for key, value in request.GET.items() if key in ("q", "stage"))
    download = configure_or_export_list(request, table, f"{event.slug}-standings", rows=128, link_query=kept)
    if download is not None:
        return download
    pools = [(stage.number, stage.name) for stage in board.course.pools]
    context |= {"table": table, "pools": pools, "final": placings is not None, "bracket": possible is not None}
    context["board"] = board
    context["early"] = load_early_finish(event)
    return render(request, "pairing/stages/course/stage_standings.html", context)


def _make_pool_table(request: HttpRequest, board: StageBoard, number: int | None) -> tuple[PoolTable, dict[str, Any]]:
    stage = board.find_pool(number)
    if stage is None:
        raise NotFound("no-pool", _("The bracket shows the standings of this event. Look at the bracket."))
    pool, rows = stage.pool, make_pool_rows(board, stage, request.GET.get("q", "").strip())
    table = PoolTable(rows, by_site=pool.terms.by_site, own=find_stage_kind_hooks(pool.kind).standings_column)
    by_match = pool.has_single_ranking and pool.uses_averages(pool.qualifying.entrants)
    return table, {"stage": stage, "winners": [], "tie_breaks": pool.tie_breaks, "by_match": by_match}


# --- Reasons for the pairings of stages that are not paired at the desk ----------------------------------------------


@public_event_view
@follows_topics(*PAIRING_AND_RESULT_TOPICS)
@cached_by_version
def show_stage_proof(request: HttpRequest, event: Event, stage: int) -> HttpResponse:
    """Show the pairings and byes of each round or group, with the reasons for them."""
    board, state = _require_stage(event, stage)
    drawn = explain_pairings(state)
    if not drawn:
        return redirect(make_event_url(event, "pairing:proofs"))
    context = {
        "stage": state,
        "how": _explain_method(state),
        "rounds": [_make_round_context(board, each) for each in drawn],
        "draw": _make_verify_draw_line(state),
        "all_answer": all(each.is_reproducible for each in drawn),
        "json_url": make_event_url(event, "pairing:stage_proof_json", stage=state.number),
    }
    return render(request, "pairing/stages/course/stage_proof.html", context)


def _explain_method(stage: StageState) -> list[str]:
    record = stage.row.record
    if stage.play_off is not None:
        return [
            _("All byes are in round one, so that as few matches as possible are played."),
            _("Rematches are avoided where possible. Ties after that are broken by lot."),
        ]
    if stage.progress is None:
        dealt = _("The order is dealt to the groups back and forth: 1 2 3, 3 2 1, and so on.")
        return [f"{dealt} {_describe_order(stage)}"] if len(record["groups"]) > 1 else [_("There is one group.")]
    if record.get("seeded"):
        return [" ".join([_("The first and the second can meet only in the final."), _describe_order(stage)])]
    sealed = _("The order comes from the blind draw: a secret that was sealed before, and the cards the room cut.")
    return [sealed, _("It fills the bracket from top to bottom and skips the places that stay empty.")]


def _describe_order(stage: StageState) -> str:
    return _("The order is that of the draw.") if stage.number == 1 else _("The order is that of the stage before.")


def _make_round_context(board: StageBoard, drawn: ExplainedPairings) -> dict[str, Any]:
    return {
        "name": drawn.name,
        "pairs": [([(side, board.name(side)) for side in pair], board.insert_names(why)) for pair, why in drawn.pairs],
        "byes": [(entry, board.name(entry), board.insert_names(why)) for entry, why in drawn.byes],
        "members": [(entry, board.name(entry), why) for entry, why in drawn.members],
        "proof": OPTIMALITY_PROOF_TEXTS.get(drawn.proof, ""),
    }


@public_event_view
@follows_topics(*PAIRING_AND_RESULT_TOPICS)
@cached_by_version
def stage_proof_json(request: HttpRequest, event: Event, stage: int) -> HttpResponse:
    """Return each round and its reasons as JSON. `case` is input for the `pair` command, and `answer` is its output."""
    _board, state = _require_stage(event, stage)
    answer = {
        "ok": True,
        "stage": state.number,
        "name": state.name,
        "kind": state.kind.value,
        "places": read_drawn_places(state.row) if state.kind.traits.is_bracket else None,
        "rounds": [_make_round_json(drawn) for drawn in explain_pairings(state)],
    }
    return JsonResponse(answer, json_dumps_params={"ensure_ascii": False})


def _make_round_json(drawn: ExplainedPairings) -> dict[str, Any]:
    return {
        "name": drawn.name,
        "pairs": [list(pair) for pair, _why in drawn.pairs],
        "reasons": [[list(pair), why] for pair, why in drawn.pairs],
        "byes": [{"entry": entry, "why": why} for entry, why in drawn.byes],
        "members": [entry for entry, _why in drawn.members],
        "case": drawn.case,
        "answer": run_pair_case(drawn.case),
        "answers": drawn.is_reproducible,
        "proof": drawn.proof,
    }


def _require_stage(event: Event, number: int) -> tuple[StageBoard, StageState]:
    board = load_stage_board(event)
    stages = board.course.stages[number - 1 : number] if board is not None and number else ()
    if board is None or not stages:
        raise NotFound("no-stage", _("This stage is not open yet. Look at the stages of the event."))
    return board, stages[0]


# --- Groups as crosstables -------------------------------------------------------------------------------------------

FOUR_PER_SCREEN_MAX_SIZE, TWO_PER_SCREEN_MAX_SIZE = 4, 5
"""The largest group size at which four groups fit on a wall screen, and the largest at which two fit.

Larger groups get their own screen.
"""


def make_group_wall_screens(groups: GroupBoard) -> tuple[list[list[SafeString]], list[tuple[int, str, str]]]:
    """Return the crosstables of each wall screen, and the games that are at tables.

    A screen has one, two, or four crosstables, depending on the size of the largest group, so that they are readable
    from a distance. Each game is returned as a table number and two names.
    """
    largest = max(len(table.rows) for table in groups.groups)
    a_screen = 4 if largest <= FOUR_PER_SCREEN_MAX_SIZE else 2 if largest <= TWO_PER_SCREEN_MAX_SIZE else 1
    fitted = shorten_group_names(groups, PAGE_GROUP_DIMENSIONS)
    pictures = [draw_group(table, fitted, PAGE_GROUP_DIMENSIONS) for table in fitted.groups]
    pairings = {
        (fitted.tables[cell.match], fitted.short_name(row.entry), fitted.short_name(other.entry))
        for table in fitted.groups
        for at, row in enumerate(table.rows)
        for other, cell in list(zip(table.rows, row.cells, strict=True))[at:]
        if cell.match in fitted.tables and cell.match is not None
    }
    return [pictures[start : start + a_screen] for start in range(0, len(pictures), a_screen)], sorted(pairings)


@public_event_view
@follows_topics(*PAIRING_AND_RESULT_TOPICS)
@cached_by_version
def show_groups(request: HttpRequest, event: Event) -> HttpResponse:
    """Show all groups as crosstables. If `?me=` is given, show only that entrant's group."""
    all_groups = load_group_board(event)
    if all_groups is None:
        return redirect("pairing:bracket", tournament=event.tournament.slug, event=event.slug)
    all_groups = shorten_group_names(all_groups, PAGE_GROUP_DIMENSIONS, PHONE_GROUP_DIMENSIONS)
    wanted = request.GET.get("me", "").strip()
    names = {row.entry: all_groups.name(row.entry) for table in all_groups.groups for row in table.rows}
    numbers = search_entries(wanted, names)
    me = numbers[0] if len(numbers) == 1 else None
    address = make_match_url_builder(event)
    context: dict[str, Any] = {
        **make_search_context(wanted, numbers, all_groups.short_name),
        "my_name": all_groups.name(me) if me is not None else "",
        "key": make_group_legend(),
        "groups": [
            {
                "name": table.name,
                "wide": draw_group(table, all_groups, PAGE_GROUP_DIMENSIONS, address=address, me=me),
                "narrow": draw_group(table, all_groups, PHONE_GROUP_DIMENSIONS, address=address, me=me),
            }
            for table in (all_groups.groups if me is None else all_groups.list_groups_of_entry(me))
        ],
    }
    panel = bool(getattr(request, "htmx", False))
    return render(
        request, "pairing/stages/groups/panel.html" if panel else "pairing/stages/groups/public.html", context
    )
