"""Draw a finger signature on paper."""

from typing import Any

from reportlab.pdfgen.canvas import Canvas

from tournament.core.services.strokes import PAD_WIDTH


def placed_strokes(
    strokes: Any, at: tuple[float, float], width: float, height: float
) -> list[list[tuple[float, float]]]:
    """Return the strokes in points on paper, cropped to the drawing.

    They start on the line at `at` and fit into `width` and `height`. Pads differ in height, so only the drawing itself
    tells how much room it takes.
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


def draw_strokes(canvas: Canvas, strokes: Any, at: tuple[float, float], width: float, height: float) -> None:
    """Draw the strokes on the line at `at`, in the canvas's current color and line width."""
    for stroke in placed_strokes(strokes, at, width, height):
        path = canvas.beginPath()
        for turn, point in enumerate(stroke):
            (path.lineTo if turn else path.moveTo)(*point)
        canvas.drawPath(path)
