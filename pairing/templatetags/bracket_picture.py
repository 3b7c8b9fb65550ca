"""The bracket as SVG, drawn on the server from the layout that the poster is drawn from."""

from __future__ import annotations

from dataclasses import replace

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from pairing.draws import (
    AnyBracket,
    Box,
    Layout,
    MatchView,
    Measures,
    RoundKey,
    Side,
    State,
    lay_out_any,
    rounds_of,
)
from pairing.selectors.boards import Board
from pairing.templatetags.match_boxes import Address, match_name, round_name, said, side_name, why_not_played

register = template.Library()

PAGE = Measures(box_width=232, box_height=52, column_gap=24, row_gap=12, header_height=36)
WALL = Measures(box_width=196, box_height=48, column_gap=8, row_gap=8, header_height=30, two_sided=True)
WALL_WIDTH, WALL_HEIGHT = 1880, 765
"""What a wall screen has for the picture, below its head, in any unit: only the proportion counts."""
LETTER, BOLD_LETTER = 8.2, 9.5
"""How wide a letter of a name is at 15 units, a generous mean."""
SQUEEZED = 0.64
"""A long name is set narrower, down to this; what is longer still ends in … and is whole in the title."""


def picture(board: Board, measures: Measures, *, address: Address, me: int | None = None) -> SafeString:
    layout = lay_out_any(board.progress.bracket, measures)
    way = set() if me is None else {view.match.id for view in board.progress.way_of(me)}
    return format_html(
        '<svg class="bracket-picture" viewBox="-2 -2 {} {}" width="{}" height="{}" role="group" aria-label="{}">'
        "{}{}{}</svg>",
        round(layout.width + 4, 1),
        round(layout.height + 4, 1),
        round(layout.width + 4),
        round(layout.height + 4),
        _("Bracket"),
        _heads(board, layout),
        _lines(layout, way),
        format_html_join(
            "",
            "{}",
            ((_match(board, one, address(one.match), me),) for one in layout.boxes),
        ),
    )


def wall_measures(bracket: AnyBracket) -> Measures:
    """Towards the right or from both sides, whichever is seen larger on a wall; then the wall is filled.

    What the proportion leaves free goes to the names, or between the matches.
    """

    def size_of(measures: Measures) -> float:
        layout = lay_out_any(bracket, measures)
        return min(WALL_WIDTH / layout.width, WALL_HEIGHT / layout.height)

    chosen = max(WALL, replace(WALL, two_sided=False), key=size_of)
    size, layout = size_of(chosen), lay_out_any(bracket, chosen)
    wider = lay_out_any(bracket, replace(chosen, box_width=chosen.box_width + 1)).width - layout.width
    taller = lay_out_any(bracket, replace(chosen, row_gap=chosen.row_gap + 1)).height - layout.height
    return replace(
        chosen,
        box_width=chosen.box_width + (WALL_WIDTH / size - layout.width) / wider,
        row_gap=chosen.row_gap + (WALL_HEIGHT / size - layout.height) / taller,
    )


def _heads(board: Board, layout: Layout) -> SafeString:
    bracket = board.progress.bracket
    heads = (
        (
            round(head.x + head.width / 2, 1),
            round(head.y + head.height * 0.6, 1),
            round_name(RoundKey(head.part, head.round), rounds_of(bracket, head.part)),
        )
        for head in layout.headers
    )
    return format_html_join("", '<text class="bracket-head" x="{}" y="{}" text-anchor="middle">{}</text>', heads)


def _lines(layout: Layout, way: set[str]) -> SafeString:
    return format_html_join(
        "",
        '<polyline class="bracket-line{}" points="{}"/>',
        (
            (
                " is-mine" if line.match in way and line.winner_of in way else "",
                " ".join(f"{point.x:g},{point.y:g}" for point in line.points),
            )
            for line in layout.connectors
        ),
    )


def _match(board: Board, at: Box, url: str, me: int | None) -> SafeString:
    view = board.progress[at.match]
    table = board.tables.get(at.match)
    look = " is-mine" if me is not None and me in view.entries else " is-live" if table else ""
    return format_html(
        '<a href="{}" aria-label="{}: {}{}"><title>{}</title><rect class="bracket-box{}" x="{}" y="{}" width="{}" '
        'height="{}" rx="4"/><line class="bracket-middle" x1="{}" x2="{}" y1="{}" y2="{}"/>{}{}{}</a>',
        url,
        match_name(at.match),
        said(board, view),
        ", " + _("table %(table)s") % {"table": table} if table else "",
        said(board, view),
        look,
        round(at.x, 1),
        round(at.y, 1),
        at.width,
        at.height,
        round(at.x, 1),
        round(at.x + at.width, 1),
        round(at.y + at.height / 2, 1),
        round(at.y + at.height / 2, 1),
        _side(board, view, at, 0),
        _side(board, view, at, 1),
        _table(at, table) if table else "",
    )


def _side(board: Board, view: MatchView, at: Box, index: int) -> SafeString:
    side: Side = view.sides[index]
    y = round(at.side_middle(index) + 5.5, 1)
    if side.entry is None and not side.vacant:
        return SafeString("")
    won = side.entry is not None and side.entry == view.winner
    out = view.state is State.DECIDED and not won
    score = _score(board, view, side.entry)
    right = 40 if view.match.id in board.tables else (39 if score != "" else 6) + (19 if won else 0)
    name, squeezed = _fitted(side_name(board, side), at.width - 31 - right, BOLD_LETTER if won else LETTER)
    return format_html(
        '<text class="bracket-number" x="{}" y="{}" text-anchor="end">{}</text>'
        '<text class="bracket-name{}" x="{}" y="{}"{}>{}</text>'
        '<text class="bracket-score{}" x="{}" y="{}" text-anchor="end">{}{}</text>',
        round(at.x + 25, 1),
        y,
        side.entry or "",
        " is-winner" if won else " is-out" if out else "",
        round(at.x + 31, 1),
        y,
        format_html(' textLength="{}" lengthAdjust="spacingAndGlyphs"', squeezed) if squeezed else "",
        name,
        " is-winner" if won else "",
        round(at.x + at.width - 6, 1),
        y,
        score,
        " ✓" if won else "",
    )


def _score(board: Board, view: MatchView, entry: int | None) -> int | str:
    """What stands beside a name: the score, or at the winner of a match that was not played that it was not."""
    if view.state is not State.DECIDED or entry is None:
        return ""
    if why_not_played(view):
        return _("w.o.") if entry == view.winner else ""
    return board.scores.get(view.match.id, {}).get(entry, "")


def _table(at: Box, table: int) -> SafeString:
    x, y = round(at.x + at.width - 20, 1), round(at.y + at.height / 2, 1)
    return format_html(
        '<circle class="bracket-table" cx="{}" cy="{}" r="15"/>'
        '<text class="bracket-table-number" x="{}" y="{}" text-anchor="middle">{}</text>',
        x,
        y,
        x,
        y + 5.5,
        table,
    )


def _fitted(name: str, room: float, letter: float) -> tuple[str, float | None]:
    """The name as it is set, and the width it is squeezed to (None: it fits as it is)."""
    if len(name) * letter <= room:
        return name, None
    letters = int(room / (letter * SQUEEZED))
    return (name if len(name) <= letters else f"{name[: letters - 1].rstrip()}…"), round(room, 1)
