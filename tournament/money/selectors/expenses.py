"""Spending from the part of the fees that is not played for, and what is left of it."""

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
    """The expenses of an event, in cents.

    `spent` is by category, in the order of the tournament's list. `received_cents` is what sponsors gave.
    """

    pool: PrizePool
    spent: tuple[tuple[str, int], ...]
    received_cents: int
    side_kept_cents: int = 0
    """The part of the side pools that is not paid out."""

    extras_cents: int = 0
    """Payments for extras. The cost of an extra is an ordinary expense."""

    withheld_cents: int = 0
    """Money that was withheld from prizes and not yet sent to the tax office. It cannot be spent."""

    @property
    def spent_cents(self) -> int:
        return sum(cents for _category, cents in self.spent)

    @property
    def has_any(self) -> bool:
        """Return whether there is anything to show. A free event has no expenses until somebody spends."""
        return bool(self.pool.expenses_cents or self.left_cents or self.spent)

    @property
    def to_come_cents(self) -> int:
        """Return the added money that is in the pool but was not handed over yet."""
        return self.pool.added_cents - self.received_cents

    @property
    def left_cents(self) -> int:
        """Return the cents left to spend. A negative number is what the organizer has to pay."""
        to_spend = self.pool.expenses_cents + self.side_kept_cents + self.extras_cents
        return to_spend - self.pool.subsidy_cents - self.to_come_cents - self.spent_cents


def load_expenses(event: Event, side_pools: Sequence[SidePoolState] | None = None) -> Expenses:
    """Return the expenses of an event. Pass `side_pools` if they are loaded already, because they take longest."""
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
    """Return expenses, added money and tax remittances, newest first, including reversed ones."""
    return event.other_money.filter(reverses=None).select_related("movement", "reversed_by").order_by("-pk")
