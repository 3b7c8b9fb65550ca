"""The settlement between players, added up from an event's posted cards, as spreadsheets and as a PDF."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.stages.selectors.records import VALID_MATCH_FILTER
from scoring.card_state.selectors.cards import select_cards_with_facts
from scoring.card_state.selectors.state import CardState, make_card_state
from scoring.rules.sheet.transfers import find_fewest_transfers, sum_game_balances
from tournament.core.pdf.lists import ListColumn, PrintedList, write_printed_list
from tournament.core.tables.lists import to_decimal_amount
from tournament.models import Entrant, Event
from tournament.templatetags.gin import money


@dataclass(frozen=True, slots=True)
class Settlement:
    """The balances and payments between players, in cents.

    `balances` contains all entrants who played, with the largest balance first. Each payment has its payer, payee and
    amount. `games` is the number of games counted. `open_games` is the number of games not posted yet.
    """

    balances: tuple[tuple[Entrant, int], ...]
    payments: tuple[tuple[Entrant, Entrant, int], ...]
    games: int
    open_games: int


def load_settlement(event: Event) -> Settlement:
    """Add up all posted cards, and return what players owe each other.

    A card that was changed after posting is left out until it is posted again.
    """
    cards = select_cards_with_facts().filter(match__in=event.matches.filter(VALID_MATCH_FILTER))
    states = [make_card_state(card) for card in cards]
    posted = [stakes for state in states if state.is_posted and (stakes := _compute_stakes_in_cents(state)) is not None]
    entrants = {entrant.pk: entrant for state in states for entrant in _list_entrants(state)}
    sums = sum_game_balances(posted)
    ordered = sorted(sums, key=lambda pk: (-sums[pk], entrants[pk].number))
    payments = (
        (entrants[payer], entrants[payee], cents)
        for payer, payee, cents in find_fewest_transfers({pk: sums[pk] for pk in ordered})
    )
    balances = tuple((entrants[pk], sums[pk]) for pk in ordered)
    still_open = sum(not state.is_posted for state in states)
    return Settlement(balances, tuple(payments), len(posted), still_open)


def _compute_stakes_in_cents(state: CardState) -> dict[int, int] | None:
    """Return the amount that each entrant won, in cents. Losses are negative.

    Return None for a game without stakes, or for a game that was not played to its end.
    """
    stakes = state.score.tally.stakes_cents
    if stakes is None or len(_list_entrants(state)) < len(state.seats):
        return None
    by_letter = dict(zip(state.letters, _list_entrants(state), strict=True))
    return {by_letter[letter].pk: cents for letter, cents in stakes.items()}


def _list_entrants(state: CardState) -> list[Entrant]:
    return [seat.entrant for seat in state.seats if seat.entrant is not None]


# --- Files and paper -------------------------------------------------------------------------------------------------


SpreadsheetRows = Iterator[list[Any]]


def _iter_payment_rows(settlement: Settlement, currency: str) -> SpreadsheetRows:
    yield [_("No."), _("Pays"), _("Amount"), _("To No."), _("To")]
    for payer, payee, cents in settlement.payments:
        yield [payer.number, payer.name, to_decimal_amount(cents, currency), payee.number, payee.name]


def _iter_balance_rows(settlement: Settlement, currency: str) -> SpreadsheetRows:
    """Yield a header row, and then one row per entrant with the entrant's balance. The balances add up to zero."""
    yield [_("No."), _("Name"), _("Balance")]
    for entrant, cents in settlement.balances:
        yield [entrant.number, entrant.name, to_decimal_amount(cents, currency)]


SETTLEMENT_SPREADSHEETS: Final[dict[str, Callable[[Settlement, str], SpreadsheetRows]]] = {
    "payments": _iter_payment_rows,
    "balances": _iter_balance_rows,
}


PAYMENT_COLUMNS = (
    ListColumn(gettext_lazy("Pays"), 4, bold=True, has_uniform_font_size=True),
    ListColumn(gettext_lazy("Amount"), 2, align="right", bold=True),
    ListColumn(gettext_lazy("To"), 4, bold=True, has_uniform_font_size=True),
    ListColumn(gettext_lazy("Received (signature)"), 3.5, is_signature_line=True),
)


def write_settlement_pdf(target: IO[bytes], event: Event, settlement: Settlement, *, paper: str = "letter") -> int:
    """Write a PDF of the payments between players, with a signature line for each payee."""
    currency = event.tournament.currency
    rows = [
        (f"{payer.number} {payer.name}", money(cents, currency), f"{payee.number} {payee.name}", "")
        for payer, payee, cents in settlement.payments
    ]
    title = _("Settlement between players: %(name)s") % {"name": event.name}
    note = _("Between players only. It is not part of the prize pool.")
    content = PrintedList(title, event.tournament.name, PAYMENT_COLUMNS, rows, row_height=30, note=note)
    return write_printed_list(target, content, paper=paper)
