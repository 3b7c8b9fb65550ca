"""The settlement between players as rows for a spreadsheet."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from django.utils.translation import gettext as _

from scoring.settlement.selectors import Settlement
from tournament.core.tables.lists import amount

Rows = Iterator[list[Any]]


def payment_rows(settlement: Settlement, currency: str) -> Rows:
    yield [_("No."), _("Pays"), _("Amount"), _("To No."), _("To")]
    for one in settlement.payments:
        payer, payee = ([who.number, who.name] for who in (one.payer, one.payee))
        yield [*payer, amount(one.cents, currency), *payee]


def balance_rows(settlement: Settlement, currency: str) -> Rows:
    """Yield the balance of each entrant. The balances add up to zero."""
    yield [_("No."), _("Name"), _("Balance")]
    for entrant, cents in settlement.balances:
        yield [entrant.number, entrant.name, amount(cents, currency)]


FILES: Final[dict[str, Callable[[Settlement, str], Rows]]] = {"payments": payment_rows, "balances": balance_rows}
