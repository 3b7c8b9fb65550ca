from collections.abc import Sequence
from typing import IO

from tournament.core.pdf.lists import ListColumn, PrintedList, write_list
from tournament.models import Event
from tournament.money.selectors.prizes import AwardRow, Prizes
from tournament.templatetags.gin import money, percent

COLUMNS = (
    ListColumn("Place", 1),
    ListColumn("No.", 0.8),
    ListColumn("Name", 4, bold=True, one_size=True),
    ListColumn("Prize", 2, align="right", bold=True),
    ListColumn("Received (signature)", 4, to_sign=True),
)
PAID_COLUMNS = (
    *COLUMNS[:2],
    ListColumn("Name", 3.6, bold=True, one_size=True),
    ListColumn("Prize", 1.7, align="right", bold=True),
    ListColumn("Paid out", 1.7, align="right"),
    ListColumn("Balance", 2.7, align="right"),
    ListColumn("Received (signature)", 2.7, to_sign=True),
)
"""Once somebody was paid: what of it is open, to be paid or to be got back."""


def write_payouts(target: IO[bytes], event: Event, prizes: Prizes, *, paper: str = "letter") -> int:
    """The payout list with lines to sign; the prizes add up to the pool, and the last line says so.

    Once somebody was paid it says what is still open, and lists who was paid and has no prize.
    """
    currency = event.tournament.currency
    begun = prizes.paid_out_cents > 0
    rows = [_row(row, currency, begun) for row in (prizes.rows if begun else prizes.awards)]
    pool = prizes.pool
    off = f" + discounts {money(pool.discounts_cents, currency)}" if pool.discounts_cents else ""
    more = " with added money" if pool.pool_cents != pool.from_fees_cents else ""
    subtitle = (
        f"{event.tournament.name} · Entry fees {money(pool.collected_cents, currency)}{off} · "
        f"Prize pool ({percent(event.prize_percent)}{more}) {money(pool.pool_cents, currency)} · "
        f"Expenses {money(pool.expenses_cents, currency)}"
    )
    paid = (money(prizes.paid_out_cents, currency), "") if begun else ()
    total = ("", "", "Total", money(prizes.awarded_cents, currency), *paid, "") if rows else ()
    columns = PAID_COLUMNS if begun else COLUMNS
    content = PrintedList(f"Payouts: {event.name}", subtitle, columns, rows, total, row_height=30)
    return write_list(target, content, paper=paper)


def _row(row: AwardRow, currency: str, begun: bool) -> Sequence[str]:
    paid = (money(row.paid_cents, currency), _open(row, currency)) if begun else ()
    return (row.place, str(row.number), row.name, money(row.cents, currency), *paid, "")


def _open(row: AwardRow, currency: str) -> str:
    if row.to_get_back_cents:
        return f"{money(row.to_get_back_cents, currency)} to return"
    return f"{money(row.to_pay_cents, currency)} to pay" if row.to_pay_cents else "settled"
