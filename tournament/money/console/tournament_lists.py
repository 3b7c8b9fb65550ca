"""Lists of the whole tournament for a spreadsheet: postings, closed days, drawers, and names for the tax form."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.core.tables.exports import amount
from tournament.models import Event
from tournament.money.selectors.accounting import Ledger
from tournament.money.selectors.closing import counted_of
from tournament.money.selectors.days import closes_of
from tournament.money.selectors.drawers import cash_moved_of, closed_drawers
from tournament.money.selectors.tax_form import load_tax_rows
from tournament.money.words import cash_from, cash_to, journal_entries, method_label
from tournament.templatetags.gin import local_day_time, signer

Rows = Iterator[list[Any]]


def posting_rows(ledger: Ledger) -> Rows:
    """Yield every posting of the double-entry ledger. The amounts add up to zero."""
    yield [_("Receipt"), _("Business day"), _("What"), _("Who"), _("Account"), _("Amount")]
    for entry in journal_entries(ledger):
        for line in entry.lines:
            about = [entry.receipt, entry.day.isoformat(), entry.what, entry.payee]
            yield [*about, line.account, amount(line.cents, ledger.tournament.currency)]


def _all_postings(event: Event) -> Rows:
    """Yield all postings of the tournament. Up to a closed day they add up to the figures of its close."""
    return posting_rows(Ledger(event.tournament))


def _closed_days(event: Event) -> Rows:
    tournament = event.tournament
    yield [
        *(_("Business day"), _("How"), _("Ledger"), _("Counted"), _("Difference")),
        *(_("Reason"), _("Counted by"), _("Signed by"), _("Opened again by")),
    ]
    for close in closes_of(tournament).order_by("day", "pk"):
        for one in counted_of(close.count):
            cents = (one.expected_cents, one.counted_cents, one.difference_cents)
            counted = (amount(sums, tournament.currency) for sums in cents)
            reopened = getattr(close, "reopened", None)
            signed = [close.count.reason, signer(close.count, tournament), signer(close, tournament)]
            signed.append(f"{signer(reopened, tournament)}: {reopened.reason}" if reopened is not None else "")
            yield [close.day.isoformat(), method_label(one.method), *counted, *signed]


def _cash_moved(event: Event) -> Rows:
    tournament = event.tournament
    yield [
        *(_("Receipt"), _("When"), _("What"), _("Amount"), _("How"), _("From"), _("To")),
        *(_("Reason"), _("Recorded by")),
    ]
    for row in cash_moved_of(tournament).order_by("pk"):
        about = [row.movement.receipt, local_day_time(row.at, tournament), row.get_kind_display()]
        moved = [amount(row.cents, tournament.currency), row.get_method_display(), cash_from(row), cash_to(row)]
        yield [*about, *moved, row.reason, row.by_name]


def _closed_drawers(event: Event) -> Rows:
    tournament = event.tournament
    yield [
        *(_("Drawer"), _("Cashier"), _("Opened"), _("Closed"), _("Ledger"), _("Counted"), _("Difference")),
        *(_("Reason"), _("Counted by"), _("Handed over to")),
    ]
    for drawer in closed_drawers(tournament).select_related("closed__next__cashier").order_by("closed__pk"):
        count = drawer.closed
        opened, closed = (local_day_time(at, tournament) for at in (drawer.at, count.at))
        cents = (count.expected_cents, count.counted_cents, count.difference_cents)
        taken_by = count.next.cashier if count.next is not None else _("The safe")
        about = [drawer.name, str(drawer.cashier), opened, closed]
        counted = (amount(sums, tournament.currency) for sums in cents)
        yield [*about, *counted, count.reason, signer(count, tournament), str(taken_by)]


def _tax_form(event: Event) -> Rows:
    tournament = event.tournament
    yield [_("Name"), _("Address"), _("Won"), _("Paid out")]
    for row in load_tax_rows(tournament):
        sums = (amount(cents, tournament.currency) for cents in (row.won_cents, row.paid_cents))
        yield [row.player.name, row.player.address, *sums]


TOURNAMENT_LISTS: Final[dict[str, tuple[Any, Callable[[Event], Rows]]]] = {
    "all-postings": (gettext_lazy("Ledger by account, all events"), _all_postings),
    "closed-days": (gettext_lazy("Closed days"), _closed_days),
    "cash-moved": (gettext_lazy("Cash moved"), _cash_moved),
    "closed-drawers": (gettext_lazy("Closed drawers"), _closed_drawers),
    "tax-form": (gettext_lazy("Names and addresses for the tax form"), _tax_form),
}
