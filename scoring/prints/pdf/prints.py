"""Every print of an event by its name. The worker calls it to load the data and make the file."""

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from pairing.course.pdf import PrintedPairing, print_standings, write_pairings
from pairing.draws.stages.plan import StageKind
from pairing.finish.pdf import print_results
from pairing.knockout.pictures.match_boxes import name_round
from pairing.plans.selectors import load_plan
from pairing.stage_kinds.selectors.kind_rooms import Paper, room_of
from pairing.stage_kinds.selectors.stages import load_course
from pairing.stage_kinds.selectors.turning import Turning
from scoring.card_state.selectors.meetings import load_ready_meetings, tables_in_use
from scoring.prints.pdf.card_prints import (
    Order,
    Report,
    print_blank_cards,
    print_fresh_cards,
    print_round_cards,
    print_rules,
)
from scoring.prints.pdf.everything import Section, print_all, print_players, print_prize_places, stamp_pages
from scoring.prints.pdf.signed_cards import print_begun_cards, print_signed_cards
from scoring.prints.pdf.signed_slips import print_ruling_slips
from scoring.prints.pdf.table_signs import write_table_signs
from tournament.core.pages.responses import event_link
from tournament.core.pdf.paper import PAPERS
from tournament.errors import Conflict
from tournament.models import Event
from tournament.money.pdf.payouts import write_payout_receipts, write_payouts
from tournament.money.selectors.prizes import Prizes, load_prizes
from tournament.templatetags.gin import called_off, local_day_time


def print_pairings(order: Order, report: Report) -> bytes:
    turning = load_course(order.event).turning
    rows = list(_pairings(order) if turning is None else _pairings_of_sides(order, turning))
    if not rows:
        why = _("No match can be played now, so there are no pairings to print. Start play first.")
        if order.round or order.table:
            why = _("No match of that round and table can be played now. Choose another round or table.")
        raise Conflict("no-pairings", why)
    target = io.BytesIO()
    now = _("As of %(time)s") % {"time": local_day_time(timezone.now(), order.event.tournament)}
    said = f"{order.event.tournament.name} · {now}"
    write_pairings(target, _("Pairings: %(name)s") % {"name": order.event.name}, said, rows, paper=order.paper)
    return target.getvalue()


def _pairings(order: Order) -> Iterator[PrintedPairing]:
    meetings = load_ready_meetings(order.event)
    tables = tables_in_use(meeting.match.pk for meeting in meetings)
    for meeting in meetings:
        table = tables.get(meeting.match.pk)
        if order.wants(meeting.match.round, table):
            yield PrintedPairing(
                table,
                name_round(meeting.match),
                tuple((one.number, one.name) for one in meeting.entrants),
            )


def _pairings_of_sides(order: Order, turning: Turning) -> Iterator[PrintedPairing]:
    """Return the tables of the last seated round, in an event with two sides."""
    round_ = turning.current.round
    for table, numbers in enumerate(turning.current.tables, start=1):
        if order.wants(round_, table):
            yield PrintedPairing(
                table,
                _("Round %(round)s") % {"round": round_},
                tuple((number, turning.name(number)) for number in numbers),
            )


def print_payouts(order: Order, report: Report) -> bytes:
    target = io.BytesIO()
    write_payouts(target, order.event, _awarded(order.event), paper=order.paper)
    return target.getvalue()


def print_payout_receipts(order: Order, report: Report) -> bytes:
    """Print a receipt for each player with a prize, two to a page."""
    target = io.BytesIO()
    write_payout_receipts(target, order.event, _awarded(order.event), paper=order.paper)
    return target.getvalue()


def _awarded(event: Event) -> Prizes:
    """Return the prizes of a finished event.

    Raises:
        Conflict: `not-finished`: nobody has won anything yet.
    """
    prizes = load_prizes(event)
    if not prizes.all_awards:
        raise Conflict(
            "not-finished", _("The event is not finished, so there are no payouts to print. Finish it first.")
        )
    return prizes


def print_table_signs(order: Order, report: Report) -> bytes:
    """Print a sign for each table from 1. The signs work for every event of the tournament."""
    tournament = order.event.tournament
    numbers = range(1, order.count + 1)
    paths = {n: reverse("scoring:table_now", kwargs={"tournament": tournament.slug, "table": n}) for n in numbers}
    target = io.BytesIO()
    addresses = {table: order.address(path) for table, path in paths.items()}
    write_table_signs(target, tournament.name, addresses, paper=order.paper)
    return target.getvalue()


def print_result_sheet(order: Order, report: Report) -> bytes:
    target = io.BytesIO()
    print_results(target, order.event, order.paper, order.address(event_link(order.event, "pairing:standings")))
    return target.getvalue()


def print_everything(order: Order, report: Report) -> bytes:
    """Print one file with which the event can go on by hand at any time."""
    return print_all(order, list(_sections(order)), report)


def _sections(order: Order) -> Iterator[Section]:
    own = _papers_of(stage.kind for stage in load_plan(order.event).stages)
    large = len(load_course(order.event).entries) > READABLE
    own.pop("bracket-poster" if large else "bracket-tiles", None)
    finished = order.event.state == order.event.State.FINISHED
    yield gettext_noop("Players"), print_players
    yield gettext_noop("Pairings and tables"), print_pairings
    yield from own.values()
    yield gettext_noop("Standings"), _of_kind(Paper("", print_standings))[1]
    yield PRINTS["results"]
    yield gettext_noop("Score cards being played, with every hand so far"), print_begun_cards
    yield gettext_noop("Score cards of matches to begin"), print_fresh_cards
    yield gettext_noop("Blank score cards"), lambda at, done: print_blank_cards(replace(at, count=SPARE), done)
    yield gettext_noop("Rules in brief"), print_rules
    yield PRINTS["payouts"] if finished else (gettext_noop("Prizes by place"), print_prize_places)


READABLE: Final = 32
"""The largest field whose bracket is readable on one page. A larger bracket is printed on tiled pages."""
SPARE: Final = 8
"""The number of blank cards in the file with everything. More can be copied."""

Print = tuple[str, Callable[[Order, Report], bytes]]
"""The title of a print, and the function that makes it."""

PRINTS: Final[dict[str, Print]] = {
    "round-cards": (gettext_noop("Score cards of the round"), print_round_cards),
    "blank-cards": (gettext_noop("Blank score cards"), print_blank_cards),
    "signed-cards": (gettext_noop("Signed score cards"), print_signed_cards),
    "pairings": (gettext_noop("Pairings"), print_pairings),
    "results": (gettext_noop("Result sheet, one page"), print_result_sheet),
    "table-signs": (gettext_noop("Table signs"), print_table_signs),
    "ruling-slips": (gettext_noop("Ruling slips"), print_ruling_slips),
    "payouts": (gettext_noop("Payouts, with lines to sign"), print_payouts),
    "payout-receipts": (gettext_noop("Payout receipts to sign, two to a page"), print_payout_receipts),
}
"""Prints of every event. The others depend on the kinds of its stages."""

OF_ANY_EVENT: Final = frozenset({"blank-cards", "table-signs", "signed-cards", "ruling-slips", "payout-receipts"})
"""Prints that do not show the state of an event, or that stay as they were signed."""

EVERYTHING: Final = "everything"
ALL: Final[Print] = (gettext_noop("Everything now"), print_everything)


def prints_of(kinds: Iterable[StageKind]) -> dict[str, Print]:
    """Return the prints of an event with stages of these kinds."""
    *first, last = PRINTS
    own = {**{name: PRINTS[name] for name in first}, **_papers_of(kinds), last: PRINTS[last], EVERYTHING: ALL}
    return {name: each if name in OF_ANY_EVENT else _marked(each) for name, each in own.items()}


def _marked(each: Print) -> Print:
    """Return the print. If its event is called off, each page says so."""
    title, build = each

    def build_marked(order: Order, report: Report) -> bytes:
        content, off = build(order, report), called_off(order.event)
        if off is None:
            return content
        return stamp_pages(content, _("Called off: %(reason)s") % {"reason": off.reason})

    return title, build_marked


def _papers_of(kinds: Iterable[StageKind]) -> dict[str, Print]:
    return {name: _of_kind(paper) for kind in kinds for name, paper in room_of(kind).papers.items()}


LEAST_TYPE: Final = 6.0
"""The smallest readable type, in points."""


@dataclass(frozen=True, slots=True)
class TooSmall:
    """A print whose names are too small to read on these papers, and the print to take instead."""

    papers: frozenset[str]
    instead: str


def too_small_prints(event: Event) -> dict[str, TooSmall]:
    """Return the prints that are too small to read, by name."""
    found: dict[str, TooSmall] = {}
    for kind in {stage.kind for stage in load_plan(event).stages}:
        for name, paper in room_of(kind).papers.items():
            small = frozenset(size for size in PAPERS if _is_too_small(paper, event, size))
            if small:
                found[name] = TooSmall(small, paper.larger)
    return found


def _is_too_small(paper: Paper, event: Event, size: str) -> bool:
    points = paper.type_size(event, size) if paper.type_size else None
    return points is not None and points < LEAST_TYPE


def _of_kind(paper: Paper) -> Print:
    def build(order: Order, report: Report) -> bytes:
        target = io.BytesIO()
        paper.write(target, order.event, order.paper)
        return target.getvalue()

    return paper.title, build
