"""Lists of the whole tournament for a spreadsheet: every posting, the closed days, and the names for the tax form."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.models import Event, Tournament
from tournament.money.selectors.accounting import Ledger
from tournament.money.selectors.closing import counted_of
from tournament.money.selectors.days import closes_of
from tournament.money.selectors.tax_form import load_tax_rows
from tournament.money.words import journal_entries, method_label

Rows = Iterator[list[Any]]


def amount(cents: int, tournament: Tournament) -> Decimal:
    return Decimal(cents).scaleb(-Ledger(tournament).unit.digits)


def posting_rows(ledger: Ledger) -> Rows:
    """Every row of the double-entry ledger; the amounts are zero in all."""
    yield [_("Receipt"), _("Business day"), _("What"), _("Who"), _("Account"), _("Amount")]
    for entry in journal_entries(ledger):
        for line in entry.lines:
            about = [entry.receipt, entry.day.isoformat(), entry.what, entry.payee]
            yield [*about, line.account, amount(line.cents, ledger.tournament)]


def _all_postings(event: Event) -> Rows:
    """With change from the bank and what a count found: up to a closed day, the sums of its close."""
    return posting_rows(Ledger(event.tournament))


def _closed_days(event: Event) -> Rows:
    """What was counted of each method against what the ledger said, and who signed."""
    tournament = event.tournament
    yield [
        *(_("Business day"), _("How"), _("Ledger"), _("Counted"), _("Difference")),
        *(_("Reason"), _("Counted by"), _("Signed by")),
    ]
    for close in closes_of(tournament).order_by("day"):
        for one in counted_of(close.count):
            cents = (one.expected_cents, one.counted_cents, one.difference_cents)
            counted = (amount(sums, tournament) for sums in cents)
            signed = [close.count.reason, close.count.by_name, close.by_name]
            yield [close.day.isoformat(), method_label(one.method), *counted, *signed]


def _tax_form(event: Event) -> Rows:
    """Who won so much in all events that their name and address go on a tax form."""
    tournament = event.tournament
    yield [_("Name"), _("Address"), _("Won"), _("Paid out")]
    for row in load_tax_rows(tournament):
        sums = (amount(cents, tournament) for cents in (row.won_cents, row.paid_cents))
        yield [row.player.name, row.player.address, *sums]


TOURNAMENT_LISTS: Final[dict[str, tuple[Any, Callable[[Event], Rows]]]] = {
    "all-postings": (gettext_lazy("Ledger by account, all events"), _all_postings),
    "closed-days": (gettext_lazy("Closed days"), _closed_days),
    "tax-form": (gettext_lazy("Names and addresses for the tax form"), _tax_form),
}
