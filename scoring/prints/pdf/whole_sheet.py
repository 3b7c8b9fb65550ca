"""A sheet on a page of its own, for every rule set: the rules, the blocks, and the signatures.

It is blank, filled with names before play, or has everything that was recorded. The back can have the rules in brief.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from django.utils.translation import gettext as _
from reportlab.pdfgen.canvas import Canvas

from scoring.card_state.selectors.state import CardState
from scoring.prints.pdf.blocks import LOWEST_READ, ROW, Place, draw_blocks, paginate
from scoring.prints.pdf.score_card import write_back
from scoring.rules.book.layout import Block
from scoring.rules.variants.variant import TableDraw
from tournament.core.pdf.paper import (
    BOLD,
    ELLIPSIS,
    FELT,
    INK,
    PAPERS,
    RED,
    SANS,
    SERIF,
    SLATE,
    Paper,
    TextLayer,
    draw_qr,
    draw_strokes,
    fit_text,
    load_fonts,
    new_canvas,
    text_width,
)

MARGIN: Final = 20.0
"""The margin on every side. Printers leave 6 mm (17 points) white."""
QR_SIDE: Final = 66.0
SIGNATURE_HEIGHT: Final = 46.0
HEAD: Final = 111.0
FIRST_STROKES: Final = 34.0
LATER_STROKES: Final = 22.0
"""The heights of drawn signatures. Lower rows are below the names of the row above, and have less room."""
STAMP_SIZE: Final = 9.0
STAMP_LINE: Final = 12.0
STAMP_PAD: Final = 6.0
NOTE_SIZE: Final = 8.0
SMALL: Final = 8.0
"""The smallest size of type on a card."""
DIGEST: Final = 52.0
"""The height of the words and the code about what was signed."""
ONE_A_LINE: Final = 2
"""The number of signatures side by side."""
PLACES_A_ROW: Final = 3
"""The number of places of the draw side by side."""
DRAW_LINE: Final = 9.5
DRAW_SIZE: Final = 8.0
NARROWEST: Final = 555.0
"""The width of A4 without its margins, the narrowest paper."""
LONGEST_BLANK: Final = 200.0
"""The greatest length of a line to write a name on."""


@dataclass(frozen=True, slots=True)
class _DrawLines:
    """The draw at a table on paper: the rule in a sentence or two, and the label and name of each place.

    A place without a name is a line to write on. `is_over` means that nobody writes on it any more, so a missing name
    was not recorded.
    """

    rule: str
    blanks: tuple[tuple[str, str], ...] = ()
    is_over: bool = False

    @property
    def height(self) -> float:
        rule = 2.5 + DRAW_LINE * len(_wrap_rule(self.rule)) if self.rule else 0.0
        return rule + ROW * ((len(self.blanks) + PLACES_A_ROW - 1) // PLACES_A_ROW)


def _wrap_rule(rule: str) -> tuple[str, ...]:
    """Return the rule in one or two lines that fit the narrowest paper."""
    load_fonts()
    return fit_text(rule, SANS, DRAW_SIZE, NARROWEST, smallest=DRAW_SIZE).lines


NOTHING_DRAWN: Final = _DrawLines("")


@dataclass(frozen=True, slots=True)
class PrintedSignature:
    """A signature on paper, with its method and time. Without `how` it is a line that still has to be signed.

    `strokes` are empty for a signature by code or on paper. `counts` is False for a signature that is no longer valid.
    """

    name: str
    how: str = ""
    when: str = ""
    strokes: Any = ()
    counts: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedSheet:
    """The content of one sheet. `signatures` without strokes are lines to sign on.

    With `table` 0 there is a ring to write the number in, or nothing on a signed sheet. `played` has the rules in one
    line. `options` are for the back: each as marked before play, in words. `notes` are the corrections in words.
    `digest` is empty if nothing was signed, `digest_of` says what it covers, and `checked` how to check it. `stamp` has
    the lines of a red box above the sheet, which links to `stamp_address`.
    """

    title: str
    subtitle: str
    rules: str
    options: tuple[str, ...]
    blocks: tuple[Block, ...]
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
    draw: _DrawLines = NOTHING_DRAWN
    stamp: tuple[str, ...] = ()
    stamp_address: str = ""

    @property
    def lowest(self) -> float:
        """The least height of its lines, for writing or only for reading."""
        return LOWEST_READ if self.digest else ROW


def stamp_lines(text: str, paper: str) -> tuple[str, ...]:
    """Return the text of a stamp in lines as wide as the page."""
    if not text:
        return ()
    load_fonts()
    width = PAPERS[paper].width - 2 * MARGIN - 2 * STAMP_PAD
    return tuple(fit_text(text, BOLD, STAMP_SIZE, width, smallest=STAMP_SIZE, most_lines=8).lines)


def stamp_height(lines: tuple[str, ...]) -> float:
    return len(lines) * STAMP_LINE + 3 * STAMP_PAD if lines else 0.0


def note_lines(notes: Sequence[str], size: Paper) -> tuple[str, ...]:
    """Return the notes below the sheet in lines that fit the page."""
    load_fonts()
    width = size.width - 2 * MARGIN
    return tuple(line for note in notes for line in fit_text(note, SANS, NOTE_SIZE, width, most_lines=4).lines)


def place_of(
    sheet_signatures: int, paper: str, *, notes: int = 0, digest: bool = False, under_head: float = 0.0
) -> Place:
    """Return the place of the blocks on a page, between the head, draw and stamp, and the signatures.

    `notes` is the number of lines that `note_lines` returns.
    """
    size = PAPERS[paper]
    rows = (sheet_signatures + ONE_A_LINE - 1) // ONE_A_LINE
    bottom = 36 + rows * SIGNATURE_HEIGHT + (DIGEST if digest else 0) + 11 * notes
    return Place(MARGIN, bottom, size.width - MARGIN, size.height - HEAD - under_head)


def count_pages(sheet: PrintedSheet, paper: str) -> int:
    """Return the number of pages of a sheet, including its back."""
    return len(paginate(sheet.blocks, _place(sheet, paper), sheet.lowest)) + bool(sheet.back)


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
    """Write each sheet on pages of its own, followed by its back. Return the number of pages."""
    size = PAPERS[paper]
    canvas = new_canvas(target, size, sheets[0].title if sheets else "Sheets")
    pages = 0
    for turn, sheet in enumerate(sheets):
        place = _place(sheet, paper)
        parts = paginate(sheet.blocks, place, sheet.lowest)
        for number, blocks in enumerate(parts, start=1):
            _draw_head(canvas, size, sheet, number, len(parts))
            end = draw_blocks(canvas, place, blocks, sheet.corrected)
            if number == len(parts):
                _draw_foot(canvas, size, sheet, max(place.bottom, end) if sheet.digest else place.bottom)
            canvas.showPage()
        if sheet.back:
            draw_back(canvas, size, sheet)
            canvas.showPage()
        pages += len(parts) + bool(sheet.back)
        if progress is not None:
            progress(turn + 1)
    canvas.save()
    return pages


def write_rules(target: IO[bytes], sheet: PrintedSheet, *, paper: str = "letter") -> None:
    """Write a page with only the rules that are on the back of a sheet."""
    size = PAPERS[paper]
    canvas = new_canvas(target, size, _("%(rules)s: the rules in brief") % {"rules": sheet.rules})
    draw_back(canvas, size, sheet)
    canvas.showPage()
    canvas.save()


def _draw_head(canvas: Canvas, size: Paper, sheet: PrintedSheet, number: int, of: int) -> None:
    words = TextLayer(canvas)
    top = size.height
    beside = size.width - 2 * MARGIN - QR_SIDE - 62
    words.write_fitted(sheet.title, (MARGIN, top - 34), beside, font=SERIF, size=15, most_lines=1)
    subtitle = sheet.subtitle
    if of > 1:
        subtitle = f"{subtitle} · {_('page %(number)s of %(of)s') % {'number': number, 'of': of}}"
    words.write_fitted(subtitle, (MARGIN, top - 51), beside, size=10, most_lines=1)
    words.write_fitted(sheet.rules, (MARGIN, top - 65), beside, size=9, most_lines=1)
    for turn, (line, points) in enumerate(_state_lines(sheet.state, beside)):
        words.write(line, (MARGIN, top - 78 - turn * 9.3), font=BOLD, size=round(points, 1))
    if sheet.table or not sheet.digest:
        beside_code = QR_SIDE + 30 if sheet.address else 24
        _draw_table(canvas, words, sheet.table, (size.width - MARGIN - beside_code, top - MARGIN - 23))
    _write_played(words, sheet.played, (MARGIN, top - HEAD + 8), size.width - 2 * MARGIN)
    if sheet.draw.height:
        _draw_lines(canvas, words, sheet.draw, (MARGIN, top - HEAD + 2), size.width - 2 * MARGIN)
    words.draw()
    if sheet.address:
        draw_qr(canvas, sheet.address, (size.width - MARGIN - QR_SIDE, top - MARGIN - QR_SIDE), QR_SIDE)
    if sheet.stamp:
        _draw_stamp(canvas, size, sheet)


def _state_lines(state: str, width: float) -> list[tuple[str, float]]:
    """Return the lines of the status with their sizes. If names are too long, only the totals before it are cut."""
    whole = fit_text(state, BOLD, 8.5, width)
    if not whole.lines[-1].endswith(ELLIPSIS):
        return [(line, whole.size) for line in whole.lines]
    totals, _, what = state.rpartition(" · ")
    parts = fit_text(totals, BOLD, 8.5, width, most_lines=1), fit_text(what, BOLD, 8.5, width)
    return [(line, part.size) for part in parts for line in part.lines]


def _draw_stamp(canvas: Canvas, size: Paper, sheet: PrintedSheet) -> None:
    """Draw a red box above the sheet. It is on every page of the sheet."""
    width, height = size.width - 2 * MARGIN, len(sheet.stamp) * STAMP_LINE + 2 * STAMP_PAD
    bottom = size.height - HEAD - sheet.draw.height - height
    canvas.setStrokeColor(RED)
    canvas.setLineWidth(1.4)
    canvas.rect(MARGIN, bottom, width, height)
    canvas.setStrokeColor(INK)
    words = TextLayer(canvas)
    words.text.setFillColor(RED)
    for turn, line in enumerate(sheet.stamp):
        y = bottom + height - STAMP_PAD - STAMP_SIZE - turn * STAMP_LINE + 1
        words.write(line, (MARGIN + STAMP_PAD, y), font=BOLD, size=STAMP_SIZE)
    words.text.setFillColor(INK)
    words.draw()
    if sheet.stamp_address:
        canvas.linkURL(sheet.stamp_address, (MARGIN, bottom, MARGIN + width, bottom + height))


def _draw_table(canvas: Canvas, words: TextLayer, table: int, center: tuple[float, float]) -> None:
    """Draw the ring with the number of the table, or empty for writing it in."""
    x, y = center
    words.write(_("TABLE"), (x, y - 34), size=SMALL, align="center")
    if table:
        words.write_fitted(str(table), (x, y - 7), 38, font=BOLD, size=22, align="center")
    canvas.setStrokeColor(FELT)
    canvas.setLineWidth(1.4)
    canvas.circle(x, y, 22)
    canvas.setStrokeColor(INK)


def _write_played(words: TextLayer, played: str, at: tuple[float, float], width: float) -> None:
    """Write the rules in one line. If they need two, the second is at the place of the single one."""
    fitted = fit_text(played, SANS, 9, width)
    x, y = at
    for turn, line in enumerate(reversed(fitted.lines)):
        words.write(line, (x, y + turn * 9.5), size=round(fitted.size, 1))


def _draw_foot(canvas: Canvas, size: Paper, sheet: PrintedSheet, top: float) -> None:
    """Draw notes and signatures from `top` down.

    On a signed card they follow the score, and else they are at the lower edge.
    """
    words = TextLayer(canvas)
    y = top - 12
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
        _draw_signature(canvas, words, signature, (x, line), width, height=height)
    if sheet.digest:
        _write_digest(words, size, sheet)
    else:
        words.write(sheet.signers, (size.width / 2, MARGIN), size=SMALL, align="center")
    words.draw()


def _write_digest(words: TextLayer, size: Paper, sheet: PrintedSheet) -> None:
    """Write in plain words what was signed and how to check it, with the code for that."""
    width = size.width - 2 * MARGIN
    words.write_fitted(sheet.checked, (MARGIN, 58), width, size=9, most_lines=1)
    code = " ".join(sheet.digest[i : i + 8] for i in range(0, 64, 8))
    words.write_fitted(code, (MARGIN, 45), width, font=BOLD, size=9, most_lines=1)
    words.write_fitted(
        _("SHA-256 of %(digest_of)s (RFC 8785)") % {"digest_of": sheet.digest_of or _("what was signed")},
        (MARGIN, 32.5),
        width,
        size=SMALL,
        most_lines=1,
    )
    words.write_fitted(sheet.address, (MARGIN, MARGIN), width, size=SMALL, most_lines=1)


def draw_back(canvas: Canvas, size: Paper, sheet: PrintedSheet) -> None:
    """Draw the rules in brief and every option, large enough to be read at the table."""
    words = TextLayer(canvas)
    width = size.width - 2 * MARGIN
    y = size.height - 60
    words.write_fitted(
        _("%(rules)s: the rules in brief") % {"rules": sheet.rules},
        (MARGIN, y),
        width,
        font=SERIF,
        size=16,
        most_lines=1,
    )
    write_back(words, (MARGIN, y - 30), width, y - 30 - MARGIN, (*sheet.back, sheet.signers), sheet.options)
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
    """Draw the line at `at`, the strokes above it within `height`, and the name below."""
    x, y = at
    canvas.setStrokeColor(FELT if signature.counts else SLATE)
    canvas.setLineWidth(1.2)
    draw_strokes(canvas, signature.strokes, at, width, height)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.6)
    canvas.line(x, y - 2, x + width, y - 2)
    words.write_fitted(signature.name, (x, y - 12), width - 52, font=BOLD, size=9, most_lines=1)
    if not signature.how:
        words.write(_("Signature"), (x + width, y - 12), size=8, align="right")
        return
    text = f"{signature.how} · {signature.when}"
    if not signature.counts:
        text = f"{text} · {_('no longer counts: the card was changed')}"
    words.write_fitted(text, (x, y - 22), width, font=SANS, size=8, most_lines=1)


# --- The draw at a table ---------------------------------------------------------------------------------------------
# The rule is in words, and each place has a name or a line to write it on.


def lines_before_play(draw: TableDraw, sides: int) -> _DrawLines:
    return _DrawLines(f"{draw.ask} {draw.words}", tuple((label, "") for label in _place_labels(draw, sides)))


def lines_of(state: CardState) -> _DrawLines:
    """Return the lines of a card's draw as far as recorded. If the event's draw has seated the sides, say so."""
    draw, is_over = state.draw.table_draw, state.is_posted or state.score.is_closed
    if draw.keeps_score:
        labels = dict.fromkeys(_place_labels(draw, len(state.seats)), state.keeper_name)
        return _DrawLines(f"{draw.ask} {draw.words}", tuple(labels.items()), is_over)
    rule = f"{draw.ask} {draw.words}"
    if draw.places and not state.draw.draws_at_table:
        rule = _("Seats by the event's draw.")
    names = [name for name, _role in state.draw.named_roles]
    known = [*names, *[""] * (len(draw.places) - len(names)), state.keeper_name]
    return _DrawLines(rule, tuple(zip(_place_labels(draw, len(state.seats)), known, strict=False)), is_over)


def _draw_lines(canvas: Canvas, words: TextLayer, lines: _DrawLines, at: tuple[float, float], width: float) -> None:
    """Draw the lines from this corner down. `DrawLines.height` is the height they need."""
    x, y = at
    rule = _wrap_rule(lines.rule) if lines.rule else ()
    for turn, line in enumerate(rule):
        words.write(line, (x, y - 9 - DRAW_LINE * turn), size=DRAW_SIZE)
    y -= DRAW_LINE * max(len(rule) - 1, 0)
    columns = min(PLACES_A_ROW, len(lines.blanks))
    each = width / max(columns, 1)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.6)
    for turn, (label, name) in enumerate(lines.blanks):
        left, base = x + (turn % columns) * each, y - 12 - ROW * (turn // columns) - 14
        words.write(f"{label}:", (left, base), size=DRAW_SIZE)
        start = left + text_width(f"{label}: ", SANS, DRAW_SIZE)
        if name:
            words.write_fitted(
                name, (start, base), left + each - 8 - start, font=BOLD, size=DRAW_SIZE + 0.5, most_lines=1
            )
        elif lines.is_over:
            words.write(_("not recorded"), (start, base), size=DRAW_SIZE)
        else:
            canvas.line(start, base - 2, min(left + each - 8, start + LONGEST_BLANK), base - 2)


def _place_labels(draw: TableDraw, sides: int) -> Iterator[str]:
    if draw.keeps_score:
        yield _("%(card)s, keeps score") % {"card": draw.places[0].card}
        return
    yield from (f"{place.card}, {place.role}" for place in draw.places)
    if sides > 1 and draw.asks_keeper:
        yield _("Keeps score")
