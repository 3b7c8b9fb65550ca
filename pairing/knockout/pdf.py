"""The bracket on paper, from the same layout as on the screen: one poster, or tiles to glue together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Final

from django.utils.translation import gettext as _
from reportlab.pdfgen.canvas import Canvas

from pairing.draws.knockout.double_bracket import LoserOf
from pairing.draws.knockout.elimination import RoundKey, rounds_of
from pairing.draws.knockout.progress import Side, State
from pairing.draws.pictures.lay_out_any import lay_out_any
from pairing.draws.pictures.layout import Box, Layout, Measures
from pairing.draws.pictures.stripes import FOOT, INSET, stripes
from pairing.knockout.pictures.match_boxes import round_name, short_name, side_name, state_of, why_not_played
from pairing.knockout.pictures.match_picture import legend_states
from pairing.knockout.selectors import Board, load_board
from pairing.plans.selectors import traits_of
from tournament.core.pdf.paper import (
    BOLD,
    FELT,
    INK,
    PAPERS,
    RULE,
    SANS,
    SERIF,
    SLATE,
    Paper,
    Words,
    load_fonts,
    new_canvas,
    width_of,
)
from tournament.errors import Conflict
from tournament.models import Event
from tournament.templatetags.gin import state_badge

EDGE = 24.0
TITLE = 44.0
OVERLAP = 12.0
KEY = 34.0
"""The height of the line at the foot that says what the edges mean."""
SIZES: Final = Measures(box_width=200, box_height=46, column_gap=32, row_gap=18, header_height=36)
DASHED: Final = frozenset({"waiting", "if-needed", "not-needed"})
STRONG: Final = frozenset({"called", "playing"})


@dataclass(frozen=True, slots=True)
class BoxLine:
    """One side of a match as printed: the winner is bold with a tick, a source (“Loser of …”) not yet a name."""

    text: str
    score: str = ""
    won: bool = False
    is_source: bool = False


@dataclass(frozen=True, slots=True)
class PrintedMatch:
    """`state` is a code that `state_badge` knows; `code` the match's short name, where others are told of it."""

    lines: tuple[BoxLine, BoxLine]
    state: str
    table: int | None = None
    code: str = ""


@dataclass(frozen=True, slots=True)
class BracketPicture:
    title: str
    layout: Layout
    rounds: Mapping[RoundKey, str]
    matches: Mapping[str, PrintedMatch]
    key: tuple[str, ...]

    @property
    def width(self) -> float:
        """The page's, with the edges; never so narrow that the title or the key is cut."""
        load_fonts()
        title = width_of(self.title, SERIF, 22)
        return max(self.layout.width, title, KEY_ITEM * len(self.key)) + 2 * EDGE

    @property
    def height(self) -> float:
        return self.layout.height + 2 * EDGE + TITLE + KEY


def bracket_picture(board: Board, title: str) -> BracketPicture:
    """The bracket as it stands, to print."""
    bracket = board.progress.bracket
    layout = lay_out_any(bracket, SIZES)
    keys = [RoundKey(header.part, header.round) for header in layout.headers]
    return BracketPicture(
        title=title,
        layout=layout,
        rounds={key: round_name(key, rounds_of(bracket, key.part)) for key in keys},
        matches={ident: _printed(board, ident) for ident in board.progress.views},
        key=legend_states(two_lives=board.has_two_lives),
    )


def _printed(board: Board, ident: str) -> PrintedMatch:
    view = board.progress[ident]
    upper, lower = (_line(board, ident, side) for side in view.sides)
    code = short_name(ident) if board.has_two_lives else ""
    return PrintedMatch((upper, lower), state_of(board, view), board.tables.get(ident), code)


def _line(board: Board, ident: str, side: Side) -> BoxLine:
    view = board.progress[ident]
    if not side.is_known:
        if not isinstance(side.source, LoserOf):
            return BoxLine("")
        return BoxLine(_("Loser of %(match)s") % {"match": short_name(side.source.match)}, is_source=True)
    won = side.entry is not None and side.entry == view.winner
    score = ""
    if view.state is State.DECIDED and side.entry is not None:
        score = str(board.scores.get(ident, {}).get(side.entry, ""))
        if why_not_played(view):
            score = _("w.o.") if won else ""
    number = f"{side.entry}  " if side.entry is not None else ""
    return BoxLine(f"{number}{side_name(board, side, ident)}", score, won)


def print_poster(target: IO[bytes], event: Event, paper: str) -> None:
    write_poster(target, _picture_of(event))


def print_tiles(target: IO[bytes], event: Event, paper: str) -> None:
    write_tiles(target, _picture_of(event), paper=paper)


def _picture_of(event: Event) -> BracketPicture:
    if not traits_of(event).two_meet:
        raise Conflict("no-bracket", "This event is played without a bracket. Print the list of who sits where.")
    board = load_board(event)
    if board is None:
        raise Conflict("not-drawn", "The bracket is not drawn yet. Post the draw first.")
    return bracket_picture(board, f"{event.tournament.name} · {event.name}")


def write_poster(target: IO[bytes], picture: BracketPicture) -> int:
    """The whole bracket on one page as large as it needs."""
    size = Paper("poster", picture.width, picture.height)
    canvas = new_canvas(target, size, picture.title)
    _draw(canvas, picture, size.height)
    canvas.showPage()
    canvas.save()
    return 1


def write_tiles(target: IO[bytes], picture: BracketPicture, *, paper: str = "letter") -> int:
    """The same picture over as many sheets as it takes, upright, with an overlap to glue; numbered row by row."""
    size, width, height = PAPERS[paper], picture.width, picture.height
    across, down = size.width - 2 * OVERLAP, size.height - 2 * OVERLAP
    columns, rows = -(-int(width) // int(across)), -(-int(height) // int(down))
    canvas = new_canvas(target, size, picture.title)
    canvas.beginForm("bracket", 0, 0, width, height)
    _draw(canvas, picture, height)
    canvas.endForm()
    for row in range(rows):
        for column in range(columns):
            canvas.saveState()
            canvas.translate(OVERLAP - column * across, size.height - OVERLAP - height + row * down)
            canvas.doForm("bracket")
            canvas.restoreState()
            words = Words(canvas)
            words.write(f"{row + 1}.{column + 1} of {rows}.{columns}", (size.width - 8, 6), size=6, align="right")
            words.draw()
            canvas.showPage()
    canvas.save()
    return rows * columns


def _draw(canvas: Canvas, picture: BracketPicture, height: float) -> None:
    words = Words(canvas)
    words.write(picture.title, (EDGE, height - EDGE - 20), font=SERIF, size=22)
    top = height - EDGE - TITLE
    for header in picture.layout.headers:
        name = picture.rounds.get(RoundKey(header.part, header.round), "")
        middle = EDGE + header.x + header.width / 2
        words.write(name, (middle, top - header.y - 14), font=BOLD, size=11, align="center")
    canvas.setStrokeColor(FELT)
    canvas.setLineWidth(1)
    for connector in picture.layout.connectors:
        path = canvas.beginPath()
        for turn, point in enumerate(connector.points):
            (path.lineTo if turn else path.moveTo)(EDGE + point.x, top - point.y)
        canvas.drawPath(path)
    for box in picture.layout.boxes:
        _draw_box(canvas, words, _Place(EDGE + box.x, top - box.y - box.height, box), picture.matches[box.match])
    _draw_key(canvas, words, picture.key)
    words.draw()


@dataclass(frozen=True, slots=True)
class _Place:
    """A box on the paper: its lower left corner, from the paper's."""

    x: float
    y: float
    box: Box

    @property
    def top(self) -> float:
        return self.y + self.box.height

    @property
    def right(self) -> float:
        return self.x + self.box.width


def _draw_box(canvas: Canvas, words: Words, at: _Place, match: PrintedMatch) -> None:
    _draw_frame(canvas, at, match.state)
    badge = state_badge(match.state)
    _draw_tab(canvas, words, (at.x + 8, at.top), f"{badge.sign} {badge.word}")
    if match.code:
        _draw_tab(canvas, words, (at.right - 16 - width_of(match.code, SANS, TAB), at.top), match.code)
    if match.table is not None:
        _draw_table(canvas, words, (at.right - 17, at.y + at.box.height / 2, 12), str(match.table), match.state)
    for side, line in enumerate(match.lines):
        base = at.top - at.box.height * (1 + 2 * side) / 4 - 4
        font = BOLD if line.won else SANS
        score = line.score + (" ✓" if line.won else "")
        room = at.box.width - 14 - (width_of(score, font, 10) + 6 if score else 30 if match.table is not None else 0)
        size = 9 if line.is_source else 11
        words.write_fitted(line.text, (at.x + 7, base), room, font=font, size=size, most_lines=1)
        words.write(score, (at.right - 6, base), font=font, size=10, align="right")


TAB = 7.5
KEY_ITEM = 96.0


def _draw_frame(canvas: Canvas, at: _Place, state: str) -> None:
    """The edge of the box and what its state draws besides, as on the screen."""
    width, height = at.box.width, at.box.height
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.8)
    canvas.line(at.x, at.y + height / 2, at.right, at.y + height / 2)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(2 if state in STRONG else 0.8)
    canvas.setDash([5, 3] if state in DASHED else [])
    canvas.roundRect(at.x, at.y, width, height, 4)
    canvas.setDash([])
    canvas.setLineWidth(0.8)
    if state == "corrected":
        canvas.roundRect(at.x + INSET, at.y + INSET, width - 2 * INSET, height - 2 * INSET, 2)
    elif state == "playing":
        _draw_stripes(canvas, (at.x, at.y - FOOT, width, FOOT), 5)
    elif state == "not-needed":
        _draw_stripes(canvas, (at.x, at.y, width, height), 14)


def _draw_stripes(canvas: Canvas, at: tuple[float, float, float, float], step: float) -> None:
    """On paper y grows upwards: the stripes are turned over, which leaves them stripes."""
    canvas.setStrokeColor(SLATE)
    canvas.lines(list(stripes(*at, step=step)))


def _draw_tab(canvas: Canvas, words: Words, at: tuple[float, float], text: str) -> None:
    """Words on the upper edge, which is left white behind them."""
    x, y = at
    canvas.setFillColorRGB(1, 1, 1)
    canvas.rect(x, y - 4, width_of(text, SANS, TAB) + 8, 9, stroke=0, fill=1)
    canvas.setFillColor(INK)
    words.write(text, (x + 4, y - 1), size=TAB)


def _draw_table(canvas: Canvas, words: Words, at: tuple[float, float, float], table: str, state: str) -> None:
    """A ring around its number, at (x, y) with a radius; doubled while it is played."""
    x, y, radius = at
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(1.2)
    canvas.setFillColorRGB(1, 1, 1)
    canvas.circle(x, y, radius, fill=1)
    if state == "playing":
        canvas.circle(x, y, radius - 2.2)
    canvas.setFillColor(INK)
    words.write(table, (x, y - radius / 3), font=SERIF, size=round(radius * 0.95, 1), align="center")


def _draw_key(canvas: Canvas, words: Words, key: Sequence[str]) -> None:
    """What the edges mean, along the foot of the poster."""
    for turn, state in enumerate(key):
        at = _Place(EDGE + turn * KEY_ITEM, EDGE / 2 + 4, Box("", 0, 0, 0, 30, 18))
        _draw_frame(canvas, at, state)
        if state in STRONG:
            _draw_table(canvas, words, (at.right - 9, at.y + 9, 6), "", state)
        badge = state_badge(state)
        words.write(f"{badge.sign} {badge.word}", (at.right + 5, at.y + 6), size=8)
