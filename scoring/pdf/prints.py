"""Every print of an event by its name: the rows it needs, put on paper. Called by the worker."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from pairing.draws import MatchView, Measures, Progress, lay_out
from pairing.pdf.bracket import BoxLine, BracketPicture, write_poster, write_tiles
from pairing.pdf.pairings import PrintedPairing, write_pairings
from pairing.selectors.brackets import load_progress
from scoring.models import Card
from scoring.pdf.score_card import PrintedCard, PrintedSide, write_cards
from scoring.pdf.signed_card import PrintedSignature, SignedCard, write_signed
from scoring.selectors.cards import CardState, cards_with_facts, read_card
from scoring.selectors.meetings import load_ready_meetings, tables_in_use
from scoring.selectors.rule_sheets import current_sheet, unsaved_sheet
from tournament.errors import Conflict
from tournament.models import Event
from tournament.pdf.payouts import write_payouts
from tournament.selectors.prizes import load_prizes

Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Order:
    """What is printed: for which event, on which paper, how many blank cards, links starting with which address."""

    event: Event
    paper: str = "letter"
    count: int = 10
    site: str = ""
    card: str = ""

    def address(self, path: str) -> str:
        return f"{self.site.rstrip('/')}{path}"


def print_blank_cards(order: Order, report: Report) -> bytes:
    sheet = current_sheet(order.event) or unsaved_sheet(order.event)
    target = int(sheet.options.get("target", 0))
    nobody = PrintedSide(None, "")
    blank = PrintedCard(_title(order.event), "Round ____", 0, 0, target, (nobody, nobody))
    return _cards(order, [blank] * order.count, report)


def print_round_cards(order: Order, report: Report) -> bytes:
    """The cards of every match that can be played now, in table order; what has no table yet comes last."""
    meetings = load_ready_meetings(order.event)
    tables = tables_in_use(meeting.match.pk for meeting in meetings)
    cards = Card.objects.filter(match__in=[m.match.pk for m in meetings]).select_related("sheet").order_by("game")
    newest = {(card.match_id, card.sides_key): card for card in cards}
    printed = []
    for meeting in meetings:
        card = newest.get((meeting.match.pk, meeting.key or ""))
        if card is None:
            continue
        one, other = (PrintedSide(entrant.number, entrant.name) for entrant in meeting.entrants)
        table = tables.get(meeting.match.pk) or 0
        target = int(card.sheet.options.get("target", 0))
        address = order.address(f"/c/{card.token}/")
        round_ = f"Round {meeting.match.round}"
        printed.append(PrintedCard(_title(order.event), round_, table, card.game, target, (one, other), address))
    if not printed:
        raise Conflict("no-cards", "No match can be played now, so there is no card to print. Start play first.")
    printed.sort(key=lambda card: (card.table == 0, card.table))
    return _cards(order, printed, report)


def _cards(order: Order, cards: list[PrintedCard], report: Report) -> bytes:
    target = io.BytesIO()
    pages = (len(cards) + 1) // 2
    write_cards(target, cards, paper=order.paper, progress=lambda done: report(done, pages))
    return target.getvalue()


def print_signed_cards(order: Order, report: Report) -> bytes:
    """One posted card by its token, or every card of the event on which something stands."""
    cards = cards_with_facts().filter(match__event=order.event).order_by("match__round", "match__position", "game")
    if order.card:
        cards = cards.filter(token=order.card)
    states = [state for state in map(read_card, cards) if state.lines]
    if not states:
        raise Conflict("no-cards", "Nothing is written on any card yet.")
    printed = []
    for turn, state in enumerate(states):
        printed.append(signed_card(state, order.address(_card_path(state))))
        report(turn, len(states))
    target = io.BytesIO()
    write_signed(target, printed, paper=order.paper)
    return target.getvalue()


def signed_card(state: CardState, address: str) -> SignedCard:
    card, event = state.card, state.card.match.event
    columns = state.named_sheet.variant.columns()
    zone = ZoneInfo(event.tournament.time_zone)
    table = f" · table {state.table}" if state.table else ""
    return SignedCard(
        title=f"{event.tournament.name}, {event.name}",
        subtitle=f"Match {card.match.ident}, game {card.game}{table} · rule sheet {card.sheet.version}",
        state="Posted: signed by both players" if state.is_posted else "Not posted: signatures are missing",
        headings=tuple((_heading(column.key, column.heading), column.side or "") for column in columns),
        rows=[[column.text(row) for column in columns] for row in state.rows],
        corrected=frozenset(turn for turn, line in enumerate(state.lines) if line.supersedes_id),
        totals=tuple(zip(state.names, map(str, state.totals), strict=True)),
        signatures=tuple(
            PrintedSignature(
                name=state.name_of(signature.seat),
                how=signature.get_method_display() + (f", witness {signature.witness}" if signature.witness else ""),
                when=signature.at.astimezone(zone).strftime("%Y-%m-%d %H:%M"),
                strokes=signature.strokes,
            )
            for signature in sorted(state.signatures, key=lambda s: s.seat.position)
            if signature.digest == state.digest
        ),
        digest=state.digest,
        address=f"{address}?d={state.digest}",
    )


def _heading(key: str, heading: str) -> str:
    return {"points": "Points", "running": "Total"}.get(key, heading)


def _card_path(state: CardState) -> str:
    event = state.card.match.event
    return f"/t/{event.tournament.slug}/{event.slug}/card/{state.card.token}/"


def print_pairings(order: Order, report: Report) -> bytes:
    meetings = load_ready_meetings(order.event)
    tables = tables_in_use(meeting.match.pk for meeting in meetings)
    rows = [
        PrintedPairing(
            tables.get(meeting.match.pk),
            f"Round {meeting.match.round}",
            *((entrant.number, entrant.name) for entrant in meeting.entrants),
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
    progress = load_progress(event)
    if progress is None:
        raise Conflict("not-drawn", "The bracket is not drawn yet. Post the draw first.")
    names = dict(event.entrants.values_list("number", "name"))
    layout = lay_out(progress.bracket, Measures(box_width=190, box_height=40))
    lines = {ident: _box_lines(view, names, progress) for ident, view in progress.views.items()}
    rounds = {number: f"Round {number}" for number in range(1, progress.bracket.rounds)}
    rounds[progress.bracket.rounds] = "Final"
    return BracketPicture(_title(event), layout, rounds, lines)


def _box_lines(view: MatchView, names: dict[int, str], progress: Progress) -> tuple[BoxLine, BoxLine]:
    one, other = (
        BoxLine(f"{side.entry}  {names.get(side.entry, '')}", won=view.winner == side.entry)
        if side.entry is not None
        else BoxLine("–" if side.vacant else "")
        for side in view.sides
    )
    return one, other


def print_payouts(order: Order, report: Report) -> bytes:
    prizes = load_prizes(order.event)
    if not prizes.awards:
        raise Conflict("not-finished", "The event is not finished, so there are no payouts to print.")
    target = io.BytesIO()
    write_payouts(target, order.event, prizes, paper=order.paper)
    return target.getvalue()


def _title(event: Event) -> str:
    return f"{event.tournament.name} · {event.name}"


PRINTS: Final[dict[str, tuple[str, Callable[[Order, Report], bytes]]]] = {
    "round-cards": ("Score cards of the round", print_round_cards),
    "blank-cards": ("Blank score cards", print_blank_cards),
    "signed-cards": ("Signed cards", print_signed_cards),
    "pairings": ("Pairing list", print_pairings),
    "bracket-poster": ("Bracket, one poster", print_poster),
    "bracket-tiles": ("Bracket, tiled pages", print_tiles),
    "payouts": ("Payout list", print_payouts),
}
