"""Every print of an event by its name: the rows it needs, put on paper. Called by the worker."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Final

from django.urls import reverse

from pairing.course.pdf import PrintedPairing, write_pairings
from pairing.groups.pdf import write_groups
from pairing.groups.selectors import load_groups
from pairing.knockout.pdf import BracketPicture, bracket_picture, write_poster, write_tiles
from pairing.knockout.selectors import load_board
from pairing.plans.selectors import traits_of
from scoring.card_state.selectors.meetings import load_ready_meetings, tables_in_use
from scoring.prints.pdf.card_prints import Order, Report, print_blank_cards, print_round_cards, title_of
from scoring.prints.pdf.signed_cards import print_signed_cards
from scoring.prints.pdf.signed_slips import print_ruling_slips
from scoring.prints.pdf.table_signs import write_table_signs
from tournament.errors import Conflict
from tournament.models import Event
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
    ]
    target = io.BytesIO()
    write_pairings(target, f"Pairings: {order.event.name}", order.event.tournament.name, rows, paper=order.paper)
    return target.getvalue()


def print_poster(order: Order, report: Report) -> bytes:
    target = io.BytesIO()
    write_poster(target, _picture(order.event))
    return target.getvalue()


def print_tiles(order: Order, report: Report) -> bytes:
    target = io.BytesIO()
    write_tiles(target, _picture(order.event), paper=order.paper)
    return target.getvalue()


def _picture(event: Event) -> BracketPicture:
    if not traits_of(event).two_meet:
        raise Conflict("no-bracket", "This event is played without a bracket. Print the list of who sits where.")
    board = load_board(event)
    if board is None:
        raise Conflict("not-drawn", "The bracket is not drawn yet. Post the draw first.")
    return bracket_picture(board, title_of(event))


def print_groups(order: Order, report: Report) -> bytes:
    groups = load_groups(order.event)
    if groups is None:
        raise Conflict("no-groups", "Nobody plays in groups here. Print the bracket, or the list of who sits where.")
    target = io.BytesIO()
    write_groups(target, title_of(order.event), groups, paper=order.paper)
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


PRINTS: Final[dict[str, tuple[str, Callable[[Order, Report], bytes]]]] = {
    "round-cards": ("Score cards of the round", print_round_cards),
    "blank-cards": ("Blank score cards", print_blank_cards),
    "signed-cards": ("Signed cards", print_signed_cards),
    "ruling-slips": ("Slips of rulings", print_ruling_slips),
    "table-signs": ("Table signs", print_table_signs),
    "pairings": ("Pairing list", print_pairings),
    "groups": ("Group tables", print_groups),
    "bracket-poster": ("Bracket, one poster", print_poster),
    "bracket-tiles": ("Bracket, tiled pages", print_tiles),
    "payouts": ("Payout list", print_payouts),
}
