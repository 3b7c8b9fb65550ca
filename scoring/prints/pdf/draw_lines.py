"""The draw at a table on paper: the rule in words, and for each place the name or a line to write it on."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from reportlab.pdfgen.canvas import Canvas

from scoring.card_state.selectors.cards import CardState
from scoring.rules.variants.variant import TableDraw
from tournament.core.pdf.paper import BOLD, INK, SANS, Words, fit, load_fonts, width_of

ROW: Final = 20.0
"""The height of a line to write on, in points."""
A_ROW: Final = 3
LINE: Final = 9.5
NARROWEST: Final = 555.0
"""The width of A4 without its margins, the narrowest paper."""
LONGEST: Final = 200.0
"""The greatest length of a line to write a name on."""
SIZE: Final = 8.0


@dataclass(frozen=True, slots=True)
class DrawLines:
    """The draw on paper: the rule in a sentence or two, and the label and name of each place.

    A place without a name is a line to write on. `is_over` means that nobody writes on it any more, so a missing name
    was not recorded.
    """

    said: str
    blanks: tuple[tuple[str, str], ...] = ()
    is_over: bool = False

    @property
    def height(self) -> float:
        said = 2.5 + LINE * len(said_lines(self.said)) if self.said else 0.0
        return said + ROW * ((len(self.blanks) + A_ROW - 1) // A_ROW)


def said_lines(said: str) -> tuple[str, ...]:
    """Return the rule in one or two lines that fit the narrowest paper."""
    load_fonts()
    return fit(said, SANS, SIZE, NARROWEST, smallest=SIZE).lines


NOTHING_DRAWN: Final = DrawLines("")


def lines_before_play(draw: TableDraw, sides: int) -> DrawLines:
    return DrawLines(f"{draw.ask} {draw.words}", tuple((label, "") for label in _labels(draw, sides)))


def lines_of(state: CardState) -> DrawLines:
    """Return the lines of a card's draw as far as recorded. If the event's draw has seated the sides, say so."""
    draw, is_over = state.draw.table_draw, state.is_posted or state.score.is_closed
    if draw.keeps_score:
        labels = dict.fromkeys(_labels(draw, len(state.seats)), state.keeper_name)
        return DrawLines(f"{draw.ask} {draw.words}", tuple(labels.items()), is_over)
    said = (
        f"{draw.ask} {draw.words}" if state.draw.draws_at_table or not draw.places else _("Seats by the event's draw.")
    )
    names = [name for name, _role in state.draw.drawn_words]
    known = [*names, *[""] * (len(draw.places) - len(names)), state.keeper_name]
    return DrawLines(said, tuple(zip(_labels(draw, len(state.seats)), known, strict=False)), is_over)


def draw_lines(canvas: Canvas, words: Words, lines: DrawLines, at: tuple[float, float], width: float) -> None:
    """Draw the lines from this corner down. `DrawLines.height` is the height they need."""
    x, y = at
    said = said_lines(lines.said) if lines.said else ()
    for turn, line in enumerate(said):
        words.write(line, (x, y - 9 - LINE * turn), size=SIZE)
    y -= LINE * max(len(said) - 1, 0)
    columns = min(A_ROW, len(lines.blanks))
    each = width / max(columns, 1)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.6)
    for turn, (label, name) in enumerate(lines.blanks):
        left, base = x + (turn % columns) * each, y - 12 - ROW * (turn // columns) - 14
        words.write(f"{label}:", (left, base), size=SIZE)
        start = left + width_of(f"{label}: ", SANS, SIZE)
        if name:
            words.write_fitted(name, (start, base), left + each - 8 - start, font=BOLD, size=SIZE + 0.5, most_lines=1)
        elif lines.is_over:
            words.write(_("not recorded"), (start, base), size=SIZE)
        else:
            canvas.line(start, base - 2, min(left + each - 8, start + LONGEST), base - 2)


def _labels(draw: TableDraw, sides: int) -> Iterator[str]:
    if draw.keeps_score:
        yield _("%(card)s, keeps score") % {"card": draw.places[0].card}
        return
    yield from (f"{place.card}, {place.role}" for place in draw.places)
    if sides > 1 and draw.asks_keeper:
        yield _("Keeps score")
