"""Print one file to go on with by hand: the current matches, the standings, and cards to write on.

sections ──print_all──► a cover with the contents and instructions, followed by the sections
"""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

from scoring.prints.pdf.card_prints import Order, Report
from tournament.core.pdf.lists import ListColumn, PrintedList, write_list
from tournament.core.pdf.paper import BOLD, INK, PAPERS, RED, RULE, SANS, SERIF, Paper, Words, fit, new_canvas
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, Event
from tournament.money.selectors.ledger import load_books
from tournament.money.selectors.prizes import load_prizes
from tournament.templatetags.gin import local_day_time, money, percent

Section = tuple[str, Callable[[Order, Report], bytes]]
"""The title of a section and the function that prints it. A section with nothing to show refuses, and is left out."""

MARGIN: Final = 54.0
HOW_TO: Final = (
    gettext_lazy(
        "Post the list of pairings. Give each table its score card: cards that were begun show every hand so far."
    ),
    gettext_lazy(
        "Play on at the tables. Write each hand on the card. Both players sign, and bring the card to the desk."
    ),
    gettext_lazy(
        "Write the winner into the bracket, or the result into the standings. Who plays next follows from there."
    ),
    gettext_lazy("Use the blank cards for new matches. Write the round, the table and both names on each."),
    gettext_lazy("Keep every signed card. When the program is back, enter them under Score cards: nothing is lost."),
)
PLAYERS: Final = (
    ListColumn(gettext_lazy("No."), 0.7, align="right"),
    ListColumn(gettext_lazy("Name"), 4, bold=True),
    ListColumn(gettext_lazy("Club"), 2.4),
    ListColumn(gettext_lazy("State"), 2.2),
    ListColumn(gettext_lazy("Balance due"), 1.5, align="right"),
)
PRIZES: Final = (
    ListColumn(gettext_lazy("Place"), 1, bold=True),
    ListColumn(gettext_lazy("Share of the pool"), 2, align="right"),
    ListColumn(gettext_lazy("Amount"), 2, align="right", bold=True),
    ListColumn(gettext_lazy("Paid to"), 5, to_sign=True),
)


@dataclass(frozen=True, slots=True)
class _Part:
    title: str
    content: bytes
    pages: int


def stamp_pages(content: bytes, words: str) -> bytes:
    """Write a sentence in red at the top of each page of a print."""
    written = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    for page in written.pages:
        size = Paper("", float(page.mediabox.width), float(page.mediabox.height))
        above = io.BytesIO()
        canvas = new_canvas(above, size, "")
        canvas.setFillColor(RED)
        text = Words(canvas)
        text.write_fitted(
            words,
            (size.width / 2, size.height - 27),
            size.width - 2 * MARGIN,
            font=BOLD,
            size=11,
            align="center",
            most_lines=1,
        )
        text.draw()
        canvas.save()
        page.merge_page(PdfReader(above).pages[0])
    target = io.BytesIO()
    written.write(target)
    return target.getvalue()


def print_all(order: Order, sections: Sequence[Section], report: Report) -> bytes:
    """Print the cover and every section that has something to show."""
    parts: list[_Part] = []
    for done, (title, build) in enumerate(sections, start=1):
        try:
            content = build(order, _quiet)
        except DomainError:
            continue
        finally:
            report(done, len(sections) + 1)
        parts.append(_Part(_(title), content, len(PdfReader(io.BytesIO(content)).pages)))
    written = PdfWriter()
    for each in (_cover(order, parts), *(part.content for part in parts)):
        written.append(io.BytesIO(each), import_outline=False)
    written.compress_identical_objects()
    target = io.BytesIO()
    written.write(target)
    return target.getvalue()


def _quiet(done: int, total: int) -> None:
    """Ignore the progress within a section. Progress is reported for each section as a whole."""


def _cover(order: Order, parts: Sequence[_Part]) -> bytes:
    event, size, target = order.event, PAPERS[order.paper], io.BytesIO()
    canvas = new_canvas(target, size, _("Everything now: %(event)s") % {"event": event.name})
    words = Words(canvas)
    width, y = size.width - 2 * MARGIN, size.height - 90
    words.write_fitted(event.name, (MARGIN, y), width, font=SERIF, size=26, most_lines=1)
    words.write_fitted(event.tournament.name, (MARGIN, y - 22), width, size=13, most_lines=1)
    said = _("Everything as of %(time)s") % {"time": local_day_time(timezone.now(), event.tournament)}
    words.write_fitted(said, (MARGIN, y - 50), width, font=BOLD, size=15, most_lines=1)
    y = _write_contents(canvas, words, size, parts, y - 86)
    words.write(_("To go on by hand"), (MARGIN, y - 26), font=BOLD, size=13)
    y -= 50
    for number, step in enumerate(HOW_TO, start=1):
        words.write(f"{number}.", (MARGIN, y), font=BOLD, size=12)
        for line in fit(str(step), SANS, 12, width - 24, smallest=12, most_lines=4).lines:
            words.write(line, (MARGIN + 24, y), size=12)
            y -= 16.5
        y -= 6
    words.draw()
    canvas.showPage()
    canvas.save()
    return target.getvalue()


def _write_contents(canvas: Canvas, words: Words, size: Paper, parts: Sequence[_Part], y: float) -> float:
    """Write each section with its first page, and return the position below the list."""
    page, right = 2, size.width - MARGIN
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.5)
    for part in parts:
        words.write(part.title, (MARGIN, y), size=12)
        words.write(_("page %(page)s") % {"page": page}, (right, y), size=12, align="right")
        canvas.line(MARGIN, y - 6, right, y - 6)
        page += part.pages
        y -= 21
    canvas.setStrokeColor(INK)
    return y


def print_players(order: Order, report: Report) -> bytes:
    """Print everybody with a number: who plays, who is out, and who still owes money."""
    event, target = order.event, io.BytesIO()
    content = PrintedList(
        _("Players: %(name)s") % {"name": event.name}, event.tournament.name, PLAYERS, list(_players(event))
    )
    write_list(target, content, paper=order.paper)
    return target.getvalue()


def _players(event: Event) -> Iterator[tuple[str, ...]]:
    books = load_books(event)
    for one in event.entrants.exclude(state__in=(Entrant.State.JOINED, Entrant.State.PARTED)).order_by("number"):
        due = books.account(one.pk).due_cents
        state = one.get_state_display() if one.state != Entrant.State.IN else ""
        state = state or (_("Checked in") if one.arrived else _("Not checked in"))
        yield str(one.number), one.name, one.club, state, money(due, event.tournament.currency) if due else ""


def print_prize_places(order: Order, report: Report) -> bytes:
    """Print what each place is worth by the fees so far, with a line for the name of the winner.

    Raises:
        Conflict: `no-prizes`: the prize pool is empty.
    """
    event, target = order.event, io.BytesIO()
    prizes, currency = load_prizes(event), event.tournament.currency
    if not prizes.pool.pool_cents:
        raise Conflict("no-prizes", _("The prize pool is empty, so there are no payouts to print."))
    rows = [(str(row.place), percent(row.percent), money(row.cents, currency), "") for row in prizes.places]
    pool = _("%(name)s · Prize pool so far %(amount)s") % {
        "name": event.tournament.name,
        "amount": money(prizes.pool.pool_cents, currency),
    }
    content = PrintedList(_("Prizes by place: %(name)s") % {"name": event.name}, pool, PRIZES, rows, row_height=26)
    write_list(target, content, paper=order.paper)
    return target.getvalue()
