"""A whole sheet on a page of its own, for every rule set: what it is played by, its blocks, and who signs it.

Blank, filled with names before play, or with all that was recorded; on the back, if asked for, the rules in short.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, Final

from reportlab.pdfgen.canvas import Canvas

from scoring.prints.pdf.blocks import Place, draw_blocks, paged
from scoring.prints.pdf.draw_lines import NOTHING_DRAWN, DrawLines, draw_lines
from scoring.prints.pdf.signatures import PrintedSignature, draw_signature
from scoring.rules.book.layout import Block
from tournament.core.pdf.paper import (
    BOLD,
    ELLIPSIS,
    FELT,
    INK,
    PAPERS,
    RED,
    SANS,
    SERIF,
    Paper,
    Words,
    draw_qr,
    fit,
    load_fonts,
    new_canvas,
)

MARGIN: Final = 34.0
QR_SIDE: Final = 66.0
SIGNATURE_HEIGHT: Final = 46.0
HEAD: Final = 124.0
FIRST_STROKES: Final = 34.0
LATER_STROKES: Final = 22.0
"""How high a drawn signature is: under the first line of them stand the names of those above."""
STAMP_SIZE: Final = 9.0
STAMP_LINE: Final = 12.0
STAMP_PAD: Final = 6.0
NOTE_SIZE: Final = 7.5
ONE_A_LINE: Final = 2
"""Signatures side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedSheet:
    """What stands on one sheet. `signatures` without strokes are lines to sign on.

    `table` 0: a ring to write it in before play, none once the sheet is signed.
    `options`: each option as marked before play, in words; what is not marked does not exist. `notes` are the
    corrections in words. `digest` empty: nothing was signed yet; `digest_of` says what it covers. `stamp` are the lines
    of a red box above the sheet, which leads to `stamp_address`.
    """

    title: str
    subtitle: str
    rules: str
    options: tuple[str, ...]
    blocks: tuple[Block, ...]
    signatures: tuple[PrintedSignature, ...]
    signers: str
    state: str = ""
    table: int = 0
    address: str = ""
    digest: str = ""
    digest_of: str = "what was signed"
    corrected: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    draw: DrawLines = NOTHING_DRAWN
    stamp: tuple[str, ...] = ()
    stamp_address: str = ""


def stamp_lines(said: str, paper: str) -> tuple[str, ...]:
    """What a stamp says, in lines as wide as the page."""
    if not said:
        return ()
    load_fonts()
    width = PAPERS[paper].width - 2 * MARGIN - 2 * STAMP_PAD
    return tuple(fit(said, BOLD, STAMP_SIZE, width, smallest=STAMP_SIZE, most_lines=8).lines)


def stamp_height(lines: tuple[str, ...]) -> float:
    return len(lines) * STAMP_LINE + 3 * STAMP_PAD if lines else 0.0


def note_lines(notes: Sequence[str], size: Paper) -> tuple[str, ...]:
    """The notes as they stand under the sheet, in lines that fit: with long names one needs several."""
    load_fonts()
    width = size.width - 2 * MARGIN
    return tuple(line for note in notes for line in fit(note, SANS, NOTE_SIZE, width, smallest=7, most_lines=4).lines)


def place_of(
    sheet_signatures: int, paper: str, *, notes: int = 0, digest: bool = False, under_head: float = 0.0
) -> Place:
    """Where the blocks stand on a page: between the head, with what is drawn for and the stamp, and the signatures.

    `notes` is the number of lines that `note_lines` makes of them.
    """
    size = PAPERS[paper]
    rows = (sheet_signatures + ONE_A_LINE - 1) // ONE_A_LINE
    bottom = 40 + rows * SIGNATURE_HEIGHT + (26 if digest else 0) + 11 * notes
    return Place(MARGIN, bottom, size.width - MARGIN, size.height - HEAD - under_head)


def pages_of(sheet: PrintedSheet, paper: str) -> int:
    """How many pages it takes, its back included."""
    return len(paged(sheet.blocks, _place(sheet, paper))) + bool(sheet.back)


def _place(sheet: PrintedSheet, paper: str) -> Place:
    under_head = sheet.draw.height + stamp_height(sheet.stamp)
    signed, notes = len(sheet.signatures), len(note_lines(sheet.notes, PAPERS[paper]))
    return place_of(signed, paper, notes=notes, digest=bool(sheet.digest), under_head=under_head)


def write_sheets(
    target: IO[bytes],
    sheets: Sequence[PrintedSheet],
    *,
    paper: str = "letter",
    progress: Callable[[int], None] | None = None,
) -> int:
    """Each sheet on pages of its own, its back after it. Says how many pages there are."""
    size = PAPERS[paper]
    canvas = new_canvas(target, size, sheets[0].title if sheets else "Sheets")
    pages = 0
    for turn, sheet in enumerate(sheets):
        place = _place(sheet, paper)
        parts = paged(sheet.blocks, place)
        for number, blocks in enumerate(parts, start=1):
            _draw_head(canvas, size, sheet, number, len(parts))
            draw_blocks(canvas, place, blocks, sheet.corrected)
            if number == len(parts):
                _draw_foot(canvas, size, sheet, place)
            canvas.showPage()
        if sheet.back:
            draw_back(canvas, size, sheet)
            canvas.showPage()
        pages += len(parts) + bool(sheet.back)
        if progress is not None:
            progress(turn + 1)
    canvas.save()
    return pages


def _draw_head(canvas: Canvas, size: Paper, sheet: PrintedSheet, number: int, of: int) -> None:
    words = Words(canvas)
    right = size.width - MARGIN - QR_SIDE - 58
    top = size.height
    words.write_fitted(sheet.title, (MARGIN, top - 42), right - MARGIN, font=SERIF, size=15, most_lines=1)
    more = f" · page {number} of {of}" if of > 1 else ""
    words.write_fitted(sheet.subtitle + more, (MARGIN, top - 58), right - MARGIN, size=9.5, most_lines=1)
    beside = size.width - 2 * MARGIN - QR_SIDE - 62
    state = _state_lines(sheet.state, beside)
    for turn, (line, points) in enumerate(state):
        words.write(line, (MARGIN, top - 71 - turn * 9), font=BOLD, size=round(points, 1))
    _write_options(words, sheet, (MARGIN, top - 74 - 9 * len(state)), beside, most_lines=min(4, 6 - len(state)))
    if sheet.table or not sheet.digest:
        _draw_table(canvas, words, sheet.table, (size.width - MARGIN - QR_SIDE - 30, top - 43))
    if sheet.draw.height:
        draw_lines(canvas, words, sheet.draw, (MARGIN, top - HEAD + 6), size.width - 2 * MARGIN)
    words.draw()
    if sheet.address:
        draw_qr(canvas, sheet.address, (size.width - MARGIN - QR_SIDE, top - 24 - QR_SIDE), QR_SIDE)
    if sheet.stamp:
        _draw_stamp(canvas, size, sheet)


def _state_lines(state: str, width: float) -> list[tuple[str, float]]:
    """Each with its size. What the card is stands whole: where names are too long, the totals before it are cut."""
    whole = fit(state, BOLD, 8.5, width)
    if not whole.lines[-1].endswith(ELLIPSIS):
        return [(line, whole.size) for line in whole.lines]
    totals, _, what = state.rpartition(" · ")
    parts = fit(totals, BOLD, 8.5, width, most_lines=1), fit(what, BOLD, 8.5, width)
    return [(line, part.size) for part in parts for line in part.lines]


def _draw_stamp(canvas: Canvas, size: Paper, sheet: PrintedSheet) -> None:
    """A red box above the sheet, on every page of it."""
    width, height = size.width - 2 * MARGIN, len(sheet.stamp) * STAMP_LINE + 2 * STAMP_PAD
    bottom = size.height - HEAD - sheet.draw.height - height
    canvas.setStrokeColor(RED)
    canvas.setLineWidth(1.4)
    canvas.rect(MARGIN, bottom, width, height)
    canvas.setStrokeColor(INK)
    words = Words(canvas)
    words.text.setFillColor(RED)
    for turn, line in enumerate(sheet.stamp):
        y = bottom + height - STAMP_PAD - STAMP_SIZE - turn * STAMP_LINE + 1
        words.write(line, (MARGIN + STAMP_PAD, y), font=BOLD, size=STAMP_SIZE)
    words.text.setFillColor(INK)
    words.draw()
    if sheet.stamp_address:
        canvas.linkURL(sheet.stamp_address, (MARGIN, bottom, MARGIN + width, bottom + height))


def _draw_table(canvas: Canvas, words: Words, table: int, center: tuple[float, float]) -> None:
    """The ring with the number of the table, or to write it in."""
    x, y = center
    words.write("TABLE", (x, y - 33), size=7, align="center")
    if table:
        words.write_fitted(str(table), (x, y - 7), 38, font=BOLD, size=22, align="center")
    canvas.setStrokeColor(FELT)
    canvas.setLineWidth(1.4)
    canvas.circle(x, y, 22)
    canvas.setStrokeColor(INK)


def _write_options(
    words: Words, sheet: PrintedSheet, at: tuple[float, float], width: float, *, most_lines: int
) -> None:
    """The rule set and what is marked, in as many lines as they need."""
    x, y = at
    said = f"{sheet.rules}: {'; '.join(sheet.options)}" if sheet.options else sheet.rules
    fitted = fit(said, SANS, 8, width, smallest=7, most_lines=most_lines)
    for turn, line in enumerate(fitted.lines):
        words.write(line, (x, y - turn * 9), size=round(fitted.size, 1))


def _draw_foot(canvas: Canvas, size: Paper, sheet: PrintedSheet, place: Place) -> None:
    words = Words(canvas)
    y = place.bottom - 12
    words.text.setFillColor(RED)
    for note in note_lines(sheet.notes, size):
        words.write_fitted(note, (MARGIN, y), size.width - 2 * MARGIN, size=NOTE_SIZE, most_lines=1)
        y -= 11
    words.text.setFillColor(INK)
    width = (size.width - 2 * MARGIN - 16) / ONE_A_LINE
    for turn, signature in enumerate(sheet.signatures):
        x = MARGIN + (turn % ONE_A_LINE) * (width + 16)
        line = y - 26 - (turn // ONE_A_LINE) * SIGNATURE_HEIGHT
        height = FIRST_STROKES if turn < ONE_A_LINE else LATER_STROKES
        draw_signature(canvas, words, signature, (x, line), width, height=height)
    if sheet.digest:
        words.write(f"SHA-256 of {sheet.digest_of} (RFC 8785):", (MARGIN, 42), size=6.5)
        words.write(" ".join(sheet.digest[i : i + 8] for i in range(0, 64, 8)), (MARGIN, 32), font=BOLD, size=8)
        words.write_fitted(sheet.address, (MARGIN, 22), size.width - 2 * MARGIN, size=6.5, most_lines=1)
    else:
        words.write(sheet.signers, (size.width / 2, 24), size=7.5, align="center")
    words.draw()


def draw_back(canvas: Canvas, size: Paper, sheet: PrintedSheet) -> None:
    """The rules in short and every option, large enough to be read at the table."""
    words = Words(canvas)
    width = size.width - 2 * MARGIN
    y = size.height - 60
    words.write_fitted(f"{sheet.rules}: the rules in short", (MARGIN, y), width, font=SERIF, size=16, most_lines=1)
    y -= 30
    for sentence in (*sheet.back, sheet.signers):
        y = _write_paragraph(words, sentence, (MARGIN, y), width, 11)
    if sheet.options:
        words.write("Marked before play", (MARGIN, y - 8), font=BOLD, size=11)
        y -= 28
        for option in sheet.options:
            y = _write_paragraph(words, option, (MARGIN, y), width, 10)
    words.draw()


def _write_paragraph(words: Words, text: str, at: tuple[float, float], width: float, size: float) -> float:
    x, y = at
    fitted = fit(text, SANS, size, width, smallest=size, most_lines=8)
    for line in fitted.lines:
        words.write(line, (x, y), size=size)
        y -= size * 1.4
    return y - size * 0.5
