"""Validate signatures drawn with a finger (`static/js/signature.js`): lists of [x, y, milliseconds]."""

from typing import Any, Final

from tournament.errors import DomainError

SIGNATURE_PAD_WIDTH: Final = 1000
"""The pad's width in coordinate units. The units are the same in both directions."""
MAX_STROKES: Final = 200
MAX_STROKE_POINTS: Final = 5000
MIN_STROKE_POINTS: Final = 5
"""The minimum number of points in a signature. An accidental tap produces fewer."""

Strokes = list[list[list[float]]]


def parse_signature_strokes(value: Any, message: str) -> Strokes:
    """Return the strokes with rounded coordinates.

    Raises:
        DomainError: `no-signature`, with the given message, if the pad is empty or the value is not a drawing.
    """
    if not _is_drawing(value):
        raise DomainError("no-signature", message)
    return [[[round(number, 1) for number in point] for point in stroke] for stroke in value]


def _is_drawing(value: Any) -> bool:
    if not isinstance(value, list) or not 0 < len(value) <= MAX_STROKES:
        return False
    if not all(isinstance(stroke, list) and all(_is_point(point) for point in stroke) for stroke in value):
        return False
    return MIN_STROKE_POINTS <= sum(len(stroke) for stroke in value) <= MAX_STROKE_POINTS


def _is_point(point: Any) -> bool:
    is_triple = isinstance(point, list) and len(point) == 3
    return is_triple and all(type(number) in (int, float) and abs(number) < 10**9 for number in point)
