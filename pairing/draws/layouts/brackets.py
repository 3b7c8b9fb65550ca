"""Compute the positions of a bracket's boxes and lines, for both the screen (SVG) and paper (PDF).

Positions are in the same unit as the given dimensions. The origin is the top left corner, and y grows downward. Byes
take up no space: every entry has a row, and a box is halfway between the two sides that feed it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

from pairing.draws.knockout.bracket import (
    Bracket,
    BracketMatch,
    BracketPart,
    DrawnSide,
    SideSource,
    WinnerOf,
    make_bracket,
)


@dataclass(frozen=True, slots=True)
class BracketDimensions:
    """The dimensions of a bracket drawing.

    If `two_sided`, both halves grow toward a final in the middle, as on posters.
    """

    box_width: float = 180.0
    box_height: float = 44.0
    column_gap: float = 32.0
    row_gap: float = 8.0
    header_height: float = 28.0
    two_sided: bool = False

    @property
    def row_height(self) -> float:
        """The height of an entry's row."""
        return (self.box_height + self.row_gap) / 2

    @property
    def column_width(self) -> float:
        return self.box_width + self.column_gap


class _Point(NamedTuple):
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class MatchBox:
    """The box of a match. If `flows_left`, its line leaves to the left, as in the right half of a two-sided drawing."""

    match: str
    round: int
    x: float
    y: float
    width: float
    height: float
    flows_left: bool = False

    def compute_name_y(self, side: int) -> float:
        """Return the y coordinate of the center of the upper name (side 0) or the lower name (side 1)."""
        return self.y + self.height * (1 + 2 * side) / 4


@dataclass(frozen=True, slots=True)
class _Connector:
    """The line from a match to the next match of its winner."""

    winner_of: str
    match: str
    points: tuple[_Point, ...]


@dataclass(frozen=True, slots=True)
class _Header:
    """A column's header. A column has the boxes of one round and, in a double elimination, of one part."""

    round: int
    x: float
    width: float
    height: float
    y: float = 0.0
    part: BracketPart | None = None


@dataclass(frozen=True)
class BracketLayout:
    width: float
    height: float
    boxes: tuple[MatchBox, ...]
    connectors: tuple[_Connector, ...]
    headers: tuple[_Header, ...]

    def __hash__(self) -> int:
        return hash((self.width, self.height, len(self.boxes)))  # hashing all the boxes would be slow


def _lay_out_single(bracket: Bracket, measures: BracketDimensions | None = None) -> BracketLayout:
    sizes = measures or BracketDimensions()
    middles = _compute_row_centers(bracket, sizes)
    # In a two-sided picture, a final whose halves have one row each would extend above the top edge.
    above = min(middle - sizes.box_height / 2 for middle in middles.values())
    top = sizes.header_height - min(above, 0.0)
    right_half = _find_right_half(bracket) if sizes.two_sided else frozenset()
    boxes = []
    for match in bracket.matches:
        flows_left = match.id in right_half
        column = 2 * bracket.count_rounds() - 1 - match.round if flows_left else match.round - 1
        boxes.append(_make_box(match, column, top + middles[match.id], sizes, flows_left=flows_left))
    by_match = {box.match: box for box in boxes}
    connectors = tuple(
        _make_connector(by_match[side.match], by_match[match.id], position)
        for match in bracket.matches
        for position, side in enumerate(match.sides)
        if isinstance(side, WinnerOf)
    )
    columns = {box.x: box.round for box in boxes}
    headers = tuple(_Header(columns[x], x, sizes.box_width, sizes.header_height) for x in sorted(columns))
    count = 2 * bracket.count_rounds() - 1 if sizes.two_sided else bracket.count_rounds()
    height = max(box.y + box.height for box in boxes) + sizes.row_gap
    return BracketLayout(count * sizes.column_width - sizes.column_gap, height, tuple(boxes), connectors, headers)


def _compute_row_centers(bracket: Bracket, sizes: BracketDimensions) -> dict[str, float]:
    """Return the y coordinate of each match's center, measured from the top of the first row."""
    half = len(bracket.places) // 2
    parts = (bracket.places[:half], bracket.places[half:]) if sizes.two_sided else (bracket.places,)
    row_of = {entry: row for part in parts for row, entry in enumerate(entry for entry in part if entry is not None)}
    middles: dict[str, float] = {}
    for match in bracket.matches:
        upper, lower = (
            (row_of[side.number] + 0.5) * sizes.row_height if isinstance(side, DrawnSide) else middles[side.match]
            for side in match.sides
        )
        middles[match.id] = (upper + lower) / 2
    return middles


def _find_right_half(bracket: Bracket) -> frozenset[str]:
    found: set[str] = set()
    coming = [bracket.final_match.sides[1]]
    while coming:
        side = coming.pop()
        if isinstance(side, WinnerOf):
            found.add(side.match)
            coming.extend(bracket.matches_by_id[side.match].sides)
    return frozenset(found)


def _make_box(
    match: BracketMatch, column: int, middle: float, sizes: BracketDimensions, *, flows_left: bool = False
) -> MatchBox:
    """Return a match's box, given its column (counted from 0) and the y coordinate of its center."""
    x, y = column * sizes.column_width, middle - sizes.box_height / 2
    return MatchBox(match.id, match.round, x, y, sizes.box_width, sizes.box_height, flows_left)


def _make_connector(earlier: MatchBox, later: MatchBox, side: int) -> _Connector:
    start = _Point(earlier.x + (0.0 if earlier.flows_left else earlier.width), earlier.y + earlier.height / 2)
    end = _Point(later.x + (later.width if earlier.flows_left else 0.0), later.compute_name_y(side))
    middle = (start.x + end.x) / 2
    return _Connector(earlier.match, later.match, (start, _Point(middle, start.y), _Point(middle, end.y), end))


# --- Trees of matches ------------------------------------------------------------------------------------------------
# Pictures of a double elimination and of a section share their rows and lines.


def _compute_tree_centers(matches: Sequence[BracketMatch], sizes: BracketDimensions) -> dict[str, float]:
    """Return the y coordinate of each match's center.

    A side that is not fed by one of these matches has its own row.
    """
    by_id = {match.id: match for match in matches}
    fed = {side.match for match in matches for side in match.sides if isinstance(side, WinnerOf)}
    coming: list[SideSource] = [WinnerOf(match.id) for match in reversed(matches) if match.id not in fed]
    row_of: dict[SideSource, int] = {}
    while coming:
        source = coming.pop()
        if isinstance(source, WinnerOf) and source.match in by_id:
            coming += reversed(by_id[source.match].sides)
        else:
            row_of[source] = len(row_of)
    middles: dict[str, float] = {}
    for match in matches:
        upper, lower = (
            (row_of[side] + 0.5) * sizes.row_height if side in row_of else middles[_get_source_match(side)]
            for side in match.sides
        )
        middles[match.id] = (upper + lower) / 2
    return middles


def _get_source_match(side: SideSource) -> str:
    if isinstance(side, DrawnSide):
        raise LookupError("an entry comes from no match")
    return side.match


def _make_connectors(
    matches: Iterable[BracketMatch], boxes: Mapping[str, MatchBox], sizes: BracketDimensions
) -> tuple[_Connector, ...]:
    """Return a line from each match to the box of its winner's next match.

    The line bends in the gap before that box.
    """
    found = []
    for match in matches:
        for position, side in enumerate(match.sides):
            if not isinstance(side, WinnerOf) or side.match not in boxes:
                continue
            earlier, later = boxes[side.match], boxes[match.id]
            start = _Point(earlier.x + earlier.width, earlier.y + earlier.height / 2)
            end = _Point(later.x, later.compute_name_y(position))
            bend = end.x - sizes.column_gap / 2
            points = (start, _Point(bend, start.y), _Point(bend, end.y), end)
            found.append(_Connector(side.match, match.id, points))
    return tuple(found)


# --- Double elimination ----------------------------------------------------------------------------------------------

_Boxes = dict[str, MatchBox]


def _lay_out_double(bracket: Bracket, measures: BracketDimensions | None = None) -> BracketLayout:
    sizes = replace(measures or BracketDimensions(), two_sided=False)
    above = _lay_out_single(make_bracket(bracket.places), sizes)
    boxes: _Boxes = {}
    for box in above.boxes:
        name = f"W{box.match.removeprefix('R')}"
        boxes[name] = replace(box, match=name)
    losers = [match for match in bracket.matches if match.part is BracketPart.LOSERS]
    top = above.height + (sizes.header_height if losers else 0.0)
    middles = _compute_tree_centers(losers, sizes)
    for match in losers:
        boxes[match.id] = _make_box(match, match.round - 1, top + middles[match.id], sizes)
    columns = max(box.round for box in boxes.values())
    fed = [boxes[side.match] for side in bracket.final_match.sides if not isinstance(side, DrawnSide)]
    middle = sum(box.y + box.height / 2 for box in fed) / len(fed)
    for column, match in enumerate((bracket.final_match, bracket.reset_match), start=columns):
        boxes[match.id] = _make_box(match, column, middle, sizes)
    width = (columns + 2) * sizes.column_width - sizes.column_gap
    height = max(box.y + box.height for box in boxes.values()) + sizes.row_gap
    ordered = tuple(boxes[match.id] for match in bracket.matches)
    return BracketLayout(
        width,
        height,
        ordered,
        _make_connectors(bracket.matches, boxes, sizes),
        _make_headers(bracket, boxes, sizes, top),
    )


def _make_headers(bracket: Bracket, boxes: _Boxes, sizes: BracketDimensions, top: float) -> tuple[_Header, ...]:
    columns = {(match.part, match.round): boxes[match.id].x for match in bracket.matches}
    above: dict[BracketPart | None, float] = {
        BracketPart.WINNERS: 0.0,
        BracketPart.LOSERS: top - sizes.header_height,
        BracketPart.FINAL: boxes[bracket.final_match.id].y - sizes.header_height,
    }
    return tuple(
        _Header(round=number, x=x, width=sizes.box_width, height=sizes.header_height, y=above[part], part=part)
        for (part, number), x in columns.items()
    )


@lru_cache(maxsize=32)
def lay_out_bracket(bracket: Bracket, measures: BracketDimensions | None = None) -> BracketLayout:
    """Return the layout of a bracket: boxes in the order of its matches, connectors, and headers.

    `two_sided` has no effect on a double elimination.

    >>> from pairing.draws.knockout.bracket import make_double_elimination_bracket
    >>> [head.part for head in lay_out_bracket(make_double_elimination_bracket((4, 2))).headers]
    [<BracketPart.WINNERS: 'winners'>, <BracketPart.FINAL: 'final'>, <BracketPart.FINAL: 'final'>]
    """
    if bracket.is_double:
        return _lay_out_double(bracket, measures)
    return _lay_out_single(bracket, measures)


# --- Sections --------------------------------------------------------------------------------------------------------
# A section can be read from a distance. The parts of the tree come first, then the rounds that join them.

_MIN_LAST_ROUNDS = 3
"""The minimum number of rounds in the last section, which therefore begins with the quarterfinals or earlier."""


@dataclass(frozen=True, slots=True)
class BracketSection:
    """A section of a bracket, drawn separately. It never spans several parts of a double elimination.

    `number` is the number of the section within its part, from 1 to `count`.
    """

    part: BracketPart | None
    number: int
    count: int
    matches: tuple[BracketMatch, ...]


def split_into_sections(bracket: Bracket, *, most_rows: int = 8) -> tuple[BracketSection, ...]:
    """Split the bracket into sections that are readable from afar.

    Each round of a section has at most `most_rows` matches, or at most four if `most_rows` is less than four. The last
    section has the rounds in which the winners of the other sections meet. Its first round is the quarterfinals or an
    earlier round.

    >>> for section in split_into_sections(make_bracket(range(1, 33))):
    ...     print(section.number, len(section.matches), section.matches[0].id, section.matches[-1].id)
    1 15 R1M1 R4M1
    2 15 R1M9 R4M2
    3 7 R3M1 R5M1
    """
    parts: tuple[BracketPart | None, ...] = tuple(BracketPart) if bracket.is_double else (None,)
    most = max(most_rows, 2 ** (_MIN_LAST_ROUNDS - 1))
    sections: list[BracketSection] = []
    for part in parts:
        matches = [match for match in bracket.matches if match.round_key.part is part]
        groups = _split_into_trees(matches, most) if part is not BracketPart.FINAL else [matches]
        sections += [
            BracketSection(part, turn, len(groups), tuple(group)) for turn, group in enumerate(groups, start=1) if group
        ]
    return tuple(sections)


def _split_into_trees(matches: Sequence[BracketMatch], most_rows: int) -> list[list[BracketMatch]]:
    if not matches:
        return []
    rounds = sorted({match.round for match in matches})
    for cut in reversed(rounds):
        trees = [_list_feeding_matches(matches, root) for root in matches if root.round == cut]
        if all(max(Counter(match.round for match in tree).values()) <= most_rows for tree in trees):
            break
    if cut == rounds[-1]:
        return [list(matches)]
    first = min(cut + 1, rounds[-1] - _MIN_LAST_ROUNDS + 1)
    return [*trees, *_split_into_trees([match for match in matches if match.round >= first], most_rows)]


def _list_feeding_matches(matches: Sequence[BracketMatch], root: BracketMatch) -> list[BracketMatch]:
    by_id = {match.id: match for match in matches}
    inside, coming = {root.id}, [root]
    while coming:
        for side in coming.pop().sides:
            if isinstance(side, WinnerOf) and side.match in by_id:
                inside.add(side.match)
                coming.append(by_id[side.match])
    return [match for match in matches if match.id in inside]


def lay_out_section(section: BracketSection, measures: BracketDimensions | None = None) -> BracketLayout:
    """Return the layout of a section, with its rounds from left to right. `measures.two_sided` has no effect.

    >>> from pairing.draws.knockout.bracket import make_double_elimination_bracket
    >>> losers = split_into_sections(make_double_elimination_bracket((4, 2, 1, 3)))[1]
    >>> [(box.match, box.x, box.y) for box in lay_out_section(losers, BracketDimensions(100, 40, 20, 10, 0)).boxes]
    [('L1M1', 0, 5.0), ('L2M1', 120, 23.75)]
    """
    sizes = measures or BracketDimensions()
    middles = _compute_tree_centers(section.matches, sizes)
    rounds = sorted({match.round for match in section.matches})
    boxes = {
        match.id: _make_box(match, rounds.index(match.round), sizes.header_height + middles[match.id], sizes)
        for match in section.matches
    }
    headers = tuple(
        _Header(number, at * sizes.column_width, sizes.box_width, sizes.header_height, part=section.part)
        for at, number in enumerate(rounds)
    )
    width = len(rounds) * sizes.column_width - sizes.column_gap
    height = max(box.y + box.height for box in boxes.values()) + sizes.row_gap
    return BracketLayout(width, height, tuple(boxes.values()), _make_connectors(section.matches, boxes, sizes), headers)


# --- Paper -----------------------------------------------------------------------------------------------------------
# Cut a bracket into sheets of paper between its boxes, and draw patterns that show a state without color.

SHEET_OVERLAP: Final = 14.0
"""The width of the strip that is printed on both of two adjacent sheets. Half of it is on each side of the cut."""

FloatPair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PosterSheet:
    """A sheet of a large bracket that is printed as a poster. `column` and `row` are counted from 0.

    `across` and `down` are the horizontal and vertical ranges of the drawing that remain on the sheet after trimming.
    """

    column: int
    row: int
    across: FloatPair
    down: FloatPair

    @property
    def name(self) -> str:
        """The sheet's name. For example, “B3” is the third sheet from the top in the second column."""
        return f"{chr(ord('A') + self.column)}{self.row + 1}"


@dataclass(frozen=True, slots=True)
class PrintedArea:
    """The area of an item on the poster, such as a match box.

    If `is_indivisible` is true, the item should not be split between sheets.
    """

    x_range: FloatPair
    y_range: FloatPair
    is_indivisible: bool = False


def split_into_tiles(size: FloatPair, room: FloatPair, drawn: Sequence[PrintedArea]) -> tuple[PosterSheet, ...]:
    """Split a bracket of this `size` into sheets of size `room`, column by column. Empty sheets are left out.

    >>> boxes = [PrintedArea((0, 50), y_range, is_indivisible=True) for y_range in ((0, 40), (50, 100))]
    >>> [(tile.name, tile.down) for tile in split_into_tiles((60, 100), (74, 74), boxes)]
    [('A1', (0.0, 50)), ('A2', (50, 100))]
    """
    tiles = []
    for column, across in enumerate(
        _split_span(size[0], room[0], [each.x_range for each in drawn if each.is_indivisible])
    ):
        inside = [each for each in drawn if _is_overlapping(across, each.x_range)]
        for row, down in enumerate(
            _split_span(size[1], room[1], [each.y_range for each in inside if each.is_indivisible])
        ):
            if any(_is_overlapping(down, each.y_range) for each in inside):
                tiles.append(PosterSheet(column, row, across, down))
    return tuple(tiles)


def _is_overlapping(one: FloatPair, other: FloatPair) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _split_span(whole: float, room: float, kept: Sequence[FloatPair]) -> list[FloatPair]:
    """Split the length of a poster, from 0 to `whole`, into spans for sheets of length `room`.

    Each span leaves space for the overlap on its sheet. The spans in `kept` are not cut unless this is unavoidable.
    """
    least = room - SHEET_OVERLAP
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

STRIPED_BAR_HEIGHT = 5.0
"""The height of the striped bar below a match in progress."""
DOUBLE_LINE_GAP = 3.0
"""The distance between the double lines around a corrected match."""


def make_diagonal_lines(
    x: float, y: float, width: float, height: float, *, step: float
) -> tuple[tuple[float, float, float, float], ...]:
    """Return diagonal lines that rise to the right at 45°, clipped to the box. Each is (x, y, to x, to y).

    >>> make_diagonal_lines(0, 0, 4, 2, step=2)
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
