"""What the part of the fees that is not played for was spent on, and what is left of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from tournament.models import Event, EventMoney
from tournament.money.selectors.ledger import load_books, load_pool
from tournament.money.selectors.movements import sums_by
from tournament.money.selectors.side_pools import SidePoolState, load_side_pools
from tournament.money.selectors.withheld import withheld_here
from tournament.purse import PrizePool
from tournament.purse.ledger.postings import AccountKind


@dataclass(frozen=True, slots=True)
class Expenses:
    """`spent` by category, in the order of the tournament's list. `received_cents` is what sponsors gave."""

    pool: PrizePool
    spent: tuple[tuple[str, int], ...]
    received_cents: int
    side_kept_cents: int = 0
    """What of the side pools is not paid out."""

    extras_cents: int = 0
    """What was paid for extras: what they cost is an expense as any other."""

    withheld_cents: int = 0
    """Withheld from prizes and not sent on yet. It is here, but nothing of it is left to spend."""

    @property
    def spent_cents(self) -> int:
        return sum(cents for _category, cents in self.spent)

    @property
    def has_any(self) -> bool:
        """Whether there is anything to show: a free event has no expenses until somebody spends."""
        return bool(self.pool.expenses_cents or self.left_cents or self.spent)

    @property
    def to_come_cents(self) -> int:
        """Added money that is in the pool and has not been given yet."""
        return self.pool.added_cents - self.received_cents

    @property
    def left_cents(self) -> int:
        """Below zero the organizer pays: for expenses, a guarantee, or added money that does not come."""
        to_spend = self.pool.expenses_cents + self.side_kept_cents + self.extras_cents
        return to_spend - self.pool.subsidy_cents - self.to_come_cents - self.spent_cents


def load_expenses(event: Event, side_pools: Sequence[SidePoolState] | None = None) -> Expenses:
    """`side_pools` where they were read before: they are most of the work."""
    books = load_books(event)
    pools = load_side_pools(event, books) if side_pools is None else side_pools
    rows = sums_by(event.postings.filter(account=AccountKind.EXPENSE), "category")
    order = {name: place for place, name in enumerate(event.tournament.expense_categories)}
    found = ((category, cents) for (category,), cents in rows if cents)
    spent = sorted(found, key=lambda one: (order.get(one[0], len(order)), one))
    kept = sum(state.money.kept_cents for state in pools)
    return Expenses(
        load_pool(event, books),
        tuple(spent),
        books.received_cents,
        kept,
        books.total.extra_collected_cents,
        withheld_here(event),
    )


def other_money_of(event: Event) -> QuerySet[EventMoney]:
    """Expenses, added money and tax remittances, the newest first; what was reversed stays on the list."""
    return event.other_money.filter(reverses=None).select_related("movement", "reversed_by").order_by("-pk")
