"""Draw the blocks of a score sheet as tables on a PDF page, with the same cells as on the screen.

    fill_sheet_with_blank_lines(variant, …) ──► blocks with as many empty lines as fit
    paginate(blocks, place) ──► the blocks of each page
    draw_blocks(canvas, place, blocks)

All sizes are in points.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Final

from django.utils.translation import gettext as _
from reportlab.pdfgen.canvas import Canvas

from scoring.rules.book.layout import Cell, CellMark, Heading, LineCells, SheetBlock
from scoring.rules.variants.variant import SheetRow, Tally, Variant
from tournament.core.pdf.paper import (
    BOLD_FONT,
    INK_BLACK,
    RED,
    RULE_COLOR,
    SANS_FONT,
    SERIF_FONT,
    SHADE_COLOR,
    TextLayer,
    compute_text_width,
    fit_text,
    load_fonts,
)

MIN_BLANK_LINE_HEIGHT: Final = 20.0
"""The minimum height of a line to write on by hand: 7 mm."""
MAX_LINE_HEIGHT: Final = 23.0
"""The maximum height of a line."""
MIN_PRINTED_LINE_HEIGHT: Final = 17.0
"""The minimum height of a line that nobody writes on."""
TITLE_HEIGHT: Final = 16.0
NAME_ROW_HEIGHT: Final = 20.0
"""The height of the row with the players' names, which are printed or written in by hand."""
HEADING_ROW_HEIGHT: Final = 14.0
TWO_LINE_HEADING_ROW_HEIGHT: Final = 22.0
"""The height of the heading row if a heading needs two lines."""
VERTICAL_GAP: Final = 6.0
FINAL_LINE_EXTRA_HEIGHT: Final = 10.0
"""The additional height of the line for the final totals."""
MAX_BLANK_LINES: Final = 40
MIN_SUMS_FOR_TWO_COLUMNS: Final = 4
SUM_COLUMN_WEIGHTS: Final = (2.0, 1.0)
"""The relative widths of a sum's label and its amount."""
MIN_FONT_SIZE: Final = 8.0
"""The smallest font size."""
FONT_SIZE: Final = 10.5
TOTALS_FONT_SIZE: Final = 12.5
"""The font size of the final totals."""
COLUMN_GAP: Final = 14.0
"""The space between two columns of blocks."""


@dataclass(frozen=True, slots=True)
class PageArea:
    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.top - self.bottom


def fill_sheet_with_blank_lines(
    variant: Variant[Any, Any], rows: Sequence[SheetRow], counted: Tally | None, place: PageArea
) -> tuple[SheetBlock, ...]:
    """Return the sheet's blocks with as many empty lines as fit.

    Some sheets have a fixed number of lines. If such a sheet is too long for the page, the sums in its last block are
    arranged in two columns.
    """
    before = variant.blocks((), None)

    def with_blank(blank: int) -> tuple[SheetBlock, ...]:
        blocks = variant.blocks(rows, counted, blank=blank)
        if len(blocks) == len(before):  # the footers of a card before play, where the results are written in by hand
            blocks = tuple(replace(block, footer=old.footer) for block, old in zip(blocks, before, strict=True))
        return add_final_score(blocks)

    blocks = with_blank(0)
    if _count_lines(with_blank(1)) == _count_lines(blocks):
        return blocks if fit_line_height(blocks, place) >= MIN_BLANK_LINE_HEIGHT else put_sums_side_by_side(blocks)
    fits = (
        more
        for blank in range(MAX_BLANK_LINES, 0, -1)
        if fit_line_height(more := with_blank(blank), place) >= MIN_BLANK_LINE_HEIGHT
    )
    return next(fits, blocks)


def put_sums_side_by_side(blocks: Sequence[SheetBlock]) -> tuple[SheetBlock, ...]:
    """Arrange a long list of sums in the last block in two columns, so that the card fits on a page.

    If the last block is not a long list of sums, the blocks are returned unchanged.
    """
    *others, last = blocks
    if len(last.headings) != len(SUM_COLUMN_WEIGHTS) or last.groups or len(last.lines) < MIN_SUMS_FOR_TWO_COLUMNS:
        return tuple(blocks)
    half = (len(last.lines) + 1) // 2
    left, right = last.lines[:half], [*last.lines[half:], LineCells((Cell(), Cell()))]
    lines = tuple(LineCells((*one.cells, *other.cells)) for one, other in zip(left, right, strict=False))
    foot = tuple(_widen_first_cell(line, len(SUM_COLUMN_WEIGHTS)) for line in last.footer)
    headings = [
        replace(heading, weight=weight) for heading, weight in zip(last.headings, SUM_COLUMN_WEIGHTS, strict=True)
    ]
    return (*others, replace(last, headings=(*headings, *headings), lines=lines, footer=foot))


def _widen_first_cell(line: LineCells, more: int) -> LineCells:
    first, *others = line.cells
    return replace(line, cells=(replace(first, span=first.span + more), *others))


def _count_lines(blocks: Sequence[SheetBlock]) -> int:
    return sum(len(block.lines) for block in blocks)


def add_final_score(blocks: Sequence[SheetBlock], totals: Mapping[str, int] | None = None) -> tuple[SheetBlock, ...]:
    """Add a line for each side's final score, unless a block already ends with the totals.

    `totals` contains each side's score, keyed by its name. If it is None, the line is left blank to write on.
    """
    *others, last = blocks
    if not last.groups or any(block.footer for block in blocks):
        return tuple(blocks)
    first, *sides = last.groups
    if totals is not None and not totals.keys() >= {side.text for side in sides}:
        return tuple(blocks)
    cells = (
        Cell(text=_("FINAL SCORE"), span=first.span, strong=True),
        *(
            Cell(span=side.span, write=True)
            if totals is None
            else Cell(text=str(totals[side.text]), span=side.span, strong=True, numeric=True)
            for side in sides
        ),
    )
    return (*others, replace(last, footer=(LineCells(cells),)))


def paginate(
    blocks: Sequence[SheetBlock], place: PageArea, lowest: float = MIN_BLANK_LINE_HEIGHT
) -> list[tuple[SheetBlock, ...]]:
    """Return the blocks of each page. If a block is too long, split it and put its footer on its last page.

    `lowest` is the minimum line height.
    """
    if fit_line_height(blocks, place) >= lowest:
        return [tuple(blocks)]
    pages: list[list[SheetBlock]] = [[]]
    for block in blocks:
        for part in _split_block(block, place, lowest):
            if pages[-1] and fit_line_height([*pages[-1], part], place) < lowest:
                pages.append([])
            pages[-1].append(part)
    return [tuple(page) for page in pages]


def draw_blocks(
    canvas: Canvas, place: PageArea, blocks: Sequence[SheetBlock], corrected: frozenset[int] = frozenset()
) -> float:
    """Draw the blocks, and return the y coordinate of their lower edge.

    `corrected` contains the numbers (from 1) of lines that officials corrected, which are drawn in red.
    """
    columns = _arrange_in_columns(blocks)
    row = min(MAX_LINE_HEIGHT, fit_line_height(blocks, place))
    each = _compute_column_width(columns, place.width)
    ends = []
    for turn, column in enumerate(columns):
        left = place.left + turn * (each + COLUMN_GAP)
        y = place.top
        for block in column:
            y = (
                _BlockTable(canvas, block, left, each, row, _compute_final_totals_height(block, blocks)).draw(
                    y, corrected
                )
                - VERTICAL_GAP
            )
        ends.append(y)
    return min(ends, default=place.top)


def _arrange_in_columns(blocks: Sequence[SheetBlock]) -> list[Sequence[SheetBlock]]:
    """Arrange the blocks in two columns if there are many narrow blocks, or else in one."""
    if len(blocks) < 4 or max(len(block.headings) for block in blocks[:-1]) > 3:
        return [blocks]
    half = (len(blocks) + 1) // 2
    return [blocks[:half], blocks[half:]]


def _compute_column_width(columns: Sequence[Sequence[SheetBlock]], width: float) -> float:
    return (width - COLUMN_GAP * (len(columns) - 1)) / len(columns)


def fit_line_height(blocks: Sequence[SheetBlock], place: PageArea) -> float:
    """Return the maximum line height at which the blocks fit into the rectangle."""
    columns = _arrange_in_columns(blocks)
    each = _compute_column_width(columns, place.width)
    heights = []
    for column in columns:
        fixed = (
            sum(_compute_fixed_height(block, each) + _compute_final_totals_height(block, blocks) for block in column)
            - VERTICAL_GAP
        )
        heights.append((place.height - fixed) / max(sum(len(block.lines) + len(block.footer) for block in column), 1))
    return min(heights, default=place.height)


def _compute_final_totals_height(block: SheetBlock, blocks: Sequence[SheetBlock]) -> float:
    """Return the extra height for the final totals, or 0 if this block does not contain them."""
    feet = [each for each in blocks if any(len(line.cells) > 1 for line in each.footer)] or [
        b for b in blocks if b.footer
    ]
    return FINAL_LINE_EXTRA_HEIGHT if feet and feet[-1] is block else 0.0


def _compute_fixed_height(block: SheetBlock, width: float) -> float:
    """Return the height of a block without its lines, including the gap below it."""
    return (
        (TITLE_HEIGHT if block.title else 0)
        + (NAME_ROW_HEIGHT if block.groups else 0)
        + _compute_heading_height(block, width)
        + VERTICAL_GAP
    )


def _compute_heading_height(block: SheetBlock, width: float) -> float:
    """Return the height of the heading row, or 0 if the block has no headings."""
    if not any(heading.text for heading in block.headings):
        return 0
    load_fonts()
    scale = width / sum(heading.weight for heading in block.headings)
    texts = ((_shorten_heading(block, heading), heading.weight * scale - 4) for heading in block.headings)
    wraps = any(len(fit_text(text, SANS_FONT, MIN_FONT_SIZE, room).lines) > 1 for text, room in texts)
    return TWO_LINE_HEADING_ROW_HEIGHT if wraps else HEADING_ROW_HEIGHT


def _shorten_heading(block: SheetBlock, heading: Heading) -> str:
    """Return a heading's text, without the player's name if the heading above already shows the name."""
    under_group = any(heading.text.startswith(group.text) and group.text for group in block.groups)
    if not under_group:
        return heading.text
    return {"points": _("Points"), "running": _("Total")}.get(heading.key, heading.text)


def _split_block(block: SheetBlock, place: PageArea, lowest: float) -> list[SheetBlock]:
    """Split a block into parts that each fit on a page."""
    if fit_line_height([block], place) >= lowest:
        return [block]
    room = place.height - _compute_fixed_height(block, place.width) - FINAL_LINE_EXTRA_HEIGHT
    fits = max(1, int(room / lowest) - len(block.footer))
    cut = [block.lines[start : start + fits] for start in range(0, len(block.lines), fits)] or [()]
    return [replace(block, lines=lines, footer=block.footer if lines is cut[-1] else ()) for lines in cut]


@dataclass(frozen=True, slots=True)
class _CellPosition:
    """The position of a table cell on the page, and the font size of its text."""

    left: float
    right: float
    y: float
    height: float
    size: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    @property
    def top(self) -> float:
        return self.y + self.height

    @property
    def base(self) -> float:
        return self.y + (self.height - self.size) / 2 + 1


class _BlockTable:
    """A block drawn as a table. `row` is the row height, and `final` is the extra height for the final totals."""

    def __init__(
        self, canvas: Canvas, block: SheetBlock, left: float, width: float, row: float, final: float = 0.0
    ) -> None:
        self.canvas, self.block, self.row, self.final = canvas, block, row, final
        weights = [heading.weight for heading in block.headings]
        scale = width / sum(weights)
        self.edges = [left + scale * share for share in accumulate(weights, initial=0.0)]
        self.headings = _compute_heading_height(block, width)
        heavy = set(accumulate((group.span for group in block.groups), initial=0))
        self.heavy = heavy | {0, len(self.edges) - 1}

    def draw(self, top: float, corrected: frozenset[int]) -> float:
        y = top
        words = TextLayer(self.canvas)
        if self.block.title:
            y -= TITLE_HEIGHT
            words.write_fitted(
                self.block.title, (self.edges[0], y + 4), self.edges[-1] - self.edges[0], font=SERIF_FONT, size=11
            )
        self._draw_horizontal_line(y, INK_BLACK, 0.9)
        if self.block.groups:
            y -= NAME_ROW_HEIGHT
            self._draw_groups(words, y)
            self._draw_edges(y, self.heavy, NAME_ROW_HEIGHT)
        if self.headings:
            y -= self.headings
            self._draw_edges(y, range(len(self.edges)), self.headings)
        for heading, left, right in zip(self.block.headings, self.edges, self.edges[1:], strict=False):
            self._draw_heading(words, heading, (left, right, y))
        words.draw()
        self._draw_horizontal_line(y, INK_BLACK, 0.9)
        for line in self.block.lines:
            y -= self.row
            self._draw_line(line, y, is_corrected=line.number in corrected)
        if self.block.footer:
            self._draw_horizontal_line(y, INK_BLACK, 0.9)
        for line in self.block.footer:
            is_final = self.final > 0 and line is self._last_totals_line
            y -= self.row + (self.final if is_final else 0)
            self._draw_line(line, y, is_corrected=line.number in corrected, more=self.final if is_final else 0)
        self._draw_horizontal_line(y, INK_BLACK, 0.9)
        return y

    @property
    def _last_totals_line(self) -> LineCells:
        """The last footer line that contains totals, because the block's last footer line can be a note."""
        return next((line for line in reversed(self.block.footer) if len(line.cells) > 1), self.block.footer[-1])

    def _draw_groups(self, words: TextLayer, y: float) -> None:
        place = 0
        for group in self.block.groups:
            left, right = self.edges[place], self.edges[place + group.span]
            at = (left + right) / 2, y + (NAME_ROW_HEIGHT - 10.5) / 2 + 1
            words.write_fitted(group.text, at, right - left - 4, font=BOLD_FONT, size=10.5, align="center")
            place += group.span

    def _draw_heading(self, words: TextLayer, heading: Heading, at: tuple[float, float, float]) -> None:
        left, right, y = at
        place = ((left + right) / 2, y + self.headings / 2 - MIN_FONT_SIZE * 0.3)
        text = _shorten_heading(self.block, heading)
        words.write_fitted(text, place, right - left - 4, size=MIN_FONT_SIZE, align="center")

    def _draw_line(self, line: LineCells, y: float, *, is_corrected: bool, more: float = 0) -> None:
        """Draw one row of the table, with its lower edge at `y`. `more` is added to the normal row height."""
        place, high = 0, self.row + more
        self.canvas.setFillColor(RED if is_corrected else INK_BLACK)
        words = TextLayer(self.canvas)
        for cell in line.cells:
            at = _CellPosition(
                self.edges[place], self.edges[place + cell.span], y, high, TOTALS_FONT_SIZE if more else FONT_SIZE
            )
            self._draw_mark(cell, at)
            self._draw_text(words, cell, at)
            place += cell.span
        words.draw()
        self.canvas.setFillColor(INK_BLACK)
        self._draw_horizontal_line(y, RED if is_corrected else RULE_COLOR, 0.8 if is_corrected else 0.4)
        self._draw_edges(y, accumulate((cell.span for cell in line.cells), initial=0), high)

    def _draw_text(self, words: TextLayer, cell: Cell, at: _CellPosition) -> None:
        font = BOLD_FONT if cell.strong or cell.mark is CellMark.WON else SANS_FONT
        is_won = cell.mark is CellMark.WON and bool(cell.text)
        text = f"✓ {cell.text}" if is_won and not cell.circle_count else cell.text
        if is_won and cell.circle_count:
            ring = self._compute_ring_width(cell, at) * cell.circle_count / 2
            words.write("✓", (at.middle - ring - 2, at.base), font=font, size=at.size, align="right")
        if cell.numeric or cell.mark is CellMark.BOX or cell.circle_count:
            words.write_fitted(text, (at.middle, at.base), at.width - 4, font=font, size=at.size, align="center")
        else:
            words.write_fitted(text, (at.left + 3, at.base), at.width - 6, font=font, size=at.size)

    def _draw_mark(self, cell: Cell, at: _CellPosition) -> None:
        canvas = self.canvas
        if cell.mark in (CellMark.CLOSED, CellMark.OUT):
            canvas.saveState()
            canvas.setFillColor(SHADE_COLOR)
            canvas.rect(at.left, at.y, at.width, at.height, stroke=0, fill=1)
            canvas.restoreState()
        canvas.setStrokeColor(INK_BLACK)
        canvas.setLineWidth(0.6)
        if cell.mark is CellMark.BOX:
            wide = min(
                at.width / 2 - 1, max(at.height / 2 - 1, compute_text_width(cell.text, SANS_FONT, at.size) / 2 + 4)
            )
            canvas.ellipse(at.middle - wide, at.y + 2.2, at.middle + wide, at.top - 2.2)
        self._draw_rings(cell, at)

    def _draw_rings(self, cell: Cell, at: _CellPosition) -> None:
        """Draw the cell's circles: the first one around the text, and any others next to it."""
        each = self._compute_ring_width(cell, at)
        start = at.middle - each * cell.circle_count / 2
        for turn in range(cell.circle_count):
            self.canvas.ellipse(start + turn * each, at.y + 1.2, start + (turn + 1) * each, at.top - 1.2)

    @staticmethod
    def _compute_ring_width(cell: Cell, at: _CellPosition) -> float:
        """Return the width of a circle, which becomes an ellipse around a long number."""
        around = compute_text_width(cell.text, BOLD_FONT, at.size) + 7 if cell.text and cell.circle_count == 1 else 0
        return min(max(at.height - 2.4, around), (at.width - 4) / max(cell.circle_count, 1))

    def _draw_horizontal_line(self, y: float, color: Any, width: float) -> None:
        self.canvas.setStrokeColor(color)
        self.canvas.setLineWidth(width)
        self.canvas.line(self.edges[0], y, self.edges[-1], y)

    def _draw_edges(self, y: float, places: Iterable[int], height: float = 0) -> None:
        """Draw the vertical lines between a row's cells. Lines between groups of columns are heavier."""
        for place in places:
            is_heavy = place in self.heavy
            self.canvas.setStrokeColor(INK_BLACK if is_heavy else RULE_COLOR)
            self.canvas.setLineWidth(0.9 if is_heavy else 0.4)
            self.canvas.line(self.edges[place], y, self.edges[place], y + (height or self.row))
