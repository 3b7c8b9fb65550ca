from typing import IO

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.settlement.selectors import Settlement
from tournament.core.pdf.lists import ListColumn, PrintedList, write_list
from tournament.models import Event
from tournament.templatetags.gin import money

COLUMNS = (
    ListColumn(gettext_lazy("Pays"), 4, bold=True, one_size=True),
    ListColumn(gettext_lazy("Amount"), 2, align="right", bold=True),
    ListColumn(gettext_lazy("To"), 4, bold=True, one_size=True),
    ListColumn(gettext_lazy("Received (signature)"), 3.5, to_sign=True),
)


def write_settlement(target: IO[bytes], event: Event, settlement: Settlement, *, paper: str = "letter") -> int:
    """Write the payments between players, with a line for the signature of each receiver."""
    currency = event.tournament.currency
    rows = [
        (f"{one.payer.number} {one.payer.name}", money(one.cents, currency), f"{one.payee.number} {one.payee.name}", "")
        for one in settlement.payments
    ]
    title = _("Settlement between players: %(name)s") % {"name": event.name}
    note = _("Between players only. It is not part of the prize pool.")
    content = PrintedList(title, event.tournament.name, COLUMNS, rows, row_height=30, note=note)
    return write_list(target, content, paper=paper)
