"""Cut a bracket into sheets of paper between its boxes, and draw patterns that show a state without color.

Neighboring sheets share a strip for the glue. Lengths are points from the upper left corner of the bracket, downwards.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

OVERLAP: Final = 14.0
"""The width that two neighboring sheets both print, half of it on each side of the cut."""

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Tile:
    """One sheet: the part of the bracket from cut to cut. `column` and `row` count from 0."""

    column: int
    row: int
    across: Span
    down: Span

    @property
    def name(self) -> str:
        """The name of the sheet: “B3” is the third sheet from the top in the second column."""
        return f"{chr(ord('A') + self.column)}{self.row + 1}"


@dataclass(frozen=True, slots=True)
class OnPaper:
    """Something drawn on the paper. If `whole` is true, it is never cut."""

    across: Span
    down: Span
    whole: bool = False


def tiles_of(size: Span, room: Span, drawn: Sequence[OnPaper]) -> tuple[Tile, ...]:
    """Return the sheets of size `room` for a bracket of this `size`, column by column. Empty sheets are left out.

    A box of a late round is at a height between boxes of the rounds before, so each column of sheets has its own cuts.

    >>> boxes = [OnPaper((0, 50), (0, 40), whole=True), OnPaper((0, 50), (50, 100), whole=True)]
    >>> [(tile.name, tile.down) for tile in tiles_of((60, 100), (74, 74), boxes)]
    [('A1', (0.0, 50)), ('A2', (50, 100))]
    """
    return tuple(_cut_into_tiles(size, room, drawn))


def _cut_into_tiles(size: Span, room: Span, drawn: Sequence[OnPaper]) -> Iterator[Tile]:
    for column, across in enumerate(cuts(size[0], room[0], [each.across for each in drawn if each.whole])):
        inside = [each for each in drawn if _overlap(across, each.across)]
        for row, down in enumerate(cuts(size[1], room[1], [each.down for each in inside if each.whole])):
            if any(_overlap(down, each.down) for each in inside):
                yield Tile(column, row, across, down)


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def cuts(whole: float, room: float, kept: Sequence[Span]) -> list[Span]:
    """Cut the range from 0 to `whole` into parts that fit in `room` with their glue, without cutting a span of `kept`.

    >>> cuts(100, 74, [(0, 40), (50, 100)])
    [(0.0, 50), (50, 100)]
    """
    least = room - OVERLAP
    parts, start = [], 0.0
    while whole - start > least:
        free = [
            end
            for span in kept
            for end in span
            if start < end <= start + least and not any(low < end < high for low, high in kept)
        ]
        end = max(free, default=start + least)
        parts.append((start, end))
        start = end
    return [*parts, (start, whole)]


# --- Patterns --------------------------------------------------------------------------------------------------------
# The patterns show a state without color, for the screen and for paper alike.

FOOT = 5.0
"""The height of the striped foot under a match that is being played."""
INSET = 3.0
"""The distance of the second line of a corrected match from its edge."""


def stripes(
    x: float, y: float, width: float, height: float, *, step: float
) -> tuple[tuple[float, float, float, float], ...]:
    """Return parallel lines that rise to the right at 45°, clipped to the box. Each is (x, y, to x, to y).

    >>> stripes(0, 0, 4, 2, step=2)
    ((0, 2, 2, 0), (2, 2, 4, 0))
    """
    lines = []
    foot = step * -(-height // step) * -1 + step
    while foot < width:
        begin, end = max(foot, 0), min(foot + height, width)
        if begin < end:
            lines.append((x + begin, y + height - (begin - foot), x + end, y + height - (end - foot)))
        foot += step
    return tuple(lines)
