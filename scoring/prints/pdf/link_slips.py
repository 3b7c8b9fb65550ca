"""A slip for each entry with its private link as a code, ten to a page, to be cut and handed out at check-in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Final

from reportlab.pdfgen.canvas import Canvas

from tournament.core.pdf.paper import BOLD, INK, PAPERS, RULE, SANS, SLATE, Paper, Words, draw_qr, fit, new_canvas
from tournament.core.pdf.qr import qr_maker

EDGE: Final = 20.0
"""Printers leave 6 mm white."""
COLUMNS: Final = 2
ROWS: Final = 5
PAD: Final = 12.0
QR_SIDE: Final = 88.0


@dataclass(frozen=True, slots=True)
class LinkSlip:
    """`code` is what its player types to sign."""

    number: int
    name: str
    code: str
    address: str


def write_link_slips(target: IO[bytes], title: str, slips: Sequence[LinkSlip], *, paper: str = "letter") -> int:
    """Down the columns, in their order. Says how many pages there are."""
    size = PAPERS[paper]
    canvas = new_canvas(target, size, f"Link slips: {title}")
    make = qr_maker(len(slips))
    a_page = COLUMNS * ROWS
    pages = [slips[start : start + a_page] for start in range(0, len(slips), a_page)]
    width, height = (size.width - 2 * EDGE) / COLUMNS, (size.height - 2 * EDGE) / ROWS
    for page in pages:
        _draw_cuts(canvas, size, width, height)
        words = Words(canvas)
        for turn, slip in enumerate(page):
            corner = EDGE + (turn // ROWS) * width, size.height - EDGE - (turn % ROWS + 1) * height
            _write_slip(words, title, slip, corner, (width, height))
            x, y = corner
            draw_qr(canvas, slip.address, (x + width - PAD - QR_SIDE, y + (height - QR_SIDE) / 2), QR_SIDE, make)
        words.draw()
        canvas.showPage()
    canvas.save()
    return len(pages)


def _draw_cuts(canvas: Canvas, size: Paper, width: float, height: float) -> None:
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.6)
    canvas.setDash(2, 4)
    for column in range(1, COLUMNS):
        canvas.line(EDGE + column * width, EDGE, EDGE + column * width, size.height - EDGE)
    for row in range(1, ROWS):
        canvas.line(EDGE, EDGE + row * height, size.width - EDGE, EDGE + row * height)
    canvas.setDash([])


def _write_slip(
    words: Words, title: str, slip: LinkSlip, corner: tuple[float, float], size: tuple[float, float]
) -> None:
    (x, y), (width, height) = corner, size
    left, room = x + PAD, width - QR_SIDE - 3 * PAD
    top = y + height
    words.text.setFillColor(INK)
    words.write_fitted(f"{slip.number}  {slip.name}", (left, top - 34), room, font=BOLD, size=13)
    words.text.setFillColor(SLATE)
    words.write_fitted(title, (left, top - 56), room, size=9, most_lines=1)
    words.text.setFillColor(INK)
    said = "Scan to open your own page: your table, your score cards, your prize."
    for turn, line in enumerate(fit(said, SANS, 9, room, smallest=9, most_lines=3).lines):
        words.write(line, (left, top - 72 - 11.5 * turn), size=9)
    words.write("Code for signing", (left, y + 30), size=9)
    words.write(slip.code, (left + room, y + 29.5), font=BOLD, size=13, align="right")
    words.write_fitted("Keep it to yourself: it signs for you.", (left, y + 15), width - 2 * PAD, size=8, most_lines=1)
