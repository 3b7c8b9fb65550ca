"""Draw a bracket and its legend as SVG, with the same layout as the poster.

The state of a match is shown by a label with a symbol on the box's edge, and by the style of the edge:

    waiting              dashed                 ready        a thin line
    if needed            dashed                 not needed   dashed, and struck through
    called               a thick line, with the table number in a ring
    playing              a thick line over a striped bar, with the table number in a filled circle
    done, walkover       a thin line, with a ✓ next to the winner's score
    corrected            a double line

`pairing/stages/pdf/brackets.py` draws the bracket on paper.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from weakref import WeakKeyDictionary

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pairing.draws.knockout.bracket import Bracket, DrawnSide, LoserOf, RoundKey
from pairing.draws.knockout.progress import BracketMatchProgress, BracketMatchState, BracketSide
from pairing.draws.layouts.brackets import (
    DOUBLE_LINE_GAP,
    STRIPED_BAR_HEIGHT,
    BracketDimensions,
    BracketLayout,
    BracketSection,
    MatchBox,
    lay_out_bracket,
    lay_out_section,
    make_diagonal_lines,
    split_into_sections,
)
from pairing.draws.layouts.short_names import estimate_text_width, shorten_long_names
from pairing.stages.pictures.boxes import (
    BRACKET_PART_LABELS,
    MatchUrlBuilder,
    describe_match,
    describe_side,
    explain_why_not_played,
    format_match_name,
    format_round_name,
    format_short_match_name,
    get_match_state_code,
    join_html,
    render_cached_box,
)
from pairing.stages.selectors.boards import BracketBoard
from pairing.stages.selectors.plans import load_event_plan
from tournament.models import Event
from tournament.templatetags.gin import state_badge

LETTER_WIDTH, BOLD_LETTER_WIDTH = 8.2, 9.2
"""The average width of a character in names at font size 15, based on the widest common fonts."""
EDGE_LABEL_LETTER_WIDTH = 6.9
"""The width of a character in the label on a box's edge, at font size 11.5."""
DIGIT_WIDTH = 7.6
"""The width of a digit in an entry number."""
LEGEND_STATES = ("waiting", "ready", "called", "playing", "done", "corrected", "walk-over")


def draw_match_box(
    board: BracketBoard, at: MatchBox, url: str, me: int | None = None, *, tell_sources: bool = False
) -> SafeString:
    """Draw a match at its position. If `tell_sources` is true, an unknown side names the match that it comes from."""
    view = board.progress[at.match]
    place = ("picture", at, url, tell_sources)
    return render_cached_box(board, view, me, place, lambda: _draw_match(board, at, url, me, tell_sources=tell_sources))


def _draw_match(board: BracketBoard, at: MatchBox, url: str, me: int | None, *, tell_sources: bool) -> SafeString:
    view = board.progress[at.match]
    state, table = get_match_state_code(board, view), board.tables.get(at.match)
    words = (
        f"{format_match_name(at.match, board.round_count)}: {describe_match(board, view)}, {state_badge(state).word}"
    )
    if table:
        words += ", " + _("table %(table)s") % {"table": table}
    mine = me is not None and me in view.entries
    return format_html(
        '<a class="bracket-match is-{}" href="{}" aria-label="{}"><title>{}</title>{}{}{}{}{}</a>',
        state,
        url,
        words,
        words,
        _draw_frame(at, state, mine=mine),
        *(
            _draw_side(board, view, at, index) or _draw_side_source(board, view, at, index, tell_sources)
            for index in (0, 1)
        ),
        _draw_table_number(at, table) if table else "",
        _draw_edge_labels(board, at, state),
    )


def list_legend_states(*, two_lives: bool) -> tuple[str, ...]:
    return (*LEGEND_STATES, "if-needed", "not-needed") if two_lives else LEGEND_STATES


def draw_wall_legend(event: Event) -> SafeString | str:
    """Draw the legend of match states for an event's wall screen.

    Return an empty string if the event has no bracket.
    """
    kinds = [stage.kind.traits for stage in load_event_plan(event).stages]
    return (
        draw_match_state_legend(two_lives=any(kind.two_lives for kind in kinds))
        if any(kind.is_bracket for kind in kinds)
        else ""
    )


def draw_match_state_legend(*, two_lives: bool) -> SafeString:
    """Draw a legend: a small box for each match state, with the state's symbol and name.

    If `two_lives` is true, include the states that only a double elimination has.
    """
    sample = MatchBox("", 0, 2, 3, 40, 22)
    items = (
        (
            state,
            _draw_frame(sample, state),
            _draw_sample_content(sample, state),
            state_badge(state).sign,
            state_badge(state).word,
        )
        for state in list_legend_states(two_lives=two_lives)
    )
    samples = format_html_join(
        "",
        '<li><svg class="bracket-sample bracket-match is-{}" viewBox="0 0 44 32" width="44" height="32" '
        'aria-hidden="true">{}{}</svg><span aria-hidden="true">{}</span> {}</li>',
        items,
    )
    return format_html('<ul class="bracket-legend" aria-label="{}">{}</ul>', _("What the boxes mean"), samples)


def _draw_sample_content(at: MatchBox, state: str) -> SafeString:
    if state in ("called", "playing"):
        return _draw_table_number(at, "12", radius=8)
    words = {"done": "✓", "corrected": "✓", "walk-over": _("w.o.")}.get(state, "")
    return format_html(
        '<text class="bracket-score is-winner" x="{}" y="{}" text-anchor="end">{}</text>',
        at.width - 3,
        at.y + 10,
        words,
    )


def _draw_frame(at: MatchBox, state: str, *, mine: bool = False) -> SafeString:
    x, y = round(at.x, 1), round(at.y, 1)
    middle = round(at.y + at.height / 2, 1)
    return format_html(
        '<rect class="bracket-box{}" x="{}" y="{}" width="{}" height="{}" rx="4"/>{}'
        '<path class="bracket-middle" d="M{} {}h{}"/>',
        " is-mine" if mine else " is-live" if state in ("called", "playing") else "",
        x,
        y,
        at.width,
        at.height,
        _draw_state_marks(at, state),
        x,
        middle,
        at.width,
    )


def _draw_state_marks(at: MatchBox, state: str) -> SafeString:
    if state == "playing":
        foot = (at.x, at.y + at.height, at.width, STRIPED_BAR_HEIGHT)
        return format_html(
            '<path class="bracket-stripes" d="{}"/>', make_stripes_path(make_diagonal_lines(*foot, step=6))
        )
    if state == "not-needed":
        inside = (at.x, at.y, at.width, at.height)
        return format_html(
            '<path class="bracket-struck" d="{}"/>', make_stripes_path(make_diagonal_lines(*inside, step=14))
        )
    if state == "corrected":
        inner = round_coordinates(
            at.x + DOUBLE_LINE_GAP,
            at.y + DOUBLE_LINE_GAP,
            at.width - 2 * DOUBLE_LINE_GAP,
            at.height - 2 * DOUBLE_LINE_GAP,
        )
        return format_html('<rect class="bracket-inner" x="{}" y="{}" width="{}" height="{}" rx="2"/>', *inner)
    return SafeString("")


def round_coordinates(*figures: float) -> tuple[float, ...]:
    return tuple(round(figure, 1) for figure in figures)


def make_stripes_path(lines: Iterable[tuple[float, float, float, float]]) -> SafeString:
    drawn = "".join(f"M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" for x, y, to_x, to_y in lines)
    return mark_safe(drawn)  # Numbers need no escaping.


_boards_with_short_names: WeakKeyDictionary[BracketBoard, dict[float, BracketBoard]] = WeakKeyDictionary()


def shorten_bracket_names(board: BracketBoard, width: float) -> BracketBoard:
    """Return the board with names shortened to fit boxes of this width.

    Every box keeps room for a winner's score and check mark, so a result never changes how a name is shortened.
    """
    boards = _boards_with_short_names.setdefault(board, {})
    if width not in boards:
        names = {*board.names.values(), *chain.from_iterable(each.values() for each in board.names_by_match.values())}
        short_names = shorten_long_names(names, width - _compute_width_beside_name(board), BOLD_LETTER_WIDTH)
        boards[width] = replace(board, short_names=short_names)
    return boards[width]


def compute_box_width_for_names(board: BracketBoard) -> float:
    """Return the box width that fits the longest name in the event."""
    longest = max((estimate_text_width(name, BOLD_LETTER_WIDTH) for name in board.names.values()), default=0)
    return longest + _compute_width_beside_name(board)


def _compute_width_beside_name(board: BracketBoard) -> float:
    """Return the width needed next to a name for the entry number, score, and winner's check mark."""
    return _compute_width_before_name(board) + 58


def _compute_width_before_name(board: BracketBoard) -> float:
    return 31 + DIGIT_WIDTH * max(0, board.number_width - 2)


def _draw_side(board: BracketBoard, view: BracketMatchProgress, at: MatchBox, index: int) -> SafeString:
    side: BracketSide = view.sides[index]
    y = round(at.compute_name_y(index) + 5.5, 1)
    if not side.is_known:
        return SafeString("")
    won = side.entry is not None and side.entry == view.winner
    out = view.state is BracketMatchState.DECIDED and not won
    score = _format_score(board, view, side.entry)
    before = _compute_width_before_name(board)
    name = describe_side(board, side, view.match.id)
    return format_html(
        '<text class="bracket-number" x="{}" y="{}" text-anchor="end">{}</text>'
        '<text class="bracket-name{}" x="{}" y="{}">{}</text>'
        '<text class="bracket-score{}" x="{}" y="{}" text-anchor="end">{}{}</text>',
        round(at.x + before - 6, 1),
        y,
        side.entry or "",
        " is-winner" if won else " is-out" if out else "",
        round(at.x + before, 1),
        y,
        render_svg_name(name, board.shorten(name)),
        " is-winner" if won else "",
        round(at.x + at.width - 6, 1),
        y,
        score,
        " ✓" if won else "",
    )


def _draw_side_source(
    board: BracketBoard, view: BracketMatchProgress, at: MatchBox, index: int, always: bool
) -> SafeString:
    """Draw the name of the match that a side comes from.

    Unless `always` is true, draw it only if the side is the loser of that match. Lines already show where winners come
    from.
    """
    side = view.sides[index]
    if not always and not isinstance(side.source, LoserOf):
        return SafeString("")
    x, y = round_coordinates(at.x + 12, at.compute_name_y(index) + 5.5)
    name = describe_side_source(board, side, view.match.id)
    return format_html('<text class="bracket-source" x="{}" y="{}">{}</text>', x, y, name)


def describe_side_source(board: BracketBoard, side: BracketSide, ident: str) -> str:
    """Return where the player on one side of a match comes from, such as “Loser of W2·1”.

    Only matches of a double elimination have such short names. In other brackets, and for a player whose position comes
    from the draw, return the text of `describe_side`.
    """
    if not board.is_double_elimination or isinstance(side.source, DrawnSide):
        return describe_side(board, side, ident)
    name = {"match": format_short_match_name(side.source.match)}
    return _("Loser of %(match)s") % name if isinstance(side.source, LoserOf) else _("Winner of %(match)s") % name


def _format_score(board: BracketBoard, view: BracketMatchProgress, entry: int | None) -> int | str:
    """Return the score next to a name, or “w.o.” for the winner of a match that was not played."""
    if view.state is not BracketMatchState.DECIDED or entry is None:
        return ""
    if explain_why_not_played(view):
        return _("w.o.") if entry == view.winner else ""
    return board.scores.get(view.match.id, {}).get(entry, "")


def _draw_table_number(at: MatchBox, table: int | str, radius: float = 15) -> SafeString:
    x, y = round_coordinates(at.x + at.width - radius - 5, at.y + at.height / 2)
    return format_html(
        '<circle class="bracket-table" cx="{}" cy="{}" r="{}"/>'
        '<text class="bracket-table-number" x="{}" y="{}" font-size="{}" text-anchor="middle">{}</text>',
        *(x, y, radius, x, *round_coordinates(y + radius * 0.37, radius * 1.07), table),
    )


def _draw_edge_labels(board: BracketBoard, at: MatchBox, state: str) -> SafeString:
    """Draw the labels on a box's upper edge: the match's state and, in a double elimination, its short name."""
    badge = state_badge(state)
    left = _draw_edge_label(at.x + 8, at.y, f"{badge.sign} {badge.word}", "bracket-state")
    if not board.is_double_elimination:
        return left
    name = format_short_match_name(at.match)
    return left + _draw_edge_label(at.x + at.width - 8 - _compute_edge_label_width(name), at.y, name, "bracket-code")


def _draw_edge_label(x: float, y: float, words: str, name: str) -> SafeString:
    return format_html(
        '<rect class="bracket-tab" x="{}" y="{}" width="{}" height="13"/><text class="{}" x="{}" y="{}">{}</text>',
        round(x, 1),
        round(y - 10, 1),
        _compute_edge_label_width(words),
        name,
        round(x + 4, 1),
        round(y + 1.2, 1),
        words,
    )


def _compute_edge_label_width(words: str) -> float:
    return round(len(words) * EDGE_LABEL_LETTER_WIDTH + 8, 1)


def render_svg_name(name: str, shortened: str) -> SafeString | str:
    """Render a name as SVG. If it is shortened, the full name is in its title."""
    return shortened if shortened == name else format_html("<title>{}</title>{}", name, shortened)


# --- The whole bracket, and its sections on the wall -----------------------------------------------------------------

PAGE_BRACKET_DIMENSIONS = BracketDimensions(box_width=236, box_height=54, column_gap=24, row_gap=20, header_height=42)
WALL_BRACKET_DIMENSIONS = BracketDimensions(
    box_width=196, box_height=46, column_gap=10, row_gap=16, header_height=34, two_sided=True
)
WALL_WIDTH, WALL_HEIGHT = 1880, 765
"""The width and height of the space below the header of a wall screen, in SVG units."""
WALL_SECTION_HEIGHT = 712
"""The height of the space below the name of a bracket section on a wall screen, in SVG units."""
MIN_WALL_SCALE = 1.3
"""The minimum scale at which names are readable from the tables.

If the whole bracket would need a smaller scale, the wall shows sections of it.
"""


def draw_wall_pictures(
    board: BracketBoard, *, address: MatchUrlBuilder
) -> tuple[list[tuple[str, SafeString]], BracketBoard]:
    """Draw the whole bracket if it is readable from afar, or else its unfinished sections.

    Each drawing has a heading, which is empty for the whole bracket. All drawings and the returned board have names
    shortened to fit the narrowest drawing.
    """
    bracket = board.progress.bracket
    whole = compute_wall_dimensions(lambda measures: lay_out_bracket(bracket, measures))
    if compute_wall_scale(lay_out_bracket(bracket, whole)) >= MIN_WALL_SCALE:
        board = shorten_bracket_names(board, whole.box_width)
        return [("", draw_bracket(board, lay_out_bracket(bracket, whole), _("Bracket"), address=address))], board
    sections = split_into_sections(bracket)
    unfinished = [section for section in sections if _has_open_match(board, section)] or [sections[-1]]
    measures = [
        compute_wall_dimensions(partial(lay_out_section, section), WALL_SECTION_HEIGHT) for section in unfinished
    ]
    board = shorten_bracket_names(board, min(each.box_width for each in measures))
    drawn = [
        (name, draw_bracket(board, lay_out_section(section, each), name, address=address))
        for section, each in zip(unfinished, measures, strict=True)
        for name in [_format_section_name(section)]
    ]
    return drawn, board


def _format_section_name(section: BracketSection) -> str:
    part = str(BRACKET_PART_LABELS[section.part]) if section.part else ""
    if section.count == 1:
        return part
    which = _("Section %(number)s of %(count)s") % {"number": section.number, "count": section.count}
    return f"{part}, {which}" if part else which


def _has_open_match(board: BracketBoard, section: BracketSection) -> bool:
    """Return whether the section has an open match with at least one known player."""
    views = (board.progress[match.id] for match in section.matches)
    return any(view.state in (BracketMatchState.WAITING, BracketMatchState.READY) and view.entries for view in views)


def draw_bracket(
    board: BracketBoard, layout: BracketLayout, label: str, *, address: MatchUrlBuilder, me: int | None = None
) -> SafeString:
    """Draw a layout as SVG. The matches of the entry `me`, and the lines between them, are highlighted."""
    bracket = board.progress.bracket
    if me is None:
        background = _draw_cached_background(bracket, layout, get_language())
    else:
        background = _draw_headers(bracket, layout) + _draw_lines(
            layout, {view.match.id for view in board.progress.list_matches_of_entry(me)}
        )
    return format_html(
        '<svg class="bracket-picture" viewBox="-2 -2 {} {}" width="{}" height="{}" role="group" aria-label="{}">'
        "{}{}</svg>",
        round(layout.width + 4, 1),
        round(layout.height + 4, 1),
        round(layout.width + 4),
        round(layout.height + 4),
        label,
        background,
        join_html(draw_match_box(board, one, address(one.match), me) for one in layout.boxes),
    )


@lru_cache(maxsize=64)
def _draw_cached_background(bracket: Bracket, layout: BracketLayout, _language: str | None) -> SafeString:
    """Draw the round names and the lines, which do not depend on results."""
    return _draw_headers(bracket, layout) + _draw_lines(layout, set())


def compute_wall_scale(layout: BracketLayout, height: float = WALL_HEIGHT) -> float:
    return min(WALL_WIDTH / layout.width, height / layout.height)


def compute_wall_dimensions(
    lay: Callable[[BracketDimensions], BracketLayout], height: float = WALL_HEIGHT
) -> BracketDimensions:
    """Return dimensions for a bracket that fills a wall screen.

    The final is on the right or in the middle, whichever makes the boxes larger.
    """
    sides: Sequence[BracketDimensions] = (replace(WALL_BRACKET_DIMENSIONS, two_sided=False), WALL_BRACKET_DIMENSIONS)
    chosen = max(sides, key=lambda measures: compute_wall_scale(lay(measures), height))
    layout = lay(chosen)
    size = compute_wall_scale(layout, height)
    wider = lay(replace(chosen, box_width=chosen.box_width + 1)).width - layout.width
    taller = lay(replace(chosen, row_gap=chosen.row_gap + 1)).height - layout.height
    return replace(
        chosen,
        box_width=chosen.box_width + (WALL_WIDTH / size - layout.width) / wider,
        row_gap=chosen.row_gap + (height / size - layout.height) / taller,
    )


def _draw_headers(bracket: Bracket, layout: BracketLayout) -> SafeString:
    rounds = {part: bracket.count_rounds(part) for part in {head.part for head in layout.headers}}
    heads = (
        (
            round(head.x + head.width / 2, 1),
            round(head.y + head.height * 0.5, 1),
            format_round_name(RoundKey(head.part, head.round), rounds[head.part]),
        )
        for head in layout.headers
    )
    return format_html_join("", '<text class="bracket-head" x="{}" y="{}" text-anchor="middle">{}</text>', heads)


def _draw_lines(layout: BracketLayout, way: set[str]) -> SafeString:
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
