"""Code that the pictures of match trees share: the row of each match, and the lines that join them."""

from collections.abc import Iterable, Mapping, Sequence

from pairing.draws.knockout.bracket import BracketMatch, DrawnSide, Source, WinnerOf
from pairing.draws.knockout.double_bracket import DoubleMatch, DoubleSource
from pairing.draws.pictures.layout import Box, Connector, Measures, Point


def middles_of(matches: Sequence[BracketMatch | DoubleMatch], sizes: Measures) -> dict[str, float]:
    """Return the y of the middle of each match.

    A side that comes from outside has a row of its own.
    """
    by_id = {match.id: match for match in matches}
    fed = {side.match for match in matches for side in match.sides if isinstance(side, WinnerOf)}
    coming: list[Source | DoubleSource] = [WinnerOf(match.id) for match in reversed(matches) if match.id not in fed]
    row_of: dict[Source | DoubleSource, int] = {}
    while coming:
        source = coming.pop()
        if isinstance(source, WinnerOf) and source.match in by_id:
            coming += reversed(by_id[source.match].sides)
        else:
            row_of[source] = len(row_of)
    middles: dict[str, float] = {}
    for match in matches:
        upper, lower = (
            (row_of[side] + 0.5) * sizes.row if side in row_of else middles[_match_before(side)] for side in match.sides
        )
        middles[match.id] = (upper + lower) / 2
    return middles


def _match_before(side: Source | DoubleSource) -> str:
    if isinstance(side, DrawnSide):
        raise LookupError("an entry comes from no match")
    return side.match


def connect(
    matches: Iterable[BracketMatch | DoubleMatch], boxes: Mapping[str, Box], sizes: Measures
) -> tuple[Connector, ...]:
    """Return a line from each match to the box its winner advances to. The line bends in the gap before that box."""
    found = []
    for match in matches:
        for position, side in enumerate(match.sides):
            if not isinstance(side, WinnerOf) or side.match not in boxes:
                continue
            earlier, later = boxes[side.match], boxes[match.id]
            start = Point(earlier.x + earlier.width, earlier.y + earlier.height / 2)
            end = Point(later.x, later.side_middle(position))
            bend = end.x - sizes.column_gap / 2
            points = (start, Point(bend, start.y), Point(bend, end.y), end)
            found.append(Connector(side.match, match.id, points))
    return tuple(found)
