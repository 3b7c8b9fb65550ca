"""The patterns that show a state without color, for the screen and for paper alike."""

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
