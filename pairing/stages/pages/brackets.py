"""The public page of a bracket. It shows a player's path as one narrow picture for a phone."""

from collections.abc import Iterable
from dataclasses import replace
from textwrap import wrap
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from pairing.draws.knockout.progress import MatchView, Path, opponents, path_of
from pairing.draws.pictures.brackets import Box
from pairing.draws.pictures.short_names import fitted, width_of
from pairing.stages.pages.games import match_address
from pairing.stages.pictures.boxes import PARTS, Address, boxes, round_name, short_round_name
from pairing.stages.pictures.brackets import (
    LETTER,
    PAGE,
    legend,
    match_picture,
    picture,
    shorten_names,
    source_name,
    width_for_names,
)
from pairing.stages.selectors.bracket_boards import Board, load_bracket_board
from tournament.models import Event

WIDTH, BOX, LINE, GAP = 268.0, 54.0, 20.0, 20.0
"""A phone enlarges this width by a fifth, so that names have a size of 18 px."""
INDENT, WON_RAIL, LOST_RAIL = 34.0, 22.0, 8.0
ROOM = WIDTH - INDENT - 16
"""The width for the words of a step."""
FORK = 24
"""The most letters in a line that says where a way leads, for the widest common serif font."""
WIDEST_BOX: Final = 300.0


def show_bracket(request: HttpRequest, event: Event) -> HttpResponse:
    drawn = load_bracket_board(event)
    panel = bool(getattr(request, "htmx", False))
    if drawn is None:
        return render(request, "pairing/event_pages/not_drawn.html", {"panel": panel})
    wanted = request.GET.get("me", "")
    found = drawn.entries_called(wanted)
    me = found[0] if len(found) == 1 else None
    # Boxes leave as many names unshortened as possible. If a path is shown beside the bracket, they are as narrow as
    # on a phone, so that both spell names alike.
    widest = WIDTH if me is not None else WIDEST_BOX
    measures = replace(PAGE, box_width=min(max(PAGE.box_width, round(width_for_names(drawn))), widest))
    board = shorten_names(drawn, measures.box_width)
    context: dict[str, Any] = {
        "board": board,
        "wanted": wanted,
        "found": [] if me else [(number, board.spell(board.name(number))) for number in found[:20]],
        "nobody": bool(wanted) and not found,
        "rounds": _rounds_context(board, event, me),
        "legend": legend(two_lives=board.has_two_lives),
        "picture": picture(board, measures, address=match_address(event), me=me),
        "champion": board.spell(board.names.get(board.progress.champion or 0, "")),
    }
    if me is not None:
        context["me"] = me
        context["my_name"] = board.spell(board.name(me))
        context["my_way"] = _path_picture(board, me, address=match_address(event))
    template = "pairing/stages/knockout/panel.html" if panel else "pairing/stages/knockout/public.html"
    return render(request, template, context)


def show_last_bracket(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the final bracket, or redirect to the stages if it is not open yet."""
    if load_bracket_board(event) is None:
        return redirect("pairing:stages", event.tournament.slug, event.slug)
    return show_bracket(request, event)


def _rounds_context(board: Board, event: Event, me: int | None) -> list[dict[str, Any]]:
    """Return every round with its matches and names. In a double elimination, each round has the name of its part."""
    address, bracket, live = match_address(event), board.progress.bracket, board.live_round
    counts = {part: bracket.rounds_of(part) for part in {key.part for key in board.rounds}}
    return [
        {
            "key": key,
            "part": PARTS[key.part] if key.part else "",
            "label": round_name(key, counts[key.part]),
            "short": short_round_name(key, counts[key.part]),
            "current": key == live,
            "boxes": boxes(board, views, address=address, me=me),
        }
        for key, views in board.rounds.items()
    ]


# --- The picture of a path: past matches, the next match, and the ways on from it ------------------------------------


def _path_picture(board: Board, entry: int, *, address: Address) -> SafeString:
    path = path_of(board.progress, entry)
    drawn: list[SafeString] = []
    y = _draw_boxes(board, path, drawn, address)
    if path.now is None:
        ending = _("Eliminated from the bracket") if path.played else _("Not playing")
        ending = _("Has won the event") if path.is_champion else ending
        y = _draw_fork(ending, y + 28, "path-fork", drawn) + 2
    else:
        y = _draw_roads(board, path, y, drawn)
    return format_html(
        '<svg class="bracket-picture path-picture" viewBox="-3 -12 {} {}" role="group" aria-label="{}">{}</svg>',
        WIDTH + 6,
        round(y + 24, 1),
        _("The path of %(name)s") % {"name": board.name(entry)},
        format_html_join("", "{}", ((part,) for part in drawn)),
    )


def _draw_boxes(board: Board, path: Path, drawn: list[SafeString], address: Address) -> float:
    """Draw the matches played and the next one from the top, and return the bottom of the last."""
    y = 0.0
    for view in (*path.played, *([path.now] if path.now else [])):
        if y:
            drawn.append(format_html('<path class="path-rail" d="M{} {}v{}"/>', WON_RAIL, y, GAP + 30))
            y += GAP + 8
        drawn.append(_text(round_name(view.match.round_key, _rounds(board, view)), INDENT, y + 4, "path-head"))
        y += 22
        at = Box(view.match.id, 0, 0, y, WIDTH, BOX)
        drawn.append(match_picture(board, at, address(view.match.id), path.entry, tell_sources=True))
        y += BOX
    return y


def _rounds(board: Board, view: MatchView) -> int:
    return board.progress.bracket.rounds_of(view.match.part)


def _draw_roads(board: Board, path: Path, top: float, drawn: list[SafeString]) -> float:
    won = _("If you win") if path.if_won else _("If you win: champion")
    lost = _("If you lose") if path.if_lost else _("If you lose: eliminated")
    y = top
    for heading, steps, x, look in ((won, path.if_won, WON_RAIL, "won"), (lost, path.if_lost, LOST_RAIL, "lost")):
        y += GAP + 10
        turn = y - 5
        y = _draw_fork(heading, y, f"path-fork is-{look}", drawn)
        rail = f"M{x} {top}V{turn}H{INDENT - 5}"
        before = path.now.match.id if path.now else ""
        for step in steps:
            y += 12
            whole = _opponent_lines(board, step, before)
            lines = [part for words, name in whole for part in _fit_line(words, board.spell(name))]
            height = LINE * (1 + len(lines)) + 8
            full_lines = [words % {"name": name} if name else words for words, name in whole]
            title = round_name(step.match.round_key, _rounds(board, step))
            if getattr(step.match, "if_needed", False):
                title = _("%(match)s, if needed") % {"match": title}
            drawn.append(_step(title, lines, full_lines, y, height))
            rail += f"M{x} {turn}V{y + height / 2}H{INDENT}"
            turn, before = y + height / 2, step.match.id
            y += height
        drawn.insert(0, format_html('<path class="path-rail is-{}" d="{}"/>', look, rail))
    return y


def _draw_fork(words: str, y: float, look: str, drawn: list[SafeString]) -> float:
    """Write where a way leads, from its first line down, and return the height of the last line."""
    lines = wrap(words, FORK)
    drawn += [_text(line, INDENT, y + turn * LINE, look) for turn, line in enumerate(lines)]
    return y + (len(lines) - 1) * LINE


def _opponent_lines(board: Board, view: MatchView, before: str) -> list[tuple[str, str]]:
    """Return the possible opponents in a match: words with a placeholder and the name for it, or an empty name."""
    entries = opponents(board.progress, view, before)
    if len(entries) == 2:
        one, other = (board.name_in(view.match.id, entry) for entry in entries)
        return [(_("against %(name)s"), one), (_("or %(name)s"), other)]
    if entries:
        return [(_("against %(name)s"), board.name_in(view.match.id, entries[0]))]
    others = [side for side in view.sides if getattr(side.source, "match", None) != before]
    if not others:
        return [(_("the same two again"), "")]
    if others[0].vacant:
        return [(_("without an opponent"), "")]
    source = source_name(board, others[0], view.match.id)
    return [(_("against the %(source)s") % {"source": source[:1].lower() + source[1:]}, "")]


def _fit_line(words: str, name: str) -> list[str]:
    line = words % {"name": name} if name else words
    return [line] if width_of(line, LETTER) <= ROOM else wrap(line, int(ROOM / (LETTER * 1.1)))


def _step(title: str, lines: Iterable[str], full_lines: Iterable[str], y: float, height: float) -> SafeString:
    """Draw a step of a way. `full_lines` are for screen readers and the title."""
    shown = [(fitted(title, ROOM, LETTER), "path-round"), *((line, "path-against") for line in lines)]
    rows = ((look, INDENT + 8, y + LINE * (turn + 1) - 2, words) for turn, (words, look) in enumerate(shown))
    return format_html(
        '<g><title>{}</title><rect class="path-step" x="{}" y="{}" width="{}" height="{}" rx="4"/>{}</g>',
        ", ".join([title, *full_lines]),
        INDENT,
        y,
        WIDTH - INDENT,
        height,
        format_html_join("", '<text class="{}" x="{}" y="{}">{}</text>', rows),
    )


def _text(words: str, x: float, y: float, look: str) -> SafeString:
    return format_html('<text class="{}" x="{}" y="{}">{}</text>', look, x, y, words)
