"""Every print of an event by its name: the rows it needs, put on paper. Called by the worker."""

import io
from collections.abc import Callable, Iterable
from typing import Final

from django.urls import reverse

from pairing.course.pdf import PrintedPairing, write_pairings
from pairing.draws.stages.kinds import StageKind
from pairing.stage_kinds.selectors.kind_rooms import Paper, room_of
from scoring.card_state.selectors.meetings import load_ready_meetings, tables_in_use
from scoring.prints.pdf.card_prints import Order, Report, print_blank_cards, print_round_cards
from scoring.prints.pdf.signed_cards import print_signed_cards
from scoring.prints.pdf.signed_slips import print_ruling_slips
from scoring.prints.pdf.table_signs import write_table_signs
from tournament.errors import Conflict
from tournament.money.pdf.payouts import write_payouts
from tournament.money.selectors.prizes import load_prizes


def print_pairings(order: Order, report: Report) -> bytes:
    meetings = load_ready_meetings(order.event)
    tables = tables_in_use(meeting.match.pk for meeting in meetings)
    rows = [
        PrintedPairing(
            tables.get(meeting.match.pk),
            f"Round {meeting.match.round}",
            tuple((entrant.number, entrant.name) for entrant in meeting.entrants),
        )
        for meeting in meetings
        if order.wants(meeting.match.round, tables.get(meeting.match.pk))
    ]
    target = io.BytesIO()
    write_pairings(target, f"Pairings: {order.event.name}", order.event.tournament.name, rows, paper=order.paper)
    return target.getvalue()


def print_payouts(order: Order, report: Report) -> bytes:
    prizes = load_prizes(order.event)
    if not prizes.awards:
        raise Conflict("not-finished", "The event is not finished, so there are no payouts to print.")
    target = io.BytesIO()
    write_payouts(target, order.event, prizes, paper=order.paper)
    return target.getvalue()


def print_table_signs(order: Order, report: Report) -> bytes:
    """One for each table from 1 on; the same sign serves every event of the tournament."""
    tournament = order.event.tournament
    numbers = range(1, order.count + 1)
    paths = {n: reverse("scoring:table_now", kwargs={"tournament": tournament.slug, "table": n}) for n in numbers}
    target = io.BytesIO()
    addresses = {table: order.address(path) for table, path in paths.items()}
    write_table_signs(target, tournament.name, addresses, paper=order.paper)
    return target.getvalue()


Print = tuple[str, Callable[[Order, Report], bytes]]
"""What it is called, and how it is made."""

PRINTS: Final[dict[str, Print]] = {
    "round-cards": ("Score cards of the round", print_round_cards),
    "blank-cards": ("Blank score cards", print_blank_cards),
    "signed-cards": ("Signed cards", print_signed_cards),
    "ruling-slips": ("Slips of rulings", print_ruling_slips),
    "table-signs": ("Table signs", print_table_signs),
    "pairings": ("Pairing list", print_pairings),
    "payouts": ("Payout list", print_payouts),
}
"""What every event has; the rest follows from the kinds of its stages."""


def prints_of(kinds: Iterable[StageKind]) -> dict[str, Print]:
    """What can be printed of an event with stages of these kinds."""
    papers = {name: _of_kind(paper) for kind in kinds for name, paper in room_of(kind).papers.items()}
    *first, last = PRINTS
    return {**{name: PRINTS[name] for name in first}, **papers, last: PRINTS[last]}


def _of_kind(paper: Paper) -> Print:
    def build(order: Order, report: Report) -> bytes:
        target = io.BytesIO()
        paper.write(target, order.event, order.paper)
        return target.getvalue()

    return paper.title, build
