"""Printed lists with rows of equal height, and helpers that all PDF files share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO
from zoneinfo import ZoneInfo

from django.utils.formats import date_format
from django.utils.text import slugify
from django.utils.translation import gettext as _
from reportlab.platypus.flowables import Flowable

from tournament.core.pdf.flow import (
    HEADING_ROW_HEIGHT,
    TABLE_FONT_SIZE,
    ListColumn,
    PageLayout,
    TextFlowable,
    compute_column_text_widths,
    fits_without_word_breaks,
    make_headings,
    make_list_table,
)
from tournament.core.pdf.paper import PAPER_SIZES, fit_text
from tournament.models import Tournament

# --- Shared texts ----------------------------------------------------------------------------------------------------


def make_pdf_file_name(
    tournament: Tournament, *parts: str, at: datetime, rounds: Iterable[int | str] = (), table: int = 0
) -> str:
    """Return a PDF's file name, with the time at the venue.

    An example is “main-event-round-cards-round-2-table-7-2026-11-22-1445.pdf”.
    """
    round_numbers = "-".join(map(str, rounds))
    time = at.astimezone(ZoneInfo(tournament.time_zone)).strftime("%Y-%m-%d-%H%M")
    all_parts = (*parts, f"round-{round_numbers}" if round_numbers else "", f"table-{table}" if table else "")
    mark = "copy-" if tournament.is_copy else ""
    return mark + "-".join([*filter(None, map(slugify, all_parts)), time]) + ".pdf"


def format_tournament_days(tournament: Tournament) -> str:
    """Return the days of a tournament, such as “Nov 20–22, 2026”."""
    first, last = tournament.starts_on, tournament.ends_on
    if first == last:
        return date_format(first, "M j, Y")
    end = date_format(last, "j, Y" if (first.year, first.month) == (last.year, last.month) else "M j, Y")
    return f"{date_format(first, 'M j')}–{end}"


def format_seal_sentence(code: str) -> str:
    """Return the printed sentence that contains a seal code and explains its use, or "" if there is no code."""
    text = _("Seal code %(code)s. Enter it at Verify a document to see whether the record was changed since.")
    return text % {"code": code} if code else ""


# --- Lists -----------------------------------------------------------------------------------------------------------

MIN_COLUMN_FONT_SIZE = 10.0
"""The smallest font size in points of a column with `has_uniform_font_size`."""
MAX_ROW_HEIGHT = 112.0
"""The largest row height in points of a list that fills its page."""
FULL_PAGE_FONT_SIZES = tuple(half / 2 for half in range(96, 20, -1))
"""The possible font sizes in points of a list that fills its page, largest first."""


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
    """Whether rows and text grow to fill the page, for a sheet on the wall that is read from a distance."""


def write_printed_list(target: IO[bytes], content: PrintedList, *, paper: str = "letter") -> int:
    """Write the list as a PDF, and return its number of pages. An empty list gives a single page."""
    layout = PageLayout(
        PAPER_SIZES[paper], content.title, make_headings(content.title, content.subtitle), note=content.note
    )
    height = content.row_height
    if content.fills_page and content.rows:
        room = layout.height - HEADING_ROW_HEIGHT - 0.1
        pages = -(-len(content.rows) // int(room // height))
        height = max(height, min(MAX_ROW_HEIGHT, room / -(-len(content.rows) // pages)))
    sizes = [
        (_find_largest_font_size if content.fills_page else _choose_column_font_size)(
            column, [row[at] for row in content.rows], width, height
        )
        for at, (column, width) in enumerate(
            zip(content.columns, compute_column_text_widths(content.columns, layout.width), strict=True)
        )
    ]
    if content.fills_page:  # Other columns are smaller than the names, so that no number looks like a score.
        names = min(
            (size for column, size in zip(content.columns, sizes, strict=True) if column.bold), default=TABLE_FONT_SIZE
        )
        sizes = [
            size if column.bold else max(TABLE_FONT_SIZE, min(size, 0.7 * names))
            for column, size in zip(content.columns, sizes, strict=True)
        ]
    story: list[Flowable] = [
        make_list_table(
            content.columns, content.rows, layout.width, total=content.total, row_height=height, sizes=sizes
        )
    ]
    if not content.rows:
        story.append(TextFlowable(_("Nobody is on this list yet."), before=6))
    return layout.write(target, story)


def _choose_column_font_size(column: ListColumn, texts: Sequence[str], width: float, height: float) -> float:
    """Return the font size for all cells of the column, so that it is the same on every page.

    A column without `has_uniform_font_size` has the default size.
    """
    if not column.has_uniform_font_size:
        return TABLE_FONT_SIZE
    fitted = (fit_text(text, column.font, TABLE_FONT_SIZE, width, smallest=MIN_COLUMN_FONT_SIZE).size for text in texts)
    return min(fitted, default=TABLE_FONT_SIZE)


def _find_largest_font_size(column: ListColumn, texts: Sequence[str], width: float, height: float) -> float:
    """Return the largest font size at which all cells fit into rows of this height without breaking a word."""

    def fits(size: float) -> bool:
        return all(fits_without_word_breaks(text, column.font, size, width, height - 6) for text in set(texts))

    return next(filter(fits, FULL_PAGE_FONT_SIZES), TABLE_FONT_SIZE)
