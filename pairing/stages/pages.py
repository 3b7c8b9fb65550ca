"""Public pages for a game of a pool or play-off, for the wall screen, and for the final bracket."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Any, Final, TypeVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from pairing.draws.knockout.progress import (
    BracketMatchProgress,
    BracketPath,
    find_bracket_path,
    find_possible_opponents,
)
from pairing.draws.layouts.brackets import MatchBox, lay_out_bracket
from pairing.draws.layouts.short_names import estimate_text_width, shorten_name_to_fit
from pairing.draws.results import Result
from pairing.draws.stages.play_off import PlayOffMatch
from pairing.models import Match
from pairing.ports import score_cards
from pairing.stages.pictures.boxes import (
    BRACKET_PART_LABELS,
    MatchUrlBuilder,
    explain_unplayed_outcome,
    format_match_name,
    format_round_name,
    format_short_round_name,
    render_badge,
    render_match_boxes,
)
from pairing.stages.pictures.brackets import (
    LETTER_WIDTH,
    PAGE_BRACKET_DIMENSIONS,
    compute_box_width_for_names,
    describe_side_source,
    draw_bracket,
    draw_match_box,
    draw_match_state_legend,
    draw_wall_legend,
    shorten_bracket_names,
)
from pairing.stages.selectors.boards import (
    BracketBoard,
    StageBoard,
    explain_pair_in_stage,
    is_paired_at_opening,
    iter_ranked_entries,
    load_bracket_board,
    load_match,
    load_stage_board,
)
from pairing.stages.selectors.kinds import StageMatch, StageState
from pairing.stages.tables.stages import PairingRow, load_result_history
from tournament.core.pages.responses import make_event_url
from tournament.errors import NotFound
from tournament.lazy_text import read_recorded_texts
from tournament.models import Event
from tournament.ports import higher_app_url_names
from tournament.templatetags.gin import minus

_T = TypeVar("_T")
WALL_ROWS_PER_SCREEN: Final = 18
"""The number of lines on a wall screen, which has two columns."""


def make_match_url_builder(event: Event, page: str = "pairing:match") -> Callable[[str], str]:
    """Return a function that returns the URL of a match's page, given the match's name.

    The function fills in a pattern, because reversing the URL for each box in a bracket is slow.
    """
    before, after = make_event_url(event, page, ident="R0M0").rsplit("R0M0", 1)
    return lambda ident: f"{before}{ident}{after}"


def make_match_page_context(event: Event, match: Match, *, rounds: int = 0, has_cards: bool = True) -> dict[str, Any]:
    """Return the context that all match pages have in common.

    `rounds` is the number of rounds in the match's bracket.
    """
    cards_url = make_event_url(event, higher_app_url_names().match_cards, ident=match.ident) if has_cards else ""
    summaries = score_cards().load_card_summaries(event, [match.pk])
    return {"label": format_match_name(match.ident, rounds), "cards_url": cards_url, "statements": summaries}


def make_search_context(wanted: str, numbers: Sequence[int], name: Callable[[int], str]) -> dict[str, Any]:
    """Return the template context for a search for entrants.

    The first 20 entrants that were found are listed. If exactly one was found, the list is empty, because the page then
    highlights this entrant.
    """
    listed = [(number, name(number)) for number in numbers[:20]] if len(numbers) != 1 else []
    return {"wanted": wanted, "found": listed, "nobody": bool(wanted) and not numbers}


def split_into_screens(rows: Sequence[_T]) -> list[Sequence[_T]]:
    return [rows[start : start + WALL_ROWS_PER_SCREEN] for start in range(0, len(rows), WALL_ROWS_PER_SCREEN)]


# --- Games of pools and play-offs ------------------------------------------------------------------------------------


def make_game_rows(board: StageBoard, wanted: str = "") -> list[PairingRow]:
    """Return the rows of the games in progress.

    If `wanted` is given, return all games of the entrants found, latest first.
    """
    if not wanted:
        return [_make_game_row(board, ident, match) for ident, match in board.open_games]
    games = board.iter_games_of_entries(frozenset(board.find_entries(wanted)))
    return [_make_game_row(board, ident, match) for ident, match in reversed(list(games))]


def _make_game_row(board: StageBoard, ident: str, match: StageMatch) -> PairingRow:
    sides = match.meeting.sides
    other = sides[1] if len(sides) > 1 else None
    outcome = match.meeting.outcome
    alone = _("a penalty") if ident.startswith("X") else _("a bye")
    names = (
        board.get_name_in_match(ident, sides[0]),
        board.get_name_in_match(ident, other) if other is not None else alone,
    )
    winner = outcome.winner if outcome is not None else None
    state = get_game_state_code(board, ident, match)
    return PairingRow(ident, board.tables.get(ident), *names, (sides[0], other), winner, state)


def get_game_state_code(board: StageBoard, ident: str, match: StageMatch) -> str:
    outcome = match.meeting.outcome
    if outcome is None:
        if ident in board.started:
            return "playing"
        if ident in board.tables:
            return "called"
        return "ready" if ident in board.course.current_stage.ready_matches else "waiting"
    if outcome.is_void:
        return "void"
    if ident in board.corrected:
        return "corrected"
    return "walk-over" if explain_unplayed_outcome(outcome) or len(match.meeting.sides) == 1 else "done"


def make_play_off_round_contexts(
    board: StageBoard, stage: StageState, address: Callable[[str], str]
) -> list[dict[str, Any]]:
    """Return the rounds of a play-off with the boxes of their matches, and the byes with their reasons."""
    if stage.play_off is None:
        return []
    return [
        {
            "number": each.number,
            "matches": [_make_play_off_box(board, stage, match, address) for match in each.matches],
            "byes": [(board.name(bye.entry), board.insert_names(bye.why)) for bye in each.byes],
        }
        for each in stage.play_off.rounds
    ]


def _make_play_off_box(
    board: StageBoard, stage: StageState, match: PlayOffMatch, address: Callable[[str], str]
) -> dict[str, Any]:
    """Return the box of a play-off match. If the match has not been created yet, its state is waiting."""
    ident = stage.find_match_name(match)
    if ident is not None:
        return {**_make_game_box(board, ident, stage.matches[ident]), "url": address(ident)}
    sides = [{"name": board.name(side), "number": side, "score": None} for side in match.sides]
    return {"id": match.id, "label": format_match_name(match.id), "state": "waiting", "sides": sides}


def list_waiting_entrants(board: StageBoard) -> list[tuple[int, str, str]]:
    """Return the number, name and record of all entrants who have games left but are not at a table."""
    pool = board.course.pool
    if pool is None or pool.kind.traits.all_meet:
        return []
    return [(entry, board.name(entry), str(pool.qualifying[entry].record)) for entry in board.waiting_entries]


def show_game(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    """Show the page of a pool or play-off game, with its sides, result, score cards and full history."""
    board, row = load_stage_board(event), load_match(event, ident)
    stage_and_match = board.course.find_match(ident) if board is not None else None
    if board is None or row is None or stage_and_match is None:
        raise NotFound("no-match", _("There is no such match. Look at the pairings."))
    stage, match = stage_and_match
    context = {
        **make_match_page_context(event, row, has_cards=len(match.meeting.sides) == 2),
        "stage": stage,
        "shown": _make_game_box(board, ident, match),
        "results": load_result_history(row, board.names),
        "reasons": board.insert_names(_explain_pairing(stage, row, match)),
        "drawn": is_paired_at_opening(stage),
        "decided": match.meeting.outcome is not None,
    }
    return render(request, "pairing/stages/course/game.html", context)


def _explain_pairing(stage: StageState, row: Match, match: StageMatch) -> str:
    """Explain why the two sides of a match were paired. Return an empty string if no reason was recorded."""
    if is_paired_at_opening(stage):
        return explain_pair_in_stage(stage, match.meeting.sides)
    record = row.pairing.record if row.pairing is not None else {}
    wanted = sorted(match.meeting.sides)
    reasons = read_recorded_texts(record, "reasons")
    return next((str(reason) for pair, reason in reasons if sorted(pair) == wanted), "")


def _make_game_box(board: StageBoard, ident: str, match: StageMatch) -> dict[str, Any]:
    """Return the values for the `render_match_box` component."""
    outcome, points = match.meeting.outcome, match.meeting.points
    winner = outcome.winner if outcome is not None else None
    return {
        "id": ident,
        "label": format_match_name(ident),
        "table": board.tables.get(ident),
        "state": get_game_state_code(board, ident, match),
        "note": explain_unplayed_outcome(outcome, board.names_by_match.get(ident, board.names))
        if outcome is not None
        else "",
        "sides": [
            {
                "name": board.get_name_in_match(ident, side),
                "number": side,
                "score": minus(points[side]) if side in points else None,
                "winner": side == winner,
                "no_win": outcome is not None and outcome.credits[side].result is Result.NONE,
            }
            for side in match.meeting.sides
        ],
    }


def show_stage_wall_screen(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the wall screen, which cycles through tables, waiting players, play-off, latest results and standings."""
    board = load_stage_board(event)
    panel = bool(getattr(request, "htmx", False))
    context: dict[str, Any] = {"panel": panel, "board": board, "legend": draw_wall_legend(event)}
    if board is not None:
        context |= _make_wall_screens_context(board, make_match_url_builder(event))
    template = "pairing/stages/course/stage_wall_panel.html" if panel else "pairing/stages/course/stage_wall.html"
    return render(request, template, context)


def _make_wall_screens_context(board: StageBoard, address: Callable[[str], str]) -> dict[str, Any]:
    current = board.course.current_stage
    seated = [
        (board.tables[ident], _list_names(board, match), render_badge(get_game_state_code(board, ident, match)))
        for ident, match in board.open_games
        if ident in board.tables
    ]
    latest = [(ident, current.matches[ident]) for ident in board.latest if ident in current.matches][
        :WALL_ROWS_PER_SCREEN
    ]
    context = {
        "screens": split_into_screens(seated),
        "waiting": split_into_screens(list_waiting_entrants(board)),
        "latest": [
            (_describe_result(board, match), render_badge(get_game_state_code(board, ident, match)))
            for ident, match in latest
        ],
        "rounds": make_play_off_round_contexts(board, current, address),
    }
    stage = board.find_pool(None)
    if stage is not None:
        rows = [
            (row.place, part.name, board.name(row.entry), str(row.record))
            for part, row in iter_ranked_entries(stage.pool)
        ]
        context["standings"] = split_into_screens(rows)
    return context


def _list_names(board: StageBoard, match: StageMatch) -> list[str]:
    return [board.get_name_in_match(match.meeting.match, side) for side in match.meeting.sides]


def _describe_result(board: StageBoard, match: StageMatch) -> str:
    """Describe a result, such as “Ann beats Bob, 250 to 180”."""
    outcome = match.meeting.outcome
    winner = outcome.winner if outcome is not None else None
    loser = next((side for side in match.meeting.sides if side != winner), None)
    if winner is None or loser is None:
        return " – ".join(_list_names(board, match))
    names = {
        "winner": board.get_name_in_match(match.meeting.match, winner),
        "loser": board.get_name_in_match(match.meeting.match, loser),
    }
    points = match.meeting.points
    if winner not in points or loser not in points:
        return _("%(winner)s beats %(loser)s") % names
    scores = {"won": minus(points[winner]), "lost": minus(points[loser])}
    return _("%(winner)s beats %(loser)s, %(won)s to %(lost)s") % {**names, **scores}


# --- The page of a bracket -------------------------------------------------------------------------------------------

PATH_WIDTH, PATH_BOX_HEIGHT, PATH_LINE_HEIGHT, PATH_GAP = 268.0, 54.0, 20.0, 20.0
"""The dimensions of the drawing that shows an entrant's path through the bracket.

A phone enlarges the drawing by a fifth, so that names are 18 px in size.
"""
PATH_INDENT, WON_RAIL_X, LOST_RAIL_X = 34.0, 22.0, 8.0
PATH_STEP_TEXT_WIDTH = PATH_WIDTH - PATH_INDENT - 16
"""The available width for text in a step of the path."""
MAX_BRANCH_HEADING_LETTERS = 24
"""The maximum number of characters per line in a branch's heading, based on the widest common serif font."""
MAX_BOX_WIDTH: Final = 300.0


def show_bracket(request: HttpRequest, event: Event) -> HttpResponse:
    drawn = load_bracket_board(event)
    panel = bool(getattr(request, "htmx", False))
    if drawn is None:
        return render(request, "pairing/event_pages/not_drawn.html", {"panel": panel})
    wanted = request.GET.get("me", "")
    numbers = drawn.find_entries(wanted)
    me = numbers[0] if len(numbers) == 1 else None
    # Boxes are wide enough for as many names as possible. Beside a path, they are as narrow as on a phone, so that both
    # shorten names alike.
    widest = PATH_WIDTH if me is not None else MAX_BOX_WIDTH
    measures = replace(
        PAGE_BRACKET_DIMENSIONS,
        box_width=min(max(PAGE_BRACKET_DIMENSIONS.box_width, round(compute_box_width_for_names(drawn))), widest),
    )
    board = shorten_bracket_names(drawn, measures.box_width)
    layout = lay_out_bracket(board.progress.bracket, measures)
    context: dict[str, Any] = {
        "board": board,
        **make_search_context(wanted, numbers, lambda number: board.shorten(board.name(number))),
        "rounds": _make_rounds_context(board, event, me),
        "legend": draw_match_state_legend(two_lives=board.is_double_elimination),
        "picture": draw_bracket(board, layout, _("Bracket"), address=make_match_url_builder(event), me=me),
        "champion": board.shorten(board.names.get(board.progress.champion or 0, "")),
    }
    if me is not None:
        context["me"] = me
        context["my_name"] = board.shorten(board.name(me))
        context["my_way"] = _draw_path(board, me, address=make_match_url_builder(event))
    template = "pairing/stages/knockout/panel.html" if panel else "pairing/stages/knockout/public.html"
    return render(request, template, context)


def show_final_stage_bracket(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the final bracket. If it is not open yet, redirect to the page that lists the stages."""
    if load_bracket_board(event) is None:
        return redirect("pairing:stages", event.tournament.slug, event.slug)
    return show_bracket(request, event)


def _make_rounds_context(board: BracketBoard, event: Event, me: int | None) -> list[dict[str, Any]]:
    """Return all rounds with their names and matches."""
    address, bracket, live = make_match_url_builder(event), board.progress.bracket, board.first_open_round
    counts = {part: bracket.count_rounds(part) for part in {key.part for key in board.rounds}}
    return [
        {
            "key": key,
            "part": BRACKET_PART_LABELS[key.part] if key.part else "",
            "label": format_round_name(key, counts[key.part]),
            "short": format_short_round_name(key, counts[key.part]),
            "current": key == live,
            "boxes": render_match_boxes(board, views, address=address, me=me),
        }
        for key, views in board.rounds.items()
    ]


# --- The picture of a path: past matches, the next match, and the ways after a win or a loss -------------------------


def _draw_path(board: BracketBoard, entry: int, *, address: MatchUrlBuilder) -> SafeString:
    path = find_bracket_path(board.progress, entry)
    drawn: list[SafeString] = []
    y = _draw_path_boxes(board, path, drawn, address)
    if path.current_match is None:
        ending = _("Eliminated from the bracket") if path.played else _("Not playing")
        ending = _("Has won the event") if path.is_champion else ending
        y = _draw_branch_heading(ending, y + 28, "path-fork", drawn) + 2
    else:
        y = _draw_branches(board, path, y, drawn)
    return format_html(
        '<svg class="bracket-picture path-picture" viewBox="-3 -12 {} {}" role="group" aria-label="{}">{}</svg>',
        PATH_WIDTH + 6,
        round(y + 24, 1),
        _("The path of %(name)s") % {"name": board.name(entry)},
        format_html_join("", "{}", ((part,) for part in drawn)),
    )


def _draw_path_boxes(
    board: BracketBoard, path: BracketPath, drawn: list[SafeString], address: MatchUrlBuilder
) -> float:
    """Draw the matches that an entrant has played and the entrant's next match, from top to bottom.

    Return the y coordinate of the bottom edge.
    """
    y = 0.0
    for view in (*path.played, *([path.current_match] if path.current_match else [])):
        if y:
            drawn.append(format_html('<path class="path-rail" d="M{} {}v{}"/>', WON_RAIL_X, y, PATH_GAP + 30))
            y += PATH_GAP + 8
        drawn.append(
            _draw_text(
                format_round_name(view.match.round_key, _count_rounds_of_part(board, view)),
                PATH_INDENT,
                y + 4,
                "path-head",
            )
        )
        y += 22
        at = MatchBox(view.match.id, 0, 0, y, PATH_WIDTH, PATH_BOX_HEIGHT)
        drawn.append(draw_match_box(board, at, address(view.match.id), path.entry, tell_sources=True))
        y += PATH_BOX_HEIGHT
    return y


def _count_rounds_of_part(board: BracketBoard, view: BracketMatchProgress) -> int:
    return board.progress.bracket.count_rounds(view.match.part)


def _draw_branches(board: BracketBoard, path: BracketPath, top: float, drawn: list[SafeString]) -> float:
    won = _("If you win") if path.if_won else _("If you win: champion")
    lost = _("If you lose") if path.if_lost else _("If you lose: eliminated")
    y = top
    for heading, steps, x, look in ((won, path.if_won, WON_RAIL_X, "won"), (lost, path.if_lost, LOST_RAIL_X, "lost")):
        y += PATH_GAP + 10
        turn = y - 5
        y = _draw_branch_heading(heading, y, f"path-fork is-{look}", drawn)
        rail = f"M{x} {top}V{turn}H{PATH_INDENT - 5}"
        before = path.current_match.match.id if path.current_match else ""
        for step in steps:
            y += 12
            whole = _list_opponent_lines(board, step, before)
            lines = [part for words, name in whole for part in _fit_line(words, board.shorten(name))]
            height = PATH_LINE_HEIGHT * (1 + len(lines)) + 8
            full_lines = [words % {"name": name} if name else words for words, name in whole]
            title = format_round_name(step.match.round_key, _count_rounds_of_part(board, step))
            if getattr(step.match, "if_needed", False):
                title = _("%(match)s, if needed") % {"match": title}
            drawn.append(_draw_future_match(title, lines, full_lines, y, height))
            rail += f"M{x} {turn}V{y + height / 2}H{PATH_INDENT}"
            turn, before = y + height / 2, step.match.id
            y += height
        drawn.insert(0, format_html('<path class="path-rail is-{}" d="{}"/>', look, rail))
    return y


def _draw_branch_heading(words: str, y: float, look: str, drawn: list[SafeString]) -> float:
    """Draw the heading above the matches that follow a win or a loss, or the text that says how the path ended.

    Return the y coordinate of the last line of text.
    """
    lines = wrap(words, MAX_BRANCH_HEADING_LETTERS)
    drawn += [_draw_text(line, PATH_INDENT, y + turn * PATH_LINE_HEIGHT, look) for turn, line in enumerate(lines)]
    return y + (len(lines) - 1) * PATH_LINE_HEIGHT


def _list_opponent_lines(board: BracketBoard, view: BracketMatchProgress, before: str) -> list[tuple[str, str]]:
    """Return lines of text about the possible opponents in a match, such as “against Ann” and “or Bob”.

    The opponents are those of an entry that comes from the match `before`. Each line is a text with the placeholder
    `%(name)s`, and the name to insert. If the text has no placeholder, the name is an empty string.
    """
    entries = find_possible_opponents(board.progress, view, before)
    if len(entries) == 2:
        one, other = (board.get_name_in_match(view.match.id, entry) for entry in entries)
        return [(_("against %(name)s"), one), (_("or %(name)s"), other)]
    if entries:
        return [(_("against %(name)s"), board.get_name_in_match(view.match.id, entries[0]))]
    others = [side for side in view.sides if getattr(side.source, "match", None) != before]
    if not others:
        return [(_("the same two again"), "")]
    if others[0].vacant:
        return [(_("without an opponent"), "")]
    source = describe_side_source(board, others[0], view.match.id)
    return [(_("against the %(source)s") % {"source": source[:1].lower() + source[1:]}, "")]


def _fit_line(words: str, name: str) -> list[str]:
    line = words % {"name": name} if name else words
    return (
        [line]
        if estimate_text_width(line, LETTER_WIDTH) <= PATH_STEP_TEXT_WIDTH
        else wrap(line, int(PATH_STEP_TEXT_WIDTH / (LETTER_WIDTH * 1.1)))
    )


def _draw_future_match(
    title: str, lines: Iterable[str], full_lines: Iterable[str], y: float, height: float
) -> SafeString:
    """Draw a future match on a branch of the path.

    `full_lines` are the unshortened lines, for the tooltip and for screen readers.
    """
    written = [
        (shorten_name_to_fit(title, PATH_STEP_TEXT_WIDTH, LETTER_WIDTH), "path-round"),
        *((line, "path-against") for line in lines),
    ]
    rows = (
        (look, PATH_INDENT + 8, y + PATH_LINE_HEIGHT * (turn + 1) - 2, words)
        for turn, (words, look) in enumerate(written)
    )
    return format_html(
        '<g><title>{}</title><rect class="path-step" x="{}" y="{}" width="{}" height="{}" rx="4"/>{}</g>',
        ", ".join([title, *full_lines]),
        PATH_INDENT,
        y,
        PATH_WIDTH - PATH_INDENT,
        height,
        format_html_join("", '<text class="{}" x="{}" y="{}">{}</text>', rows),
    )


def _draw_text(words: str, x: float, y: float, look: str) -> SafeString:
    return format_html('<text class="{}" x="{}" y="{}">{}</text>', look, x, y, words)
