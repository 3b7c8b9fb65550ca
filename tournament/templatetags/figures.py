"""The geometry of the site's small drawings, as plain numbers and without Django.

Coordinates are SVG user units, measured from the top left corner.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, isfinite
from typing import Any, NamedTuple

from tournament.core.services.strokes import SIGNATURE_PAD_WIDTH


class _Point(NamedTuple):
    x: float
    y: float


# --- Running scores ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ChartLine:
    """A side's running total in a chart.

    `index` selects its color and stroke, and `label_y` is its label's position.
    """

    index: int
    name: str
    points: tuple[_Point, ...]
    total: int
    label_y: float

    @property
    def path(self) -> str:
        return " ".join(f"{p.x:g},{p.y:g}" for p in self.points)

    @property
    def end(self) -> _Point:
        return self.points[-1]


@dataclass(frozen=True, slots=True)
class _ChartFrame:
    """A chart's drawing area and scale."""

    hands: int
    low: int
    high: int
    width: float = 360
    height: float = 220
    left: float = 40
    right: float = 316
    top: float = 14
    bottom: float = 190

    def x(self, hand: int) -> float:
        return round(self.left + (self.right - self.left) * hand / max(self.hands, 1), 1)

    def y(self, score: float) -> float:
        share = (score - self.low) / max(self.high - self.low, 1)
        return round(self.bottom - (self.bottom - self.top) * share, 1)


def running_totals_chart(
    names: Sequence[str], running: Sequence[Sequence[int]], target: int | None = None
) -> dict[str, Any]:
    """Return the context for `components/running_totals_chart.html` with each side's running total.

    `running` has a row for each hand, with each side's total.
    """
    totals = [(0,) * len(names), *(tuple(row) for row in running)]
    scores = [score for row in totals for score in row]
    frame = _ChartFrame(len(running), min(scores, default=0), max([*scores, target or 0, 1]))
    columns = [[row[index] for row in totals] for index in range(len(names))]
    ends = _move_labels_apart([frame.y(column[-1]) for column in columns], gap=18)
    lines = [
        _ChartLine(i, name, tuple(_Point(frame.x(h), frame.y(s)) for h, s in enumerate(column)), column[-1], end)
        for i, (name, column, end) in enumerate(zip(names, columns, ends, strict=True))
    ]
    hand_step = max(1, ceil(frame.hands / 8))
    return {
        "width": frame.width,
        "height": frame.height,
        "left": frame.left,
        "right": frame.right,
        "bottom": frame.bottom,
        "lines": lines,
        "rows": [{"hand": number, "totals": row} for number, row in enumerate(running, start=1)],
        "scores": [{"at": frame.y(score), "label": score} for score in _choose_round_numbers(frame.low, frame.high)],
        "hands": [{"at": frame.x(hand), "label": hand} for hand in range(hand_step, frame.hands + 1, hand_step)],
        "target": target,
        "target_y": None if target is None else frame.y(target),
    }


def _choose_round_numbers(low: int, high: int) -> list[int]:
    """Return about four round numbers from low to high, as labels for a chart's axis."""
    step = next((s for s in (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000) if (high - low) / s <= 5), None)
    step = step or ceil((high - low) / 5000) * 1000
    return list(range(ceil(low / step) * step, high + 1, step))


def _move_labels_apart(heights: Sequence[float], gap: float) -> list[float]:
    """Return the vertical positions of the labels, moved down where two labels would overlap."""
    placed = list(heights)
    order = sorted(range(len(placed)), key=lambda index: heights[index])
    for above, below in pairwise(order):
        placed[below] = max(placed[below], placed[above] + gap)
    return placed


# --- Shares of one whole -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BarSegment:
    index: int
    cents: int
    start: float
    width: float

    is_share: bool = True

    @property
    def percent(self) -> float | None:
        """The percentage of the whole, or None if any part is negative."""
        return self.width if self.is_share else None


def make_bar_segments(parts: Sequence[int]) -> tuple[BarSegment, ...]:
    """Return the segments of a bar, with start and width in percent of the bar. A negative part has no width.

    >>> [(s.start, s.width) for s in make_bar_segments([8200, 1800])]
    [(0.0, 82.0), (82.0, 18.0)]
    """
    widths = [max(0, cents) for cents in parts]
    whole, are_shares = sum(widths), min(parts, default=0) >= 0
    shares: list[BarSegment] = []
    total = 0
    for index, (cents, width) in enumerate(zip(parts, widths, strict=True)):
        start = 100 * total / whole if whole else 0.0
        total += width
        end = 100 * total / whole if whole else 0.0
        shares.append(BarSegment(index, cents, round(start, 2), round(end - start, 2), are_shares))
    return tuple(shares)


# --- Drawn signatures ----------------------------------------------------------------------------------------------


def signature_drawing(strokes: Any, margin: float = 24) -> dict[str, Any] | None:
    """Return the view box and SVG paths of a signature that was drawn on a screen.

    A stroke is a list of points [x, y] or [x, y, milliseconds].

    If the drawing is empty, the result is None. The points come from a browser, so any point without two valid
    coordinates is left out.

    >>> signature_drawing([[[100, 100], [200, 150]]])["paths"]
    ['M100 100 L200 150']
    """
    drawn = [points for points in map(_read_points, _to_list(strokes)) if points]
    if not drawn:
        return None
    xs = [p.x for points in drawn for p in points]
    ys = [p.y for points in drawn for p in points]
    # The box has a minimum size, so that a dot or a flat line is not enlarged to fill the page.
    width = max(max(xs) - min(xs), SIGNATURE_PAD_WIDTH / 3) + 2 * margin
    height = max(max(ys) - min(ys), SIGNATURE_PAD_WIDTH / 8) + 2 * margin
    view_box = f"{min(xs) - margin:g} {min(ys) - margin:g} {width:g} {height:g}"
    return {"view_box": view_box, "paths": [_make_smooth_path(points) for points in drawn]}


def _to_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _read_points(stroke: Any) -> list[_Point]:
    return [_Point(round(p[0], 1), round(p[1], 1)) for p in _to_list(stroke) if _is_point(p)]


def _is_point(value: Any) -> bool:
    pair = value[:2] if isinstance(value, list | tuple) else []
    numbers = [n for n in pair if isinstance(n, int | float) and not isinstance(n, bool)]
    return len(numbers) == 2 and all(abs(n) <= 100 * SIGNATURE_PAD_WIDTH and isfinite(n) for n in numbers)


def _make_smooth_path(points: Sequence[_Point]) -> str:
    """Return a smooth path through the midpoints, with the points themselves as control points."""
    first, *rest = points
    if not rest:
        return f"M{first.x:g} {first.y:g} h0.1"
    if len(rest) == 1:
        return f"M{first.x:g} {first.y:g} L{rest[0].x:g} {rest[0].y:g}"
    return f"M{first.x:g} {first.y:g} {' '.join(_iter_curves(rest))} L{rest[-1].x:g} {rest[-1].y:g}"


def _iter_curves(points: Iterable[_Point]) -> Iterable[str]:
    for here, there in pairwise(points):
        middle = _Point(round((here.x + there.x) / 2, 1), round((here.y + there.y) / 2, 1))
        yield f"Q{here.x:g} {here.y:g} {middle.x:g} {middle.y:g}"
