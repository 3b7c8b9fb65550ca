"""The close of a day on one page: narrow tables side by side, wide ones below, and two lines to sign at the foot."""

from collections.abc import Sequence
from typing import IO, Final

from django.utils.translation import gettext as _
from reportlab.lib.colors import Color
from reportlab.pdfgen.canvas import Canvas

from tournament.core.pdf.names import days_of
from tournament.core.pdf.paper import BOLD, INK, PAPERS, RULE, SANS, SERIF, Paper, Words, new_canvas
from tournament.models import Tournament
from tournament.money.pdf.close_sheet import CloseSheet, Row, Section

MARGIN: Final = 42.0
HEAD: Final = 84.0
FOOT: Final = 134.0
GAP: Final = 24.0
AFTER: Final = 12.0
TALLEST: Final = 15.0
LOWEST: Final = 11.0
"""The smallest row height. Tables that do not fit at this height go on another page."""
ONE_LINE: Final = 110
"""The number of letters of the state that fit on one line."""
FIRST_OF_WIDE: Final = 0.28
"""The share of the width that the first column of a wide table has."""


def write_close(target: IO[bytes], tournament: Tournament, sheet: CloseSheet, *, paper: str = "letter") -> int:
    """Write the close and return the number of pages: one, except for a day with dozens of categories."""
    size = PAPERS[paper]
    canvas = new_canvas(target, size, sheet.title)
    narrow = [section for section in sheet.sections if not section.wide]
    wide = [section for section in sheet.sections if section.wide]
    pages = _Pages(canvas, size, tournament, sheet)
    pages.height = _row_height(narrow, wide, size.height - _head(sheet))
    middle = (size.width + GAP) / 2
    top = pages.y
    ends = [top]
    for left, right, those in ((MARGIN, middle - GAP, narrow[:2]), (middle, size.width - MARGIN, narrow[2:])):
        pages.y = top
        for section in those:
            pages.draw(section, left, right)
        ends.append(pages.y)
    pages.y = min(ends) if pages.number == 1 else ends[-1]
    for section in wide:
        pages.draw(section, MARGIN, size.width - MARGIN)
    pages.finish()
    return pages.number


def _head(sheet: CloseSheet) -> float:
    """Return the height of the head. A day that was reopened has more lines above its tables."""
    return HEAD + (36 if len(sheet.state) > ONE_LINE else 0)


def _row_height(narrow: Sequence[Section], wide: Sequence[Section], height: float) -> float:
    beside = max(_rows(narrow[:2]), _rows(narrow[2:]))
    gaps = AFTER * (2 + len(wide))
    return max(LOWEST, min(TALLEST, (height - FOOT - gaps) / max(1, beside + _rows(wide))))


def _rows(sections: Sequence[Section]) -> int:
    return sum(len(section.rows) + 2 + bool(section.total) for section in sections)


class _Pages:
    """The position of the next table. A table that does not fit begins another page."""

    def __init__(self, canvas: Canvas, size: Paper, tournament: Tournament, sheet: CloseSheet) -> None:
        self.canvas, self.size, self.sheet, self.number = canvas, size, sheet, 1
        self.subtitle = f"{tournament.name} · {tournament.venue} · {days_of(tournament)}"
        self.height = TALLEST
        self._begin()

    def _begin(self) -> None:
        self.words = Words(self.canvas)
        width = self.size.width - 2 * MARGIN
        top = self.size.height
        self.words.write_fitted(self.sheet.title, (MARGIN, top - 46), width, font=SERIF, size=16, most_lines=1)
        self.words.write_fitted(self.subtitle, (MARGIN, top - 61), width, size=9, most_lines=1)
        self.words.write_fitted(self.sheet.state, (MARGIN, top - 74), width, size=9, most_lines=4)
        self.y = top - _head(self.sheet)

    def _end(self) -> None:
        self._draw_signatures()
        self.words.draw()
        self.canvas.showPage()

    def finish(self) -> None:
        self._end()
        self.canvas.save()

    def draw(self, section: Section, left: float, right: float) -> None:
        if self.y - _rows([section]) * self.height < FOOT:
            self._end()
            self.number += 1
            self._begin()
        self.y -= self.height
        self.words.write_fitted(section.title, (left, self.y), right - left, font=SERIF, size=10, most_lines=1)
        self._row(section, section.headings, left, right, font=BOLD)
        self._line(left, right, INK, 0.8)
        for row in section.rows:
            self._row(section, row, left, right, font=SANS)
            self._line(left, right, RULE, 0.4)
        if section.total:
            self._row(section, section.total, left, right, font=BOLD)
        self.y -= AFTER

    def _row(self, section: Section, row: Row, left: float, right: float, *, font: str) -> None:
        self.y -= self.height
        share = FIRST_OF_WIDE if section.wide else (0.26 if len(row) == 4 else 0.4 if len(row) == 3 else 0.66)
        first = (right - left) * share
        each = (right - left - first) / max(1, len(row) - 1)
        self.words.write_fitted(row[0], (left, self.y), first - 4, font=font, size=9, most_lines=1)
        for place, text in enumerate(row[1:], start=1):
            at = (left + first + each * place, self.y)
            self.words.write_fitted(text, at, each - 8, font=font, size=9, most_lines=1, align="right")

    def _line(self, left: float, right: float, color: Color, width: float) -> None:
        self.canvas.setStrokeColor(color)
        self.canvas.setLineWidth(width)
        self.canvas.line(left, self.y - self.height * 0.28, right, self.y - self.height * 0.28)

    def _draw_signatures(self) -> None:
        width = (self.size.width - 2 * MARGIN - GAP) / 2
        if self.sheet.in_box:
            said = " ".join(self.sheet.in_box)
            self.words.write_fitted(said, (MARGIN, 118), 2 * width + GAP, font=BOLD, size=11, most_lines=1)
        if self.sheet.seal:
            self.words.write_fitted(self.sheet.seal, (MARGIN, 118), 2 * width + GAP, font=BOLD, size=9, most_lines=1)
        self.words.write_fitted(self.sheet.check, (MARGIN, 100), 2 * width + GAP, size=8, most_lines=3)
        if self.sheet.reason:
            said = _("Reason for the difference: %(reason)s") % {"reason": self.sheet.reason}
            self.words.write_fitted(said, (MARGIN, 72), 2 * width + GAP, size=9, most_lines=2)
        for place, (label, who) in enumerate(self.sheet.signatures):
            left = MARGIN + place * (width + GAP)
            self.canvas.setStrokeColor(INK)
            self.canvas.setLineWidth(0.6)
            self.canvas.line(left, 48, left + width, 48)
            self.words.write_fitted(f"{label} {who}".strip(), (left, 37), width, size=8.5, most_lines=3)
