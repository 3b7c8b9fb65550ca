"""Slips with each player's private link, printed in two columns, to be cut apart and handed out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from reportlab.pdfgen.canvas import Canvas

from tournament.core.pdf.paper import (
    BOLD_FONT,
    PAPER_SIZES,
    RULE_COLOR,
    SANS_FONT,
    SERIF_FONT,
    SLATE_GRAY,
    VERSION_BASELINE,
    Paper,
    TextLayer,
    choose_qr_encoder,
    compute_text_width,
    draw_qr,
    fit_text,
    make_canvas,
    mark_document_title,
    write_program_version,
)

SLIPS_PER_ROW: Final = 2
SLIP_ROWS_PER_PAGE: Final = 5
PAGE_MARGIN: Final = 24.0
SLIP_PADDING: Final = 12.0
QR_SIDE: Final = 92.0
SMALL_FONT_SIZE: Final = 8.5
LINK_FONT_SIZE: Final = 9.5
MIN_LINK_FONT_SIZE: Final = 7.0
SCAN_INSTRUCTION: Final = gettext_lazy(
    "Point your phone's camera at the code. It opens your page with your matches and score cards."
)
KEEP_SECRET_NOTICE: Final = gettext_lazy("Keep this slip to yourself: anyone who has it can sign for you.")


@dataclass(frozen=True, slots=True)
class LinkSlip:
    name: str
    number: int
    link: str
    sign_code: str


def write_link_slips(target: IO[bytes], title: str, slips: Sequence[LinkSlip], *, paper: str = "letter") -> int:
    """Write the slips column by column, and return the number of pages."""
    sheet = PAPER_SIZES[paper]
    canvas = make_canvas(
        target, sheet, _("Private links: %(event)s") % {"event": title}, has_own_mark=True, has_own_version=True
    )
    make = choose_qr_encoder(len(slips))
    width, height = (
        (sheet.width - 2 * PAGE_MARGIN) / SLIPS_PER_ROW,
        (sheet.height - 2 * PAGE_MARGIN) / SLIP_ROWS_PER_PAGE,
    )
    a_page = SLIPS_PER_ROW * SLIP_ROWS_PER_PAGE
    pages = max(1, -(-len(slips) // a_page))
    for page in range(pages):
        words = TextLayer(canvas)
        _draw_cut_lines(canvas, sheet)
        for place, slip in enumerate(slips[page * a_page : (page + 1) * a_page]):
            column, row = divmod(place, SLIP_ROWS_PER_PAGE)
            corner = (PAGE_MARGIN + column * width, sheet.height - PAGE_MARGIN - (row + 1) * height)
            _write_slip(words, corner, (width, height), mark_document_title(title), slip)
            draw_qr(
                canvas,
                slip.link,
                (corner[0] + SLIP_PADDING, corner[1] + height - SLIP_PADDING - QR_SIDE),
                QR_SIDE,
                make,
            )
        words.text.setFillColor(SLATE_GRAY)
        write_program_version(words, (sheet.width / 4, VERSION_BASELINE), width - 2 * SLIP_PADDING)
        words.draw()
        canvas.showPage()
    canvas.save()
    return pages


def _draw_cut_lines(canvas: Canvas, sheet: Paper) -> None:
    canvas.setStrokeColor(RULE_COLOR)
    canvas.setDash(3, 3)
    canvas.line(sheet.width / 2, PAGE_MARGIN, sheet.width / 2, sheet.height - PAGE_MARGIN)
    for row in range(1, SLIP_ROWS_PER_PAGE):
        y = PAGE_MARGIN + row * (sheet.height - 2 * PAGE_MARGIN) / SLIP_ROWS_PER_PAGE
        canvas.line(PAGE_MARGIN, y, sheet.width - PAGE_MARGIN, y)
    canvas.setDash()


def _write_slip(
    words: TextLayer, corner: tuple[float, float], size: tuple[float, float], title: str, slip: LinkSlip
) -> None:
    left, top = corner[0] + 2 * SLIP_PADDING + QR_SIDE, corner[1] + size[1] - SLIP_PADDING
    width = corner[0] + size[0] - SLIP_PADDING - left
    words.write_fitted(slip.name, (left, top - 14), width, font=SERIF_FONT, size=14)
    words.write_fitted(
        _("No. %(number)s · %(event)s") % {"number": slip.number, "event": title},
        (left, top - 34),
        width,
        size=SMALL_FONT_SIZE,
    )
    for turn, line in enumerate(
        fit_text(str(SCAN_INSTRUCTION), SANS_FONT, SMALL_FONT_SIZE, width, smallest=SMALL_FONT_SIZE, most_lines=4).lines
    ):
        words.write(line, (left, top - 52 - turn * 10.5), size=SMALL_FONT_SIZE)
    words.write(
        _("Signing code: %(sign_code)s") % {"sign_code": slip.sign_code},
        (left, corner[1] + 37),
        font=BOLD_FONT,
        size=12,
    )
    words.write(str(KEEP_SECRET_NOTICE), (corner[0] + SLIP_PADDING, corner[1] + 22), size=8)
    _write_link(words, slip.link, (corner[0] + SLIP_PADDING, corner[1] + 11), size[0] - 2 * SLIP_PADDING)


def _write_link(words: TextLayer, link: str, at: tuple[float, float], width: float) -> None:
    """Write the complete link, so that players can type it. If it would be too small on one line, use two."""
    lines = [link] if compute_text_width(link, SANS_FONT, MIN_LINK_FONT_SIZE) <= width else list(link.rsplit("/my/", 1))
    if len(lines) == 2:
        lines = [f"{lines[0]}/my/", lines[1]]
    size = min(LINK_FONT_SIZE, *(width / compute_text_width(line, SANS_FONT, 1) for line in lines))
    for turn, line in enumerate(reversed(lines)):
        words.write(line, (at[0], at[1] + turn * size), size=size)
