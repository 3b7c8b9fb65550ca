from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from tournament.models import Event
from tournament.pdf.lists import ListColumn, PrintedList, write_list
from tournament.selectors.prizes import Prizes
from tournament.templatetags.gin import money

COLUMNS = (
    ListColumn("Place", 1),
    ListColumn("No.", 0.8),
    ListColumn("Name", 4, bold=True),
    ListColumn("Prize", 2, align="right", bold=True),
    ListColumn("Received (signature)", 4, to_sign=True),
)


def write_payouts(target: IO[bytes], event: Event, prizes: Prizes, *, paper: str = "letter") -> int:
    """The payout list with lines to sign; the prizes add up to the pool, and the last line says so."""
    currency = event.tournament.currency
    rows: Sequence[Sequence[str]] = [
        (row.place, str(row.number), row.name, money(row.cents, currency), "") for row in prizes.awards
    ]
    pool = prizes.pool
    off = f" + discounts {money(pool.discounts_cents, currency)}" if pool.discounts_cents else ""
    more = " and added money" if pool.pool_cents != pool.from_fees_cents else ""
    subtitle = (
        f"{event.tournament.name} · collected {money(pool.collected_cents, currency)}{off} · "
        f"{event.prize_percent} %{more}: pool {money(pool.pool_cents, currency)} · "
        f"expenses {money(pool.expenses_cents, currency)}"
    )
    total = ("", "", "Together", money(prizes.awarded_cents, currency), "") if rows else ()
    content = PrintedList(f"Payouts: {event.name}", subtitle, COLUMNS, rows, total, row_height=30)
    return write_list(target, content, paper=paper)
