"""A receipt for what an entrant paid: every line of their ledger, and the total."""

from collections.abc import Sequence
from typing import IO

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.core.pdf.lists import ListColumn, PrintedList, write_list
from tournament.core.pdf.names import days_of
from tournament.models import Entrant, LedgerLine
from tournament.money.selectors.movements import is_named
from tournament.money.words import how_of
from tournament.purse import Account
from tournament.templatetags.gin import local_day_time, money

COLUMNS = (
    ListColumn(gettext_lazy("Receipt"), 1.2),
    ListColumn(gettext_lazy("Date"), 2),
    ListColumn(gettext_lazy("What"), 3.2, bold=True),
    ListColumn(gettext_lazy("How"), 3.2),
    ListColumn(gettext_lazy("Amount"), 1.8, align="right"),
)
MINUS = frozenset(
    {
        LedgerLine.Kind.DISCOUNT,
        LedgerLine.Kind.COMPLIMENTARY,
        LedgerLine.Kind.CANCELLATION,
        LedgerLine.Kind.REFUND,
        LedgerLine.Kind.CORRECTION,
    }
)


def write_receipt(
    target: IO[bytes], entrant: Entrant, account: Account, lines: Sequence[LedgerLine], *, paper: str = "letter"
) -> int:
    event = entrant.event
    currency = event.tournament.currency
    rows = [
        (
            line.movement.receipt,
            local_day_time(line.at, event.tournament),
            _what(line),
            _how(line, currency),
            money(-line.cents if _is_minus(line) else line.cents, currency),
        )
        for line in lines
    ]
    total = ("", "", _("Total received"), "", money(account.kept_cents, currency))
    held = f"{event.tournament.name} · {event.tournament.venue} · {days_of(event.tournament)}"
    subtitle = f"{held} · {event.name} · {_('entry %(number)s') % {'number': entrant.number}}"
    content = PrintedList(
        _("Receipt: %(name)s") % {"name": entrant.name}, subtitle, COLUMNS, rows, total, note=_open(account, currency)
    )
    return write_list(target, content, paper=paper)


def _what(line: LedgerLine) -> str:
    parts = (line.get_kind_display(), line.reference if is_named(line) else "", line.reason)
    return ": ".join(part for part in parts if part)


def _is_minus(line: LedgerLine) -> bool:
    """Return whether the line is printed with a minus. A reversal has the opposite sign of its line."""
    if line.kind == LedgerLine.Kind.REVERSAL and line.corrects is not None:
        return line.corrects.kind not in MINUS
    return line.kind in MINUS


def _how(line: LedgerLine, currency: str) -> str:
    """Return how a line was paid, such as “Check 1042”, or “Cash, change $25.00” if more was given."""
    reference = "" if is_named(line) else line.reference
    said = " ".join(part for part in (how_of(line), reference) if part)
    given = line.movement.given_cents
    if not given or given == line.cents:
        return said
    return _("%(method)s, change %(change)s") % {"method": said, "change": money(given - line.cents, currency)}


def _open(account: Account, currency: str) -> str:
    if account.due_cents:
        return _("Still to pay: %(amount)s") % {"amount": money(account.due_cents, currency)}
    if account.refund_due_cents:
        return _("Overpaid: %(amount)s to be refunded.") % {"amount": money(account.refund_due_cents, currency)}
    return _("Paid in full.")
