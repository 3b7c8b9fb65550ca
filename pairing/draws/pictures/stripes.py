"""The patterns by which a state is told without colour, for the screen and for paper alike."""

FOOT = 5.0
"""The height of the striped foot under a match that is being played."""
INSET = 3.0
"""How far inside the edge of a corrected match its second line runs."""


def stripes(
    x: float, y: float, width: float, height: float, *, step: float
) -> tuple[tuple[float, float, float, float], ...]:
    """Lines rising to the right at 45°, a step apart, cut off at the edges of the box: (x, y, to x, to y) of each.

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
