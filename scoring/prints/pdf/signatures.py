"""Signatures on paper: a line to sign on, or the drawn strokes with the name, method and time."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from reportlab.pdfgen.canvas import Canvas

from tournament.core.pdf.paper import BOLD, FELT, INK, SANS, SLATE, Words, draw_strokes


@dataclass(frozen=True, slots=True)
class PrintedSignature:
    """A signature on paper. Without `how` it is a line that still has to be signed.

    `strokes` are empty for a signature by code or on paper. `counts` is False for a signature that is no longer valid.
    """

    name: str
    how: str = ""
    when: str = ""
    strokes: Any = ()
    counts: bool = True


def draw_signature(
    canvas: Canvas, words: Words, signature: PrintedSignature, at: tuple[float, float], width: float, *, height: float
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
    said = f"{signature.how} · {signature.when}"
    if not signature.counts:
        said = f"{said} · {_('no longer counts: the card was changed')}"
    words.write_fitted(said, (x, y - 22), width, font=SANS, size=8, most_lines=1)
