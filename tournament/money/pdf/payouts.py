"""Print the payout list and the tax form."""

from collections.abc import Iterator, Sequence
from typing import IO

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.core.pdf.lists import (
    ListColumn,
    PrintedList,
    format_seal_sentence,
    format_tournament_days,
    write_printed_list,
)
from tournament.core.selectors.log import load_payouts_seal_code
from tournament.models import Event, Tournament
from tournament.money.selectors.awards import AwardRow
from tournament.money.selectors.prizes import EventPrizes, TaxRow
from tournament.purse.pool import PrizePool
from tournament.templatetags.gin import money, percent

# --- Payout list -----------------------------------------------------------------------------------------------------

_PAYOUT_COLUMNS = (
    ListColumn(gettext_lazy("Place"), 1),
    ListColumn(gettext_lazy("No."), 0.8),
    ListColumn(gettext_lazy("Name"), 4, bold=True, has_uniform_font_size=True),
    ListColumn(gettext_lazy("Prize"), 2, align="right", bold=True),
    ListColumn(gettext_lazy("Received (signature)"), 4, is_signature_line=True),
)
_PAID_COLUMNS = (
    ListColumn(gettext_lazy("Place"), 1.15),
    ListColumn(gettext_lazy("No."), 0.9),
    ListColumn(gettext_lazy("Name"), 4.8, bold=True, has_uniform_font_size=True),
    ListColumn(gettext_lazy("Prize"), 2.1, align="right", bold=True),
    ListColumn(gettext_lazy("Paid out"), 2.1, align="right"),
    ListColumn(gettext_lazy("Balance"), 2.2, align="right"),
    ListColumn(gettext_lazy("Received (signature)"), 3.1, is_signature_line=True),
)
"""The columns used once any entry has been paid. The balance is the amount still to be paid or returned."""
_WITHHELD_COLUMNS = (
    *_PAID_COLUMNS[:2],
    ListColumn(gettext_lazy("Name"), 3.7, bold=True, has_uniform_font_size=True),
    *_PAID_COLUMNS[3:5],
    ListColumn(gettext_lazy("Withheld"), 2.1, align="right"),
    _PAID_COLUMNS[5],
    ListColumn(gettext_lazy("Received (signature)"), 2.4, is_signature_line=True),
)
"""The columns used once taxes have been withheld."""


def write_payout_list(target: IO[bytes], event: Event, prizes: EventPrizes, *, paper: str = "letter") -> int:
    """Write the payout list with signature lines, and return the number of pages.

    The list includes the awards of side pools, with the name of each pool. Once any entry has been paid, the list also
    shows the amounts still to be paid or returned. From then on, it also includes entries that were paid but have lost
    their prize.
    """
    currency = event.tournament.currency
    begun, withheld = prizes.paid_out_cents > 0, prizes.withheld_cents
    rows = [
        _make_payout_row(row, currency, begun, withheld > 0) for row in (prizes.rows if begun else prizes.all_awards)
    ]
    pool = prizes.pool
    side_pools = [f"{state.pool.name} {money(state.money.prizes_cents, currency)}" for state in prizes.side_pools]
    subtitle = " · ".join([event.tournament.name, *_iter_pool_texts(event, pool), *side_pools])
    withheld_cells = (money(withheld, currency),) if withheld else ()
    paid = (money(prizes.paid_out_cents, currency), *withheld_cells, "") if begun else ()
    awarded = sum(row.cents for row in prizes.all_awards)
    total = ("", "", _("Total"), money(awarded, currency), *paid, "") if rows else ()
    columns = _WITHHELD_COLUMNS if withheld else _PAID_COLUMNS if begun else _PAYOUT_COLUMNS
    title, note = _("Payouts: %(name)s") % {"name": event.name}, format_seal_sentence(load_payouts_seal_code(event))
    content = PrintedList(title, subtitle, columns, rows, total, row_height=30, note=note)
    return write_printed_list(target, content, paper=paper)


def _iter_pool_texts(event: Event, pool: PrizePool) -> Iterator[str]:
    """Yield texts that explain the prize pool: “Entry fees $5,500.00”, “Prize pool (82%) $4,510.00” and so on."""
    currency = event.tournament.currency
    yield _("Entry fees %(amount)s") % {"amount": money(pool.collected_cents, currency)}
    if pool.discounts_cents:
        yield _("Discounts %(amount)s") % {"amount": money(pool.discounts_cents, currency)}
    words = {"share": percent(event.prize_percent), "amount": money(pool.pool_cents, currency)}
    if pool.pool_cents != pool.from_fees_cents:
        yield _("Prize pool (%(share)s and added money) %(amount)s") % words
    else:
        yield _("Prize pool (%(share)s) %(amount)s") % words
    yield _("Expenses %(amount)s") % {"amount": money(pool.expenses_cents, currency)}


def _make_payout_row(row: AwardRow, currency: str, begun: bool, has_withheld: bool) -> Sequence[str]:
    withheld_cells = (money(row.withheld_cents, currency) if row.withheld_cents else "",) if has_withheld else ()
    paid = (money(row.paid_cents, currency), *withheld_cells, _format_open_amount(row, currency)) if begun else ()
    return (
        row.place,
        str(row.number),
        row.label,
        money(row.cents, currency),
        *paid,
        _("on screen") if row.is_signed else "",
    )


def _format_open_amount(row: AwardRow, currency: str) -> str:
    if row.to_get_back_cents:
        return _("%(amount)s to return") % {"amount": money(row.back_cents, currency)}
    return _("%(amount)s to pay") % {"amount": money(row.to_pay_cents, currency)} if row.to_pay_cents else _("settled")


# --- Tax form --------------------------------------------------------------------------------------------------------

_TAX_FORM_COLUMNS = (
    ListColumn(gettext_lazy("Name"), 3.2, bold=True),
    ListColumn(gettext_lazy("Address"), 4.4, has_uniform_font_size=True),
    ListColumn(gettext_lazy("Prizes"), 1.8, align="right", bold=True),
    ListColumn(gettext_lazy("Paid out"), 1.8, align="right"),
    ListColumn(gettext_lazy("Withheld"), 1.8, align="right"),
)


def write_tax_form(target: IO[bytes], tournament: Tournament, rows: Sequence[TaxRow], *, paper: str = "letter") -> int:
    """Write the tax-form list with its totals, and return the number of pages."""
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
    subtitle = f"{tournament.name} · {tournament.venue} · {format_tournament_days(tournament)}"
    amount = money(tournament.tax_form_cents or 0, currency)
    note = _("Players who won %(amount)s or more.") % {"amount": amount} if rows else ""
    content = PrintedList(
        _("Prizes for the tax form"), subtitle, _TAX_FORM_COLUMNS, lines, total, row_height=32, note=note
    )
    return write_printed_list(target, content, paper=paper)
