"""Printed lists and letters: text, tables, signature lines and QR codes that flow from page to page.

A `PageLayout` has a header and a footer, which repeat on each page. The flowables between them come from ReportLab or
from this module. All text is drawn by `paper.TextLayer`, because ReportLab's paragraphs support neither Hebrew nor a
separate font for each letter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import IO, Any, Final, cast

from django.utils.functional import Promise
from reportlab import rl_config
from reportlab.lib.colors import Color, black
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, HRFlowable, LongTable, PageTemplate, Spacer, Table
from reportlab.platypus.flowables import Flowable

from tournament.core.pdf.paper import (
    BOLD_FONT,
    ELLIPSIS,
    FOOT_HEIGHT,
    INK_BLACK,
    RULE_COLOR,
    SANS_FONT,
    SERIF_FONT,
    SLATE_GRAY,
    MarkedCanvas,
    Paper,
    TextLayer,
    compute_notice_height,
    draw_qr,
    draw_strokes,
    fit_text,
    make_pdf_title,
    replace_unprintable,
)
from tournament.core.selectors.program import format_program_version

TABLE_FONT_SIZE: Final = 10.5
"""The default font size of a table."""
SIDE_MARGIN: Final = 42.0
TOP_MARGIN: Final = 32.0
BOTTOM_MARGIN: Final = FOOT_HEIGHT
"""The bottom margin in points. It contains the line with the program's version."""
COLUMN_GAP: Final = 9.0
"""The space between two columns of a table."""
HEADING_ROW_HEIGHT: Final = 21.0
LINE_SPACING: Final = 1.15
"""The distance between baselines, as a multiple of the font size."""
PARAGRAPH_LINE_SPACING: Final = 1.25
PAGE_NUMBER_LINE_HEIGHT: Final = 14.0
"""The height of the line with the note and the page number."""
UNLIMITED_HEIGHT: Final = 1e6


# --- Flowables -------------------------------------------------------------------------------------------------------


def fits_without_word_breaks(text: str, font: str, size: float, width: float, height: float) -> bool:
    """Return whether the text fits at this size, in at most two lines and without breaking a word."""
    lines = fit_text(text, font, size, width, smallest=size).lines
    return (
        " ".join(lines) == replace_unprintable(" ".join(text.split()), font)
        and len(lines) * size * LINE_SPACING <= height
    )


class TextFlowable(Flowable):
    """Text that shrinks to fit its width, and wraps if it would become too small.

    Anything that still does not fit is cut off with an ellipsis.

    If `wraps` is set, or more than two lines are allowed, the text wraps at its full size first. It then shrinks only
    if it would otherwise be cut off.
    """

    def __init__(
        self,
        text: str | Promise,
        font: str = SANS_FONT,
        size: float = 10,
        *,
        align: str = "left",
        most_lines: int = 1,
        smallest: float = 8,
        wraps: bool = False,
        color: Color | None = None,
        before: float = 0,
        after: float = 0,
    ) -> None:
        super().__init__()
        self.text, self.font, self.size, self.align, self.color = str(text), font, size, align, color
        self.most_lines, self.smallest, self.wraps = most_lines, min(smallest, size), wraps or most_lines > 2
        self.leading = PARAGRAPH_LINE_SPACING if most_lines > 2 else LINE_SPACING
        self.spaceBefore, self.spaceAfter = before, after

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        smallest = self.size if self.wraps else self.smallest
        fitted = fit_text(self.text, self.font, self.size, width, smallest, self.most_lines)
        if self.smallest < smallest and fitted.lines[-1].endswith(ELLIPSIS):
            fitted = fit_text(self.text, self.font, self.size, width, self.smallest, self.most_lines)
        self.lines, self.line_size = list(fitted.lines), round(fitted.size, 1)
        if self.most_lines > 2 and self.lines[-1].endswith(ELLIPSIS):
            self.lines[-1] = f"{self.lines[-1].rpartition(' ')[0]} {ELLIPSIS}"
        self.width, self.height = width, len(self.lines) * self.line_size * self.leading
        return self.width, self.height

    def drawOn(self, canvas: Canvas, x: float, y: float, _sW: float = 0) -> None:  # noqa: N802, N803
        """Add the text to the page's text layer.

        A table has hundreds of texts, which are much cheaper in one text object.
        """
        words = cast("_PageCanvas", canvas).words
        shift = {"left": 0.0, "center": self.width / 2, "right": self.width}[self.align]
        x, y = canvas.absolutePosition(x + shift, y + self.height)
        if self.color is not None:
            words.text.setFillColor(self.color)
        for index, line in enumerate(self.lines):
            baseline = y - (index * self.leading + 0.92) * self.line_size
            words.write(line, (x, baseline), font=self.font, size=self.line_size, align=self.align)
        if self.color is not None:
            words.text.setFillColor(black)


class QrFlowable(Flowable):
    def __init__(self, address: str, side: float) -> None:
        super().__init__()
        self.address, self.width, self.height = address, side, side

    def draw(self) -> None:
        draw_qr(self.canv, self.address, (0, 0), self.width)


class SignatureFlowable(Flowable):
    """A signature that was drawn on the screen."""

    def __init__(self, strokes: Any, width: float, height: float) -> None:
        super().__init__()
        self.strokes, self.width, self.height = strokes, width, height

    def draw(self) -> None:
        self.canv.setStrokeColor(INK_BLACK)
        self.canv.setLineWidth(1.2)
        draw_strokes(self.canv, self.strokes, (0, 2), self.width, self.height - 2)


Cell = Flowable | Sequence[Flowable] | str


def make_grid(
    rows: Sequence[Sequence[Cell]],
    widths: Sequence[float],
    heights: Sequence[float | None] | None = None,
    *,
    style: Sequence[tuple[Any, ...]] = (),
    repeat: int = 0,
) -> Table:
    """Return a table without grid lines or cell padding. The first `repeat` rows are repeated on each page."""
    plain = [("LEFTPADDING", 0), ("RIGHTPADDING", 0), ("TOPPADDING", 0), ("BOTTOMPADDING", 0), ("VALIGN", "MIDDLE")]
    commands = [(name, (0, 0), (-1, -1), value) for name, value in plain]
    cells = [list(row) for row in rows]
    return LongTable(cells, widths, heights, repeatRows=repeat, hAlign="LEFT", style=[*commands, *style])


def place_side_by_side(cells: Sequence[Cell], widths: Sequence[float]) -> Table:
    return make_grid([cells], widths, style=[("VALIGN", (0, 0), (-1, -1), "TOP")])


def stack_flowables(flowables: Sequence[Flowable], width: float) -> Table:
    """Combine flowables into a single one that never breaks across pages."""
    return place_side_by_side([list(flowables)], [width])


def compute_flowables_height(flowables: Sequence[Flowable], width: float) -> float:
    return float(stack_flowables(flowables, width).wrap(width, UNLIMITED_HEIGHT)[1]) if flowables else 0.0


def make_signature_lines(
    labels: Sequence[Flowable], widths: Sequence[float], signed: Sequence[Cell] = (), *, height: float = 30
) -> Table:
    """Return signature lines side by side, with labels below.

    `signed` contains a cell to place on each line, such as a signature, a name or a date. The space above the lines is
    `height` points high.
    """
    below = [[HRFlowable("100%", 0.7, color=INK_BLACK, spaceBefore=0, spaceAfter=2), label] for label in labels]
    style = [
        ("RIGHTPADDING", (0, 0), (-2, -1), 2 * COLUMN_GAP),
        ("VALIGN", (0, 0), (-1, 0), "BOTTOM"),
        ("VALIGN", (0, 1), (-1, 1), "TOP"),
    ]
    return make_grid([signed or [""] * len(labels), below], widths, [height, None], style=style)


# --- Tables ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A column of a table. If `is_signature_line` is set, its cells are lines to write on.

    If `has_uniform_font_size` is set, the longest cell determines the font size of all cells. Text that is still too
    long takes two lines.
    """

    heading: str | Promise
    share: float
    align: str = "left"
    bold: bool = False
    is_signature_line: bool = False
    has_uniform_font_size: bool = False

    @property
    def font(self) -> str:
        return BOLD_FONT if self.bold else SANS_FONT


def compute_column_text_widths(columns: Sequence[ListColumn], width: float) -> list[float]:
    """Return the width available for text in each column of a table of this width."""
    total = sum(column.share for column in columns)
    return [(width + COLUMN_GAP) * column.share / total - COLUMN_GAP for column in columns]


def make_list_table(
    columns: Sequence[ListColumn],
    rows: Sequence[Sequence[str]],
    width: float,
    *,
    total: Sequence[str] = (),
    row_height: float = 21,
    sizes: Sequence[float],
) -> Table:
    """Return a table whose headings repeat on each page. `sizes` has the font size of each column.

    The row of totals is never alone on a page.
    """
    widths = compute_column_text_widths(columns, width)
    style: list[tuple[Any, ...]] = [
        ("RIGHTPADDING", (0, 0), (-2, -1), COLUMN_GAP),
        ("LINEBELOW", (0, 0), (-1, 0), 0.9, INK_BLACK),
        ("LINEBELOW", (0, 1), (-1, -1), 0.4, RULE_COLOR),
    ]
    last = -2 if total else -1
    style += [
        ("LINEBELOW", (at, 1), (at, last), 0.9, SLATE_GRAY)
        for at, column in enumerate(columns)
        if column.is_signature_line
    ]
    if total:
        style.append(("NOSPLIT", (0, -2), (-1, -1)))
    lines = 2 if row_height >= 20 else 1
    cells = [
        [
            TextFlowable(each.heading, BOLD_FONT, min(8.5, *sizes), align=each.align, most_lines=lines)
            for each in columns
        ]
    ]
    for row in (*rows, *([total] if total else [])):
        cells.append(
            [
                TextFlowable(
                    text,
                    BOLD_FONT if row is total else column.font,
                    size,
                    align=column.align,
                    most_lines=lines,
                    wraps=column.has_uniform_font_size or size > TABLE_FONT_SIZE,
                )
                for text, column, size in zip(row, columns, sizes, strict=True)
            ]
        )
    heights = [min(row_height, HEADING_ROW_HEIGHT), *[row_height] * (len(cells) - 1)]
    return make_grid(cells, [*(each + COLUMN_GAP for each in widths[:-1]), widths[-1]], heights, style=style, repeat=1)


# --- Pages -----------------------------------------------------------------------------------------------------------


class _PageCanvas(MarkedCanvas):
    """A canvas that draws all text on a page together, and fills in “2 / 5” once the number of pages is known."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.words = TextLayer(self)

    def showPage(self) -> None:  # noqa: N802
        self.words.draw()
        super().showPage()
        self.words = TextLayer(self)

    def save(self) -> None:
        pages = self.getPageNumber() - 1
        for page in range(1, pages + 1):
            self.beginForm(f"page-number-{page}", -60, -4, 0, 10)
            words = TextLayer(self)
            words.write(f"{page} / {pages}", (0, 0), size=8, align="right")
            words.draw()
            self.endForm()
        super().save()


@dataclass
class PageLayout:
    """Pages with a header and a footer.

    If `numbered` is set, each page also has a line with the `note` and the page number. If `has_own_version` is set,
    the flowables already contain the program's version, because the pages will be cut.
    """

    paper: Paper
    title: str
    head: Sequence[Flowable] = ()
    foot: Sequence[Flowable] = ()
    note: str = ""
    numbered: bool = True
    has_own_version: bool = False
    side: float = SIDE_MARGIN
    top: float = TOP_MARGIN
    bottom: float = BOTTOM_MARGIN

    def __post_init__(self) -> None:
        self.top = max(self.top, compute_notice_height())

    @property
    def width(self) -> float:
        return self.paper.width - 2 * self.side

    @cached_property
    def height(self) -> float:
        """The height available between the header and the footer."""
        taken = sum(compute_flowables_height(each, self.width) for each in (self.head, self.foot))
        return self.paper.height - self.top - taken - self.bottom - (PAGE_NUMBER_LINE_HEIGHT if self.numbered else 0)

    def write(self, target: IO[bytes], story: Sequence[Flowable]) -> int:
        """Write the pages, and return their number. Equal content gives equal bytes in the same version."""
        rl_config.useA85 = 0
        document = BaseDocTemplate(
            target,
            pagesize=(self.paper.width, self.paper.height),
            title=make_pdf_title(self.title),
            creator=format_program_version(),
            invariant=1,
            pageCompression=1,
        )
        foot = self.paper.height - self.top - compute_flowables_height(self.head, self.width) - self.height
        frame = Frame(self.side, foot, self.width, self.height, 0, 0, 0, 0)
        document.addPageTemplates(PageTemplate(frames=[frame], onPage=self._draw_header_and_footer))
        make_page_canvas = partial(_PageCanvas, has_own_version=self.has_own_version)
        document.build(list(story) or [Spacer(0, 0)], canvasmaker=make_page_canvas)
        return int(document.page)

    def _draw_header_and_footer(self, canvas: Canvas, document: BaseDocTemplate) -> None:
        bottom = self.bottom
        if self.numbered:
            note = TextFlowable(self.note, size=8)
            note.wrapOn(canvas, self.width - 50, UNLIMITED_HEIGHT)
            note.drawOn(canvas, self.side, bottom)
            canvas.saveState()
            canvas.translate(self.side + self.width, bottom + 2)
            canvas.doForm(f"page-number-{document.page}")
            canvas.restoreState()
            bottom += PAGE_NUMBER_LINE_HEIGHT
        for flowables, is_head in ((self.head, True), (self.foot, False)):
            if flowables:
                part = stack_flowables(flowables, self.width)
                _width, height = part.wrapOn(canvas, self.width, UNLIMITED_HEIGHT)
                part.drawOn(canvas, self.side, self.paper.height - self.top - height if is_head else bottom)


def make_headings(title: str, *below: str) -> list[Flowable]:
    """Return the header of a printed list or report: its title, with lines of small text below."""
    return [
        TextFlowable(title, SERIF_FONT, 16),
        *(TextFlowable(each, size=9, most_lines=4, before=2) for each in below if each),
        Spacer(0, 14),
    ]
