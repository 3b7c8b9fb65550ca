"""A result sheet: the final places, or the places so far, on one page to sign and post on the wall."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import IO, Final

from django.utils import timezone
from django.utils.translation import gettext as _
from reportlab.platypus import HRFlowable, Spacer
from reportlab.platypus.flowables import Flowable, TopPadder

from pairing.stages.selectors.course import load_placings_so_far, load_possible_places
from tournament.core.pdf.flow import (
    SIDE_MARGIN,
    PageLayout,
    QrFlowable,
    TextFlowable,
    fits_without_word_breaks,
    make_grid,
    make_signature_lines,
    place_side_by_side,
    stack_flowables,
)
from tournament.core.pdf.lists import format_seal_sentence, format_tournament_days
from tournament.core.pdf.paper import (
    BOLD_FONT,
    FELT_GREEN,
    PAPER_SIZES,
    RULE_COLOR,
    SANS_FONT,
    SERIF_FONT,
    compute_text_width,
)
from tournament.core.selectors.events import load_entry_names
from tournament.core.selectors.log import load_finish_seal_code
from tournament.errors import Conflict
from tournament.models import Event
from tournament.money.selectors.ledger import load_current_finish, load_early_finish
from tournament.money.selectors.prizes import load_prizes
from tournament.purse.prizes import make_placings_from_finish
from tournament.templatetags.gin import local_day_time, money, places

QR_SIDE: Final = 70.0
NOTES_HEIGHT: Final = 24.0
"""The height of two lines of notes above the signatures."""
MAX_FULL_WIDTH_LINES: Final = 24
"""The maximum number of lines that span the whole width of the page."""
FULL_WIDTH_ROW_HEIGHT: Final = 20.0
FULL_WIDTH_FONT_SIZE: Final = 12.0
WINNER_LINE_SCALE: Final = 1.4
"""The size of the winner's line and letters relative to the other lines that span the page."""
MIN_FULL_WIDTH_LINES: Final = 8
FONT_SIZE_BY_ROW_HEIGHT: Final = {15.0: 10.0, 13.0: 9.0, 11.5: 8.5, 10.2: 8.0}
"""The font size for each line height, tallest first."""
MAX_COLUMNS: Final = 4
COLUMN_GAP: Final = 14.0
MAX_LINE_SCALE: Final = 5.0
"""The largest factor by which lines and letters grow to fill the page."""
MAX_PLACE_FONT_SIZE: Final = 24.0
MIN_ONE_LINE_FONT_SIZE: Final = 18.0
"""The font size in points from which a name stays on one line."""


@dataclass(frozen=True, slots=True)
class ResultLine:
    place: str
    number: int
    name: str
    prize: str = ""


@dataclass(frozen=True, slots=True)
class ResultSheet:
    """The contents of a printed result sheet. `lines` are the places, best first. The footer has `note` and `seal`."""

    title: str
    subtitle: str
    heading: str
    time: str
    lines: Sequence[ResultLine]
    note: str = ""
    address: str = ""
    seal: str = ""


def print_result_sheet(target: IO[bytes], event: Event, paper: str, address: str = "") -> None:
    """Print the final places, or the places so far. `address` is the URL of the standings page.

    Raises:
        Conflict: `no-places` if nobody has a place yet.
    """
    write_result_sheet(target, _load_sheet(event, address), paper=paper)


def _load_sheet(event: Event, address: str) -> ResultSheet:
    finish = load_current_finish(event)
    if finish is not None:
        placed = [(str(placing), placing.entries) for placing in make_placings_from_finish(finish.places)]
    else:
        placed = _load_places_so_far(event)
    if not placed:
        raise Conflict("no-places", _("No player has a place yet. Post the draw and play first."))
    prizes = load_prizes(event).awards if finish is not None else ()
    won = {row.number: money(row.cents, event.tournament.currency) for row in prizes}
    names, ended, note = load_entry_names(event), load_early_finish(event), ""
    if ended is not None:
        words = {"reason": ended.finish.reason}
        note = (_("Ended early, by the standings at that time. %(reason)s") % words).strip()
    at = finish.at if finish is not None else timezone.now()
    return ResultSheet(
        title=event.name,
        subtitle=f"{event.tournament.name} · {event.tournament.venue} · {format_tournament_days(event.tournament)}",
        heading=_("Final results") if finish is not None else _("Results so far"),
        time=(_("Final %(time)s") if finish is not None else _("As of %(time)s"))
        % {"time": local_day_time(at, event.tournament)},
        lines=[
            ResultLine(place, number, names.get(number, ""), won.get(number, ""))
            for place, entries in placed
            for number in entries
        ],
        note=note,
        address=address,
        seal=format_seal_sentence(load_finish_seal_code(event)) if finish is not None else "",
    )


def _load_places_so_far(event: Event) -> list[tuple[str, tuple[int, ...]]]:
    """Return each place as it is printed, with its entries. Entrants still in a bracket have no place yet."""
    possible = load_possible_places(event)
    if possible is None:
        placings = load_placings_so_far(event)
        return [(str(placing), placing.entries) for placing in placings.finish] if placings is not None else []
    still_in = [(_("In"), possible.still_in)] if possible.still_in else []
    return [*still_in, *((places(possible.finishes[entry]), (entry,)) for entry in possible.placed_entries)]


def write_result_sheet(target: IO[bytes], sheet: ResultSheet, *, paper: str = "letter") -> None:
    """Write the result sheet on a single page. If some entrants do not fit, a note says how many were left out."""
    size = PAPER_SIZES[paper]
    width = size.width - 2 * SIDE_MARGIN
    labels = [TextFlowable(label, size=9) for label in (_("Tournament director"), _("Date and time"))]
    foot = [make_signature_lines(labels, [width / 2, width / 2], height=20)]
    layout = PageLayout(size, f"{sheet.heading}: {sheet.title}", _make_header(sheet, width), foot, numbered=False)
    room = layout.height - NOTES_HEIGHT - COLUMN_GAP
    count, columns, lines, row = _choose_line_arrangement(sheet.lines, room)
    first, rest = sheet.lines[:count], sheet.lines[count:]
    left = len(rest) - columns * lines
    needed = _compute_height(first) + (COLUMN_GAP + lines * row if rest else 0)
    larger = max(1.0, min(MAX_LINE_SCALE, room / needed)) if left <= 0 else 1.0
    table, points = _make_place_table(
        first, width, FULL_WIDTH_ROW_HEIGHT * larger, FULL_WIDTH_FONT_SIZE * larger, one_size=True
    )
    story: list[Flowable] = [table]
    if rest:
        points = min(
            points, FONT_SIZE_BY_ROW_HEIGHT[row] * larger
        )  # Nobody is printed larger than the entrants above them.
        each = (width + COLUMN_GAP) / columns
        parts = [rest[at : at + lines] for at in range(0, min(len(rest), columns * lines), lines)]
        tables = [[_make_place_table(part, each - COLUMN_GAP, row * larger, points)[0]] for part in parts]
        story += [Spacer(0, COLUMN_GAP), place_side_by_side(tables, [each] * len(tables))]
    more = _("And %(left)s more: see the standings page.") % {"left": left} if left > 0 else ""
    notes = [TextFlowable(note.strip(), size=9) for note in (f"{more} {sheet.note}", sheet.seal) if note.strip()]
    layout.write(target, [*story, TopPadder(stack_flowables(notes, width))] if notes else story)


def _choose_line_arrangement(lines: Sequence[ResultLine], room: float) -> tuple[int, int, int, float]:
    """Decide how many lines span the page, and how the other lines are set in columns.

    Return the number of lines that span the page, the number of columns, the lines per column, and their height.

    The first eight lines always span the page. More lines with prizes do so, too, if the other lines leave enough
    space. The other lines are set in as few columns as possible, and each of them is as tall as possible.
    """
    most = min(
        max(sum(bool(line.prize) for line in lines), min(MIN_FULL_WIDTH_LINES, len(lines))), MAX_FULL_WIDTH_LINES
    )
    fewest = min(most, MIN_FULL_WIDTH_LINES)
    for first in range(most, fewest - 1, -1):
        below = room - _compute_height(lines[:first])
        for columns in range(1, MAX_COLUMNS + (first == fewest)):
            in_column = -(-(len(lines) - first) // columns)
            row = next((row for row in FONT_SIZE_BY_ROW_HEIGHT if in_column * row <= below), None)
            if row is not None:
                return first, columns, in_column, row
    smallest = min(FONT_SIZE_BY_ROW_HEIGHT)
    return fewest, MAX_COLUMNS, int(below // smallest), smallest


def _compute_height(lines: Sequence[ResultLine]) -> float:
    return FULL_WIDTH_ROW_HEIGHT * sum(WINNER_LINE_SCALE if line.place == "1" else 1 for line in lines)


def _make_header(sheet: ResultSheet, width: float) -> list[Flowable]:
    beside = width - (QR_SIDE + COLUMN_GAP if sheet.address else 0)
    heading = compute_text_width(sheet.heading, BOLD_FONT, 16) + 12
    time = place_side_by_side(
        [TextFlowable(sheet.heading, BOLD_FONT, 16), [Spacer(0, 5), TextFlowable(sheet.time, size=11)]],
        [heading, beside - heading],
    )
    texts = [TextFlowable(sheet.title, SERIF_FONT, 24), TextFlowable(sheet.subtitle, size=11, after=5), time]
    line = HRFlowable("100%", 2, color=FELT_GREEN, spaceBefore=4, spaceAfter=0)
    if not sheet.address:
        return [*texts, line]
    return [place_side_by_side([texts, "", QrFlowable(sheet.address, QR_SIDE)], [beside, COLUMN_GAP, QR_SIDE]), line]


def _make_place_table(
    lines: Sequence[ResultLine], width: float, row: float, points: float, *, one_size: bool = False
) -> tuple[Flowable, float]:
    """Return a table of these lines, and the font size of all names except the winner's.

    The winner's line normally has a larger font. All other names have the font size `points`, and a name that is too
    long is shrunk. If `one_size` is true, these names all have the largest size at which each fits on one or two lines.
    """
    gap, number_size, prize_size = min(12.0, 0.7 * points), min(points, max(10.0, 0.6 * points)), min(points, 21.6)
    place_sizes = sizes = [points * (WINNER_LINE_SCALE if line.place == "1" else 1) for line in lines]
    heights = [row * (WINNER_LINE_SCALE if line.place == "1" else 1) for line in lines]
    fonts = [BOLD_FONT if line.place == "1" else SANS_FONT for line in lines]

    def widest(texts: Iterable[str], font: str, size: float) -> float:
        return max(compute_text_width(text, font, size) for text in texts) + 0.5

    place = widest((line.place for line in lines), BOLD_FONT, min(max(sizes), MAX_PLACE_FONT_SIZE)) + gap
    number = widest((str(line.number) for line in lines), SANS_FONT, number_size) + gap
    prize = widest((line.prize for line in lines), BOLD_FONT, prize_size)
    name = width - place - number - prize
    room = name - (gap if prize > 1 else 0)
    if one_size:
        fitted = [
            _fit_name_font_size(line.name, font, most, room, height)
            for line, font, most, height in zip(lines, fonts, sizes, heights, strict=True)
        ]
        common = {font: min(size for size, other in zip(fitted, fonts, strict=True) if other == font) for font in fonts}
        sizes = [common[font] for font in fonts]
    cells = [
        [
            TextFlowable(line.place, BOLD_FONT, min(place_size, MAX_PLACE_FONT_SIZE), align="right"),
            TextFlowable(str(line.number), SANS_FONT, min(points, max(10.0, 0.6 * size)), align="right"),
            TextFlowable(line.name, font, size, most_lines=2 if one_size else 1, wraps=one_size),
            TextFlowable(line.prize, BOLD_FONT, prize_size, align="right"),
        ]
        for line, font, size, place_size in zip(lines, fonts, sizes, place_sizes, strict=True)
    ]
    style = [
        ("RIGHTPADDING", (0, 0), (1, -1), gap),
        ("RIGHTPADDING", (2, 0), (2, -1), name - room),
        ("LINEBELOW", (0, 0), (-1, -1), 0.4, RULE_COLOR),
        *(("SPAN", (2, at), (3, at)) for at, line in enumerate(lines) if not line.prize),
    ]
    smallest = min((size for size, font in zip(sizes, fonts, strict=True) if font == SANS_FONT), default=points)
    return make_grid(cells, [place, number, name, prize], heights, style=style), smallest


def _fit_name_font_size(name: str, font: str, most: float, width: float, height: float) -> float:
    """Return the font size at which the name fits on one line, or on two lines if it would be too small on one."""
    on_one_line = int(10 * most * min(1.0, width / compute_text_width(name, font, most))) / 10
    if on_one_line >= min(most / 2, MIN_ONE_LINE_FONT_SIZE):
        return on_one_line
    tried = (most - half / 2 for half in range(int(2 * (most - 8.0))))
    return next((size for size in tried if fits_without_word_breaks(name, font, size, width, height)), 8.0)
