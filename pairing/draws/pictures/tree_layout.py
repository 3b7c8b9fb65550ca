"""What the pictures of trees of matches have in common: on which line each match stands, and what joins them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pairing.draws.knockout.bracket import WinnerOf
from pairing.draws.knockout.elimination import AnyMatch
from pairing.draws.pictures.layout import AnySource, Box, Connector, Measures, Point, middles_by_rows


def middles_of(matches: Sequence[AnyMatch], sizes: Measures) -> dict[str, float]:
    """The y of the middle of each match; whoever comes from outside has a row, and so has a match between two such."""
    by_id = {match.id: match for match in matches}
    fed = {side.match for match in matches for side in match.sides if isinstance(side, WinnerOf)}
    coming: list[AnySource] = [WinnerOf(match.id) for match in reversed(matches) if match.id not in fed]
    row_of: dict[AnySource, int] = {}
    while coming:
        source = coming.pop()
        if isinstance(source, WinnerOf) and source.match in by_id:
            coming += reversed(by_id[source.match].sides)
        else:
            row_of[source] = len(row_of)
    return middles_by_rows(matches, row_of, sizes)


def connect(matches: Iterable[AnyMatch], boxes: Mapping[str, Box], sizes: Measures) -> tuple[Connector, ...]:
    """A line from each match to where its winner goes on; it bends in the gap before that box."""
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
