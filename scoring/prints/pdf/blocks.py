"""A sheet's blocks on paper: the same cells as on the screen, drawn as a table that fills the place it is given.

fill(variant, …) ──► blocks with as many empty lines as the place holds
paged(blocks, place) ──► the blocks of each page
draw_blocks(canvas, place, blocks)
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Final

from reportlab.pdfgen.canvas import Canvas

from scoring.rules.book.layout import Block, Cell, Heading, LineCells, Mark
from scoring.rules.variants.variant import Row, Tally, Variant
from tournament.core.pdf.paper import BOLD, INK, RED, RULE, SANS, SERIF, SHADE, Words, fit, load_fonts, width_of

ROW: Final = 17.0
"""A line that a pencil can write on."""
HIGHEST: Final = 23.0
"""Where a sheet has its fixed lines, they take the room there is."""
LOWEST: Final = 11.0
GAP: Final = 0.6
"""Between two blocks, in lines."""
MOST_BLANK: Final = 40
HEADING_SIZE: Final = 7.5
TWO_LINES: Final = 1.5
"""How high headings are, in lines, where one of them needs two."""
BETWEEN: Final = 14.0
"""Two columns of blocks."""


@dataclass(frozen=True, slots=True)
class Place:
    """A rectangle of the page."""

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


def fill(variant: Variant[Any, Any], rows: Sequence[Row], counted: Tally | None, place: Place) -> tuple[Block, ...]:
    """The sheet's blocks with empty lines as far as the place goes; a sheet with fixed lines stays as it is."""
    blocks = variant.blocks(rows, counted)
    more = variant.blocks(rows, counted, blank=1)
    grows = _tallest(more, place.width) - _tallest(blocks, place.width)
    room = place.height / ROW - _tallest(blocks, place.width)
    if grows <= 0 or room < grows:
        return blocks
    return variant.blocks(rows, counted, blank=min(MOST_BLANK, int(room / grows)))


def paged(blocks: Sequence[Block], place: Place) -> list[tuple[Block, ...]]:
    """The blocks of each page; a block that is too long goes on over the page, its foot on the last."""
    room = place.height / LOWEST
    if _tallest(blocks, place.width) <= room:
        return [tuple(blocks)]
    each = _width_of_each(_columns(blocks), place.width)
    pages: list[list[Block]] = [[]]
    left = room
    for block in blocks:
        for part in _parts(block, room, each):
            if pages[-1] and _units(part, each) > left:
                pages.append([])
                left = room
            pages[-1].append(part)
            left -= _units(part, each)
    return [tuple(page) for page in pages]


def draw_blocks(
    canvas: Canvas, place: Place, blocks: Sequence[Block], corrected: frozenset[int] = frozenset()
) -> float:
    """Draw them and say where they end; `corrected` are the recorded lines (from 1) that officials put right."""
    columns = _columns(blocks)
    row = min(HIGHEST, place.height / max(_tallest(blocks, place.width), 1))
    each = _width_of_each(columns, place.width)
    ends = []
    for turn, column in enumerate(columns):
        left = place.left + turn * (each + BETWEEN)
        y = place.top
        for block in column:
            table = _Table(canvas, block, left, each, row)
            y = table.draw(y, corrected) - GAP * row
        ends.append(y)
    return min(ends, default=place.top)


def _columns(blocks: Sequence[Block]) -> list[Sequence[Block]]:
    """Many narrow blocks stand in two columns, in their order; else one under the other."""
    if len(blocks) < 4 or max(len(block.headings) for block in blocks) > 3:
        return [blocks]
    half = (len(blocks) + 1) // 2
    return [blocks[:half], blocks[half:]]


def _width_of_each(columns: Sequence[Sequence[Block]], width: float) -> float:
    return (width - BETWEEN * (len(columns) - 1)) / len(columns)


def _tallest(blocks: Sequence[Block], width: float) -> float:
    columns = _columns(blocks)
    each = _width_of_each(columns, width)
    return max((sum(_units(block, each) for block in column) for column in columns if column), default=0)


def _units(block: Block, width: float) -> float:
    """The height in lines, where it is so wide."""
    head = (1.2 if block.title else 0) + bool(block.groups) + _heading_units(block, width)
    return head + len(block.lines) + len(block.foot) + GAP


def _heading_units(block: Block, width: float) -> float:
    """How high the line of its headings is; 0: it has none."""
    if not any(heading.text for heading in block.headings):
        return 0
    load_fonts()
    scale = width / sum(heading.weight for heading in block.headings)
    texts = ((_heading_text(block, heading), heading.weight * scale - 4) for heading in block.headings)
    wraps = any(len(fit(text, SANS, HEADING_SIZE, room).lines) > 1 for text, room in texts)
    return TWO_LINES if wraps else 1


def _heading_text(block: Block, heading: Heading) -> str:
    """Under a group that says whose column it is, what it counts."""
    under_group = any(heading.text.startswith(group.text) and group.text for group in block.groups)
    return {"points": "Points", "running": "Total"}.get(heading.key, heading.text) if under_group else heading.text


def _parts(block: Block, room: float, width: float) -> list[Block]:
    fits = max(1, int(room - _units(replace(block, lines=()), width)))
    cut = [block.lines[start : start + fits] for start in range(0, len(block.lines), fits)] or [()]
    return [replace(block, lines=lines, foot=block.foot if lines is cut[-1] else ()) for lines in cut]


class _Table:
    """One block at its place; `row` is the height of a line."""

    def __init__(self, canvas: Canvas, block: Block, left: float, width: float, row: float) -> None:
        self.canvas, self.block, self.row = canvas, block, row
        weights = [heading.weight for heading in block.headings]
        scale = width / sum(weights)
        self.edges = [left + scale * share for share in accumulate(weights, initial=0.0)]
        self.size = min(10.5, row * 0.56)
        self.headings = row * _heading_units(block, width)
        heavy = set(accumulate((group.span for group in block.groups), initial=0))
        self.heavy = heavy | {0, len(self.edges) - 1}

    def draw(self, top: float, corrected: frozenset[int]) -> float:
        y = top
        words = Words(self.canvas)
        if self.block.title:
            y -= 1.2 * self.row
            words.write_fitted(
                self.block.title, (self.edges[0], y + 4), self.edges[-1] - self.edges[0], font=SERIF, size=10.5
            )
        self._rule(y, INK, 0.9)
        if self.block.groups:
            y -= self.row
            self._draw_groups(words, y)
            self._draw_edges(y, self.heavy)
        if self.headings:
            y -= self.headings
            self._draw_edges(y, range(len(self.edges)), self.headings)
        for heading, left, right in zip(self.block.headings, self.edges, self.edges[1:], strict=False):
            self._draw_heading(words, heading, (left, right, y))
        words.draw()
        self._rule(y, INK, 0.9)
        for line in (*self.block.lines, *self.block.foot):
            y -= self.row
            self._draw_line(line, y, is_corrected=line.number in corrected)
        self._rule(y, INK, 0.9)
        if self.block.foot:
            self._rule(y + self.row * len(self.block.foot), INK, 0.9)
        return y

    def _draw_groups(self, words: Words, y: float) -> None:
        place = 0
        for group in self.block.groups:
            left, right = self.edges[place], self.edges[place + group.span]
            self._centered(words, group.text, (left, right, y), font=BOLD)
            place += group.span

    def _draw_heading(self, words: Words, heading: Heading, at: tuple[float, float, float]) -> None:
        left, right, y = at
        size = min(HEADING_SIZE, self.size)
        place = ((left + right) / 2, y + self.headings / 2 - size * 0.3)
        text = _heading_text(self.block, heading)
        words.write_fitted(text, place, right - left - 4, size=size, align="center")

    def _draw_line(self, line: LineCells, y: float, *, is_corrected: bool) -> None:
        place = 0
        self.canvas.setFillColor(RED if is_corrected else INK)
        words = Words(self.canvas)
        for cell in line.cells:
            at = (self.edges[place], self.edges[place + cell.span], y)
            self._draw_mark(cell, at)
            self._draw_text(words, cell, at)
            place += cell.span
        words.draw()
        self.canvas.setFillColor(INK)
        self._rule(y, RED if is_corrected else RULE, 0.8 if is_corrected else 0.4)
        self._draw_edges(y, accumulate((cell.span for cell in line.cells), initial=0))

    def _draw_text(self, words: Words, cell: Cell, at: tuple[float, float, float]) -> None:
        font = BOLD if cell.strong or cell.mark is Mark.WON else SANS
        text = f"✓ {cell.text}" if cell.mark is Mark.WON and cell.text else cell.text
        if cell.numeric or cell.mark is Mark.BOX or cell.rings:
            self._centered(words, text, at, font=font)
        else:
            left, right, y = at
            words.write_fitted(text, (left + 3, y + self._lift), right - left - 6, font=font, size=self.size)

    def _draw_mark(self, cell: Cell, at: tuple[float, float, float]) -> None:
        left, right, y = at
        middle, half = (left + right) / 2, self.row / 2
        canvas = self.canvas
        if cell.mark in (Mark.CLOSED, Mark.OUT):
            canvas.saveState()
            canvas.setFillColor(SHADE)
            canvas.rect(left, y, right - left, self.row, stroke=0, fill=1)
            canvas.restoreState()
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(0.6)
        if cell.mark is Mark.BOX:
            wide = min((right - left) / 2 - 1, max(half, width_of(cell.text, SANS, self.size) / 2 + 4))
            canvas.ellipse(middle - wide, y + 1.2, middle + wide, y + self.row - 1.2)
        self._draw_rings(cell.rings, at)

    def _draw_rings(self, rings: int, at: tuple[float, float, float]) -> None:
        """The first ring stands around the text, the others follow beside it, smaller where there are many."""
        left, right, y = at
        each = min(self.row - 2.4, (right - left - 4) / max(rings, 1))
        start = (left + right - each * rings) / 2
        for turn in range(rings):
            self.canvas.ellipse(start + turn * each, y + 1.2, start + (turn + 1) * each, y + self.row - 1.2)

    def _centered(self, words: Words, text: str, at: tuple[float, float, float], *, font: str = SANS) -> None:
        left, right, y = at
        place = ((left + right) / 2, y + self._lift)
        words.write_fitted(text, place, right - left - 4, font=font, size=self.size, align="center")

    @property
    def _lift(self) -> float:
        return (self.row - self.size) / 2 + 1

    def _rule(self, y: float, color: Any, width: float) -> None:
        self.canvas.setStrokeColor(color)
        self.canvas.setLineWidth(width)
        self.canvas.line(self.edges[0], y, self.edges[-1], y)

    def _draw_edges(self, y: float, places: Iterable[int], height: float = 0) -> None:
        """The upright lines of one line, between its cells; groups are set off by a heavier one."""
        for place in places:
            is_heavy = place in self.heavy
            self.canvas.setStrokeColor(INK if is_heavy else RULE)
            self.canvas.setLineWidth(0.9 if is_heavy else 0.4)
            self.canvas.line(self.edges[place], y, self.edges[place], y + (height or self.row))
