"""A score sheet that fills a whole page, for any rule set, with a summary of the rules, the lines, and the signatures.

The sheet can be printed in three ways: blank, with only the players' names (before play), or with everything recorded
so far. A short version of the rules can be printed on the back.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from django.utils.translation import gettext as _
from reportlab.pdfgen.canvas import Canvas

from scoring.card_state.selectors.state import CardState
from scoring.prints.pdf.blocks import MIN_BLANK_LINE_HEIGHT, MIN_PRINTED_LINE_HEIGHT, PageArea, draw_blocks, paginate
from scoring.prints.pdf.score_card import write_card_back
from scoring.rules.book.layout import SheetBlock
from scoring.rules.variants.variant import TableDraw
from tournament.core.pdf.paper import (
    BOLD_FONT,
    ELLIPSIS,
    FELT_GREEN,
    FOOT_HEIGHT,
    INK_BLACK,
    PAPER_SIZES,
    RED,
    SANS_FONT,
    SERIF_FONT,
    SLATE_GRAY,
    MarkedCanvas,
    Paper,
    TextLayer,
    compute_text_width,
    draw_qr,
    draw_strokes,
    fit_text,
    load_fonts,
    make_canvas,
    mark_document_title,
)

MARGIN: Final = 20.0
"""The page margin. Printers leave 6 mm (17 points) white."""
QR_CODE_SIZE: Final = 66.0
SIGNATURE_HEIGHT: Final = 46.0
HEADER_HEIGHT: Final = 111.0
FIRST_ROW_DRAWN_SIGNATURE_HEIGHT: Final = 34.0
LATER_ROW_DRAWN_SIGNATURE_HEIGHT: Final = 22.0
"""The height of drawn signatures from the second row on.

Later rows have less room, because the previous row's names are printed above them.
"""
STAMP_FONT_SIZE: Final = 9.0
STAMP_LINE_HEIGHT: Final = 12.0
STAMP_PADDING: Final = 6.0
NOTE_FONT_SIZE: Final = 8.0
MIN_FONT_SIZE: Final = 8.0
"""The smallest font size."""
DIGEST_HEIGHT: Final = 61.0
"""The height of the section that explains what was signed and shows its digest."""
SIGNATURES_PER_LINE: Final = 2
"""The number of signatures side by side."""
TABLE_DRAW_POSITIONS_PER_LINE: Final = 3
"""The number of positions in the table draw that are printed side by side."""
TABLE_DRAW_LINE_HEIGHT: Final = 9.5
TABLE_DRAW_FONT_SIZE: Final = 8.0
MIN_PRINTABLE_WIDTH: Final = 555.0
"""The width of A4 (the narrowest paper size) without its margins."""
MAX_NAME_LINE_WIDTH: Final = 200.0
"""The maximum length of a blank line for a name."""


@dataclass(frozen=True, slots=True)
class _TableDrawLines:
    """The printed result of a table's draw: the rule, followed by a label and a name for each position.

    A missing name is printed as a blank line, or as “not recorded” if the game is over (`is_over`).
    """

    rule: str
    blanks: tuple[tuple[str, str], ...] = ()
    is_over: bool = False

    @property
    def height(self) -> float:
        rule = 2.5 + TABLE_DRAW_LINE_HEIGHT * len(_wrap_rule(self.rule)) if self.rule else 0.0
        return rule + MIN_BLANK_LINE_HEIGHT * (
            (len(self.blanks) + TABLE_DRAW_POSITIONS_PER_LINE - 1) // TABLE_DRAW_POSITIONS_PER_LINE
        )


def _wrap_rule(rule: str) -> tuple[str, ...]:
    """Wrap the rule into one or two lines that fit the narrowest paper."""
    load_fonts()
    return fit_text(rule, SANS_FONT, TABLE_DRAW_FONT_SIZE, MIN_PRINTABLE_WIDTH, smallest=TABLE_DRAW_FONT_SIZE).lines


NO_TABLE_DRAW_LINES: Final = _TableDrawLines("")


@dataclass(frozen=True, slots=True)
class PrintedSignature:
    """A signature on a printed sheet.

    `method` is the method of signing. If it is empty, a blank signature line is printed. `strokes` is empty for
    signatures by code or on paper. `is_valid` is False if the signature is no longer valid.
    """

    name: str
    method: str = ""
    when: str = ""
    strokes: Any = ()
    is_valid: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedSheet:
    """The content of a printed score sheet.

    If `table` is 0, an empty circle is printed for the table number, except on signed sheets. `digest` is empty on
    sheets to be filled in by hand. `stamp` contains the lines in the red box above the sheet.
    """

    title: str
    subtitle: str
    rules: str
    options: tuple[str, ...]
    blocks: tuple[SheetBlock, ...]
    signatures: tuple[PrintedSignature, ...]
    signers: str
    played: str = ""
    state: str = ""
    table: int = 0
    address: str = ""
    digest: str = ""
    digest_of: str = ""
    checked: str = ""
    corrected: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    draw: _TableDrawLines = NO_TABLE_DRAW_LINES
    stamp: tuple[str, ...] = ()
    stamp_address: str = ""

    @property
    def min_line_height(self) -> float:
        """The minimum line height, which is smaller on sheets that nobody writes on."""
        return MIN_PRINTED_LINE_HEIGHT if self.digest else MIN_BLANK_LINE_HEIGHT


def wrap_stamp_text(text: str, paper: str) -> tuple[str, ...]:
    """Wrap the stamp's text to the width of the page."""
    if not text:
        return ()
    load_fonts()
    width = PAPER_SIZES[paper].width - 2 * MARGIN - 2 * STAMP_PADDING
    return tuple(fit_text(text, BOLD_FONT, STAMP_FONT_SIZE, width, smallest=STAMP_FONT_SIZE, most_lines=8).lines)


def compute_stamp_height(lines: tuple[str, ...]) -> float:
    return len(lines) * STAMP_LINE_HEIGHT + 3 * STAMP_PADDING if lines else 0.0


def wrap_notes(notes: Sequence[str], size: Paper) -> tuple[str, ...]:
    """Wrap the notes below the sheet to the width of the page."""
    load_fonts()
    width = size.width - 2 * MARGIN
    return tuple(
        line for note in notes for line in fit_text(note, SANS_FONT, NOTE_FONT_SIZE, width, most_lines=4).lines
    )


def make_sheet_area(
    sheet_signatures: int, paper: str, *, notes: int = 0, digest: bool = False, under_head: float = 0.0
) -> PageArea:
    """Return the area of a page for the sheet's tables, between the header and the signatures.

    `notes` is the number of lines that `wrap_notes` returns. `under_head` is the height of everything that is printed
    directly below the header: the result of the draw at the table, and the stamp.
    """
    size = PAPER_SIZES[paper]
    rows = (sheet_signatures + SIGNATURES_PER_LINE - 1) // SIGNATURES_PER_LINE
    bottom = 36 + rows * SIGNATURE_HEIGHT + (DIGEST_HEIGHT if digest else 0) + 11 * notes
    return PageArea(MARGIN, bottom, size.width - MARGIN, size.height - HEADER_HEIGHT - under_head)


def count_pages(sheet: PrintedSheet, paper: str) -> int:
    """Return a sheet's number of pages, including its back."""
    return len(paginate(sheet.blocks, _make_area_for_sheet(sheet, paper), sheet.min_line_height)) + bool(sheet.back)


def _make_area_for_sheet(sheet: PrintedSheet, paper: str) -> PageArea:
    under_head = sheet.draw.height + compute_stamp_height(sheet.stamp)
    signed, notes = len(sheet.signatures), len(wrap_notes(sheet.notes, PAPER_SIZES[paper]))
    return make_sheet_area(signed, paper, notes=notes, digest=bool(sheet.digest), under_head=under_head)


def write_score_sheets(
    target: IO[bytes],
    sheets: Sequence[PrintedSheet],
    *,
    paper: str = "letter",
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write each sheet on its own pages, followed by its back, and return the number of pages."""
    size = PAPER_SIZES[paper]
    canvas = make_canvas(target, size, sheets[0].title if sheets else "Sheets", has_own_mark=True)
    pages = 0
    for turn, sheet in enumerate(sheets):
        place = _make_area_for_sheet(sheet, paper)
        parts = paginate(sheet.blocks, place, sheet.min_line_height)
        for number, blocks in enumerate(parts, start=1):
            _draw_header(canvas, size, sheet, number, len(parts))
            end = draw_blocks(canvas, place, blocks, sheet.corrected)
            if number == len(parts):
                _draw_footer(canvas, size, sheet, max(place.bottom, end) if sheet.digest else place.bottom)
            canvas.showPage()
        if sheet.back:
            draw_sheet_back(canvas, size, sheet)
            canvas.showPage()
        pages += len(parts) + bool(sheet.back)
        if progress is not None:
            progress(turn + 1)
    canvas.save()
    return pages


def write_rules_page(target: IO[bytes], sheet: PrintedSheet, *, paper: str = "letter") -> None:
    """Write a separate page with the rules in brief, which can also be printed on the back of a sheet."""
    size = PAPER_SIZES[paper]
    canvas = make_canvas(target, size, _("%(rules)s: the rules in brief") % {"rules": sheet.rules})
    draw_sheet_back(canvas, size, sheet)
    canvas.showPage()
    canvas.save()


def _draw_header(canvas: Canvas, size: Paper, sheet: PrintedSheet, number: int, of: int) -> None:
    words = TextLayer(canvas)
    top = size.height
    beside = size.width - 2 * MARGIN - QR_CODE_SIZE - 62
    words.write_fitted(
        mark_document_title(sheet.title), (MARGIN, top - 34), beside, font=SERIF_FONT, size=15, most_lines=1
    )
    subtitle = sheet.subtitle
    if of > 1:
        subtitle = f"{subtitle} · {_('page %(number)s of %(of)s') % {'number': number, 'of': of}}"
    words.write_fitted(subtitle, (MARGIN, top - 51), beside, size=10, most_lines=1)
    words.write_fitted(sheet.rules, (MARGIN, top - 65), beside, size=9, most_lines=1)
    for turn, (line, points) in enumerate(_wrap_status_text(sheet.state, beside)):
        words.write(line, (MARGIN, top - 78 - turn * 9.3), font=BOLD_FONT, size=round(points, 1))
    if sheet.table or not sheet.digest:
        beside_code = QR_CODE_SIZE + 30 if sheet.address else 24
        _draw_table_circle(canvas, words, sheet.table, (size.width - MARGIN - beside_code, top - MARGIN - 23))
    _write_rules_summary(words, sheet.played, (MARGIN, top - HEADER_HEIGHT + 8), size.width - 2 * MARGIN)
    if sheet.draw.height:
        _draw_table_draw_lines(canvas, words, sheet.draw, (MARGIN, top - HEADER_HEIGHT + 2), size.width - 2 * MARGIN)
    words.draw()
    if sheet.address:
        draw_qr(canvas, sheet.address, (size.width - MARGIN - QR_CODE_SIZE, top - MARGIN - QR_CODE_SIZE), QR_CODE_SIZE)
    if sheet.stamp:
        _draw_stamp(canvas, size, sheet)


def _wrap_status_text(state: str, width: float) -> list[tuple[str, float]]:
    """Split the status text into lines, each with its font size.

    If the text is too long, shorten only the part with names and totals.
    """
    whole = fit_text(state, BOLD_FONT, 8.5, width)
    if not whole.lines[-1].endswith(ELLIPSIS):
        return [(line, whole.size) for line in whole.lines]
    totals, _, what = state.rpartition(" · ")
    parts = fit_text(totals, BOLD_FONT, 8.5, width, most_lines=1), fit_text(what, BOLD_FONT, 8.5, width)
    return [(line, part.size) for part in parts for line in part.lines]


def _draw_stamp(canvas: Canvas, size: Paper, sheet: PrintedSheet) -> None:
    """Draw the red box with the card's stamp above the score sheet, on each of the sheet's pages."""
    width, height = size.width - 2 * MARGIN, len(sheet.stamp) * STAMP_LINE_HEIGHT + 2 * STAMP_PADDING
    bottom = size.height - HEADER_HEIGHT - sheet.draw.height - height
    canvas.setStrokeColor(RED)
    canvas.setLineWidth(1.4)
    canvas.rect(MARGIN, bottom, width, height)
    canvas.setStrokeColor(INK_BLACK)
    words = TextLayer(canvas)
    words.text.setFillColor(RED)
    for turn, line in enumerate(sheet.stamp):
        y = bottom + height - STAMP_PADDING - STAMP_FONT_SIZE - turn * STAMP_LINE_HEIGHT + 1
        words.write(line, (MARGIN + STAMP_PADDING, y), font=BOLD_FONT, size=STAMP_FONT_SIZE)
    words.text.setFillColor(INK_BLACK)
    words.draw()
    if sheet.stamp_address:
        canvas.linkURL(sheet.stamp_address, (MARGIN, bottom, MARGIN + width, bottom + height))


def _draw_table_circle(canvas: Canvas, words: TextLayer, table: int, center: tuple[float, float]) -> None:
    """Draw the circle with the table number. The circle is empty if players write the number by hand."""
    x, y = center
    words.write(_("TABLE"), (x, y - 34), size=MIN_FONT_SIZE, align="center")
    if table:
        words.write_fitted(str(table), (x, y - 7), 38, font=BOLD_FONT, size=22, align="center")
    canvas.setStrokeColor(FELT_GREEN)
    canvas.setLineWidth(1.4)
    canvas.circle(x, y, 22)
    canvas.setStrokeColor(INK_BLACK)


def _write_rules_summary(words: TextLayer, played: str, at: tuple[float, float], width: float) -> None:
    """Write the summary of the rules in one or two lines."""
    fitted = fit_text(played, SANS_FONT, 9, width)
    x, y = at
    for turn, line in enumerate(reversed(fitted.lines)):
        words.write(line, (x, y + turn * 9.5), size=round(fitted.size, 1))


def _draw_footer(canvas: MarkedCanvas, size: Paper, sheet: PrintedSheet, top: float) -> None:
    """Draw notes and signatures from `top` down."""
    words = TextLayer(canvas)
    y = top - 12
    words.text.setFillColor(RED)
    for note in wrap_notes(sheet.notes, size):
        words.write_fitted(note, (MARGIN, y), size.width - 2 * MARGIN, size=NOTE_FONT_SIZE, most_lines=1)
        y -= 11
    words.text.setFillColor(INK_BLACK)
    width = (size.width - 2 * MARGIN - 16) / SIGNATURES_PER_LINE
    for turn, signature in enumerate(sheet.signatures):
        x = MARGIN + (turn % SIGNATURES_PER_LINE) * (width + 16)
        line = y - 26 - (turn // SIGNATURES_PER_LINE) * SIGNATURE_HEIGHT
        height = FIRST_ROW_DRAWN_SIGNATURE_HEIGHT if turn < SIGNATURES_PER_LINE else LATER_ROW_DRAWN_SIGNATURE_HEIGHT
        _draw_signature(canvas, words, signature, (x, line), width, height=height)
    if sheet.digest:
        _write_digest(words, size, sheet)
    else:
        canvas.foot_note = str(sheet.signers)
    words.draw()


def _write_digest(words: TextLayer, size: Paper, sheet: PrintedSheet) -> None:
    """Write the card's digest with an explanation of what was signed and how to verify it."""
    width = size.width - 2 * MARGIN
    words.write_fitted(sheet.checked, (MARGIN, FOOT_HEIGHT + 38), width, size=9, most_lines=1)
    code = " ".join(sheet.digest[i : i + 8] for i in range(0, 64, 8))
    words.write_fitted(code, (MARGIN, FOOT_HEIGHT + 25), width, font=BOLD_FONT, size=9, most_lines=1)
    words.write_fitted(
        _("SHA-256 of %(digest_of)s (RFC 8785)") % {"digest_of": sheet.digest_of or _("what was signed")},
        (MARGIN, FOOT_HEIGHT + 12.5),
        width,
        size=MIN_FONT_SIZE,
        most_lines=1,
    )
    words.write_fitted(sheet.address, (MARGIN, FOOT_HEIGHT), width, size=MIN_FONT_SIZE, most_lines=1)


def draw_sheet_back(canvas: Canvas, size: Paper, sheet: PrintedSheet) -> None:
    """Draw the rules in brief and all options, large enough to read at the table."""
    words = TextLayer(canvas)
    width = size.width - 2 * MARGIN
    y = size.height - 60
    words.write_fitted(
        _("%(rules)s: the rules in brief") % {"rules": sheet.rules},
        (MARGIN, y),
        width,
        font=SERIF_FONT,
        size=16,
        most_lines=1,
    )
    write_card_back(words, (MARGIN, y - 30), width, y - 30 - FOOT_HEIGHT, (*sheet.back, sheet.signers), sheet.options)
    words.draw()


def _draw_signature(
    canvas: Canvas,
    words: TextLayer,
    signature: PrintedSignature,
    at: tuple[float, float],
    width: float,
    *,
    height: float,
) -> None:
    """Draw a signature line at `at`, with the drawn signature above it (up to `height` high) and the name below it."""
    x, y = at
    canvas.setStrokeColor(FELT_GREEN if signature.is_valid else SLATE_GRAY)
    canvas.setLineWidth(1.2)
    draw_strokes(canvas, signature.strokes, at, width, height)
    canvas.setStrokeColor(INK_BLACK)
    canvas.setLineWidth(0.6)
    canvas.line(x, y - 2, x + width, y - 2)
    words.write_fitted(signature.name, (x, y - 12), width - 52, font=BOLD_FONT, size=9, most_lines=1)
    if not signature.method:
        words.write(_("Signature"), (x + width, y - 12), size=8, align="right")
        return
    text = f"{signature.method} · {signature.when}"
    if not signature.is_valid:
        text = f"{text} · {_('no longer counts: the card was changed')}"
    words.write_fitted(text, (x, y - 22), width, font=SANS_FONT, size=8, most_lines=1)


# --- The draw at a table ---------------------------------------------------------------------------------------------
# The rule is in words, and each place has a name or a line to write it on.


def make_blank_table_draw_lines(draw: TableDraw, sides: int) -> _TableDrawLines:
    return _TableDrawLines(
        f"{draw.instruction} {draw.words}", tuple((label, "") for label in _iter_position_labels(draw, sides))
    )


def make_recorded_table_draw_lines(state: CardState) -> _TableDrawLines:
    """Return the lines to print for the draw at a card's table. Names that are not recorded are empty."""
    draw, is_over = state.draw.table_draw, state.is_posted or state.score.is_closed
    if draw.keeps_score:
        labels = dict.fromkeys(_iter_position_labels(draw, len(state.seats)), state.keeper_name)
        return _TableDrawLines(f"{draw.instruction} {draw.words}", tuple(labels.items()), is_over)
    rule = f"{draw.instruction} {draw.words}"
    if draw.places and not state.draw.is_drawn_at_table:
        rule = _("Seats by the event's draw.")
    names = [name for name, _role in state.draw.named_roles]
    known = [*names, *[""] * (len(draw.places) - len(names)), state.keeper_name]
    return _TableDrawLines(
        rule, tuple(zip(_iter_position_labels(draw, len(state.seats)), known, strict=False)), is_over
    )


def _draw_table_draw_lines(
    canvas: Canvas, words: TextLayer, lines: _TableDrawLines, at: tuple[float, float], width: float
) -> None:
    """Print the result of the table draw, starting below the given position on the page."""
    x, y = at
    rule = _wrap_rule(lines.rule) if lines.rule else ()
    for turn, line in enumerate(rule):
        words.write(line, (x, y - 9 - TABLE_DRAW_LINE_HEIGHT * turn), size=TABLE_DRAW_FONT_SIZE)
    y -= TABLE_DRAW_LINE_HEIGHT * max(len(rule) - 1, 0)
    columns = min(TABLE_DRAW_POSITIONS_PER_LINE, len(lines.blanks))
    each = width / max(columns, 1)
    canvas.setStrokeColor(INK_BLACK)
    canvas.setLineWidth(0.6)
    for turn, (label, name) in enumerate(lines.blanks):
        left, base = x + (turn % columns) * each, y - 12 - MIN_BLANK_LINE_HEIGHT * (turn // columns) - 14
        words.write(f"{label}:", (left, base), size=TABLE_DRAW_FONT_SIZE)
        start = left + compute_text_width(f"{label}: ", SANS_FONT, TABLE_DRAW_FONT_SIZE)
        if name:
            words.write_fitted(
                name,
                (start, base),
                left + each - 8 - start,
                font=BOLD_FONT,
                size=TABLE_DRAW_FONT_SIZE + 0.5,
                most_lines=1,
            )
        elif lines.is_over:
            words.write(_("not recorded"), (start, base), size=TABLE_DRAW_FONT_SIZE)
        else:
            canvas.line(start, base - 2, min(left + each - 8, start + MAX_NAME_LINE_WIDTH), base - 2)


def _iter_position_labels(draw: TableDraw, sides: int) -> Iterator[str]:
    if draw.keeps_score:
        yield _("%(card)s, keeps score") % {"card": draw.places[0].card}
        return
    yield from (f"{place.card}, {place.role}" for place in draw.places)
    if sides > 1 and draw.asks_keeper:
        yield _("Keeps score")
