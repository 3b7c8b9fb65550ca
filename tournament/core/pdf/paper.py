"""The basis of every printed page: paper sizes, fonts for every script, fitted text, QR codes and signatures.

Lengths are points (1/72 inch), and the origin is the lower left corner. Text stays in reading order until it is drawn.
Then `split_by_font` joins Arabic letters, reverses Hebrew and Arabic, and chooses a font for each letter.
"""

import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from typing import IO, Any, Final, cast

import segno
from arabic_reshaper import ArabicReshaper
from bidi import get_display
from django.utils.translation import gettext as _
from reportlab import rl_config
from reportlab.graphics.transform import inverse
from reportlab.lib.colors import HexColor
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from tournament.core.selectors.copies import is_output_of_copy
from tournament.core.selectors.program import format_program_version
from tournament.core.services.strokes import SIGNATURE_PAD_WIDTH
from tournament.spreadsheets.letters import (
    BOLD_FONT,
    BUNDLED_FONTS_FOLDER,
    SANS_FONT,
    SERIF_FONT,
    find_font,
    format_letter_codes,
)

INK_BLACK: Final = HexColor("#1C1B19")
FELT_GREEN: Final = HexColor("#0F5B3E")
RED: Final = HexColor("#A61B1B")
SLATE_GRAY: Final = HexColor("#46525C")
RULE_COLOR: Final = HexColor("#B9B4A5")
SHADE_COLOR: Final = HexColor("#E9E5DA")

ELLIPSIS: Final = "…"
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_OPENING_BRACKETS: Final = {")": "(", "]": "[", "}": "{", "»": "«", ">": "<"}
"""The opening bracket for each closing one."""
_CLOSING_BRACKETS: Final = {opening: closing for closing, opening in _OPENING_BRACKETS.items()}
_RESHAPER: Final = ArabicReshaper({"support_ligatures": False, "delete_harakat": True})


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper size in portrait orientation."""

    name: str
    width: float
    height: float

    @property
    def rotated(self) -> "Paper":
        return Paper(self.name, self.height, self.width)


PAPER_SIZES: Final = {"letter": Paper("US Letter", 612, 792), "a4": Paper("A4", 595.28, 841.89)}


@cache
def load_fonts() -> None:
    for name in (SANS_FONT, BOLD_FONT, SERIF_FONT):
        pdfmetrics.registerFont(TTFont(name, BUNDLED_FONTS_FOLDER / f"{name}.ttf"))


FREE_EDGE: Final = 17.0
"""The edge of each page in points (6 mm) that many printers cannot print on."""
VERSION_BASELINE: Final = FREE_EDGE + 2
"""The baseline of the line at the foot of each page, which names the program and its version."""
FOOT_HEIGHT: Final = 29.0
"""The height of the foot of each page, which consists of the free edge and the line with the program's version."""
_VERSION_SIZE: Final = 8.0
_COPY_MARK_SIZE: Final = 8.0
_CALLED_OFF_MARK_SIZE: Final = 11.0
_MARK_SIDE: Final = 54.0

_called_off_reason: ContextVar[str] = ContextVar("_called_off_reason", default="")


@contextmanager
def mark_pages_as_called_off(reason: str) -> Iterator[None]:
    """Print a notice on every page made in this block, saying that the event was called off and why."""
    token = _called_off_reason.set(reason)
    try:
        yield
    finally:
        _called_off_reason.reset(token)


def compute_notice_height() -> float:
    """Return the height of the notices at the top of a page, or 0 if the page has none."""
    if _called_off_reason.get():
        return FREE_EDGE + _CALLED_OFF_MARK_SIZE + 4
    return FREE_EDGE + _COPY_MARK_SIZE + 4 if is_output_of_copy() else 0


class MarkedCanvas(Canvas):
    """A canvas that prints the program's version at the foot of each page, and a mark at the top of some pages.

    A page is marked if it is printed for a copy of a tournament, or for an event that was called off.

    If `has_own_mark` is set, the canvas adds no mark, because the titles on the page already contain it. Such a page
    will be cut into several slips, or has no room at its upper edge. If `has_own_version` is set, the page will be cut
    into slips that each have the version (`write_program_version`).
    """

    def __init__(self, *args: Any, has_own_mark: bool = False, has_own_version: bool = False, **kwargs: Any) -> None:
        self.marks = [] if has_own_mark else _make_page_marks()
        self.is_called_off = bool(_called_off_reason.get())
        self.has_own_version = has_own_version
        self.foot_note = ""
        """A short text that is printed before the version on the current page."""
        super().__init__(*args, **kwargs)

    def showPage(self) -> None:  # noqa: N802
        self.saveState()
        # The page may have been drawn with another scale, but its marks always have their place and size.
        self.transform(*inverse(cast(Any, self)._currentMatrix))
        if self.marks:
            self._draw_marks()
        if not self.has_own_version:
            self._draw_foot()
        self.restoreState()
        self.foot_note = ""
        super().showPage()

    def _draw_foot(self) -> None:
        width, _height = cast(Any, self)._pagesize
        words = TextLayer(self)
        self.setFillColor(INK_BLACK if self.foot_note else SLATE_GRAY)
        write_program_version(words, (width / 2, VERSION_BASELINE), width - 4 * FREE_EDGE, after=self.foot_note)
        words.draw()

    def _draw_marks(self) -> None:
        width, height = cast(Any, self)._pagesize
        size = _CALLED_OFF_MARK_SIZE if self.is_called_off else _COPY_MARK_SIZE
        self.setFillColor(RED if self.is_called_off else INK_BLACK)
        words, at = TextLayer(self), (width / 2, height - FREE_EDGE - size * 0.9)
        words.write_fitted(
            " · ".join(self.marks), at, width - 2 * _MARK_SIDE, font=BOLD_FONT, size=size, align="center", most_lines=1
        )
        words.draw()


def _make_page_marks() -> list[str]:
    marks = [_("COPY – not the original tournament")] if is_output_of_copy() else []
    if reason := _called_off_reason.get():
        marks.append(_("Called off: %(reason)s") % {"reason": reason})
    return marks


def make_pdf_title(title: str) -> str:
    """Return the title that PDF readers display. It begins with COPY in the PDFs of a copied tournament."""
    return _("COPY: %(title)s") % {"title": title} if is_output_of_copy() else title


def mark_document_title(title: str) -> str:
    """Return the title to print on a document, marked if the document belongs to a copy or a called-off event."""
    if _called_off_reason.get():
        title = _("Called off · %(title)s") % {"title": title}
    return _("COPY · %(title)s") % {"title": title} if is_output_of_copy() else title


def make_canvas(
    target: IO[bytes], paper: Paper, title: str, *, has_own_mark: bool = False, has_own_version: bool = False
) -> MarkedCanvas:
    """Return a canvas whose output is always the same for the same content and the same version of the program."""
    load_fonts()
    rl_config.useA85 = 0
    canvas = MarkedCanvas(
        target,
        pagesize=(paper.width, paper.height),
        invariant=1,
        pageCompression=1,
        has_own_mark=has_own_mark,
        has_own_version=has_own_version,
    )
    canvas.setTitle(make_pdf_title(title))
    canvas.setCreator(format_program_version())
    return canvas


@lru_cache(maxsize=20_000)
def compute_text_width(text: str, font: str, size: float) -> float:
    return sum(float(pdfmetrics.stringWidth(part, face, size)) for face, part in split_by_font(text, font))


@lru_cache(maxsize=20_000)
def replace_unprintable(text: str, font: str) -> str:
    """Replace letters that are missing from all fonts with their code points, such as “[U+738B U+5C0F]”."""
    if text.isascii():
        return text
    parts = []
    for is_known, group in groupby(text, key=lambda letter: letter.isspace() or find_font(letter, font) is not None):
        letters = "".join(group)
        parts.append(letters if is_known else format_letter_codes(letters))
    return "".join(parts)


@lru_cache(maxsize=20_000)
def split_by_font(text: str, font: str) -> tuple[tuple[str, str], ...]:
    """Split the text into parts with one font each, in drawing order. Return pairs of a font name and a part.

    The base direction is left to right, so a number before a Hebrew name stays before the name.
    """
    text = replace_unprintable(text, font)
    if text.isascii():
        return ((_register_font(font), text),)
    if _RIGHT_TO_LEFT.search(text):
        joined = _RESHAPER.reshape(text)
        text = _swap_reversed_brackets(
            str(get_display(joined if replace_unprintable(joined, font) == joined else text, base_dir="L"))
        )
    faces = groupby(text, key=lambda letter: font if letter.isspace() else find_font(letter, font) or font)
    return tuple((_register_font(face), "".join(letters)) for face, letters in faces)


def _swap_reversed_brackets(text: str) -> str:
    """Swap brackets that face the wrong way after reordering: `)abc(` becomes `(abc)`."""
    letters, unclosed = list(text), dict.fromkeys(_OPENING_BRACKETS, 0)
    for index, letter in enumerate(text):
        opening, is_closing = _OPENING_BRACKETS.get(letter, letter), letter in _OPENING_BRACKETS
        if is_closing and unclosed[letter] <= 0:
            letters[index], unclosed[letter] = opening, unclosed[letter] - 1
        elif is_closing:
            unclosed[letter] -= 1
        elif letter in _CLOSING_BRACKETS:
            closing = _CLOSING_BRACKETS[letter]
            letters[index] = closing if unclosed[closing] < 0 else letter
            unclosed[closing] += 1
    return "".join(letters)


@cache
def _register_font(font: str) -> str:
    """Return the name under which a font is registered with ReportLab.

    A font file found on this machine is registered on first use. Its name is its path.
    """
    load_fonts()
    if font not in (SANS_FONT, BOLD_FONT, SERIF_FONT):
        pdfmetrics.registerFont(TTFont(font, font))
    return font


@dataclass(frozen=True, slots=True)
class _FittedText:
    lines: tuple[str, ...]
    size: float


def fit_text(text: str, font: str, size: float, width: float, smallest: float = 8, most_lines: int = 2) -> _FittedText:
    """Shrink the text to fit on one line.

    If its size would fall below `smallest`, wrap the text instead. Text that exceeds `most_lines` ends with an
    ellipsis.

    Lazy text is translated before the result is cached.
    """
    return _fit_translated_text(str(text), font, size, width, smallest, most_lines)


@lru_cache(maxsize=20_000)
def _fit_translated_text(
    text: str, font: str, size: float, width: float, smallest: float, most_lines: int
) -> _FittedText:
    text = replace_unprintable(" ".join(text.split()), font)
    natural = compute_text_width(text, font, 1)
    if natural * size <= width:
        return _FittedText((text,), size)
    if natural * smallest <= width:
        return _FittedText((text,), int(10 * width / natural) / 10)
    return _FittedText(_wrap_text(text, font, smallest, width, most_lines), smallest)


def _wrap_text(text: str, font: str, size: float, width: float, most_lines: int) -> tuple[str, ...]:
    lines: list[str] = []
    rest = text
    while rest and len(lines) < most_lines:
        end = _count_fitting_letters(rest, font, size, width)
        if end < len(rest) and len(lines) < most_lines - 1:
            space = rest.rfind(" ", 1, end + 1)
            end = space if space > 0 else end
        lines.append(rest[:end].strip())
        rest = rest[end:].strip()
    if rest:
        last = lines[-1] + ELLIPSIS
        while len(last) > 1 and compute_text_width(last, font, size) > width:
            last = last[:-2] + ELLIPSIS
        lines[-1] = last
    return tuple(lines)


def _count_fitting_letters(text: str, font: str, size: float, width: float) -> int:
    end = 1
    while end < len(text) and compute_text_width(text[: end + 1], font, size) <= width:
        end += 1
    return end


def draw_text(canvas: Canvas, text: str, at: tuple[float, float], *, font: str = SANS_FONT, size: float = 10) -> None:
    """Draw a single piece of text. For a page with a lot of text, use `TextLayer`."""
    words = TextLayer(canvas)
    words.write(text, at, font=font, size=size)
    words.draw()


class TextLayer:
    """Collects a page's text in one text object, which is much cheaper than drawing each piece separately."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.text = canvas.beginText()
        self._face: tuple[str, float] | None = None

    def write(
        self, text: str, at: tuple[float, float], *, font: str = SANS_FONT, size: float = 10, align: str = "left"
    ) -> None:
        text, (x, y) = str(text), at
        if align != "left":
            x -= compute_text_width(text, font, size) / (1 if align == "right" else 2)
        self.text.setTextOrigin(round(x, 1), round(y, 1))
        for face, part in split_by_font(text, font):
            if self._face != (face, size):
                self.text.setFont(face, size)
                self._face = (face, size)
            self.text.textOut(part)

    def write_fitted(
        self,
        text: str,
        at: tuple[float, float],
        width: float,
        *,
        font: str = SANS_FONT,
        size: float = 10,
        align: str = "left",
        most_lines: int = 2,
    ) -> None:
        """Write the text within `width`. Two lines are centered vertically where a single line would be."""
        fitted = fit_text(text, font, size, width, most_lines=most_lines)
        x, y = at
        lift = fitted.size * 0.55 if len(fitted.lines) > 1 else 0
        for index, line in enumerate(fitted.lines):
            place = (x, y + lift - index * fitted.size * 1.15)
            self.write(line, place, font=font, size=round(fitted.size, 1), align=align)

    def draw(self) -> None:
        self.canvas.drawText(self.text)


def write_program_version(words: TextLayer, at: tuple[float, float], width: float, *, after: str = "") -> None:
    """Write the program's name and version, centered at `at`. The text `after` is printed before it."""
    text = f"{after} · {format_program_version()}" if after else format_program_version()
    words.write_fitted(text, at, width, size=_VERSION_SIZE, align="center", most_lines=1)


# --- QR codes --------------------------------------------------------------------------------------------------------
# A large batch computes most of its codes by arithmetic, because encoding them is the main cost.

QR_MASK_PATTERN: Final = 3
"""The mask pattern of all QR codes. Trying all eight patterns takes five times as long, and any pattern is readable."""

MIN_QR_BATCH_SIZE: Final = 400
"""The smallest number of QR codes for which it is faster to create a `QrBatchEncoder`."""

_BITS_TO_DIGITS: Final = bytes([ord("0"), ord("1")]) + bytes(range(2, 256))


@dataclass(frozen=True, slots=True)
class QrBitmap:
    """The modules of a QR code as bits, with rows padded to whole bytes. 1 is dark."""

    side: int
    rows: bytes


def make_qr_bitmap(address: str) -> QrBitmap:
    code = segno.make(address, micro=False, error="m", boost_error=False, mask=QR_MASK_PATTERN, mode="byte")
    side = len(code.matrix)
    padding = -side % 8
    rows = b"".join(
        (int(row.translate(_BITS_TO_DIGITS), 2) << padding).to_bytes((side + padding) // 8, "big")
        for row in (bytes(line) for line in code.matrix)
    )
    return QrBitmap(side, rows)


def choose_qr_encoder(codes: int) -> Callable[[str], QrBitmap]:
    """Return the fastest function for making this number of QR codes."""
    return QrBatchEncoder().make if codes >= MIN_QR_BATCH_SIZE else make_qr_bitmap


class QrBatchEncoder:
    """An encoder with the same results as `make_qr_bitmap`, for many addresses of equal length.

    Flipping a bit of the address always flips the same modules, because the error correction is linear. This is true
    for all QR codes of the same length, size and mask. The encoder therefore makes each code from the first one, by
    flipping the modules of all bits that differ.
    """

    def __init__(self) -> None:
        self._first: dict[int, tuple[bytes, int, QrBitmap]] = {}
        self._flips: dict[tuple[int, int, int], int] = {}

    def make(self, address: str) -> QrBitmap:
        if not address.isascii():
            return make_qr_bitmap(address)
        text = address.encode()
        if len(text) not in self._first:
            code = make_qr_bitmap(address)
            self._first[len(text)] = (text, int.from_bytes(code.rows, "big"), code)
        first, cells, shape = self._first[len(text)]
        for place, (one, other) in enumerate(zip(first, text, strict=True)):
            if one != other:
                cells ^= self._find_flipped_modules(len(text), place, one ^ other)
        return QrBitmap(shape.side, cells.to_bytes(len(shape.rows), "big"))

    def _find_flipped_modules(self, length: int, place: int, bits: int) -> int:
        """Return the modules of the QR code that flip if these bits of one character flip.

        `place` is the index of the character in the address.
        """
        key = (length, place, bits)
        if key not in self._flips:
            lowest = bits & -bits
            rest = bits ^ lowest
            self._flips[key] = (
                self._find_flipped_modules(length, place, lowest) ^ self._find_flipped_modules(length, place, rest)
                if rest
                else self._find_modules_flipped_by_bit(length, place, lowest)
            )
        return self._flips[key]

    def _find_modules_flipped_by_bit(self, length: int, place: int, bit: int) -> int:
        first, cells, _shape = self._first[length]
        changed = bytearray(first)
        changed[place] ^= bit
        return cells ^ int.from_bytes(make_qr_bitmap(changed.decode()).rows, "big")


def draw_qr(
    canvas: Canvas, address: str, at: tuple[float, float], size: float, make: Callable[[str], QrBitmap] = make_qr_bitmap
) -> None:
    """Draw a QR code as an inline one-bit image mask, so that the file is small."""
    qr = make(address)
    packed = zlib.compress(qr.rows, 9).hex()
    x, y = at
    canvas.addLiteral(
        f"q {size:g} 0 0 {size:g} {x:g} {y:g} cm "
        f"BI /W {qr.side} /H {qr.side} /IM true /BPC 1 /D [1 0] /F [/AHx /Fl] ID {packed}> EI Q"
    )


# --- Signatures ------------------------------------------------------------------------------------------------------


def scale_strokes(
    strokes: Any, at: tuple[float, float], width: float, height: float
) -> list[list[tuple[float, float]]]:
    """Return the strokes in points on paper, cropped to the drawing and scaled to `width` and `height`.

    The drawing's lower edge is on the line at `at`.
    """
    drawn = [[point for point in stroke if len(point) > 1] for stroke in strokes or ()]
    points = [point for stroke in drawn for point in stroke]
    if not points:
        return []
    left, bottom = min(point[0] for point in points), max(point[1] for point in points)
    wide = max(max(point[0] for point in points) - left, SIGNATURE_PAD_WIDTH / 3)
    high = max(bottom - min(point[1] for point in points), SIGNATURE_PAD_WIDTH / 8)
    scale = min(width / wide, height / high)
    x, y = at
    return [[(x + (point[0] - left) * scale, y + (bottom - point[1]) * scale) for point in stroke] for stroke in drawn]


def draw_strokes(canvas: Canvas, strokes: Any, at: tuple[float, float], width: float, height: float) -> None:
    """Draw a signature's strokes on its line at the point `at`, in the canvas's current color and line width."""
    for stroke in scale_strokes(strokes, at, width, height):
        path = canvas.beginPath()
        for index, point in enumerate(stroke):
            (path.lineTo if index else path.moveTo)(*point)
        canvas.drawPath(path)
