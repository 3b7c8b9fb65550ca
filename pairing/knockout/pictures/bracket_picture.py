"""Draw the bracket as SVG, from the same layout as the poster."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pairing.draws.knockout.elimination import AnyBracket, RoundKey, rounds_of
from pairing.draws.knockout.progress import State
from pairing.draws.pictures.brackets import Layout, Measures, Section, lay_out_any, lay_out_section, sections_of
from pairing.knockout.pictures.match_boxes import PARTS, Address, join_html, round_name
from pairing.knockout.pictures.match_picture import fit_board, match_picture
from pairing.knockout.selectors import Board

PAGE = Measures(box_width=236, box_height=54, column_gap=24, row_gap=20, header_height=42)
WALL = Measures(box_width=196, box_height=46, column_gap=10, row_gap=16, header_height=34, two_sided=True)
WALL_WIDTH, WALL_HEIGHT = 1880, 765
"""The space for the picture on a wall screen below its header, in the wall's own units."""
SECTION_HEIGHT = 712
"""The height that remains below the name of a section."""
READ_FROM_FAR = 1.3
"""The smallest scale at which names are readable from the tables. Below it, the wall shows sections."""


def picture(board: Board, measures: Measures, *, address: Address, me: int | None = None) -> SafeString:
    layout = lay_out_any(board.progress.bracket, measures)
    return draw(board, layout, _("Bracket"), address=address, me=me)


def wall_pictures(board: Board, *, address: Address) -> tuple[list[tuple[str, SafeString]], Board]:
    """Return the whole bracket if it is readable from afar, or else the sections that are not finished.

    Each picture has a heading, empty for the whole bracket. All pictures shorten names to fit the narrowest of them.
    The returned board shortens names in the same way.
    """
    bracket = board.progress.bracket
    whole = wall_measures(lambda measures: lay_out_any(bracket, measures))
    if seen_at(lay_out_any(bracket, whole)) >= READ_FROM_FAR:
        board = fit_board(board, whole.box_width)
        return [("", draw(board, lay_out_any(bracket, whole), _("Bracket"), address=address))], board
    sections = sections_of(bracket)
    shown = [section for section in sections if _is_open(board, section)] or [sections[-1]]
    measures = [wall_measures(partial(lay_out_section, section), SECTION_HEIGHT) for section in shown]
    board = fit_board(board, min(each.box_width for each in measures))
    drawn = [
        (name, draw(board, lay_out_section(section, each), name, address=address))
        for section, each in zip(shown, measures, strict=True)
        for name in [section_name(section)]
    ]
    return drawn, board


def section_name(section: Section) -> str:
    part = str(PARTS[section.part]) if section.part else ""
    if section.count == 1:
        return part
    which = _("Section %(number)s of %(count)s") % {"number": section.number, "count": section.count}
    return f"{part}, {which}" if part else which


def _is_open(board: Board, section: Section) -> bool:
    """Return whether the section has an open match with at least one known player."""
    views = (board.progress[match.id] for match in section.matches)
    return any(view.state in (State.WAITING, State.READY) and view.entries for view in views)


def draw(board: Board, layout: Layout, label: str, *, address: Address, me: int | None = None) -> SafeString:
    """Draw the layout as SVG. The matches of `me` and the lines between them are marked."""
    bracket = board.progress.bracket
    if me is None:
        still = _still(bracket, layout, get_language())
    else:
        still = _heads(bracket, layout) + _lines(layout, {view.match.id for view in board.progress.way_of(me)})
    return format_html(
        '<svg class="bracket-picture" viewBox="-2 -2 {} {}" width="{}" height="{}" role="group" aria-label="{}">'
        "{}{}</svg>",
        round(layout.width + 4, 1),
        round(layout.height + 4, 1),
        round(layout.width + 4),
        round(layout.height + 4),
        label,
        still,
        join_html(match_picture(board, one, address(one.match), me) for one in layout.boxes),
    )


@lru_cache(maxsize=64)
def _still(bracket: AnyBracket, layout: Layout, _language: str | None) -> SafeString:
    """Draw the round names and lines, which no result changes."""
    return _heads(bracket, layout) + _lines(layout, set())


def seen_at(layout: Layout, height: float = WALL_HEIGHT) -> float:
    """Return the scale of the layout on the wall."""
    return min(WALL_WIDTH / layout.width, height / layout.height)


def wall_measures(lay: Callable[[Measures], Layout], height: float = WALL_HEIGHT) -> Measures:
    """Return measures that fill a wall, with the final at the right or in the middle, whichever is larger.

    The space that remains goes to the names or to the gaps between matches.
    """
    sides: Sequence[Measures] = (replace(WALL, two_sided=False), WALL)
    chosen = max(sides, key=lambda measures: seen_at(lay(measures), height))
    layout = lay(chosen)
    size = seen_at(layout, height)
    wider = lay(replace(chosen, box_width=chosen.box_width + 1)).width - layout.width
    taller = lay(replace(chosen, row_gap=chosen.row_gap + 1)).height - layout.height
    return replace(
        chosen,
        box_width=chosen.box_width + (WALL_WIDTH / size - layout.width) / wider,
        row_gap=chosen.row_gap + (height / size - layout.height) / taller,
    )


def _heads(bracket: AnyBracket, layout: Layout) -> SafeString:
    rounds = {part: rounds_of(bracket, part) for part in {head.part for head in layout.headers}}
    heads = (
        (
            round(head.x + head.width / 2, 1),
            round(head.y + head.height * 0.5, 1),
            round_name(RoundKey(head.part, head.round), rounds[head.part]),
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
