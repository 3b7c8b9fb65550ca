"""The signed card: its lines as counted, both signatures, the digest they cover, and a code to check it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any

from reportlab.pdfgen.canvas import Canvas

from tournament.pdf.paper import (
    BOLD,
    FELT,
    INK,
    PAPERS,
    RED,
    RULE,
    SANS,
    SERIF,
    SLATE,
    Paper,
    Words,
    draw_qr,
    new_canvas,
)
from tournament.templatetags.figures import PAD_WIDTH

MARGIN = 42.0
ROW = 18.0
QR_SIDE = 84.0


@dataclass(frozen=True, slots=True)
class PrintedSignature:
    """`strokes` as drawn, or none where it was a code or paper; `counts` is false for a signature that has fallen."""

    name: str
    how: str
    when: str
    strokes: Any = ()
    counts: bool = True


@dataclass(frozen=True, slots=True)
class SignedCard:
    title: str
    subtitle: str
    state: str
    headings: tuple[tuple[str, str], ...]
    """Each column's own word, and the side it belongs to ("" for none)."""
    rows: Sequence[Sequence[str]]
    corrected: frozenset[int]
    """Rows (from 0) that are corrections: printed in red."""
    totals: tuple[tuple[str, str], ...]
    signatures: tuple[PrintedSignature, ...]
    digest: str
    address: str


def write_signed(target: IO[bytes], cards: Sequence[SignedCard], *, paper: str = "letter") -> int:
    """Each card on pages of its own; a long one goes on over the page. Says how many pages there are."""
    size = PAPERS[paper]
    canvas = new_canvas(target, size, cards[0].title if cards else "Cards")
    pages = 0
    for card in cards:
        a_page = int((size.height - 360) // ROW)
        parts = [card.rows[i : i + a_page] for i in range(0, len(card.rows), a_page)] or [[]]
        for turn, part in enumerate(parts):
            _draw_page(canvas, size, card, part, first=turn * a_page, last=turn == len(parts) - 1)
            canvas.showPage()
            pages += 1
    canvas.save()
    return pages


def _draw_page(
    canvas: Canvas, size: Paper, card: SignedCard, rows: Sequence[Sequence[str]], *, first: int, last: bool
) -> None:
    words = Words(canvas)
    width = size.width - 2 * MARGIN - QR_SIDE - 12
    words.write_fitted(card.title, (MARGIN, size.height - 56), width, font=SERIF, size=18, most_lines=1)
    words.write_fitted(card.subtitle, (MARGIN, size.height - 76), width, size=10)
    words.write(card.state, (MARGIN, size.height - 98), font=BOLD, size=10)
    draw_qr(canvas, card.address, (size.width - MARGIN - QR_SIDE, size.height - 40 - QR_SIDE), QR_SIDE)
    words.write("Check this card", (size.width - MARGIN, size.height - 52 - QR_SIDE), size=7, align="right")
    bottom = _draw_lines(canvas, words, size, card, rows, first)
    if last:
        _draw_totals(words, size, card, bottom)
        for turn, signature in enumerate(card.signatures):
            x = MARGIN + turn * (size.width - 2 * MARGIN + 14) / 2
            _draw_signature(canvas, words, signature, (x, 118), (size.width - 2 * MARGIN - 14) / 2)
    words.write("SHA-256 of what was signed (RFC 8785):", (MARGIN, 60), size=7)
    words.write(" ".join(card.digest[i : i + 8] for i in range(0, 64, 8)), (MARGIN, 48), font=BOLD, size=8.5)
    words.write_fitted(card.address, (MARGIN, 34), size.width - 2 * MARGIN, size=7, most_lines=1)
    words.draw()


def _draw_lines(
    canvas: Canvas, words: Words, size: Paper, card: SignedCard, rows: Sequence[Sequence[str]], first: int
) -> float:
    edges = _edges(card, size)
    y = size.height - 168
    canvas.setStrokeColor(INK)
    seen = ""
    for (heading, side), (left, right) in zip(card.headings, edges, strict=True):
        if side and side != seen:
            words.write_fitted(side, (left + 3, y + 15), 2 * (right - left) - 8, font=BOLD, size=11, most_lines=1)
        seen = side
        words.write_fitted(heading, (right - 4, y), right - left - 4, size=8, align="right", most_lines=1)
    canvas.line(MARGIN, y - 5, size.width - MARGIN, y - 5)
    canvas.setStrokeColor(RULE)
    for turn, row in enumerate(rows):
        y -= ROW
        red = first + turn in card.corrected
        if red:
            words.text.setFillColor(RED)
        for text, (left, right) in zip(row, edges, strict=True):
            words.write_fitted(text, (right - 4, y), right - left - 6, size=10, align="right", most_lines=1)
        if red:
            words.text.setFillColor(INK)
            canvas.setStrokeColor(RED)
        canvas.line(MARGIN, y - 5, size.width - MARGIN, y - 5)
        canvas.setStrokeColor(RULE)
    return y - 5


def _edges(card: SignedCard, size: Paper) -> list[tuple[float, float]]:
    each = (size.width - 2 * MARGIN) / len(card.headings)
    return [(MARGIN + each * n, MARGIN + each * (n + 1)) for n in range(len(card.headings))]


def _draw_totals(words: Words, size: Paper, card: SignedCard, bottom: float) -> None:
    words.write("Final score", (MARGIN, bottom - 26), font=BOLD, size=11)
    each = (size.width - 2 * MARGIN - 90) / max(1, len(card.totals))
    for turn, (name, total) in enumerate(card.totals):
        x = MARGIN + 90 + turn * each
        words.write(total, (x + 44, bottom - 28), font=BOLD, size=18, align="right")
        words.write_fitted(name, (x + 52, bottom - 26), each - 56, size=10, most_lines=1)


def _draw_signature(
    canvas: Canvas, words: Words, signature: PrintedSignature, at: tuple[float, float], width: float
) -> None:
    x, y = at
    canvas.setStrokeColor(FELT if signature.counts else SLATE)
    canvas.setLineWidth(1.2)
    strokes = [[point for point in stroke if len(point) > 1] for stroke in signature.strokes or ()]
    scale = min(width / PAD_WIDTH, 56 / 300)
    for stroke in strokes:
        path = canvas.beginPath()
        for turn, point in enumerate(stroke):
            (path.lineTo if turn else path.moveTo)(x + point[0] * scale, y + 60 - point[1] * scale)
        canvas.drawPath(path)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.6)
    canvas.line(x, y - 2, x + width, y - 2)
    words.write_fitted(signature.name, (x, y - 14), width, font=BOLD, size=10, most_lines=1)
    fallen = "" if signature.counts else " · no longer counts: the card was changed"
    words.write_fitted(
        f"{signature.how} · {signature.when}{fallen}", (x, y - 26), width, font=SANS, size=8, most_lines=1
    )
