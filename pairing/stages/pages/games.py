"""Public views of the games of pools and play-offs: their rows and boxes, the match page, and the wall."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairing.draws.results import Result
from pairing.draws.stages.play_off import PlayOffMatch
from pairing.models import Match
from pairing.ports import score_cards
from pairing.stages.pictures.boxes import badge, match_name, why_without_play
from pairing.stages.pictures.brackets import legend_of_walls
from pairing.stages.selectors.boards import (
    StageBoard,
    is_paired_at_opening,
    iter_ranks,
    load_stage_board,
    pairing_reason,
)
from pairing.stages.selectors.bracket_boards import load_match
from pairing.stages.selectors.kinds import StageMatch, StageState
from pairing.stages.tables.stages import PairingRow, recorded_of
from tournament.core.pages.responses import event_link
from tournament.errors import NotFound
from tournament.lazy_text import read_recorded_texts
from tournament.models import Event
from tournament.ports import upper_pages

# --- Pages -----------------------------------------------------------------------------------------------------------
# Addresses of match pages.


def match_address(event: Event) -> Callable[[str], str]:
    """Return a function from a match to the address of its page.

    It fills in a pattern, because resolving the URL for every box of a bracket is slow.
    """
    kwargs = {"tournament": event.tournament.slug, "event": event.slug, "ident": "R0M0"}
    before, after = reverse("pairing:match", kwargs=kwargs).rsplit("R0M0", 1)
    return lambda ident: f"{before}{ident}{after}"


T = TypeVar("T")
WALL_ROWS: Final = 18


def duel_rows(board: StageBoard, wanted: str = "") -> list[PairingRow]:
    """Return the games in play. With `wanted`, return all games of the entrants it names, latest first."""
    if not wanted:
        return [_duel_row(board, ident, match) for ident, match in board.playing]
    games = board.games_of(frozenset(board.entries_called(wanted)))
    return [_duel_row(board, ident, match) for ident, match in reversed(list(games))]


def _duel_row(board: StageBoard, ident: str, match: StageMatch) -> PairingRow:
    sides = match.meeting.sides
    other = sides[1] if len(sides) > 1 else None
    outcome = match.meeting.outcome
    alone = _("a penalty") if ident.startswith("X") else _("a bye")
    names = board.name_in(ident, sides[0]), board.name_in(ident, other) if other is not None else alone
    winner = outcome.winner if outcome is not None else None
    state = duel_state(board, ident, match)
    return PairingRow(ident, board.tables.get(ident), *names, (sides[0], other), winner, state)


def duel_state(board: StageBoard, ident: str, match: StageMatch) -> str:
    outcome = match.meeting.outcome
    if outcome is None:
        if ident in board.begun:
            return "playing"
        if ident in board.tables:
            return "called"
        return "ready" if ident in board.course.current.ready else "waiting"
    if outcome.is_void:
        return "void"
    if ident in board.corrected:
        return "corrected"
    return "walk-over" if why_without_play(outcome) or len(match.meeting.sides) == 1 else "done"


def play_off_rounds(board: StageBoard, stage: StageState, address: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return the rounds of a play-off with the boxes of their matches, and their byes with the reasons."""
    if stage.play_off is None:
        return []
    return [
        {
            "number": each.number,
            "matches": [_play_off_box(board, stage, match, address) for match in each.matches],
            "byes": [(board.name(bye.entry), board.called(bye.why)) for bye in each.byes],
        }
        for each in stage.play_off.rounds
    ]


def _play_off_box(
    board: StageBoard, stage: StageState, match: PlayOffMatch, address: Callable[[str], str]
) -> dict[str, Any]:
    """Return the box of a play-off match, in the state “waiting” if the match is not made yet."""
    ident = stage.ident_of(match)
    if ident is not None:
        return {**_duel_box(board, ident, stage.matches[ident]), "url": address(ident)}
    sides = [{"name": board.name(side), "number": side, "score": None} for side in match.sides]
    return {"id": match.id, "label": match_name(match.id), "state": "waiting", "sides": sides}


def waiting_rows(board: StageBoard) -> list[tuple[int, str, str]]:
    """Return number, name and record of entrants who have games left and are at no table."""
    pool = board.course.pool
    if pool is None or pool.kind.traits.all_meet:
        return []
    return [(entry, board.name(entry), str(pool.qualifying[entry].record)) for entry in board.waiting]


def show_duel(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    """Show the page of a game of a pool or play-off: its sides, result, score cards and full record."""
    board, row = load_stage_board(event), load_match(event, ident)
    found = board.course.find(ident) if board is not None else None
    if board is None or row is None or found is None:
        raise NotFound("no-match", _("There is no such match. Look at the pairings."))
    stage, match = found
    context = {
        "label": match_name(ident),
        "stage": stage,
        "shown": _duel_box(board, ident, match),
        "statements": score_cards().load_card_summaries(event, [row.pk]),
        "cards_url": event_link(event, upper_pages().match_cards, ident=ident) if len(match.meeting.sides) == 2 else "",
        "results": recorded_of(row, board.names),
        "reasons": board.called(_explain_pairing(stage, row, match)),
        "drawn": is_paired_at_opening(stage),
        "decided": match.meeting.outcome is not None,
    }
    return render(request, "pairing/stages/course/duel.html", context)


def _explain_pairing(stage: StageState, row: Match, match: StageMatch) -> str:
    """Return why these two meet, from the pairing or from the opening of the stage, or an empty text."""
    if is_paired_at_opening(stage):
        return pairing_reason(stage, match.meeting.sides)
    record = row.pairing.record if row.pairing is not None else {}
    wanted = sorted(match.meeting.sides)
    return next((str(said) for pair, said in read_recorded_texts(record, "reasons") if sorted(pair) == wanted), "")


def _duel_box(board: StageBoard, ident: str, match: StageMatch) -> dict[str, Any]:
    """Return the values of a game for the component `match_box`."""
    outcome, points = match.meeting.outcome, match.meeting.points
    winner = outcome.winner if outcome is not None else None
    return {
        "id": ident,
        "label": match_name(ident),
        "table": board.tables.get(ident),
        "state": duel_state(board, ident, match),
        "note": why_without_play(outcome, board.played_by.get(ident, board.names)) if outcome is not None else "",
        "sides": [
            {
                "name": board.name_in(ident, side),
                "number": side,
                "score": points.get(side),
                "winner": side == winner,
                "no_win": outcome is not None and outcome.credits[side].result is Result.NONE,
            }
            for side in match.meeting.sides
        ],
    }


def show_stage_wall(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the wall: tables, waiting players, play-off, latest results and standings, one screen at a time."""
    board = load_stage_board(event)
    panel = bool(getattr(request, "htmx", False))
    context: dict[str, Any] = {"panel": panel, "board": board, "legend": legend_of_walls(event)}
    if board is not None:
        context |= _wall_screens(board, match_address(event))
    template = "pairing/stages/course/stage_wall_panel.html" if panel else "pairing/stages/course/stage_wall.html"
    return render(request, template, context)


def _wall_screens(board: StageBoard, address: Callable[[str], str]) -> dict[str, Any]:
    current = board.course.current
    seated = [
        (board.tables[ident], _names(board, match), badge(duel_state(board, ident, match)))
        for ident, match in board.playing
        if ident in board.tables
    ]
    latest = [(ident, current.matches[ident]) for ident in board.written if ident in current.matches][:WALL_ROWS]
    context = {
        "screens": split_screens(seated),
        "waiting": split_screens(waiting_rows(board)),
        "latest": [(_describe_result(board, match), badge(duel_state(board, ident, match))) for ident, match in latest],
        "rounds": play_off_rounds(board, current, address),
    }
    found = board.pool_of(None)
    if found is not None:
        rows = [(row.place, part.name, board.name(row.entry), str(row.record)) for part, row in iter_ranks(found.pool)]
        context["standings"] = split_screens(rows)
    return context


def _names(board: StageBoard, match: StageMatch) -> list[str]:
    return [board.name_in(match.meeting.match, side) for side in match.meeting.sides]


def _describe_result(board: StageBoard, match: StageMatch) -> str:
    """Return a result in words: “Ann beats Bob, 250 to 180”."""
    outcome = match.meeting.outcome
    winner = outcome.winner if outcome is not None else None
    loser = next((side for side in match.meeting.sides if side != winner), None)
    if winner is None or loser is None:
        return " – ".join(_names(board, match))
    names = {"winner": board.name_in(match.meeting.match, winner), "loser": board.name_in(match.meeting.match, loser)}
    points = match.meeting.points
    if winner not in points or loser not in points:
        return _("%(winner)s beats %(loser)s") % names
    scores = {"won": points[winner], "lost": points[loser]}
    return _("%(winner)s beats %(loser)s, %(won)s to %(lost)s") % {**names, **scores}


def split_screens(rows: Sequence[T]) -> list[Sequence[T]]:
    return [rows[start : start + WALL_ROWS] for start in range(0, len(rows), WALL_ROWS)]
