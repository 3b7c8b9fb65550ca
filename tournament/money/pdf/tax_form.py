from collections.abc import Sequence
from typing import IO

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.core.pdf.lists import ListColumn, PrintedList, write_list
from tournament.core.pdf.names import days_of
from tournament.models import Tournament
from tournament.money.selectors.tax_form import TaxRow
from tournament.templatetags.gin import money

COLUMNS = (
    ListColumn(gettext_lazy("Name"), 3.2, bold=True),
    ListColumn(gettext_lazy("Address"), 4.4, one_size=True),
    ListColumn(gettext_lazy("Prizes"), 1.8, align="right", bold=True),
    ListColumn(gettext_lazy("Paid out"), 1.8, align="right"),
    ListColumn(gettext_lazy("Withheld"), 1.8, align="right"),
)


def write_tax_form(target: IO[bytes], tournament: Tournament, rows: Sequence[TaxRow], *, paper: str = "letter") -> int:
    """Write the players on the tax-form list with a total, and return the number of pages."""
    currency = tournament.currency
    lines = [
        (
            row.player.name,
            ", ".join(row.player.address.splitlines()) or "_" * 30,
            money(row.won_cents, currency),
            money(row.paid_cents, currency),
            money(row.withheld_cents, currency) if row.withheld_cents else "",
        )
        for row in rows
    ]
    sums = (sum(getattr(row, name) for row in rows) for name in ("won_cents", "paid_cents", "withheld_cents"))
    total = (_("Total"), "", *(money(cents, currency) for cents in sums)) if rows else ()
    subtitle = f"{tournament.name} · {tournament.venue} · {days_of(tournament)}"
    amount = money(tournament.tax_form_cents or 0, currency)
    note = _("Players who won %(amount)s or more.") % {"amount": amount} if rows else ""
    content = PrintedList(_("Prizes for the tax form"), subtitle, COLUMNS, lines, total, row_height=32, note=note)
    return write_list(target, content, paper=paper)
