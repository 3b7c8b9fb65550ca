"""The crosstable of a group, with opponents, results, wins and places, and the position of each of its cells.

ranked, meetings ──make_group_crosstable──► GroupCrosstable ──lay_out_group──► GroupLayout, for the screen and for paper
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pairing.draws.results import Credit, Meeting, Result, ResultCause
from pairing.draws.stages.standings import RankedEntry

_MAX_CELLS_ON_LINE = 5
"""The maximum number of cells on a line of a stacked table."""


@dataclass(frozen=True, slots=True)
class GroupCell:
    """The result of the row's entry against the column's entry. The cell is empty if the two do not meet.

    If `credit` is missing, the game has no result yet.
    """

    match: str | None = None
    credit: Credit | None = None
    points: int | None = None
    opponent_points: int | None = None

    @property
    def is_won(self) -> bool:
        return self.credit is not None and self.credit.result is Result.WIN

    @property
    def was_played(self) -> bool:
        return self.credit is not None and self.credit.cause in (ResultCause.PLAYED, ResultCause.TIME)


@dataclass(frozen=True, slots=True)
class GroupRow:
    """An entry's row. Its cells are in the same order as the rows. `place` is None if the entry is disqualified."""

    entry: int
    place: int | None
    wins: int
    losses: int
    spread: int
    cells: tuple[GroupCell, ...]


@dataclass(frozen=True)
class GroupCrosstable:
    """A group's rows, best first. The columns are the same entries in the same order."""

    name: str
    rows: tuple[GroupRow, ...]

    @property
    def has_points(self) -> bool:
        return any(cell.points is not None for row in self.rows for cell in row.cells)


def make_group_crosstable(name: str, ranked: Sequence[RankedEntry], meetings: Iterable[Meeting]) -> GroupCrosstable:
    """Return the crosstable of the ranked entries.

    If two of them met more than once, the last meeting that is not void counts.

    >>> from pairing.draws.results import MatchOutcome, compute_win_loss_records
    >>> from pairing.draws.stages.standings import RankingFacts, rank_entries
    >>> played = [Meeting("G1", (4, 9), MatchOutcome.won("G1", 9, 4)), Meeting("G2", (4, 2))]
    >>> ranked = rank_entries(RankingFacts(records=compute_win_loss_records([2, 4, 9], played)))
    >>> table = make_group_crosstable("A", ranked, played)
    >>> [(row.entry, row.wins, [cell.match for cell in row.cells]) for row in table.rows]
    [(9, 1, [None, None, 'G1']), (2, 0, [None, None, 'G2']), (4, 0, ['G1', 'G2', None])]
    """
    inside = {row.entry for row in ranked}
    between: dict[tuple[int, int], Meeting] = {}
    for meeting in meetings:
        is_void = meeting.outcome is not None and meeting.outcome.is_void
        if len(meeting.sides) == 2 and inside.issuperset(meeting.sides) and not is_void:
            one, other = meeting.sides
            between[one, other] = between[other, one] = meeting
    rows = (
        GroupRow(
            entry=row.entry,
            place=row.place,
            wins=row.record.wins,
            losses=row.record.losses,
            spread=row.record.spread,
            cells=tuple(_make_cell(between.get((row.entry, other.entry)), row.entry, other.entry) for other in ranked),
        )
        for row in ranked
    )
    return GroupCrosstable(name, tuple(rows))


def _make_cell(meeting: Meeting | None, entry: int, other: int) -> GroupCell:
    if meeting is None:
        return GroupCell()
    credit = meeting.outcome.credits.get(entry) if meeting.outcome else None
    return GroupCell(meeting.match, credit, meeting.points.get(entry), meeting.points.get(other))


@dataclass(frozen=True, slots=True)
class GroupDimensions:
    """The dimensions of a crosstable, in any unit.

    `stacked` is a layout for phones. This layout puts the name above the row's cells and spreads the cells across
    `width`, with at most five on a line.
    """

    place: float = 40.0
    name: float = 230.0
    cell: float = 62.0
    record: float = 62.0
    spread: float = 62.0
    row: float = 46.0
    header: float = 34.0
    stacked: bool = False
    width: float = 300.0

    def compute_row_height(self, count: int) -> float:
        return self.row * (1 + _count_lines(count)) if self.stacked else self.row


@dataclass(frozen=True, slots=True)
class Rect:
    x: float
    y: float
    width: float
    height: float

    @property
    def center(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class GroupRowLayout:
    """The positions of everything that is drawn in a row of the crosstable, or in its header.

    The header of a stacked table has no `cells`.
    """

    place: Rect
    name: Rect
    cells: tuple[Rect, ...]
    record: Rect
    spread: Rect


@dataclass(frozen=True)
class GroupLayout:
    width: float
    height: float
    head: GroupRowLayout
    lines: tuple[GroupRowLayout, ...]


def lay_out_group(table: GroupCrosstable, measures: GroupDimensions | None = None) -> GroupLayout:
    """Return the positions in a crosstable, measured from the upper left corner. y grows downward.

    >>> table = GroupCrosstable("A", (GroupRow(4, 1, 1, 0, 5, (GroupCell(),)),))
    >>> layout = lay_out_group(table, GroupDimensions(10, 50, 20, 15, 15, 30, 12))
    >>> layout.width, layout.height, layout.lines[0].cells[0]
    (110, 42, Rect(x=60, y=12, width=20, height=30))
    """
    sizes = measures or GroupDimensions()
    count = len(table.rows)
    line = _lay_out_stacked_line if sizes.stacked else _lay_out_line
    head = line(sizes, 0 if sizes.stacked else count, 0, sizes.header)
    height = sizes.compute_row_height(count)
    lines = tuple(line(sizes, count, sizes.header + turn * height, sizes.row) for turn in range(count))
    last = head.spread
    width = sizes.width if sizes.stacked else last.x + last.width
    return GroupLayout(width, sizes.header + count * height, head, lines)


def _lay_out_line(sizes: GroupDimensions, count: int, y: float, height: float) -> GroupRowLayout:
    after = sizes.place + sizes.name
    cells = tuple(Rect(after + turn * sizes.cell, y, sizes.cell, height) for turn in range(count))
    after += count * sizes.cell
    return GroupRowLayout(
        place=Rect(0, y, sizes.place, height),
        name=Rect(sizes.place, y, sizes.name, height),
        cells=cells,
        record=Rect(after, y, sizes.record, height),
        spread=Rect(after + sizes.record, y, sizes.spread, height),
    )


def _count_lines(count: int) -> int:
    return -(-count // _MAX_CELLS_ON_LINE)


def _lay_out_stacked_line(sizes: GroupDimensions, count: int, y: float, height: float) -> GroupRowLayout:
    name = sizes.width - sizes.place - sizes.record - sizes.spread
    a_line = -(-count // _count_lines(count)) if count else 1
    cell = sizes.width / a_line
    at = (divmod(turn, a_line) for turn in range(count))
    return GroupRowLayout(
        place=Rect(0, y, sizes.place, height),
        name=Rect(sizes.place, y, name, height),
        cells=tuple(Rect(column * cell, y + (1 + line) * height, cell, height) for line, column in at),
        record=Rect(sizes.place + name, y, sizes.record, height),
        spread=Rect(sizes.place + name + sizes.record, y, sizes.spread, height),
    )
