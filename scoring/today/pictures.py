"""SVG pictures of the blank score cards that ready-made events use."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from scoring.prints.pdf.card_prints import make_blank_card_labels, replace_names_with_labels
from scoring.rules.book.layout import Cell, SheetBlock
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.variant import Variant
from scoring.rulesheets.selectors import find_side_limits
from scoring.today.services.ready_events import find_ready_made_event

WIDTH, HEIGHT, MARGIN = 320.0, 220.0, 12.0
TOP, BOTTOM = 40.0, 186.0
MAX_PICTURE_ROW, GAP, COLUMN_GAP = 15.0, 0.6, 10.0
MAX_PICTURE_LINES: Final = 11
DEFAULT_TABLE_SIZE: Final = 4
LETTER_WIDTH_RATIO: Final = 0.6
"""The average width of a letter as a fraction of its height."""
INK, RULE, FELT = "#1C1B19", "#A9A294", "#0F5B3E"

SvgParts = list[SafeString]


@lru_cache(maxsize=64)
def draw_card_picture(name: str) -> str | None:
    """Return an SVG picture of a ready-made event's score card, or None if there is no event with this name."""
    ready = find_ready_made_event(name)
    if ready is None:
        return None
    options = {**VARIANTS[ready.rules.variant].defaults(), **ready.rules.options}
    return _draw_card(ready.rules.variant, options, tables=ready.options.get("size", DEFAULT_TABLE_SIZE))


def _draw_card(rules: str, options: Mapping[str, Any], *, tables: int) -> str:
    few, many = find_side_limits(rules, options)
    sides = VARIANTS[rules].side_names if VARIANTS[rules].sides_are_teams else ()
    names = sides or tuple(_("Player %(number)s") % {"number": turn + 1} for turn in range(min(many, max(few, tables))))
    variant = VARIANTS[rules](names, options).copy_without_drawn_order()
    blocks = _make_blank_blocks(variant)
    drawn = replace_names_with_labels(blocks, {} if sides else make_blank_card_labels(blocks, names))
    parts = [*_draw_header(variant.title), *_draw_tables(drawn), *_draw_footer()]
    return format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" font-family="Arial, sans-serif" fill="{}">'
        '<rect width="100%" height="100%" fill="#FFFFFF"/>{}</svg>',
        WIDTH, HEIGHT, INK, format_html_join("", "{}", ((part,) for part in parts)),
    )  # fmt: skip


def _make_blank_blocks(variant: Variant[Any, Any]) -> Sequence[SheetBlock]:
    """Return blank blocks with a limited number of lines, so that the lines can be told apart in a small picture."""
    bare, longer = variant.blocks((), None), variant.blocks((), None, blank=1)
    grows = _count_height_in_lines(longer) - _count_height_in_lines(bare)
    if grows <= 0:
        return bare
    return variant.blocks((), None, blank=max(1, int((MAX_PICTURE_LINES - _count_height_in_lines(bare)) / grows)))


def _arrange_in_columns(blocks: Sequence[SheetBlock]) -> list[Sequence[SheetBlock]]:
    """Arrange the blocks in two columns if there are many narrow blocks, as on paper."""
    if len(blocks) < 4 or max(len(block.headings) for block in blocks) > 3:
        return [blocks]
    half = (len(blocks) + 1) // 2
    return [blocks[:half], blocks[half:]]


def _count_height_in_lines(blocks: Iterable[SheetBlock]) -> float:
    rows = [bool(block.title) + bool(block.groups) + 1 + len(block.lines) + len(block.footer) for block in blocks]
    return sum(rows) + GAP * (len(rows) - 1)


def _draw_tables(blocks: Sequence[SheetBlock]) -> SvgParts:
    columns = _arrange_in_columns(blocks)
    row = min(MAX_PICTURE_ROW, (BOTTOM - TOP) / max(map(_count_height_in_lines, columns)))
    width = (WIDTH - 2 * MARGIN - COLUMN_GAP * (len(columns) - 1)) / len(columns)
    parts: SvgParts = []
    for turn, column in enumerate(columns):
        y, left = TOP, MARGIN + turn * (width + COLUMN_GAP)
        for block in column:
            y = _draw_table(parts, block, (left, y, width), row) + GAP * row
    return parts


def _draw_table(parts: SvgParts, block: SheetBlock, place: tuple[float, float, float], row: float) -> float:
    """Draw a block whose rows have the height `row`. Return the y coordinate of the block's lower edge.

    `place` contains the block's left edge, upper edge, and width.
    """
    left, y, width = place
    weights = [heading.weight for heading in block.headings]
    edges = [left + width * share / sum(weights) for share in accumulate(weights, initial=0.0)]
    if block.title:
        y += row
        parts.append(_draw_text(block.title, (left, y - row * 0.25), row * 0.75, width, bold=True))
    top = y
    if block.groups:
        groups = [Cell(text=group.text, span=group.span, strong=True, numeric=True) for group in block.groups]
        y = _draw_line(parts, groups, (edges, y), row)
    y = _draw_line(parts, [Cell(text=heading.text, numeric=True) for heading in block.headings], (edges, y), row)
    parts.append(_draw_rule(left, y, edges[-1], y, INK))
    for line in (*block.lines, *block.footer):
        y = _draw_line(parts, line.cells, (edges, y), row)
    parts.append(
        format_html(
            '<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="{}" stroke-width="1.2"/>',
            *map(_format_coordinate, (left, top, width, y - top)), INK,
        )
    )  # fmt: skip
    return y


def _draw_line(parts: SvgParts, cells: Sequence[Cell], place: tuple[Sequence[float], float], row: float) -> float:
    edges, y = place
    at = 0
    for cell in cells:
        left, right = edges[at], edges[at + cell.span]
        if cell.text:
            centered = cell.numeric
            x = (left + right) / 2 if centered else left + 2
            size, wide = min(8.5, row * 0.62), right - left - 3
            parts.append(_draw_text(cell.text, (x, y + row * 0.7), size, wide, bold=cell.strong, centered=centered))
        if at:
            parts.append(_draw_rule(left, y, left, y + row))
        at += cell.span
    parts.append(_draw_rule(edges[0], y + row, edges[-1], y + row))
    return y + row


def _draw_header(title: str) -> SvgParts:
    ring = '<circle cx="{}" cy="21" r="13" fill="none" stroke="{}" stroke-width="1.5"/>'
    return [
        _draw_text(title, (MARGIN, 18), 13, WIDTH - 80, bold=True, serif=True),
        _draw_text("Round ____   Game ____", (MARGIN, 32), 8, 200),
        format_html(ring, WIDTH - MARGIN - 15, FELT),
    ]


def _draw_footer() -> SvgParts:
    middle, y = WIDTH / 2, HEIGHT - 14
    lines = (MARGIN, middle - 8), (middle + 8, WIDTH - MARGIN)
    parts: SvgParts = []
    for left, right in lines:
        parts += [_draw_rule(left, y, right, y, INK), _draw_text("Signature", (left, y + 9), 7, 60)]
    return parts


def _draw_rule(x1: float, y1: float, x2: float, y2: float, color: str = RULE) -> SafeString:
    path = '<path d="M{} {}L{} {}" stroke="{}" stroke-width="{}"/>'
    return format_html(path, *map(_format_coordinate, (x1, y1, x2, y2)), color, 1 if color == INK else 0.6)


def _draw_text(
    text: str,
    at: tuple[float, float],
    size: float,
    width: float,
    *,
    bold: bool = False,
    centered: bool = False,
    serif: bool = False,
) -> SafeString:
    """Draw text. If it is too wide, use a smaller font, and then truncate it if necessary."""
    needs = max(1, len(text)) * LETTER_WIDTH_RATIO
    fitted = max(size * 0.6, min(size, width / needs))
    room = max(1, int(width / (fitted * LETTER_WIDTH_RATIO)))
    return format_html(
        '<text x="{}" y="{}" font-size="{}"{}{}{}>{}</text>',
        *map(_format_coordinate, (*at, fitted)),
        SafeString(' font-weight="bold"' if bold else ""),
        SafeString(' text-anchor="middle"' if centered else ""),
        SafeString(' font-family="Georgia, serif"' if serif else ""),
        text if len(text) <= room else f"{text[: room - 1]}…",
    )


def _format_coordinate(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
