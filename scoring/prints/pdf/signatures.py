"""Signatures on paper: a line to sign on, or the strokes as they were drawn, with who, how and when."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from reportlab.pdfgen.canvas import Canvas

from tournament.core.pdf.paper import BOLD, FELT, INK, SANS, SLATE, Words
from tournament.templatetags.figures import PAD_WIDTH


@dataclass(frozen=True, slots=True)
class PrintedSignature:
    """`strokes` as drawn, or none where it was a code or paper; `counts` is false for a signature that has fallen.

    Without `how` it is a line still to be signed on.
    """

    name: str
    how: str = ""
    when: str = ""
    strokes: Any = ()
    counts: bool = True


def placed_strokes(
    strokes: Any, at: tuple[float, float], width: float, height: float
) -> list[list[tuple[float, float]]]:
    """Where the strokes stand on paper: cut to what was drawn on, on the line at `at` and within `height` above it.

    Pads are of different heights, so only what was drawn says how much room it takes.
    """
    drawn = [[point for point in stroke if len(point) > 1] for stroke in strokes or ()]
    points = [point for stroke in drawn for point in stroke]
    if not points:
        return []
    left, bottom = min(point[0] for point in points), max(point[1] for point in points)
    wide = max(max(point[0] for point in points) - left, PAD_WIDTH / 3)
    high = max(bottom - min(point[1] for point in points), PAD_WIDTH / 8)
    scale = min(width / wide, height / high)
    x, y = at
    return [[(x + (point[0] - left) * scale, y + (bottom - point[1]) * scale) for point in stroke] for stroke in drawn]


def draw_signature(
    canvas: Canvas, words: Words, signature: PrintedSignature, at: tuple[float, float], width: float, *, height: float
) -> None:
    """The line at `at`, the strokes above it within `height`, the name under it."""
    x, y = at
    canvas.setStrokeColor(FELT if signature.counts else SLATE)
    canvas.setLineWidth(1.2)
    for stroke in placed_strokes(signature.strokes, at, width, height):
        path = canvas.beginPath()
        for turn, point in enumerate(stroke):
            (path.lineTo if turn else path.moveTo)(*point)
        canvas.drawPath(path)
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
