"""Print a bracket with the same layout as on screen, as a poster or as several sheets to glue together."""

from dataclasses import dataclass, replace
from typing import IO, Final

from django.utils import timezone
from django.utils.translation import gettext as _
from reportlab.pdfgen.canvas import Canvas

from pairing.draws.knockout.bracket import LoserOf, RoundKey
from pairing.draws.knockout.progress import BracketMatchProgress, BracketMatchState, BracketSide
from pairing.draws.layouts.brackets import (
    DOUBLE_LINE_GAP,
    SHEET_OVERLAP,
    STRIPED_BAR_HEIGHT,
    BracketDimensions,
    BracketLayout,
    MatchBox,
    PosterSheet,
    PrintedArea,
    lay_out_bracket,
    make_diagonal_lines,
    split_into_tiles,
)
from pairing.stages.pictures.boxes import (
    describe_side,
    explain_why_not_played,
    format_round_name,
    format_short_match_name,
    get_match_state_code,
)
from pairing.stages.pictures.brackets import list_legend_states
from pairing.stages.selectors.boards import BracketBoard, load_bracket_board
from pairing.stages.selectors.plans import load_stage_traits
from tournament.core.pdf.paper import (
    BOLD_FONT,
    FELT_GREEN,
    FOOT_HEIGHT,
    INK_BLACK,
    PAPER_SIZES,
    RULE_COLOR,
    SANS_FONT,
    SERIF_FONT,
    SLATE_GRAY,
    Paper,
    TextLayer,
    compute_text_width,
    load_fonts,
    make_canvas,
)
from tournament.errors import Conflict
from tournament.models import Event
from tournament.templatetags.gin import local_day_time, state_badge

PAGE_MARGIN = 20.0
TITLE_HEIGHT = 44.0
CROP_MARK_LENGTH = 8.0
"""The length of a crop mark, in points."""
GLUED_SHEET_MARGIN = PAGE_MARGIN + CROP_MARK_LENGTH
"""The margin of a sheet that is glued to other sheets, in points."""
LEGEND_LINE_HEIGHT = 34.0
"""The height of a line in the legend at the bottom of the poster."""
MAX_BRACKET_SCALE: Final = 3.0
"""The maximum factor by which a small bracket is enlarged."""
MAX_ROW_GAP: Final = 220
"""The maximum gap between two boxes when a bracket is spread over its page."""
POSTER_DIMENSIONS: Final = BracketDimensions(box_width=200, box_height=46, column_gap=32, row_gap=18, header_height=36)
NAME_FONT_SIZE: Final = 11
"""The font size of names before the drawing is scaled to a page."""
MATCH_STATES_WITH_DASHED_BOX: Final = frozenset({"waiting", "if-needed", "not-needed"})
MATCH_STATES_WITH_BOLD_BOX: Final = frozenset({"called", "playing"})
EDGE_LABEL_FONT_SIZE: Final = 7.5
"""The font size of the text on the edge of a box."""
LEGEND_ITEM_WIDTH: Final = 96.0
"""The width of an item in the legend."""


@dataclass(frozen=True, slots=True)
class _BracketPicture:
    """A bracket to be printed. `note` is the small text next to the title."""

    board: BracketBoard
    title: str
    layout: BracketLayout
    note: str = ""

    @property
    def legend_states(self) -> tuple[str, ...]:
        """The match states that the legend explains."""
        return list_legend_states(two_lives=self.board.is_double_elimination)

    @property
    def title_width(self) -> float:
        load_fonts()
        return compute_text_width(self.title, SERIF_FONT, 22) + (
            14 + compute_text_width(self.note, SANS_FONT, 11) if self.note else 0
        )

    @property
    def width(self) -> float:
        """The width of the drawing. The drawing is at least as wide as its title."""
        return max(self.layout.width, self.title_width) + 2 * PAGE_MARGIN

    @property
    def legend_columns(self) -> int:
        """The number of items on a line of the legend."""
        return max(1, int((self.width - 2 * PAGE_MARGIN) // LEGEND_ITEM_WIDTH))

    @property
    def legend_height(self) -> float:
        return LEGEND_LINE_HEIGHT * -(-len(self.legend_states) // self.legend_columns)

    @property
    def height(self) -> float:
        return self.layout.height + 2 * PAGE_MARGIN + TITLE_HEIGHT + self.legend_height


def make_bracket_picture(board: BracketBoard, title: str) -> _BracketPicture:
    return _BracketPicture(board, title, lay_out_bracket(board.progress.bracket, POSTER_DIMENSIONS))


def print_poster(target: IO[bytes], event: Event, paper: str) -> None:
    write_poster(target, scale_bracket_to_page(_load_picture(event), paper), paper=paper)


def scale_bracket_to_page(picture: _BracketPicture, paper: str) -> _BracketPicture:
    """Return the drawing with larger gaps between boxes so that it fills the height of the paper."""
    size = _choose_orientation(picture, paper)
    wanted = min(MAX_BRACKET_SCALE, _compute_scale(picture, size))
    for gap in range(MAX_ROW_GAP, int(POSTER_DIMENSIONS.row_gap), -6):
        wider = replace(
            picture, layout=lay_out_bracket(picture.board.progress.bracket, replace(POSTER_DIMENSIONS, row_gap=gap))
        )
        if _compute_scale(wider, size) >= 0.99 * wanted:
            return wider
    return picture


def compute_poster_font_size(event: Event, paper: str) -> float | None:
    """Return the font size of names on a poster of this paper size, or None if there is no bracket to print."""
    board = load_bracket_board(event) if load_stage_traits(event).two_meet else None
    if board is None:
        return None
    picture = make_bracket_picture(board, f"{event.tournament.name} · {event.name}")
    upright = PAPER_SIZES[paper]
    return NAME_FONT_SIZE * min(1.0, max(_compute_scale(picture, each) for each in (upright, upright.rotated)))


def print_tiles(target: IO[bytes], event: Event, paper: str) -> None:
    write_tiles(target, _load_picture(event), paper=paper)


def _load_picture(event: Event) -> _BracketPicture:
    if not load_stage_traits(event).two_meet:
        raise Conflict("no-bracket", _("This event has no bracket. Print the pairings instead."))
    board = load_bracket_board(event)
    if board is None:
        raise Conflict("not-drawn", _("The bracket is not drawn yet. Post the draw first."))
    note = _("As of %(time)s") % {"time": local_day_time(timezone.now(), event.tournament)}
    return replace(make_bracket_picture(board, f"{event.tournament.name} · {event.name}"), note=note)


def write_poster(target: IO[bytes], picture: _BracketPicture, *, paper: str = "letter") -> int:
    """Draw the whole bracket on one page, in the orientation that makes it larger.

    Return the number of pages, which is always 1.
    """
    size = _choose_orientation(picture, paper)
    scale = min(MAX_BRACKET_SCALE, _compute_scale(picture, size))
    canvas = make_canvas(target, size, picture.title)
    room = size.height - PAGE_MARGIN - FOOT_HEIGHT
    canvas.translate((size.width - picture.width * scale) / 2, FOOT_HEIGHT + (room - picture.height * scale) / 2)
    canvas.scale(scale, scale)
    _draw_picture(canvas, picture, picture.height)
    canvas.showPage()
    canvas.save()
    return 1


def _choose_orientation(picture: _BracketPicture, paper: str) -> Paper:
    upright = PAPER_SIZES[paper]
    return max((upright, upright.rotated), key=lambda each: _compute_scale(picture, each))


def _compute_scale(picture: _BracketPicture, size: Paper) -> float:
    """Return the factor that makes the drawing fit inside the margins of the paper."""
    return min(
        (size.width - 2 * PAGE_MARGIN) / picture.width, (size.height - PAGE_MARGIN - FOOT_HEIGHT) / picture.height
    )


def write_tiles(target: IO[bytes], picture: _BracketPicture, *, paper: str = "letter") -> int:
    """Draw the bracket on overlapping portrait sheets with crop marks, without cutting any box.

    Return the number of sheets.
    """
    size = PAPER_SIZES[paper]
    room = size.width - 2 * GLUED_SHEET_MARGIN, size.height - 2 * GLUED_SHEET_MARGIN
    tiles = split_into_tiles((picture.width, picture.height), room, _find_areas(picture))
    canvas = make_canvas(target, size, picture.title)
    canvas.beginForm("bracket", 0, 0, picture.width, picture.height)
    _draw_picture(canvas, picture, picture.height)
    canvas.endForm()
    for tile in tiles:
        _draw_tile(canvas, size, tile, picture)
        label = _("Sheet %(sheet)s of %(count)s: cut at the marks and glue") % {"sheet": tile.name, "count": len(tiles)}
        canvas.foot_note = label
        canvas.showPage()
    canvas.save()
    return len(tiles)


def _find_areas(picture: _BracketPicture) -> list[PrintedArea]:
    """Return the area of each item on the poster.

    The area of a box includes the labels on its edges, and no sheet may cut it.
    """
    left, top, pad = PAGE_MARGIN, PAGE_MARGIN + TITLE_HEIGHT, POSTER_DIMENSIONS.row_gap / 2
    layout = picture.layout
    key = picture.height - PAGE_MARGIN
    areas = [
        PrintedArea((0, PAGE_MARGIN + picture.title_width), (0, top)),
        PrintedArea(
            (0, PAGE_MARGIN + LEGEND_ITEM_WIDTH * min(len(picture.legend_states), picture.legend_columns)),
            (key - picture.legend_height, key),
        ),
    ]
    for box in layout.boxes:
        x, y = left + box.x, top + box.y
        areas.append(PrintedArea((x - pad, x + box.width + pad), (y - pad, y + box.height + pad), is_indivisible=True))
    for connector in layout.connectors:
        xs, ys = [left + point.x for point in connector.points], [top + point.y for point in connector.points]
        areas.append(PrintedArea((min(xs), max(xs)), (min(ys), max(ys))))
    for header in layout.headers:
        areas.append(
            PrintedArea((left + header.x, left + header.x + header.width), (top + header.y, top + header.y + 18))
        )
    return areas


def _draw_tile(canvas: Canvas, size: Paper, tile: PosterSheet, picture: _BracketPicture) -> None:
    """Draw one sheet of the tiled poster, with crop marks.

    Each edge that is glued to another sheet includes half of the overlap.
    """
    glue = SHEET_OVERLAP / 2
    (left, right), (top, bottom) = tile.across, tile.down
    before, after = (glue if left else 0.0), (glue if right < picture.width else 0.0)
    above, below = (glue if top else 0.0), (glue if bottom < picture.height else 0.0)
    x, y = GLUED_SHEET_MARGIN + before, size.height - GLUED_SHEET_MARGIN - above
    width, height = right - left, bottom - top
    canvas.saveState()
    window = canvas.beginPath()
    window.rect(x - before, y - height - below, width + before + after, height + above + below)
    canvas.clipPath(window, stroke=0, fill=0)
    canvas.translate(x - left, y + top - picture.height)
    canvas.doForm("bracket")
    canvas.restoreState()
    canvas.setStrokeColor(INK_BLACK)
    canvas.setLineWidth(0.5)
    for at, is_cut in ((x, before), (x + width, after)):
        if is_cut:
            canvas.line(at, size.height - PAGE_MARGIN, at, size.height - GLUED_SHEET_MARGIN + 1)
            canvas.line(at, y - height - below - 1, at, y - height - below - 1 - CROP_MARK_LENGTH)
    for at, is_cut in ((y, above), (y - height, below)):
        if is_cut:
            canvas.line(PAGE_MARGIN, at, GLUED_SHEET_MARGIN - 1, at)
            canvas.line(x + width + after + 1, at, x + width + after + 1 + CROP_MARK_LENGTH, at)


def _draw_picture(canvas: Canvas, picture: _BracketPicture, height: float) -> None:
    words = TextLayer(canvas)
    words.write(picture.title, (PAGE_MARGIN, height - PAGE_MARGIN - 20), font=SERIF_FONT, size=22)
    words.write(
        picture.note,
        (PAGE_MARGIN + compute_text_width(picture.title, SERIF_FONT, 22) + 14, height - PAGE_MARGIN - 20),
        size=11,
    )
    top = height - PAGE_MARGIN - TITLE_HEIGHT
    for header in picture.layout.headers:
        rounds = picture.board.progress.bracket.count_rounds(header.part)
        name = format_round_name(RoundKey(header.part, header.round), rounds)
        middle = PAGE_MARGIN + header.x + header.width / 2
        words.write(name, (middle, top - header.y - 14), font=BOLD_FONT, size=11, align="center")
    canvas.setStrokeColor(FELT_GREEN)
    canvas.setLineWidth(1)
    for connector in picture.layout.connectors:
        path = canvas.beginPath()
        for turn, point in enumerate(connector.points):
            (path.lineTo if turn else path.moveTo)(PAGE_MARGIN + point.x, top - point.y)
        canvas.drawPath(path)
    for box in picture.layout.boxes:
        _draw_box(canvas, words, _PlacedBox(PAGE_MARGIN + box.x, top - box.y - box.height, box), picture.board)
    _draw_legend(canvas, words, picture)
    words.draw()


@dataclass(frozen=True, slots=True)
class _PlacedBox:
    """A box and the position of its lower left corner on the paper."""

    x: float
    y: float
    box: MatchBox

    @property
    def top(self) -> float:
        return self.y + self.box.height

    @property
    def right(self) -> float:
        return self.x + self.box.width


def _draw_box(canvas: Canvas, words: TextLayer, at: _PlacedBox, board: BracketBoard) -> None:
    view = board.progress[at.box.match]
    state, table = get_match_state_code(board, view), board.tables.get(at.box.match)
    _draw_frame(canvas, at, state)
    badge = state_badge(state)
    _draw_edge_label(canvas, words, (at.x + 8, at.top), f"{badge.sign} {badge.word}")
    if board.is_double_elimination:
        name = format_short_match_name(at.box.match)
        _draw_edge_label(
            canvas, words, (at.right - 16 - compute_text_width(name, SANS_FONT, EDGE_LABEL_FONT_SIZE), at.top), name
        )
    if table is not None:
        _draw_table_number(canvas, words, (at.right - 17, at.y + at.box.height / 2, 12), str(table), state)
    for index, side in enumerate(view.sides):
        base = at.top - at.box.height * (1 + 2 * index) / 4 - 4
        won = side.entry is not None and side.entry == view.winner
        font = BOLD_FONT if won else SANS_FONT
        score = _format_score(board, view, side, won=won) + (" ✓" if won else "")
        room = (
            at.box.width - 14 - (compute_text_width(score, font, 10) + 6 if score else 30 if table is not None else 0)
        )
        size = NAME_FONT_SIZE if side.is_known else 9
        words.write_fitted(_format_side(board, view, side), (at.x + 7, base), room, font=font, size=size, most_lines=1)
        words.write(score, (at.right - 6, base), font=font, size=10, align="right")


def _format_side(board: BracketBoard, view: BracketMatchProgress, side: BracketSide) -> str:
    """Return a side's entry number and name. If it is unknown but will be the loser of a match, name that match."""
    if side.is_known:
        number = f"{side.entry}  " if side.entry is not None else ""
        return f"{number}{describe_side(board, side, view.match.id)}"
    if not isinstance(side.source, LoserOf):
        return ""
    return _("Loser of %(match)s") % {"match": format_short_match_name(side.source.match)}


def _format_score(board: BracketBoard, view: BracketMatchProgress, side: BracketSide, *, won: bool) -> str:
    if view.state is not BracketMatchState.DECIDED or side.entry is None:
        return ""
    if explain_why_not_played(view):
        return _("w.o.") if won else ""
    return str(board.scores.get(view.match.id, {}).get(side.entry, ""))


def _draw_frame(canvas: Canvas, at: _PlacedBox, state: str) -> None:
    width, height = at.box.width, at.box.height
    canvas.setStrokeColor(RULE_COLOR)
    canvas.setLineWidth(0.8)
    canvas.line(at.x, at.y + height / 2, at.right, at.y + height / 2)
    canvas.setStrokeColor(INK_BLACK)
    canvas.setLineWidth(2 if state in MATCH_STATES_WITH_BOLD_BOX else 0.8)
    canvas.setDash([5, 3] if state in MATCH_STATES_WITH_DASHED_BOX else [])
    canvas.roundRect(at.x, at.y, width, height, 4)
    canvas.setDash([])
    canvas.setLineWidth(0.8)
    if state == "corrected":
        canvas.roundRect(
            at.x + DOUBLE_LINE_GAP, at.y + DOUBLE_LINE_GAP, width - 2 * DOUBLE_LINE_GAP, height - 2 * DOUBLE_LINE_GAP, 2
        )
    elif state == "playing":
        _draw_stripes(canvas, (at.x, at.y - STRIPED_BAR_HEIGHT, width, STRIPED_BAR_HEIGHT), 5)
    elif state == "not-needed":
        _draw_stripes(canvas, (at.x, at.y, width, height), 14)


def _draw_stripes(canvas: Canvas, at: tuple[float, float, float, float], step: float) -> None:
    canvas.setStrokeColor(SLATE_GRAY)
    canvas.lines(list(make_diagonal_lines(*at, step=step)))


def _draw_edge_label(canvas: Canvas, words: TextLayer, at: tuple[float, float], text: str) -> None:
    """Write text on the upper edge of a box, on a white background."""
    x, y = at
    canvas.setFillColorRGB(1, 1, 1)
    canvas.rect(x, y - 4, compute_text_width(text, SANS_FONT, EDGE_LABEL_FONT_SIZE) + 8, 9, stroke=0, fill=1)
    canvas.setFillColor(INK_BLACK)
    words.write(text, (x + 4, y - 1), size=EDGE_LABEL_FONT_SIZE)


def _draw_table_number(
    canvas: Canvas, words: TextLayer, at: tuple[float, float, float], table: str, state: str
) -> None:
    """Draw a table number in a ring, which is double while the match is in progress. `at` is (x, y, radius)."""
    x, y, radius = at
    canvas.setStrokeColor(INK_BLACK)
    canvas.setLineWidth(1.2)
    canvas.setFillColorRGB(1, 1, 1)
    canvas.circle(x, y, radius, fill=1)
    if state == "playing":
        canvas.circle(x, y, radius - 2.2)
    canvas.setFillColor(INK_BLACK)
    words.write(table, (x, y - radius / 3), font=SERIF_FONT, size=round(radius * 0.95, 1), align="center")


def _draw_legend(canvas: Canvas, words: TextLayer, picture: _BracketPicture) -> None:
    for turn, state in enumerate(picture.legend_states):
        line, place = divmod(turn, picture.legend_columns)
        foot = PAGE_MARGIN / 2 + 4 + picture.legend_height - LEGEND_LINE_HEIGHT * (line + 1)
        at = _PlacedBox(PAGE_MARGIN + place * LEGEND_ITEM_WIDTH, foot, MatchBox("", 0, 0, 0, 30, 18))
        _draw_frame(canvas, at, state)
        if state in MATCH_STATES_WITH_BOLD_BOX:
            _draw_table_number(canvas, words, (at.right - 9, at.y + 9, 6), "", state)
        badge = state_badge(state)
        words.write(f"{badge.sign} {badge.word}", (at.right + 5, at.y + 6), size=8)
