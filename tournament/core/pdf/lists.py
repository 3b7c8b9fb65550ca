"""Printed lists with rows of equal height, where long texts shrink, and the titles and file names of all papers."""

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

# --- Names -----------------------------------------------------------------------------------------------------------
# Texts that PDF files share: the file name, the days of the tournament, and the seal code.


def pdf_file_name(
    tournament: Tournament, *parts: str, at: datetime, rounds: Iterable[int | str] = (), table: int = 0
) -> str:
    """Return a file name like “main-event-round-cards-round-2-table-7-2026-11-22-1445.pdf”, with the venue's time."""
    of_rounds = "-".join(map(str, rounds))
    when = at.astimezone(ZoneInfo(tournament.time_zone)).strftime("%Y-%m-%d-%H%M")
    named = (*parts, f"round-{of_rounds}" if of_rounds else "", f"table-{table}" if table else "")
    return "-".join([*filter(None, map(slugify, named)), when]) + ".pdf"


def format_days(tournament: Tournament) -> str:
    """Return the days of a tournament like “Nov 20–22, 2026”."""
    first, last = tournament.starts_on, tournament.ends_on
    if first == last:
        return date_format(first, "M j, Y")
    end = date_format(last, "j, Y" if (first.year, first.month) == (last.year, last.month) else "M j, Y")
    return f"{date_format(first, 'M j')}–{end}"


def seal_sentence(code: str) -> str:
    """Return the sentence about a seal code, or "" if there is no code."""
    said = _("Seal code %(code)s. Enter it at Verify a document to see whether the record was changed since.")
    return said % {"code": code} if code else ""


MARGIN = 42.0
HEAD = 78.0
FOOT = 40.0
SIZE = 10.5
SMALLEST_OF_ALL = 10.0
"""The smallest size in points of a column with one size. Longer texts take two lines."""
HIGHEST = 112.0
"""The largest row height in points on a sheet that fills its page."""
GROWN = tuple(half / 2 for half in range(96, 20, -1))
"""The font sizes in points that such a sheet can have, largest first."""


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A column with its share of the width, the alignment of its text, and whether it is a line to write on.

    With `one_size`, all texts have the size of the one that shrinks most. Texts that are still too long take two
    lines.
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
    """Whether rows and letters grow until the sheet is full, because it hangs on a wall and is read from afar."""


def write_list(target: IO[bytes], content: PrintedList, *, paper: str = "letter") -> int:
    """Write the list as a PDF and return its number of pages. An empty list has one page that says so."""
    size = PAPERS[paper]
    canvas = new_canvas(target, size, content.title)
    rows = [*content.rows, *([content.total] if content.total else [])]
    a_page = int((size.height - HEAD - FOOT - content.row_height) // content.row_height)
    pages = max(1, -(-len(rows) // a_page))
    if content.fills_page and rows:
        a_page = -(-len(rows) // pages)
        room = (size.height - HEAD - FOOT) / (a_page + 1)
        content = replace(content, row_height=max(content.row_height, min(HIGHEST, room)))
    edges = _edges(content.columns, size.width - 2 * MARGIN)
    sizes = _grown_sizes(content, edges) if content.fills_page else _sizes(content, edges)
    for page in range(pages):
        part = rows[page * a_page : (page + 1) * a_page]
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
    words = TextLayer(canvas)
    width = size.width - 2 * MARGIN
    words.write_fitted(content.title, (MARGIN, size.height - 46), width, font=SERIF, size=16, most_lines=1)
    words.write_fitted(content.subtitle, (MARGIN, size.height - 62), width, size=9, most_lines=1)
    words.write(number, (size.width - MARGIN, 24), size=8, align="right")
    if content.note:
        words.write_fitted(content.note, (MARGIN, 24), width - 60, size=8, most_lines=1)
    edges = _edges(content.columns, width)
    y = size.height - HEAD - 21
    for column, (left, right) in zip(content.columns, edges, strict=True):
        _cell(words, str(column.heading), column, (left, right, y), font=BOLD, size=8.5)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.9)
    canvas.line(MARGIN, y - 5, size.width - MARGIN, y - 5)
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.4)
    for row in rows:
        y -= content.row_height
        whole = row is content.total
        for text, column, (left, right), points in zip(row, content.columns, edges, sizes, strict=True):
            if column.to_sign and not whole:
                canvas.setStrokeColor(SLATE)
                canvas.line(left + 4, y - 1, right, y - 1)
                canvas.setStrokeColor(RULE)
            font = BOLD if column.bold or whole else SANS
            if content.fills_page:
                _grown_cell(words, text, column, (left, right, y + content.row_height / 2 - 6), font=font, size=points)
            else:
                _cell(words, text, column, (left, right, y), font=font, size=points)
        canvas.line(MARGIN, y - 6, size.width - MARGIN, y - 6)
    if not rows:
        words.write(_("Nobody is on this list yet."), (MARGIN, y - content.row_height), size=10)
    words.draw()


def _edges(columns: Sequence[ListColumn], width: float) -> list[tuple[float, float]]:
    whole = sum(column.share for column in columns)
    edges = accumulate((width * column.share / whole for column in columns), initial=MARGIN)
    return [(left, right - 9) for left, right in pairwise(edges)]


def _cell(
    words: TextLayer, text: str, column: ListColumn, place: tuple[float, float, float], *, font: str, size: float
) -> None:
    left, right, y = place
    x = right if column.align == "right" else left
    if column.one_size:
        whole = fit_text(text, font, size, right - left, smallest=size)
        if not whole.lines[-1].endswith(ELLIPSIS):
            for turn, line in enumerate(reversed(whole.lines)):
                words.write(line, (x, y + turn * size * 1.15), font=font, size=size, align=column.align)
            return
    words.write_fitted(text, (x, y), right - left, font=font, size=size, align=column.align)


def _grown_cell(
    words: TextLayer, text: str, column: ListColumn, place: tuple[float, float, float], *, font: str, size: float
) -> None:
    """Write the text around the middle of its row, in two lines if it is too long for one."""
    left, right, middle = place
    x = right if column.align == "right" else left
    lines = fit_text(text, font, size, right - left, smallest=size).lines
    if size == SIZE and len(lines) > 1:
        words.write_fitted(text, (x, middle - size * 0.36), right - left, font=font, size=size, align=column.align)
        return
    for turn, line in enumerate(lines):
        y = middle - size * 0.36 + ((len(lines) - 1) / 2 - turn) * size * 1.15
        words.write(line, (x, y), font=font, size=size, align=column.align)


def _grown_sizes(content: PrintedList, edges: Sequence[tuple[float, float]]) -> list[float]:
    """Return the largest font size for each column at which its texts fit in whole words and at most two lines.

    Columns that are not bold stay smaller than the names, so that no number looks like a score.
    """
    largest = []
    for place, (column, (left, right)) in enumerate(zip(content.columns, edges, strict=True)):
        font = BOLD if column.bold else SANS
        texts = {str(row[place]) for row in content.rows}

        def fits(size: float, texts: set[str] = texts, font: str = font, width: float = right - left) -> bool:
            allowed = int((content.row_height - 6) / (size * 1.15))
            each = ((text, fit_text(text, font, size, width, smallest=size).lines) for text in texts)
            return all(len(lines) <= allowed and " ".join(lines) == text for text, lines in each)

        largest.append(next((size for size in GROWN if fits(size)), SIZE))
    names = min((size for column, size in zip(content.columns, largest, strict=True) if column.bold), default=SIZE)
    return [
        size if column.bold else max(SIZE, min(size, 0.7 * names))
        for column, size in zip(content.columns, largest, strict=True)
    ]


def _sizes(content: PrintedList, edges: Sequence[tuple[float, float]]) -> list[float]:
    """Return the font size of each column, the same on every page."""
    sizes = []
    for place, (column, (left, right)) in enumerate(zip(content.columns, edges, strict=True)):
        texts = [row[place] for row in content.rows] if column.one_size else []
        font = BOLD if column.bold else SANS
        fitted = (fit_text(text, font, SIZE, right - left, smallest=SMALLEST_OF_ALL).size for text in texts)
        sizes.append(min(fitted, default=SIZE))
    return sizes
