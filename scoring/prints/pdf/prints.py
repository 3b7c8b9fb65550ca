"""All printouts of an event, by name.

A background task runs a printout's function, which loads data and creates the PDF.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import IO, Final

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

from pairing.draws.stages.plan import StageKind
from pairing.results.pdf import print_result_sheet
from pairing.stages.pdf.games import PrintedPairing, print_standings, write_pairings
from pairing.stages.pictures.boxes import format_full_round_name
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.kinds import RotatingSides, StagePrintout, find_stage_kind_hooks
from pairing.stages.selectors.plans import load_event_plan
from scoring.card_state.selectors.players import load_match_tables, load_ready_seated_matches
from scoring.prints.pdf.card_prints import (
    PrintRequest,
    ProgressCallback,
    print_blank_cards,
    print_round_cards,
    print_rules,
    print_unstarted_cards,
)
from scoring.prints.pdf.ruling_slips import print_ruling_slips
from scoring.prints.pdf.signed_cards import print_cards_in_play, print_signed_cards
from tournament.core.pages.responses import make_event_url
from tournament.core.pdf.lists import ListColumn, PrintedList, write_printed_list
from tournament.core.pdf.paper import (
    BOLD_FONT,
    INK_BLACK,
    PAPER_SIZES,
    RULE_COLOR,
    SANS_FONT,
    SERIF_FONT,
    SLATE_GRAY,
    VERSION_BASELINE,
    Paper,
    TextLayer,
    choose_qr_encoder,
    draw_qr,
    draw_text,
    fit_text,
    make_canvas,
    make_pdf_title,
    mark_document_title,
    mark_pages_as_called_off,
    write_program_version,
)
from tournament.core.selectors.program import format_program_version
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, Event
from tournament.money.pdf.payouts import write_payout_list
from tournament.money.pdf.receipts import write_payout_receipts
from tournament.money.selectors.ledger import load_event_accounts
from tournament.money.selectors.prizes import EventPrizes, load_prizes
from tournament.templatetags.gin import call_off_step, local_day_time, money, percent

PrintoutSection = tuple[str, Callable[[PrintRequest, ProgressCallback], bytes]]
"""A section's title, and the function that prints it. If the function raises `DomainError`, the section is left out."""
Printout = tuple[str, Callable[[PrintRequest, ProgressCallback], bytes]]
"""A printout's title, and the function that creates its PDF."""
TooSmallPrintout = tuple[frozenset[str], str]
"""The paper sizes on which a printout would be too small to read, and the name of the printout to use instead."""
_PrintedSection = tuple[str, bytes, int]
"""A printed section's title, its PDF, and its number of pages."""

FULL_EXPORT_NAME: Final = "everything"
MAX_READABLE_BRACKET_ENTRIES: Final = 32
"""The number of entries up to which a bracket is readable on one page."""
SPARE_BLANK_CARD_COUNT: Final = 8
"""The number of blank cards to include in the PDF with all sections."""
MIN_READABLE_FONT_SIZE: Final = 6.0
"""The smallest readable font size, in points."""
MARGIN: Final = 54.0
CONTINUE_ON_PAPER_INSTRUCTIONS: Final = (
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
PLAYER_COLUMNS: Final = (
    ListColumn(gettext_lazy("No."), 0.7, align="right"),
    ListColumn(gettext_lazy("Name"), 4, bold=True),
    ListColumn(gettext_lazy("Club"), 2.4),
    ListColumn(gettext_lazy("State"), 2.2),
    ListColumn(gettext_lazy("Balance due"), 1.5, align="right"),
)
PRIZE_COLUMNS: Final = (
    ListColumn(gettext_lazy("Place"), 1, bold=True),
    ListColumn(gettext_lazy("Share of the pool"), 2, align="right"),
    ListColumn(gettext_lazy("Amount"), 2, align="right", bold=True),
    ListColumn(gettext_lazy("Paid to"), 5, is_signature_line=True),
)
QR_CODE_SIZE = 190.0
TABLE_SIGN_MARGIN = 20.0
"""The page margin. Printers leave 6 mm (17 points) white."""
PRINTOUTS_WITHOUT_CALLED_OFF_NOTICE: Final = frozenset(
    {"blank-cards", "table-signs", "signed-cards", "ruling-slips", "payout-receipts"}
)
"""Printouts that do not say “called off”, because they do not show the event's state or were already signed."""


# --- Lists and results -----------------------------------------------------------------------------------------------


def _print_players(order: PrintRequest, report: ProgressCallback) -> bytes:
    """Print a list of all entrants with their number, state, and balance due."""
    event, target = order.event, io.BytesIO()
    content = PrintedList(
        _("Players: %(name)s") % {"name": event.name},
        event.tournament.name,
        PLAYER_COLUMNS,
        list(_iter_player_rows(event)),
    )
    write_printed_list(target, content, paper=order.paper)
    return target.getvalue()


def _iter_player_rows(event: Event) -> Iterator[tuple[str, ...]]:
    books = load_event_accounts(event)
    for one in event.entrants.exclude(state__in=(Entrant.State.JOINED, Entrant.State.PARTED)).order_by("number"):
        due = books.get_account(one.pk).due_cents
        state = one.get_state_display() if one.state != Entrant.State.IN else ""
        state = state or (_("Checked in") if one.arrived else _("Not checked in"))
        yield str(one.number), one.name, one.club, state, money(due, event.tournament.currency) if due else ""


def print_prize_places(order: PrintRequest, report: ProgressCallback) -> bytes:
    """Print each place's prize, based on the fees paid so far, with a blank line for the winner's name.

    Raises:
        Conflict: `no-prizes` if the prize pool is empty.
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
    content = PrintedList(
        _("Prizes by place: %(name)s") % {"name": event.name}, pool, PRIZE_COLUMNS, rows, row_height=26
    )
    write_printed_list(target, content, paper=order.paper)
    return target.getvalue()


def _print_pairings(order: PrintRequest, report: ProgressCallback) -> bytes:
    rotating_sides = load_event_stages(order.event).rotating_sides
    rows = list(
        _iter_match_pairings(order) if rotating_sides is None else _iter_pairings_of_sides(order, rotating_sides)
    )
    if not rows:
        message = _("No match can be played now, so there are no pairings to print. Start play first.")
        if order.round or order.table:
            message = _("No match of that round and table can be played now. Choose another round or table.")
        raise Conflict("no-pairings", message)
    target = io.BytesIO()
    now = _("As of %(time)s") % {"time": local_day_time(timezone.now(), order.event.tournament)}
    subtitle = f"{order.event.tournament.name} · {now}"
    write_pairings(target, _("Pairings: %(name)s") % {"name": order.event.name}, subtitle, rows, paper=order.paper)
    return target.getvalue()


def _iter_match_pairings(order: PrintRequest) -> Iterator[PrintedPairing]:
    meetings = load_ready_seated_matches(order.event)
    tables = load_match_tables(meeting.match.pk for meeting in meetings)
    for meeting in meetings:
        table = tables.get(meeting.match.pk)
        if order.includes_match(meeting.match.round, table):
            yield PrintedPairing(
                table, format_full_round_name(meeting.match), tuple((one.number, one.name) for one in meeting.entrants)
            )


def _iter_pairings_of_sides(order: PrintRequest, rotating_sides: RotatingSides) -> Iterator[PrintedPairing]:
    """Yield the tables of the latest seated round of a couples event or Court Whist."""
    round_ = rotating_sides.current_round.round
    for table, numbers in enumerate(rotating_sides.current_round.tables, start=1):
        if order.includes_match(round_, table):
            yield PrintedPairing(
                table,
                _("Round %(round)s") % {"round": round_},
                tuple((number, rotating_sides.name(number)) for number in numbers),
            )


def _print_payouts(order: PrintRequest, report: ProgressCallback) -> bytes:
    target = io.BytesIO()
    write_payout_list(target, order.event, _require_prizes(order.event), paper=order.paper)
    return target.getvalue()


def _print_payout_receipts(order: PrintRequest, report: ProgressCallback) -> bytes:
    """Print a receipt for each player with a prize, two on a page."""
    target = io.BytesIO()
    write_payout_receipts(target, order.event, _require_prizes(order.event), paper=order.paper)
    return target.getvalue()


def _require_prizes(event: Event) -> EventPrizes:
    """Return a finished event's prizes.

    Raises:
        Conflict: `not-finished` if nobody has won anything yet.
    """
    prizes = load_prizes(event)
    if not prizes.all_awards:
        raise Conflict(
            "not-finished", _("The event is not finished, so there are no payouts to print. Finish it first.")
        )
    return prizes


def _print_result_sheet(order: PrintRequest, report: ProgressCallback) -> bytes:
    target = io.BytesIO()
    print_result_sheet(
        target, order.event, order.paper, order.make_url(make_event_url(order.event, "pairing:standings"))
    )
    return target.getvalue()


# --- Table signs -----------------------------------------------------------------------------------------------------
# A sign has the number of its table, and the code that opens the card being played there. Two go to a page.


def print_table_signs(order: PrintRequest, report: ProgressCallback) -> bytes:
    """Print a sign for each table, for use in every event of the tournament."""
    tournament = order.event.tournament
    numbers = range(1, order.count + 1)
    paths = {n: reverse("scoring:table_now", kwargs={"tournament": tournament.slug, "table": n}) for n in numbers}
    target = io.BytesIO()
    addresses = {table: order.make_url(path) for table, path in paths.items()}
    _write_table_signs(target, tournament.name, addresses, paper=order.paper)
    return target.getvalue()


def _write_table_signs(target: IO[bytes], title: str, addresses: dict[int, str], *, paper: str = "letter") -> None:
    """Draw the table signs. `addresses` contains the URL in each table's QR code."""
    sheet = PAPER_SIZES[paper]
    canvas = make_canvas(
        target, sheet, _("Table signs: %(title)s") % {"title": title}, has_own_mark=True, has_own_version=True
    )
    make = choose_qr_encoder(len(addresses))
    for place, (table, address) in enumerate(addresses.items()):
        if place and place % 2 == 0:
            canvas.showPage()
        bottom = 0 if place % 2 else sheet.height / 2
        _draw_sign(canvas, sheet, bottom, mark_document_title(title), table)
        draw_qr(canvas, address, (sheet.width - QR_CODE_SIZE - 60, bottom + 90), QR_CODE_SIZE, make)
    canvas.showPage()
    canvas.save()


def _draw_sign(canvas: Canvas, sheet: Paper, bottom: float, title: str, table: int) -> None:
    half = sheet.height / 2
    canvas.setStrokeColor(RULE_COLOR)
    canvas.line(TABLE_SIGN_MARGIN, half, sheet.width - TABLE_SIGN_MARGIN, half)
    canvas.setFillColor(INK_BLACK)
    draw_text(canvas, _("Table"), (60, bottom + half - 90), size=26)
    number = fit_text(str(table), SERIF_FONT, 190, sheet.width - QR_CODE_SIZE - 150, most_lines=1)
    draw_text(canvas, number.lines[0], (56, bottom + 110), font=SERIF_FONT, size=number.size)
    text = _("Point your phone's camera here: the score card of this table opens.")
    draw_text(canvas, text, (60, bottom + 62), font=BOLD_FONT, size=13)
    draw_text(canvas, title, (60, bottom + 42))
    words = TextLayer(canvas)
    words.text.setFillColor(SLATE_GRAY)
    write_program_version(words, (sheet.width / 2, bottom + VERSION_BASELINE), sheet.width - 2 * TABLE_SIGN_MARGIN)
    words.text.setFillColor(INK_BLACK)
    words.draw()


# --- One file with everything ----------------------------------------------------------------------------------------


def _print_everything(order: PrintRequest, report: ProgressCallback) -> bytes:
    """Print one PDF with everything that is needed to continue the event by hand."""
    return _join_sections(order, list(_iter_sections(order)), report)


def _iter_sections(order: PrintRequest) -> Iterator[PrintoutSection]:
    own = _list_stage_printouts(stage.kind for stage in load_event_plan(order.event).stages)
    large = len(load_event_stages(order.event).entries) > MAX_READABLE_BRACKET_ENTRIES
    own.pop("bracket-poster" if large else "bracket-tiles", None)
    finished = order.event.state == order.event.State.FINISHED
    yield gettext_noop("Players"), _print_players
    yield gettext_noop("Pairings and tables"), _print_pairings
    yield from own.values()
    yield gettext_noop("Standings"), _make_stage_printout(StagePrintout("", print_standings))[1]
    yield PRINTOUTS["results"]
    yield gettext_noop("Score cards being played, with every hand so far"), print_cards_in_play
    yield gettext_noop("Score cards of matches to begin"), print_unstarted_cards
    yield (
        gettext_noop("Blank score cards"),
        lambda at, done: print_blank_cards(replace(at, count=SPARE_BLANK_CARD_COUNT), done),
    )
    yield gettext_noop("Rules in brief"), print_rules
    yield PRINTOUTS["payouts"] if finished else (gettext_noop("Prizes by place"), print_prize_places)


def _join_sections(order: PrintRequest, sections: Sequence[PrintoutSection], report: ProgressCallback) -> bytes:
    """Print a cover page, and all sections that are not empty."""
    parts: list[_PrintedSection] = []
    for done, (title, build) in enumerate(sections, start=1):
        try:
            content = build(order, lambda done, total: None)  # progress is reported for each section as a whole
        except DomainError:
            continue
        finally:
            report(done, len(sections) + 1)
        parts.append((_(title), content, len(PdfReader(io.BytesIO(content)).pages)))
    written = PdfWriter()
    for each in (_make_cover_page(order, parts), *(content for _title, content, _pages in parts)):
        written.append(io.BytesIO(each), import_outline=False)
    written.compress_identical_objects()
    title = make_pdf_title(_("Everything now: %(event)s") % {"event": order.event.name})
    written.add_metadata({"/Title": title, "/Creator": format_program_version()})
    target = io.BytesIO()
    written.write(target)
    return target.getvalue()


def _make_cover_page(order: PrintRequest, parts: Sequence[_PrintedSection]) -> bytes:
    event, size, target = order.event, PAPER_SIZES[order.paper], io.BytesIO()
    canvas = make_canvas(target, size, _("Everything now: %(event)s") % {"event": event.name})
    words = TextLayer(canvas)
    width, y = size.width - 2 * MARGIN, size.height - 90
    words.write_fitted(event.name, (MARGIN, y), width, font=SERIF_FONT, size=26, most_lines=1)
    words.write_fitted(event.tournament.name, (MARGIN, y - 22), width, size=13, most_lines=1)
    title = _("Everything as of %(time)s") % {"time": local_day_time(timezone.now(), event.tournament)}
    words.write_fitted(title, (MARGIN, y - 50), width, font=BOLD_FONT, size=15, most_lines=1)
    y = _write_contents(canvas, words, size, parts, y - 86)
    words.write(_("To go on by hand"), (MARGIN, y - 26), font=BOLD_FONT, size=13)
    y -= 50
    for number, step in enumerate(CONTINUE_ON_PAPER_INSTRUCTIONS, start=1):
        words.write(f"{number}.", (MARGIN, y), font=BOLD_FONT, size=12)
        for line in fit_text(str(step), SANS_FONT, 12, width - 24, smallest=12, most_lines=4).lines:
            words.write(line, (MARGIN + 24, y), size=12)
            y -= 16.5
        y -= 6
    words.draw()
    canvas.showPage()
    canvas.save()
    return target.getvalue()


def _write_contents(canvas: Canvas, words: TextLayer, size: Paper, parts: Sequence[_PrintedSection], y: float) -> float:
    """List each section with its first page, and return the y coordinate below the list."""
    page, right = 2, size.width - MARGIN
    canvas.setStrokeColor(RULE_COLOR)
    canvas.setLineWidth(0.5)
    for title, _content, pages in parts:
        words.write(title, (MARGIN, y), size=12)
        words.write(_("page %(page)s") % {"page": page}, (right, y), size=12, align="right")
        canvas.line(MARGIN, y - 6, right, y - 6)
        page += pages
        y -= 21
    canvas.setStrokeColor(INK_BLACK)
    return y


# --- Prints by name --------------------------------------------------------------------------------------------------

PRINTOUTS: Final[dict[str, Printout]] = {
    "round-cards": (gettext_noop("Score cards of the round"), print_round_cards),
    "blank-cards": (gettext_noop("Blank score cards"), print_blank_cards),
    "signed-cards": (gettext_noop("Signed score cards"), print_signed_cards),
    "pairings": (gettext_noop("Pairings"), _print_pairings),
    "results": (gettext_noop("Result sheet, one page"), _print_result_sheet),
    "table-signs": (gettext_noop("Table signs"), print_table_signs),
    "ruling-slips": (gettext_noop("Ruling slips"), print_ruling_slips),
    "payouts": (gettext_noop("Payouts, with lines to sign"), _print_payouts),
    "payout-receipts": (gettext_noop("Payout receipts to sign, two to a page"), _print_payout_receipts),
}
"""Printouts that every event offers. Additional printouts depend on the event's stages."""
FULL_EXPORT_PRINTOUT: Final[Printout] = (gettext_noop("Everything now"), _print_everything)


def list_printouts(kinds: Iterable[StageKind]) -> dict[str, Printout]:
    """Return all printouts for an event with these kinds of stages."""
    *first, last = PRINTOUTS
    own = {
        **{name: PRINTOUTS[name] for name in first},
        **_list_stage_printouts(kinds),
        last: PRINTOUTS[last],
        FULL_EXPORT_NAME: FULL_EXPORT_PRINTOUT,
    }
    return {
        name: each if name in PRINTOUTS_WITHOUT_CALLED_OFF_NOTICE else _add_called_off_notice(each)
        for name, each in own.items()
    }


def _add_called_off_notice(each: Printout) -> Printout:
    """Return the same printout with a note on its pages if the event was called off."""
    title, build = each

    def build_marked(order: PrintRequest, report: ProgressCallback) -> bytes:
        off = call_off_step(order.event)
        with mark_pages_as_called_off(off.reason) if off is not None else nullcontext():
            return build(order, report)

    return title, build_marked


def _list_stage_printouts(kinds: Iterable[StageKind]) -> dict[str, Printout]:
    return {
        name: _make_stage_printout(paper)
        for kind in kinds
        for name, paper in find_stage_kind_hooks(kind).printouts.items()
    }


def find_too_small_printouts(event: Event) -> dict[str, TooSmallPrintout]:
    """Return the event's printouts that are too small to read on some paper sizes, keyed by the printout's name."""
    prints: dict[str, TooSmallPrintout] = {}
    for kind in {stage.kind for stage in load_event_plan(event).stages}:
        for name, paper in find_stage_kind_hooks(kind).printouts.items():
            sizes = {size: paper.type_size(event, size) for size in PAPER_SIZES} if paper.type_size else {}
            small = frozenset(
                size for size, points in sizes.items() if points is not None and points < MIN_READABLE_FONT_SIZE
            )
            if small:
                prints[name] = small, paper.larger
    return prints


def _make_stage_printout(paper: StagePrintout) -> Printout:
    def build(order: PrintRequest, report: ProgressCallback) -> bytes:
        target = io.BytesIO()
        paper.write(target, order.event, order.paper)
        return target.getvalue()

    return paper.title, build
