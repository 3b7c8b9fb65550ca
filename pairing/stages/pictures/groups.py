"""Load an event's groups, and draw each as an SVG crosstable with the same layout as on paper."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.draws.layouts.brackets import STRIPED_BAR_HEIGHT, make_diagonal_lines
from pairing.draws.layouts.crosstable import (
    GroupCell,
    GroupCrosstable,
    GroupDimensions,
    GroupLayout,
    GroupRow,
    GroupRowLayout,
    Rect,
    lay_out_group,
    make_group_crosstable,
)
from pairing.draws.layouts.short_names import shorten_long_names
from pairing.models import TableCall
from pairing.stages.pictures.boxes import MatchUrlBuilder
from pairing.stages.pictures.brackets import BOLD_LETTER_WIDTH, make_stripes_path, render_svg_name, round_coordinates
from pairing.stages.selectors.boards import (
    list_decided_games,
    load_decided_game_details,
    load_matches_with_started_cards,
    load_valid_matches,
)
from pairing.stages.selectors.course import EventStages, load_event_stages
from tournament.core.selectors.events import load_entry_names
from tournament.models import Event
from tournament.templatetags.gin import minus, signed

PAGE_GROUP_DIMENSIONS = GroupDimensions()
PHONE_GROUP_DIMENSIONS = GroupDimensions(place=30, record=46, spread=50, row=38, header=26, stacked=True)
NOT_STARTED_SYMBOL, CALLED_SYMBOL, PLAYING_SYMBOL, CORRECTED_SYMBOL = "·", "◎", "▶", "✎"
MATCH_STATES_AT_TABLE = ("called", "playing")


@dataclass(frozen=True)
class GroupBoard:
    """An event's groups. `tables` maps each game that is at a table to the table's number.

    `started` are open games whose card has at least one line. `corrected` are decided games that had a different result
    before. `short_names` maps names that are too long for the crosstables to their short form.
    """

    groups: tuple[GroupCrosstable, ...]
    names: Mapping[int, str]
    tables: Mapping[str, int] = field(default_factory=dict)
    started: frozenset[str] = frozenset()
    corrected: frozenset[str] = frozenset()
    is_over: bool = False
    short_names: Mapping[str, str] = field(default_factory=dict)

    def name(self, entry: int) -> str:
        return self.names.get(entry, str(entry))

    def short_name(self, entry: int) -> str:
        name = self.name(entry)
        return self.short_names.get(name, name)

    def list_groups_of_entry(self, entry: int) -> tuple[GroupCrosstable, ...]:
        return tuple(group for group in self.groups if any(row.entry == entry for row in group.rows))


def load_group_board(event: Event) -> GroupBoard | None:
    """Return an event's groups, or None if it has none. The number of queries is constant."""
    course = load_event_stages(event)
    groups = _make_group_tables(course)
    if not groups:
        return None
    is_open = {
        cell.match: frozenset((row.entry, other.entry))
        for group in groups
        for row in group.rows
        for other, cell in zip(group.rows, row.cells, strict=True)
        if cell.match is not None and cell.credit is None
    }
    names = load_entry_names(event)
    _recorded, corrected, _played_by = load_decided_game_details(event, list_decided_games(course), names)
    calls = TableCall.objects.filter(match__in=load_valid_matches(event)).order_by("pk")
    last = dict(calls.values_list("match__ident", "table"))
    return GroupBoard(
        groups,
        names,
        tables={ident: table for ident, table in last.items() if table is not None and ident in is_open},
        started=load_matches_with_started_cards(event, is_open),
        corrected=corrected,
        is_over=not course.current_stage.kind.traits.all_meet,
    )


def _make_group_tables(course: EventStages) -> tuple[GroupCrosstable, ...]:
    tables = []
    for stage in (pool for pool in course.pools if pool.kind.traits.all_meet):
        meetings = (*stage.pool.meetings, *stage.pool.scheduled)
        tables += [
            make_group_crosstable(part.name or stage.name, rows, meetings) for part, rows in stage.pool.standings
        ]
    return tuple(tables)


def draw_group(
    table: GroupCrosstable,
    groups: GroupBoard,
    measures: GroupDimensions,
    *,
    address: MatchUrlBuilder | None = None,
    me: int | None = None,
) -> SafeString:
    """Draw a crosstable as SVG.

    If `address` is given, each game is a link. The row of the entry `me` is highlighted.
    """
    layout = lay_out_group(table, measures)
    drawing = _GroupDrawing(table, groups, layout, measures, address, me)
    lines = ((_draw_row(drawing, turn),) for turn in range(len(table.rows)))
    return format_html(
        '<svg class="bracket-picture group-picture" viewBox="-1 -1 {} {}" width="{}" height="{}" role="group" '
        'aria-label="{}">{}{}</svg>',
        round(layout.width + 2, 1),
        round(layout.height + 2, 1),
        round(layout.width + 2),
        round(layout.height + 2),
        table.name or _("Everybody against everybody"),
        _draw_header(table, layout.head),
        format_html_join("", "{}", lines),
    )


def shorten_group_names(groups: GroupBoard, *sizes: GroupDimensions) -> GroupBoard:
    """Return the groups with names shortened to fit the narrowest crosstable on the page."""
    room = min(lay_out_group(groups.groups[0], each).head.name.width for each in sizes) - 12
    return replace(groups, short_names=shorten_long_names(groups.names.values(), room, BOLD_LETTER_WIDTH))


def make_group_legend() -> str:
    return _(
        "✓ won, ✗ lost, with both scores · w.o. walkover · ✎ in a double frame: corrected · ◎ "
        "called, ▶ playing, with the table · · to come"
    )


def describe_group_row(table: GroupCrosstable, groups: GroupBoard, row: GroupRow) -> str:
    """Describe a row of the crosstable: place, name, wins and losses, and each game."""
    words = [_("%(place)s. %(name)s") % {"place": row.place or "–", "name": groups.name(row.entry)}]
    words.append(ngettext("%(count)s win", "%(count)s wins", row.wins) % {"count": row.wins})
    words.append(ngettext("%(count)s loss", "%(count)s losses", row.losses) % {"count": row.losses})
    pairs = zip(table.rows, row.cells, strict=True)
    words += [_describe_group_cell(cell, groups, other.entry) for other, cell in pairs if cell.match is not None]
    return ", ".join(words)


def _describe_group_cell(cell: GroupCell, groups: GroupBoard, other: int) -> str:
    name = {"name": groups.name(other)}
    state = get_group_cell_state_code(cell, groups)
    if cell.credit is None:
        return _describe_open_game(state, {**name, "table": groups.tables.get(cell.match or "")})
    words = (_("beat %(name)s") if cell.is_won else _("lost to %(name)s")) % name
    if cell.points is not None and cell.opponent_points is not None:
        words = _("%(said)s %(own)s to %(other)s") % {
            "said": words,
            "own": minus(cell.points),
            "other": minus(cell.opponent_points),
        }
    elif not cell.was_played:
        words = _("%(said)s by walkover") % {"said": words}
    return _("%(said)s (corrected)") % {"said": words} if state == "corrected" else words


def _describe_open_game(state: str, facts: dict[str, object]) -> str:
    if state == "waiting":
        return _("still to play %(name)s") % facts
    if facts["table"] is None:
        return _("plays %(name)s") % facts
    if state == "called":
        return _("called with %(name)s to table %(table)s") % facts
    return _("plays %(name)s at table %(table)s") % facts


def get_group_cell_state_code(cell: GroupCell, groups: GroupBoard) -> str:
    """Return the code of a cell's state for use with `state_badge`, or an empty string if the cell has no game."""
    if cell.match is None:
        return ""
    if cell.credit is not None:
        return "corrected" if cell.match in groups.corrected else "done"
    if cell.match in groups.started:
        return "playing"
    return "called" if cell.match in groups.tables else "waiting"


def format_cell_lines(cell: GroupCell, groups: GroupBoard) -> tuple[str, str]:
    """Return the two lines of text in a cell: a symbol with the player's points, and the opponent's points."""
    state = get_group_cell_state_code(cell, groups)
    if cell.credit is None:
        table = groups.tables.get(cell.match or "")
        sign = {"": "", "waiting": NOT_STARTED_SYMBOL, "called": CALLED_SYMBOL, "playing": PLAYING_SYMBOL}[state]
        return sign, _("T %(table)s") % {"table": table} if table is not None else ""
    sign = "✓" if cell.is_won else "✗"
    if cell.points is None or cell.opponent_points is None:
        return sign, "" if cell.was_played else _("w.o.")
    return f"{sign} {minus(cell.points)}", minus(cell.opponent_points)


def _draw_header(table: GroupCrosstable, head: GroupRowLayout) -> SafeString:
    parts = [_draw_text_in_row("group-head", head.name.x + 6, head.name, table.name)]
    parts += [
        _draw_text_in_row("group-head", cell.center[0], cell, turn, "middle") for turn, cell in enumerate(head.cells, 1)
    ]
    parts.append(_draw_text_in_row("group-head", head.record.center[0], head.record, _("W–L"), "middle"))
    if table.has_points:
        parts.append(_draw_text_in_row("group-head", head.spread.x + head.spread.width - 6, head.spread, "±", "end"))
    return format_html_join("", "{}", ((part,) for part in parts))


@dataclass(frozen=True)
class _GroupDrawing:
    table: GroupCrosstable
    groups: GroupBoard
    layout: GroupLayout
    sizes: GroupDimensions
    address: MatchUrlBuilder | None
    me: int | None


def _draw_row(drawing: _GroupDrawing, turn: int) -> SafeString:
    table, groups, layout, sizes = drawing.table, drawing.groups, drawing.layout, drawing.sizes
    row, line = table.rows[turn], layout.lines[turn]
    mine = row.entry == drawing.me
    name = render_svg_name(groups.name(row.entry), groups.short_name(row.entry))
    ground = (0, line.place.y, layout.width, sizes.compute_row_height(len(table.rows)))
    parts = [
        format_html('<rect class="group-row" x="{}" y="{}" width="{}" height="{}"/>', *ground),
        _draw_text_in_row(
            "group-place", line.place.x + line.place.width - 6, line.place, format_group_row_label(table, turn), "end"
        ),
        _draw_text_in_row("bracket-name" + (" is-winner" if mine else ""), line.name.x + 6, line.name, name),
        _draw_text_in_row("group-record", line.record.center[0], line.record, f"{row.wins}–{row.losses}", "middle"),
    ]
    if table.has_points:
        parts.append(
            _draw_text_in_row(
                "group-spread", line.spread.x + line.spread.width - 6, line.spread, signed(row.spread), "end"
            )
        )
    cells = enumerate(zip(row.cells, line.cells, strict=True), start=1)
    parts += [_draw_cell(drawing, cell, at, other if sizes.stacked else None) for other, (cell, at) in cells]
    if mine:
        parts.append(format_html('<rect class="group-mine" x="{}" y="{}" width="{}" height="{}"/>', *ground))
    description = describe_group_row(table, groups, row)
    return format_html(
        '<g role="img" aria-label="{}"><title>{}</title>{}</g>',
        description,
        description,
        format_html_join("", "{}", ((part,) for part in parts)),
    )


def format_group_row_label(table: GroupCrosstable, turn: int) -> str:
    """Return the label of a row in the crosstable: the row's number, such as “3”, or a dash if the row has no place.

    If the row shares its place with the row above, the label is “3=”. The entry's column has the same number.
    """
    row = table.rows[turn]
    if row.place is None:
        return "–"
    return f"{turn + 1}=" if turn and table.rows[turn - 1].place == row.place else f"{turn + 1}"


def _draw_cell(drawing: _GroupDrawing, cell: GroupCell, at: Rect, head: int | None) -> SafeString:
    """Draw the cell of a game. `head` is the opponent's row number, for layouts without column headers."""
    groups, state = drawing.groups, get_group_cell_state_code(cell, drawing.groups)
    at_table = state in MATCH_STATES_AT_TABLE
    look = " is-won" if cell.is_won else " is-at-table" if at_table else ""
    edge = 1.5 if at_table else 0.0  # The neighbors leave the thick edge visible.
    inside = round_coordinates(at.x + edge, at.y + edge, at.width - 2 * edge, at.height - 2 * edge)
    drawn = [
        format_html('<rect class="group-cell{}" x="{}" y="{}" width="{}" height="{}"/>', look, *inside),
        _draw_state_marks(at, state),
    ]
    if cell.match is None:
        lines = make_diagonal_lines(at.x, at.y, at.width, at.height, step=9)
        drawn.append(format_html('<path class="group-none" d="{}"/>', make_stripes_path(lines)))
    x, y = at.center
    if head is not None and cell.match is not None:
        drawn.append(_draw_text_at("group-other", at.x + 4, at.y + 13, head, "start"))
        x += 5
    y -= 3 if state == "playing" else 0
    upper, lower = format_cell_lines(cell, groups)
    look = "group-result is-won" if cell.is_won else "group-result"
    drawn.append(_draw_text_at(look, x, y + (-1 if lower else 5), upper))
    if lower:
        drawn.append(_draw_text_at("group-against", x, y + 14, lower))
    picture = format_html_join("", "{}", ((part,) for part in drawn))
    if cell.match is None or drawing.address is None:
        return picture
    return format_html('<a href="{}" tabindex="-1">{}</a>', drawing.address(cell.match), picture)


def _draw_state_marks(at: Rect, state: str) -> SafeString:
    """Draw the marks for a cell's state: a striped bar if in progress, or a second line and a symbol if corrected."""
    if state == "playing":
        foot = make_diagonal_lines(
            at.x + 2, at.y + at.height - 2 - STRIPED_BAR_HEIGHT, at.width - 4, STRIPED_BAR_HEIGHT, step=6
        )
        return format_html('<path class="bracket-stripes" d="{}"/>', make_stripes_path(foot))
    if state != "corrected":
        return SafeString("")
    return format_html(
        '<rect class="group-outer" x="{}" y="{}" width="{}" height="{}"/>'
        '<rect class="bracket-inner" x="{}" y="{}" width="{}" height="{}" rx="2"/>{}',
        *(at.x, at.y, at.width, at.height),
        *round_coordinates(at.x + 3, at.y + 3, at.width - 6, at.height - 6),
        _draw_text_at("group-corrected", at.x + at.width - 5, at.y + at.height - 6, CORRECTED_SYMBOL, "end"),
    )


def _draw_text_at(look: str, x: float, y: float, words: object, anchor: str = "middle") -> SafeString:
    shape = '<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>'
    return format_html(shape, look, *round_coordinates(x, y), anchor, words)


def _draw_text_in_row(look: str, x: float, at: Rect, words: object, anchor: str = "start") -> SafeString:
    shape = '<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>'
    return format_html(shape, look, *round_coordinates(x, at.center[1] + 5.5), anchor, words)
