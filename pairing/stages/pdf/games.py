"""Print the games of pools: groups as crosstables, pairings for the wall, and standings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Final

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from reportlab.pdfgen.canvas import Canvas

from pairing.draws.layouts.brackets import make_diagonal_lines
from pairing.draws.layouts.crosstable import (
    GroupCell,
    GroupCrosstable,
    GroupDimensions,
    GroupLayout,
    GroupRowLayout,
    Rect,
    lay_out_group,
)
from pairing.draws.results import Result
from pairing.draws.table_rounds import make_standings
from pairing.stages.pictures.groups import (
    CORRECTED_SYMBOL,
    MATCH_STATES_AT_TABLE,
    GroupBoard,
    format_cell_lines,
    format_group_row_label,
    get_group_cell_state_code,
    load_group_board,
    make_group_legend,
)
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.pools import PoolStage
from tournament.core.pdf.lists import ListColumn, PrintedList, write_printed_list
from tournament.core.pdf.paper import (
    BOLD_FONT,
    FOOT_HEIGHT,
    INK_BLACK,
    PAPER_SIZES,
    RULE_COLOR,
    SANS_FONT,
    SERIF_FONT,
    SHADE_COLOR,
    SLATE_GRAY,
    Paper,
    TextLayer,
    make_canvas,
)
from tournament.core.selectors.events import EntryNames, load_entry_names
from tournament.errors import Conflict
from tournament.models import Event
from tournament.templatetags.gin import local_day_time, minus, signed

MARGIN, HEADER_HEIGHT, FOOTER_HEIGHT, GAP = 36.0, 64.0, 40.0, 22.0
SCALED_PAGE_MARGIN: Final = 20.0
"""The margin of a scaled page. It is needed because printers leave the outer 6 mm white."""
STRIPED_BAR_HEIGHT: Final = 3.5
FIXED_COLUMNS_WIDTH: Final = 30.0 + 46.0 + 46.0
MIN_CELL_WIDTH, MIN_NAME_WIDTH, MIN_GROUP_ROW_HEIGHT = 30.0, 130.0, 22.0


def print_group_crosstables(target: IO[bytes], event: Event, paper: str) -> None:
    groups = load_group_board(event)
    if groups is None:
        raise Conflict("no-groups", _("This event has no groups. Print the bracket or the table assignments instead."))
    note = _("As of %(time)s") % {"time": local_day_time(timezone.now(), event.tournament)}
    write_group_crosstables(target, f"{event.tournament.name} · {event.name}", groups, paper=paper, note=note)


def write_group_crosstables(
    target: IO[bytes], title: str, groups: GroupBoard, *, paper: str = "letter", note: str = ""
) -> int:
    """Write all groups on landscape pages and return the number of pages. No group is split.

    `note` is printed at the right end of the title line.
    """
    sheet = PAPER_SIZES[paper].rotated
    size = _compute_page_size(groups, sheet)
    canvas = make_canvas(target, sheet, title)
    pages = _split_into_pages(groups.groups, size)
    for number, page in enumerate(pages, start=1):
        if size is not sheet:
            # A page of `size` is scaled to fit on the sheet, inside the printer's margin.
            scale = min(
                (sheet.width - 2 * SCALED_PAGE_MARGIN) / size.width,
                (sheet.height - 2 * SCALED_PAGE_MARGIN) / size.height,
            )
            canvas.translate((sheet.width - size.width * scale) / 2, (sheet.height - size.height * scale) / 2)
            canvas.scale(scale, scale)
        words = TextLayer(canvas)
        words.write_fitted(
            title, (MARGIN, size.height - 44), size.width - 2 * MARGIN - 160, font=SERIF_FONT, size=18, most_lines=1
        )
        words.write(note, (size.width - MARGIN, size.height - 44), size=10, align="right")
        top = size.height - HEADER_HEIGHT
        for table in page:
            layout = lay_out_group(table, _compute_dimensions(table, size))
            _draw_crosstable(canvas, words, _PlacedTable(canvas, table, groups, layout, top))
            top -= layout.height + GAP
        words.write(make_group_legend(), (MARGIN, FOOT_HEIGHT + 2), size=8)
        words.write(f"{number} / {len(pages)}", (size.width - MARGIN, FOOT_HEIGHT + 2), size=8, align="right")
        words.draw()
        canvas.showPage()
    canvas.save()
    return len(pages)


def _compute_page_size(groups: GroupBoard, size: Paper) -> Paper:
    """Return the paper size. If a group needs more space, return a larger page, which is scaled down later."""
    largest = max(len(table.rows) for table in groups.groups)
    width = 2 * MARGIN + FIXED_COLUMNS_WIDTH + MIN_NAME_WIDTH + largest * MIN_CELL_WIDTH
    height = HEADER_HEIGHT + FOOTER_HEIGHT + 22 + largest * MIN_GROUP_ROW_HEIGHT
    grown = max(1.0, width / size.width, height / size.height)
    return size if grown == 1 else Paper("poster", size.width * grown, size.height * grown)


def _compute_dimensions(table: GroupCrosstable, size: Paper) -> GroupDimensions:
    """Return the dimensions of a crosstable.

    The cells are as wide as possible, up to 56 points, while leaving `MIN_NAME_WIDTH` for the names. The names get the
    remaining width, up to 230 points.
    """
    room = size.width - 2 * MARGIN
    count = len(table.rows)
    cell = min(56.0, (room - FIXED_COLUMNS_WIDTH - MIN_NAME_WIDTH) / count)
    return GroupDimensions(
        place=30,
        name=min(230.0, room - FIXED_COLUMNS_WIDTH - count * cell),
        cell=cell,
        record=46,
        spread=46,
        row=min(30.0, (size.height - HEADER_HEIGHT - FOOTER_HEIGHT - 22) / count),
        header=22,
    )


def _split_into_pages(tables: tuple[GroupCrosstable, ...], size: Paper) -> list[list[GroupCrosstable]]:
    pages: list[list[GroupCrosstable]] = []
    left = 0.0
    for table in tables:
        height = lay_out_group(table, _compute_dimensions(table, size)).height
        if not pages or height > left:
            pages.append([])
            left = size.height - HEADER_HEIGHT - FOOTER_HEIGHT
        pages[-1].append(table)
        left -= height + GAP
    return pages


class _PlacedTable:
    """A crosstable and its position on the page."""

    def __init__(
        self, canvas: Canvas, table: GroupCrosstable, groups: GroupBoard, layout: GroupLayout, top: float
    ) -> None:
        self.canvas, self.table, self.groups, self.layout, self.top = canvas, table, groups, layout, top

    def compute_baseline(self, at: Rect, lift: float = 3.5) -> float:
        """Return the y coordinate of the baseline for text that is vertically centered in the rectangle `at`.

        `lift` is the distance from the center of the rectangle down to the baseline.
        """
        return self.top - at.center[1] - lift

    def draw_rect(self, at: Rect, *, fill: int = 0) -> None:
        self.canvas.rect(MARGIN + at.x, self.top - at.y - at.height, at.width, at.height, fill=fill)


def _draw_crosstable(canvas: Canvas, words: TextLayer, at: _PlacedTable) -> None:
    head = at.layout.head
    words.write_fitted(
        at.table.name,
        (MARGIN + head.name.x + 5, at.compute_baseline(head.name)),
        head.name.width,
        font=BOLD_FONT,
        size=11,
        most_lines=1,
    )
    for turn, cell in enumerate(head.cells, start=1):
        words.write(str(turn), (MARGIN + cell.center[0], at.compute_baseline(cell)), size=9, align="center")
    words.write(_("W–L"), (MARGIN + head.record.center[0], at.compute_baseline(head.record)), size=9, align="center")
    if at.table.has_points:
        words.write(
            "±",
            (MARGIN + head.spread.x + head.spread.width - 5, at.compute_baseline(head.spread)),
            size=9,
            align="right",
        )
    canvas.setLineWidth(0.6)
    for turn, line in enumerate(at.layout.lines):
        _draw_row(words, at, turn, line)


def _draw_row(words: TextLayer, at: _PlacedTable, turn: int, line: GroupRowLayout) -> None:
    row = at.table.rows[turn]
    at.canvas.setStrokeColor(RULE_COLOR)
    at.draw_rect(Rect(0, line.place.y, at.layout.width, line.place.height))
    right = MARGIN + line.place.x + line.place.width - 5
    words.write(format_group_row_label(at.table, turn), (right, at.compute_baseline(line.place)), size=9, align="right")
    name = at.groups.name(row.entry)
    words.write_fitted(
        name,
        (MARGIN + line.name.x + 5, at.compute_baseline(line.name)),
        line.name.width - 8,
        font=SANS_FONT,
        size=10.5,
        most_lines=1,
    )
    for cell, where in zip(row.cells, line.cells, strict=True):
        _draw_cell(words, at, cell, where)
    record = f"{row.wins}–{row.losses}"
    words.write(
        record,
        (MARGIN + line.record.center[0], at.compute_baseline(line.record)),
        font=BOLD_FONT,
        size=10,
        align="center",
    )
    if at.table.has_points:
        right = MARGIN + line.spread.x + line.spread.width - 5
        words.write(signed(row.spread), (right, at.compute_baseline(line.spread)), size=9, align="right")


def _draw_cell(words: TextLayer, at: _PlacedTable, cell: GroupCell, where: Rect) -> None:
    """Draw a game's cell, which is gray if the row's entry won. Cells without a game are striped."""
    canvas = at.canvas
    canvas.setStrokeColor(RULE_COLOR)
    canvas.setFillColor(SHADE_COLOR)
    at.draw_rect(where, fill=int(cell.is_won))
    canvas.setFillColor(INK_BLACK)
    if cell.match is None:
        canvas.setStrokeColor(SLATE_GRAY)
        lines = make_diagonal_lines(
            MARGIN + where.x, at.top - where.y - where.height, where.width, where.height, step=7
        )
        canvas.lines(list(lines))
        return
    _draw_state(words, at, where, get_group_cell_state_code(cell, at.groups))
    upper, lower = format_cell_lines(cell, at.groups)
    middle = MARGIN + where.center[0]
    font = BOLD_FONT if cell.is_won else SANS_FONT
    words.write(
        upper, (middle, at.compute_baseline(where, -1.5 if lower else 3.5)), font=font, size=8.5, align="center"
    )
    words.write(lower, (middle, at.compute_baseline(where, 9.0)), size=8, align="center")


def _draw_state(words: TextLayer, at: _PlacedTable, where: Rect, state: str) -> None:
    """Draw a game's state: a thick frame if at a table, stripes if in progress, a double frame if corrected."""
    canvas = at.canvas
    canvas.setStrokeColor(INK_BLACK)
    if state in MATCH_STATES_AT_TABLE:
        canvas.setLineWidth(1.4)
        at.draw_rect(Rect(where.x + 1, where.y + 1, where.width - 2, where.height - 2))
        canvas.setLineWidth(0.6)
    if state == "playing":
        canvas.setStrokeColor(SLATE_GRAY)
        foot = MARGIN + where.x + 2, at.top - where.y - where.height + 2, where.width - 4, STRIPED_BAR_HEIGHT
        canvas.lines(list(make_diagonal_lines(*foot, step=4)))
    elif state == "corrected":
        for inset in (0.5, 2.5):
            at.draw_rect(Rect(where.x + inset, where.y + inset, where.width - 2 * inset, where.height - 2 * inset))
        words.write(
            CORRECTED_SYMBOL,
            (MARGIN + where.x + where.width - 4, at.top - where.y - where.height + 4),
            size=6.5,
            align="right",
        )


# --- Pairings and standings as lists ---------------------------------------------------------------------------------

PAIRING_COLUMNS = (
    ListColumn(gettext_lazy("Table"), 1, bold=True),
    ListColumn(gettext_lazy("Round"), 1.6),
    ListColumn(gettext_lazy("No."), 0.7, align="right"),
    ListColumn(gettext_lazy("Name"), 4, bold=True),
    ListColumn(gettext_lazy("No."), 0.7, align="right"),
    ListColumn(gettext_lazy("Against"), 4, bold=True),
)
COLUMNS_FOR_LARGER_TABLES = (*PAIRING_COLUMNS[:4], ListColumn(gettext_lazy("With"), 5))
"""The columns for tables with more than two players."""
POOL_COLUMNS = (
    ListColumn(gettext_lazy("Place"), 1, align="right"),
    ListColumn(gettext_lazy("No."), 0.8, align="right"),
    ListColumn(gettext_lazy("Name"), 3.2, bold=True),
    ListColumn(gettext_lazy("Won–lost"), 1.5, align="right"),
    ListColumn("±", 1, align="right"),
    ListColumn(gettext_lazy("Games (opponent's number)"), 4.2),
)
GROUP_OR_SITE_COLUMN = ListColumn(gettext_lazy("Group"), 1.3)
ROUND_STANDINGS_COLUMNS = (
    *POOL_COLUMNS[:3],
    ListColumn(gettext_lazy("Total"), 1.1, align="right"),
    ListColumn(gettext_lazy("Points, round by round"), 5),
)
RESULT_LETTERS = {Result.WIN: "W", Result.LOSS: "L"}


@dataclass(frozen=True, slots=True)
class PrintedPairing:
    """A pairing to be printed. `players` are the numbers and names of everybody at the table."""

    table: int | None
    round: str
    players: tuple[tuple[int, str], ...]


def write_pairings(
    target: IO[bytes], title: str, subtitle: str, pairings: Sequence[PrintedPairing], *, paper: str = "letter"
) -> int:
    """Write a list of the players with their pairings, sorted by name, and return the number of pages.

    Each pairing is listed once for each of its players.
    """
    are_pairs = all(len(pairing.players) == 2 for pairing in pairings)
    rows: list[tuple[str, ...]] = []
    for pairing in pairings:
        for me in pairing.players:
            others = [(str(number), name) for number, name in pairing.players if (number, name) != me]
            beside = others[0] if are_pairs else (", ".join(" ".join(other) for other in others),)
            rows.append((str(pairing.table or "–"), pairing.round, str(me[0]), me[1], *beside))
    rows.sort(key=lambda row: (row[3].casefold(), row[1]))
    columns = PAIRING_COLUMNS if are_pairs else COLUMNS_FOR_LARGER_TABLES
    return write_printed_list(target, PrintedList(title, subtitle, columns, rows, fills_page=True), paper=paper)


def print_standings(target: IO[bytes], event: Event, paper: str) -> None:
    """Print the standings of the latest pool, or of the rounds at tables, with all games.

    A director can use the list to pair the next round by hand.

    Raises:
        Conflict: `no-standings` if the event has no pool or rounds, or is not drawn yet.
    """
    course, names = load_event_stages(event), load_entry_names(event)
    columns: tuple[ListColumn, ...] = POOL_COLUMNS
    rows: list[tuple[str, ...]] = []
    name = event.name
    if course.rounds is not None:
        columns = ROUND_STANDINGS_COLUMNS
        for row in make_standings(course.rounds):
            points = "  ".join("–" if each is None else str(minus(each)) for each in row.points)
            rows.append((str(row.place or "–"), str(row.entry), names[row.entry], minus(row.total), points))
    elif course.pools:
        name = f"{event.name}, {course.last_pool.name}"
        columns = (GROUP_OR_SITE_COLUMN, *POOL_COLUMNS) if len(course.last_pool.pool.parts) > 1 else POOL_COLUMNS
        rows = list(_iter_pool_rows(course.last_pool, names))
    else:
        raise Conflict("no-standings", _("There are no standings here. Print the bracket or the result sheet."))
    time = _("As of %(time)s") % {"time": local_day_time(timezone.now(), event.tournament)}
    subtitle = f"{event.tournament.name} · {time}"
    title = _("Standings: %(name)s") % {"name": name}
    write_printed_list(target, PrintedList(title, subtitle, columns, rows, fills_page=True), paper=paper)


def _iter_pool_rows(stage: PoolStage, names: EntryNames) -> Iterator[tuple[str, ...]]:
    for part, ranked in stage.pool.standings:
        for row in ranked:
            record = stage.pool.qualifying[row.entry].record
            place = "–" if row.place is None else str(row.place)
            of_part = (part.name,) if len(stage.pool.parts) > 1 else ()
            # “W12” is a win against number 12, and “W–” a win by a bye.
            games = " ".join(
                f"{RESULT_LETTERS.get(own.credit.result, '–')}{own.opponent or '–'}" for own in record.credits
            )
            yield *of_part, place, str(row.entry), names[row.entry], str(record), signed(record.spread), games
