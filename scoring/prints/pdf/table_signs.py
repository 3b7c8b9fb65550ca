"""A sign for each table, two to a page: its number, and the code that opens the card being played there."""

from typing import IO

from django.utils.translation import gettext as _
from reportlab.pdfgen.canvas import Canvas

from tournament.core.pdf.paper import (
    BOLD,
    INK,
    PAPERS,
    RULE,
    SERIF,
    Paper,
    draw_qr,
    draw_text,
    fit,
    new_canvas,
    qr_maker,
)

QR_SIDE = 190.0
EDGE = 20.0
"""The margin. Printers leave 6 mm white."""


def write_table_signs(target: IO[bytes], title: str, addresses: dict[int, str], *, paper: str = "letter") -> None:
    """Write a sign for each table. `addresses` has the address of its code."""
    sheet = PAPERS[paper]
    canvas = new_canvas(target, sheet, _("Table signs: %(title)s") % {"title": title})
    make = qr_maker(len(addresses))
    for place, (table, address) in enumerate(addresses.items()):
        if place and place % 2 == 0:
            canvas.showPage()
        bottom = 0 if place % 2 else sheet.height / 2
        _sign(canvas, sheet, bottom, title, table)
        draw_qr(canvas, address, (sheet.width - QR_SIDE - 60, bottom + 90), QR_SIDE, make)
    canvas.showPage()
    canvas.save()


def _sign(canvas: Canvas, sheet: Paper, bottom: float, title: str, table: int) -> None:
    half = sheet.height / 2
    canvas.setStrokeColor(RULE)
    canvas.line(EDGE, half, sheet.width - EDGE, half)
    canvas.setFillColor(INK)
    draw_text(canvas, _("Table"), (60, bottom + half - 90), size=26)
    number = fit(str(table), SERIF, 190, sheet.width - QR_SIDE - 150, most_lines=1)
    draw_text(canvas, number.lines[0], (56, bottom + 110), font=SERIF, size=number.size)
    text = _("Point your phone's camera here: the score card of this table opens.")
    draw_text(canvas, text, (60, bottom + 62), font=BOLD, size=13)
    draw_text(canvas, title, (60, bottom + 42))
