"""Lay out the boxes and lines of a bracket, in one way for the screen (SVG) and for paper (PDF).

Units are those of the measures. x grows to the right and y downwards from the top left corner. Byes take no room:
every entry has one row, and a box is halfway between the two sides it comes from.
"""

from dataclasses import dataclass
from typing import NamedTuple

from pairing.draws.knockout.bracket import Bracket, BracketMatch, DrawnSide, WinnerOf
from pairing.draws.knockout.double_bracket import DoubleMatch, Part


@dataclass(frozen=True, slots=True)
class Measures:
    """The sizes of a picture. With `two_sided`, both halves grow towards a final in the middle, as on posters."""

    box_width: float = 180.0
    box_height: float = 44.0
    column_gap: float = 32.0
    row_gap: float = 8.0
    header_height: float = 28.0
    two_sided: bool = False

    @property
    def row(self) -> float:
        """The height of one entry. Two of them make room for a box and the gap below it."""
        return (self.box_height + self.row_gap) / 2

    @property
    def column(self) -> float:
        return self.box_width + self.column_gap


class Point(NamedTuple):
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Box:
    """The box of a match. `flows_left` marks the right half of a two-sided picture, where lines leave to the left."""

    match: str
    round: int
    x: float
    y: float
    width: float
    height: float
    flows_left: bool = False

    def side_middle(self, side: int) -> float:
        """Return the y of the upper (0) or lower (1) of its two names."""
        return self.y + self.height * (1 + 2 * side) / 4


@dataclass(frozen=True, slots=True)
class Connector:
    """The line on which the winner of one match goes to a side of the next."""

    winner_of: str
    match: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """The head of a column, which holds the boxes of one round, and in a double elimination of one part."""

    round: int
    x: float
    width: float
    height: float
    y: float = 0.0
    part: Part | None = None


@dataclass(frozen=True)
class Layout:
    width: float
    height: float
    boxes: tuple[Box, ...]
    connectors: tuple[Connector, ...]
    headers: tuple[Header, ...]

    def __hash__(self) -> int:
        return hash((self.width, self.height, len(self.boxes)))  # hashing all the boxes would be slow


def lay_out(bracket: Bracket, measures: Measures | None = None) -> Layout:
    """Return the picture of a bracket: boxes in the order of its matches, connectors, and the heads of the columns.

    >>> from pairing.draws.knockout.bracket import make_bracket
    >>> picture = lay_out(make_bracket((4, None, 1, 3)), Measures(100, 40, 20, 10, 0))
    >>> [(box.match, box.x, box.y) for box in picture.boxes]
    [('R1M1', 0, 30.0), ('R2M1', 120, 11.25)]
    """
    sizes = measures or Measures()
    middles = _middles(bracket, sizes)
    # In a two-sided picture, a final whose halves have one row each would extend above the top edge.
    above = min(middle - sizes.box_height / 2 for middle in middles.values())
    top = sizes.header_height - min(above, 0.0)
    right_half = _right_half(bracket) if sizes.two_sided else frozenset()
    boxes = []
    for match in bracket.matches:
        flows_left = match.id in right_half
        column = 2 * bracket.rounds - 1 - match.round if flows_left else match.round - 1
        boxes.append(box_of(match, column, top + middles[match.id], sizes, flows_left=flows_left))
    by_match = {box.match: box for box in boxes}
    connectors = tuple(
        _connector(by_match[side.match], by_match[match.id], position)
        for match in bracket.matches
        for position, side in enumerate(match.sides)
        if isinstance(side, WinnerOf)
    )
    columns = {box.x: box.round for box in boxes}
    headers = tuple(Header(columns[x], x, sizes.box_width, sizes.header_height) for x in sorted(columns))
    count = 2 * bracket.rounds - 1 if sizes.two_sided else bracket.rounds
    height = max(box.y + box.height for box in boxes) + sizes.row_gap
    return Layout(count * sizes.column - sizes.column_gap, height, tuple(boxes), connectors, headers)


def _middles(bracket: Bracket, sizes: Measures) -> dict[str, float]:
    """Return the y of the middle of each match, from the upper edge of the first row."""
    half = len(bracket.places) // 2
    parts = (bracket.places[:half], bracket.places[half:]) if sizes.two_sided else (bracket.places,)
    row_of = {entry: row for part in parts for row, entry in enumerate(entry for entry in part if entry is not None)}
    middles: dict[str, float] = {}
    for match in bracket.matches:
        upper, lower = (
            (row_of[side.number] + 0.5) * sizes.row if isinstance(side, DrawnSide) else middles[side.match]
            for side in match.sides
        )
        middles[match.id] = (upper + lower) / 2
    return middles


def _right_half(bracket: Bracket) -> frozenset[str]:
    """Return the matches that lead to the lower side of the final."""
    found: set[str] = set()
    coming = [bracket.final.sides[1]]
    while coming:
        side = coming.pop()
        if isinstance(side, WinnerOf):
            found.add(side.match)
            coming.extend(bracket.by_id[side.match].sides)
    return frozenset(found)


def box_of(
    match: BracketMatch | DoubleMatch, column: int, middle: float, sizes: Measures, *, flows_left: bool = False
) -> Box:
    """Return the box of a match in a column, counted from 0, around the y of its middle."""
    x, y = column * sizes.column, middle - sizes.box_height / 2
    return Box(match.id, match.round, x, y, sizes.box_width, sizes.box_height, flows_left)


def _connector(earlier: Box, later: Box, side: int) -> Connector:
    start = Point(earlier.x + (0.0 if earlier.flows_left else earlier.width), earlier.y + earlier.height / 2)
    end = Point(later.x + (later.width if earlier.flows_left else 0.0), later.side_middle(side))
    middle = (start.x + end.x) / 2
    return Connector(earlier.match, later.match, (start, Point(middle, start.y), Point(middle, end.y), end))
