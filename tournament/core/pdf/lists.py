"""Printed lists with rows of equal height, in which long texts shrink, and texts that all PDF files share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate, pairwise
from typing import IO
from zoneinfo import ZoneInfo

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext as _
from reportlab.pdfgen.canvas import Canvas

from tournament.core.pdf.paper import (
    BOLD,
    ELLIPSIS,
    INK,
    PAPERS,
    RULE,
    SANS,
    SERIF,
    SLATE,
    Paper,
    TextLayer,
    fit_text,
    new_canvas,
)
from tournament.models import Tournament

# --- Shared texts ----------------------------------------------------------------------------------------------------


def pdf_file_name(
    tournament: Tournament, *parts: str, at: datetime, rounds: Iterable[int | str] = (), table: int = 0
) -> str:
    """Return a file name such as “main-event-round-cards-round-2-table-7-2026-11-22-1445.pdf”, in the venue's time."""
    round_numbers = "-".join(map(str, rounds))
    time = at.astimezone(ZoneInfo(tournament.time_zone)).strftime("%Y-%m-%d-%H%M")
    all_parts = (*parts, f"round-{round_numbers}" if round_numbers else "", f"table-{table}" if table else "")
    return "-".join([*filter(None, map(slugify, all_parts)), time]) + ".pdf"


def format_days(tournament: Tournament) -> str:
    """Return the days of a tournament, such as “Nov 20–22, 2026”."""
    first, last = tournament.starts_on, tournament.ends_on
    if first == last:
        return date_format(first, "M j, Y")
    end = date_format(last, "j, Y" if (first.year, first.month) == (last.year, last.month) else "M j, Y")
    return f"{date_format(first, 'M j')}–{end}"


def seal_sentence(code: str) -> str:
    """Return the sentence about a seal code, or "" if there is no code."""
    text = _("Seal code %(code)s. Enter it at Verify a document to see whether the record was changed since.")
    return text % {"code": code} if code else ""


MARGIN = 42.0
HEAD = 78.0
FOOT = 40.0
SIZE = 10.5
SMALLEST_COMMON_SIZE = 10.0
"""The smallest font size in points of a column with `one_size`."""
TALLEST_ROW = 112.0
"""The largest row height in points of a list that fills its page."""
GROWN_SIZES = tuple(half / 2 for half in range(96, 20, -1))
"""The possible font sizes in points of a list that fills its page, largest first."""


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A column of a printed list. With `to_sign`, its cells are lines to write on.

    With `one_size`, all texts are as small as the longest one needs. Texts that are still too long take two lines.
    """

    heading: str | Promise
    share: float
    align: str = "left"
    bold: bool = False
    to_sign: bool = False
    one_size: bool = False


@dataclass(frozen=True, slots=True)
class PrintedList:
    title: str
    subtitle: str
    columns: tuple[ListColumn, ...]
    rows: Sequence[Sequence[str]]
    total: Sequence[str] = ()
    row_height: float = 21.0
    note: str = ""
    fills_page: bool = False
    """Whether rows and letters grow until the sheet is full, for a sheet on the wall that is read from a distance."""


def write_list(target: IO[bytes], content: PrintedList, *, paper: str = "letter") -> int:
    """Write the list as a PDF, and return its number of pages. An empty list has one page that says so."""
    size = PAPERS[paper]
    canvas = new_canvas(target, size, content.title)
    rows = [*content.rows, *([content.total] if content.total else [])]
    rows_per_page = int((size.height - HEAD - FOOT - content.row_height) // content.row_height)
    pages = max(1, -(-len(rows) // rows_per_page))
    if content.fills_page and rows:
        rows_per_page = -(-len(rows) // pages)
        room = (size.height - HEAD - FOOT) / (rows_per_page + 1)
        content = replace(content, row_height=max(content.row_height, min(TALLEST_ROW, room)))
    edges = _edges(content.columns, size.width - 2 * MARGIN)
    sizes = _grown_sizes(content, edges) if content.fills_page else _sizes(content, edges)
    for page in range(pages):
        part = rows[page * rows_per_page : (page + 1) * rows_per_page]
        _draw_page(canvas, size, content, part, sizes, f"{page + 1} / {pages}")
        canvas.showPage()
    canvas.save()
    return pages


def _draw_page(
    canvas: Canvas,
    size: Paper,
    content: PrintedList,
    rows: Sequence[Sequence[str]],
    sizes: Sequence[float],
    number: str,
) -> None:
    texts = TextLayer(canvas)
    width = size.width - 2 * MARGIN
    texts.write_fitted(content.title, (MARGIN, size.height - 46), width, font=SERIF, size=16, most_lines=1)
    texts.write_fitted(content.subtitle, (MARGIN, size.height - 62), width, size=9, most_lines=1)
    texts.write(number, (size.width - MARGIN, 24), size=8, align="right")
    if content.note:
        texts.write_fitted(content.note, (MARGIN, 24), width - 60, size=8, most_lines=1)
    edges = _edges(content.columns, width)
    y = size.height - HEAD - 21
    for column, (left, right) in zip(content.columns, edges, strict=True):
        _write_cell(texts, str(column.heading), column, (left, right, y), font=BOLD, size=8.5)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.9)
    canvas.line(MARGIN, y - 5, size.width - MARGIN, y - 5)
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.4)
    for row in rows:
        y -= content.row_height
        is_total = row is content.total
        for text, column, (left, right), points in zip(row, content.columns, edges, sizes, strict=True):
            if column.to_sign and not is_total:
                canvas.setStrokeColor(SLATE)
                canvas.line(left + 4, y - 1, right, y - 1)
                canvas.setStrokeColor(RULE)
            font = BOLD if column.bold or is_total else SANS
            if content.fills_page:
                place = (left, right, y + content.row_height / 2 - 6)
                _write_grown_cell(texts, text, column, place, font=font, size=points)
            else:
                _write_cell(texts, text, column, (left, right, y), font=font, size=points)
        canvas.line(MARGIN, y - 6, size.width - MARGIN, y - 6)
    if not rows:
        texts.write(_("Nobody is on this list yet."), (MARGIN, y - content.row_height), size=10)
    texts.draw()


def _edges(columns: Sequence[ListColumn], width: float) -> list[tuple[float, float]]:
    total = sum(column.share for column in columns)
    edges = accumulate((width * column.share / total for column in columns), initial=MARGIN)
    return [(left, right - 9) for left, right in pairwise(edges)]


def _write_cell(
    texts: TextLayer, text: str, column: ListColumn, place: tuple[float, float, float], *, font: str, size: float
) -> None:
    left, right, y = place
    x = right if column.align == "right" else left
    if column.one_size:
        lines = fit_text(text, font, size, right - left, smallest=size).lines
        if not lines[-1].endswith(ELLIPSIS):
            for index, line in enumerate(reversed(lines)):
                texts.write(line, (x, y + index * size * 1.15), font=font, size=size, align=column.align)
            return
    texts.write_fitted(text, (x, y), right - left, font=font, size=size, align=column.align)


def _write_grown_cell(
    texts: TextLayer, text: str, column: ListColumn, place: tuple[float, float, float], *, font: str, size: float
) -> None:
    """Write the text around the middle of its row, in two lines if it is too long for one."""
    left, right, middle = place
    x = right if column.align == "right" else left
    lines = fit_text(text, font, size, right - left, smallest=size).lines
    if size == SIZE and len(lines) > 1:
        texts.write_fitted(text, (x, middle - size * 0.36), right - left, font=font, size=size, align=column.align)
        return
    for index, line in enumerate(lines):
        y = middle - size * 0.36 + ((len(lines) - 1) / 2 - index) * size * 1.15
        texts.write(line, (x, y), font=font, size=size, align=column.align)


def _grown_sizes(content: PrintedList, edges: Sequence[tuple[float, float]]) -> list[float]:
    """Return for each column the largest font size at which all texts fit into their cells without breaking a word.

    Columns that are not bold are smaller than the names, so that no number looks like a score.
    """
    largest = []
    for index, (column, (left, right)) in enumerate(zip(content.columns, edges, strict=True)):
        font = BOLD if column.bold else SANS
        texts = {str(row[index]) for row in content.rows}

        def fits(size: float, texts: set[str] = texts, font: str = font, width: float = right - left) -> bool:
            allowed = int((content.row_height - 6) / (size * 1.15))
            each = ((text, fit_text(text, font, size, width, smallest=size).lines) for text in texts)
            return all(len(lines) <= allowed and " ".join(lines) == text for text, lines in each)

        largest.append(next((size for size in GROWN_SIZES if fits(size)), SIZE))
    names = min((size for column, size in zip(content.columns, largest, strict=True) if column.bold), default=SIZE)
    return [
        size if column.bold else max(SIZE, min(size, 0.7 * names))
        for column, size in zip(content.columns, largest, strict=True)
    ]


def _sizes(content: PrintedList, edges: Sequence[tuple[float, float]]) -> list[float]:
    """Return the font size of each column, which is the same on every page."""
    sizes = []
    for index, (column, (left, right)) in enumerate(zip(content.columns, edges, strict=True)):
        texts = [row[index] for row in content.rows] if column.one_size else []
        font = BOLD if column.bold else SANS
        fitted = (fit_text(text, font, SIZE, right - left, smallest=SMALLEST_COMMON_SIZE).size for text in texts)
        sizes.append(min(fitted, default=SIZE))
    return sizes
