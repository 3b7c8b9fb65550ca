"""A result sheet: the final places, or the places so far, on one page to sign and post on the wall."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Final

from django.utils import timezone
from django.utils.translation import gettext as _
from reportlab.pdfgen.canvas import Canvas

from pairing.stages.selectors.course import load_placings_so_far, load_possible_places
from tournament.core.pdf.lists import format_days, seal_sentence
from tournament.core.pdf.paper import (
    BOLD,
    FELT,
    INK,
    PAPERS,
    RULE,
    SANS,
    SERIF,
    Paper,
    TextLayer,
    draw_qr,
    fit_text,
    new_canvas,
    text_width,
)
from tournament.core.selectors.events import load_entry_names
from tournament.core.selectors.log import load_code_of_finish
from tournament.errors import Conflict
from tournament.models import Event
from tournament.money.selectors.ledger import current_finish, load_ended_early
from tournament.money.selectors.prizes import load_prizes
from tournament.purse.prizes import placings_from_finish
from tournament.templatetags.gin import local_day_time, money, places

MARGIN: Final = 36.0
TOP: Final = 118.0
"""The height of the header with the titles and the QR code."""
FOOT: Final = 88.0
"""The height of the footer with the signature line and two lines of notes."""
QR_SIDE: Final = 70.0
MOST_FIRST: Final = 24
"""The largest number of lines across the whole page."""
FIRST_ROW: Final = 20.0
FEWEST_FIRST: Final = 8
LETTERS: Final = {15.0: 10.0, 13.0: 9.0, 11.5: 8.5, 10.2: 8.0}
"""The font size for each line height."""
ROWS: Final = tuple(LETTERS)
MOST_COLUMNS: Final = 4
GAP: Final = 14.0
MAX_SCALE: Final = 5.0
"""The largest factor by which lines and letters grow to fill the page."""


@dataclass(frozen=True, slots=True)
class ResultLine:
    place: str
    number: int
    name: str
    prize: str = ""


@dataclass(frozen=True, slots=True)
class ResultSheet:
    """The contents of the page, with `lines` best first. `note` and `seal` are printed in the footer."""

    title: str
    subtitle: str
    heading: str
    time: str
    lines: Sequence[ResultLine]
    note: str = ""
    address: str = ""
    seal: str = ""


def print_results(target: IO[bytes], event: Event, paper: str, address: str = "") -> None:
    """Print the final places, or the places so far. `address` is the URL of the standings page.

    Raises:
        Conflict: `no-places` if nobody has a place yet.
    """
    write_results(target, _load_sheet(event, address), paper=paper)


def _load_sheet(event: Event, address: str) -> ResultSheet:
    finish = current_finish(event)
    if finish is not None:
        placed = [(str(placing), placing.entries) for placing in placings_from_finish(finish.places)]
    else:
        placed = _load_places_so_far(event)
    if not placed:
        raise Conflict("no-places", _("No player has a place yet. Post the draw and play first."))
    prizes = load_prizes(event).awards if finish is not None else ()
    won = {row.number: money(row.cents, event.tournament.currency) for row in prizes}
    names, ended, note = load_entry_names(event), load_ended_early(event), ""
    if ended is not None:
        words = {"reason": ended.finish.reason}
        note = (_("Ended early, by the standings at that time. %(reason)s") % words).strip()
    at = finish.at if finish is not None else timezone.now()
    return ResultSheet(
        title=event.name,
        subtitle=f"{event.tournament.name} · {event.tournament.venue} · {format_days(event.tournament)}",
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
        seal=seal_sentence(load_code_of_finish(event)) if finish is not None else "",
    )


def _load_places_so_far(event: Event) -> list[tuple[str, tuple[int, ...]]]:
    """Return each place as it is printed, with its entries. Entrants still in a bracket have no place yet."""
    possible = load_possible_places(event)
    if possible is None:
        placings = load_placings_so_far(event)
        return [(str(placing), placing.entries) for placing in placings.finish] if placings is not None else []
    still_in = [(_("In"), possible.still_in)] if possible.still_in else []
    return [*still_in, *((places(possible.finishes[entry]), (entry,)) for entry in possible.placed)]


@dataclass(frozen=True, slots=True)
class _Rest:
    """The layout of the lines below the best: columns, lines in a column, and the line height."""

    columns: int
    lines: int
    row: float
    holds_all: bool

    @property
    def holds(self) -> int:
        return self.columns * self.lines


def write_results(target: IO[bytes], sheet: ResultSheet, *, paper: str = "letter") -> None:
    """Write the page for any number of entrants. A note counts those who do not fit."""
    size = PAPERS[paper]
    canvas = new_canvas(target, size, f"{sheet.heading}: {sheet.title}")
    words = TextLayer(canvas)
    _draw_head(canvas, words, size, sheet)
    first = _count_first(sheet.lines, size.height - TOP - FOOT - GAP)
    rest = sheet.lines[first:]
    room = size.height - TOP - FOOT - GAP
    heads = sum(FIRST_ROW + (8 if line.place == "1" else 0) for line in sheet.lines[:first])
    fits = _rest(len(rest), room - heads)
    larger = 1.0
    if fits.holds_all:
        needed = heads + (GAP + fits.lines * fits.row if rest else 0)
        larger = max(1.0, min(MAX_SCALE, room / max(1.0, needed)))
    y, points = _draw_first(canvas, words, size, sheet.lines[:first], larger)
    points = min(points, LETTERS[fits.row] * larger)  # Nobody is printed larger than the entrants above them.
    _draw_rest(canvas, words, size, rest[: fits.holds], fits, y - GAP, (points, fits.row * larger))
    left = len(rest) - fits.holds
    more = _("And %(left)s more: see the standings page.") % {"left": left} if left > 0 else ""
    _draw_foot(canvas, words, size, (" ".join(filter(None, (more, sheet.note))), sheet.seal))
    words.draw()
    canvas.showPage()
    canvas.save()


def _count_first(lines: Sequence[ResultLine], room: float) -> int:
    """Return the number of lines across the whole page: all prizes, or the first eight places.

    There are fewer if the other entrants need the space.
    """
    paid = sum(bool(line.prize) for line in lines)
    most = min(max(paid, min(FEWEST_FIRST, len(lines))), MOST_FIRST)
    rests = ((n, _rest(len(lines) - n, room - n * FIRST_ROW - 8)) for n in range(most, FEWEST_FIRST, -1))
    return next((n for n, rest in rests if rest.holds_all and rest.columns < MOST_COLUMNS), min(most, FEWEST_FIRST))


def _rest(count: int, room: float) -> _Rest:
    """Lay out the lines in as few columns as possible, and as tall as possible."""
    for columns in range(1, MOST_COLUMNS + 1):
        lines = -(-count // columns)
        row = next((row for row in ROWS if lines * row <= room), 0.0)
        if row:
            return _Rest(columns, lines, row, holds_all=True)
    return _Rest(MOST_COLUMNS, max(0, int(room // ROWS[-1])), ROWS[-1], holds_all=False)


def _draw_head(canvas: Canvas, words: TextLayer, size: Paper, sheet: ResultSheet) -> None:
    beside = size.width - 2 * MARGIN - (QR_SIDE + GAP if sheet.address else 0)
    top = size.height - MARGIN
    words.write_fitted(sheet.title, (MARGIN, top - 22), beside, font=SERIF, size=24, most_lines=1)
    words.write_fitted(sheet.subtitle, (MARGIN, top - 40), beside, size=11, most_lines=1)
    words.write(sheet.heading, (MARGIN, top - 66), font=BOLD, size=16)
    after = MARGIN + text_width(sheet.heading, BOLD, 16) + 12
    words.write_fitted(sheet.time, (after, top - 66), MARGIN + beside - after, size=11, most_lines=1)
    if sheet.address:
        draw_qr(canvas, sheet.address, (size.width - MARGIN - QR_SIDE, top - QR_SIDE), QR_SIDE)
    canvas.setStrokeColor(FELT)
    canvas.setLineWidth(2)
    canvas.line(MARGIN, size.height - TOP + 4, size.width - MARGIN, size.height - TOP + 4)


def _draw_first(
    canvas: Canvas, words: TextLayer, size: Paper, lines: Sequence[ResultLine], larger: float
) -> tuple[float, float]:
    """Draw the best places across the whole page, the winner larger, scaled by the factor `larger`.

    Return the lower edge, and the font size of the places after the winner.
    """
    right, y = size.width - MARGIN, size.height - TOP
    name_at = MARGIN + 84 * min(larger, 1.5)
    prizes = max((text_width(line.prize, BOLD, 12 * min(larger, 1.8)) for line in lines), default=0.0)
    sizes = {
        is_winner: min(
            (
                fit_text(
                    line.name, font, points * larger, right - name_at - (prizes + 12 if prizes else 0), most_lines=1
                ).size
                for line in lines
                if (line.place == "1") is is_winner
            ),
            default=points,
        )
        for is_winner, font, points in ((True, BOLD, 17.0), (False, SANS, 12.0))
    }
    for line in lines:
        is_winner = line.place == "1"
        points = sizes[is_winner]
        row = (FIRST_ROW + 8 if is_winner else FIRST_ROW) * larger
        y -= row
        base = y + row / 2 - points * 0.33
        words.write(
            line.place, (MARGIN + 34 * min(larger, 1.5), base), font=BOLD, size=min(points, 24.0), align="right"
        )
        words.write(str(line.number), (name_at - 10, base), size=round(max(10.0, 0.6 * points), 1), align="right")
        room = right - name_at - (prizes + 12 if prizes else 0)
        font = BOLD if is_winner else SANS
        words.write_fitted(line.name, (name_at, base), room, font=font, size=points, most_lines=1)
        words.write(line.prize, (right, base), font=BOLD, size=round(12 * min(larger, 1.8), 1), align="right")
        canvas.setStrokeColor(RULE)
        canvas.setLineWidth(0.5)
        canvas.line(MARGIN, y, right, y)
    return y, sizes[False]


def _draw_rest(
    canvas: Canvas,
    words: TextLayer,
    size: Paper,
    lines: Sequence[ResultLine],
    fits: _Rest,
    top: float,
    heights: tuple[float, float],
) -> None:
    """Draw the other places in columns. `heights` are the font size and the line height."""
    width = (size.width - 2 * MARGIN - GAP * (fits.columns - 1)) / fits.columns
    points, row = heights
    wide = max((text_width(line.place, BOLD, points) for line in lines), default=0.0)
    numbers = max((text_width(str(line.number), SANS, points) for line in lines), default=0.0)
    for turn, line in enumerate(lines):
        x = MARGIN + (turn // fits.lines) * (width + GAP)
        y = top - (turn % fits.lines + 1) * row
        base = y + row / 2 - points * 0.33
        words.write(line.place, (x + wide, base), font=BOLD, size=points, align="right")
        words.write(str(line.number), (x + wide + 6 + numbers, base), size=points, align="right")
        name = x + wide + numbers + 12
        room = x + width - name - (text_width(line.prize, BOLD, points) + 4 if line.prize else 0)
        words.write_fitted(line.name, (name, base), room, size=points, most_lines=1)
        words.write(line.prize, (x + width, base), font=BOLD, size=points, align="right")
        canvas.setStrokeColor(RULE)
        canvas.setLineWidth(0.3)
        canvas.line(x, y, x + width, y)


def _draw_foot(canvas: Canvas, words: TextLayer, size: Paper, notes: Sequence[str]) -> None:
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.6)
    width = (size.width - 2 * MARGIN - GAP) / 2
    for turn, label in enumerate((_("Tournament director"), _("Date and time"))):
        x = MARGIN + turn * (width + GAP)
        canvas.line(x, 34, x + width, 34)
        words.write(label, (x, 23), size=9)
    for turn, note in enumerate(filter(None, map(str.strip, notes))):
        words.write_fitted(note, (MARGIN, FOOT - 10 - 12 * turn), size.width - 2 * MARGIN, size=9, most_lines=1)
