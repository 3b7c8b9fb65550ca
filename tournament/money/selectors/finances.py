"""The finances of an event or a whole tournament, and the ledger for accounting programs."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, TypeVar

from babel.numbers import get_currency_precision
from django.db.models import F, QuerySet

from tournament.models import Drawer, Event, EventMoney, LedgerLine, Movement, Posting, Tournament
from tournament.money.selectors.ledger import (
    load_event_accounts,
    load_held_cents_by_account,
    load_prize_pool,
    prefetch_movement_facts,
    sum_postings_by_columns,
)
from tournament.money.selectors.prizes import load_prizes
from tournament.money.selectors.side_pools import SidePoolOverview, load_side_pools
from tournament.purse.journal import AccountNames, CurrencyFormat
from tournament.purse.kinds import AccountKind
from tournament.purse.pool import PrizePool

_ROWS_AT_ONCE = 500


# --- Expenses of an event --------------------------------------------------------------------------------------------
# Expenses are paid from the part of the fees that is not played for.


@dataclass(frozen=True, slots=True)
class EventExpenses:
    """An event's expenses, in cents.

    `spent` contains each category with its cents, in the order of the tournament's categories. `sponsored_cents` is the
    money received from sponsors.
    """

    pool: PrizePool
    spent: tuple[tuple[str, int], ...]
    sponsored_cents: int
    side_pool_surplus_cents: int = 0
    """The part of the side pools that is not paid out."""

    extras_cents: int = 0
    """Payments for extras. The cost of providing an extra is an ordinary expense."""

    held: Mapping[str, int] = field(default_factory=dict)
    """Money that belongs to somebody else, such as withheld taxes, by account. It cannot be spent."""

    @property
    def spent_cents(self) -> int:
        return sum(cents for _category, cents in self.spent)

    @property
    def has_expenses(self) -> bool:
        """Return whether there is a budget for expenses, a recorded expense, or an amount left."""
        return bool(self.pool.expenses_cents or self.left_cents or self.spent)

    @property
    def pledged_cents(self) -> int:
        """Return the added money that was announced and is part of the pool, but has not been received yet."""
        return self.pool.added_cents - self.sponsored_cents

    @property
    def left_cents(self) -> int:
        """Return the cents left to spend. If the result is negative, the organizer has to pay that amount."""
        to_spend = self.pool.expenses_cents + self.side_pool_surplus_cents + self.extras_cents
        return to_spend - self.pool.subsidy_cents - self.pledged_cents - self.spent_cents


def load_expenses(event: Event, side_pools: Sequence[SidePoolOverview] | None = None) -> EventExpenses:
    """Return an event's expenses. Pass `side_pools` if they are already loaded, because loading them is slow."""
    books = load_event_accounts(event)
    pools = load_side_pools(event, books) if side_pools is None else side_pools
    rows = sum_postings_by_columns(event.postings.filter(account=AccountKind.EXPENSE), "category")
    order = {name: place for place, name in enumerate(event.tournament.expense_categories)}
    amounts = ((category, cents) for (category,), cents in rows if cents)
    spent = sorted(amounts, key=lambda row: (order.get(row[0], len(order)), row))
    surplus = sum(state.money.kept_cents for state in pools)
    return EventExpenses(
        load_prize_pool(event, books),
        tuple(spent),
        books.sponsored_cents,
        surplus,
        books.total.extra_collected_cents,
        load_held_cents_by_account(event),
    )


def load_event_money(event: Event) -> QuerySet[EventMoney]:
    """Return added money, expenses, tax remittances and payments to charity, newest first, including reversed ones."""
    return event.other_money.filter(reverses=None).select_related("movement", "reversed_by").order_by("-pk")


# --- Whole tournament ------------------------------------------------------------------------------------------------

CentsByMethod = Mapping[str, int]
"""Cents by payment method."""
Key = TypeVar("Key", bound=Hashable)


CentsByFigure = Mapping[str, int]
"""An event's figures in cents. The names are those from `load_event_money_figures`."""
OPEN_ITEM_FIGURES: Final = ("owed_by", "owed_to", "to_pay", "to_get_back")


@dataclass(frozen=True, slots=True)
class _CashFlow:
    """The net cash flow of one day by one payment method, in one drawer or in the safe.

    `cents` is the incoming minus the outgoing money. `drawer` is None for the safe.
    """

    day: date | None
    drawer: Drawer | None
    method: str
    cents: int


@dataclass(frozen=True, slots=True)
class TournamentFinances:
    events: tuple[tuple[Event, CentsByFigure], ...]
    cash_flows: tuple[_CashFlow, ...]

    @property
    def total(self) -> CentsByFigure:
        total: Counter[str] = Counter()
        for _event, figures in self.events:
            for name, cents in figures.items():
                total[name] += cents
        return total

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(
            method for method in LedgerLine.Method.values if any(flow.method == method for flow in self.cash_flows)
        )

    @property
    def sums_by_day(self) -> list[tuple[date | None, CentsByMethod]]:
        return _sum_by_key_and_method(self.cash_flows, lambda flow: flow.day)

    @property
    def sums_by_location(self) -> list[tuple[Drawer | None, CentsByMethod]]:
        """Return the cents by payment method in each drawer and in the safe (None). Empty drawers are left out."""
        return [
            (place, sums)
            for place, sums in _sum_by_key_and_method(self.cash_flows, lambda flow: flow.drawer)
            if any(sums.values())
        ]

    @property
    def cents_on_hand(self) -> CentsByMethod:
        return Counter(dict(_sum_by_key_and_method(self.cash_flows, lambda _one: None)).get(None, {}))


def load_tournament_finances(tournament: Tournament) -> TournamentFinances:
    """Return the figures of all events except drafts, and all money movements."""
    rows = Posting.objects.filter(tournament=tournament, account=AccountKind.MONEY)
    drawers = Drawer.objects.filter(tournament=tournament).select_related("cashier").in_bulk()
    events = tournament.events.exclude(state=Event.State.DRAFT).select_related("tournament").order_by("pk")
    sums = sorted(
        sum_postings_by_columns(rows, "day", "drawer", "method"), key=lambda row: (str(row[0][0] or ""), row[0][1] or 0)
    )
    return TournamentFinances(
        tuple((event, load_event_money_figures(event)) for event in events),
        tuple(_CashFlow(day, drawers.get(pk), method, cents) for (day, pk, method), cents in sums if cents),
    )


def load_event_money_figures(event: Event) -> CentsByFigure:
    """Return an event's figures in cents, computed in the same way as on the event's pages.

    The figures satisfy this equation:

        collected + added + subsidy = pool + expenses

    - `left`: the money that is left to spend. It includes the payments for extras (`extras`).
    - `side`: the money paid for side pools. The part that is not for prizes is also included in `left`.
    - `paid_out`: all payouts of prizes, including those from side pools.
    - `withheld`: the part of `paid_out` that is kept for taxes.
    """
    books, prizes = load_event_accounts(event), load_prizes(event)
    expenses = load_expenses(event, prizes.side_pools)
    pool = expenses.pool
    return {
        "collected": pool.collected_cents,
        "added": pool.added_cents,
        "subsidy": pool.subsidy_cents,
        "pool": pool.pool_cents,
        "expenses": pool.expenses_cents,
        "side": books.total.side_collected_cents,
        "extras": books.total.extra_collected_cents,
        "spent": expenses.spent_cents,
        "left": expenses.left_cents,
        "paid_out": prizes.paid_out_cents,
        **expenses.held,
        "owed_by": books.total.due_cents,
        "owed_to": books.total.refund_due_cents,
        "to_pay": prizes.to_pay_cents,
        "to_get_back": prizes.to_get_back_cents,
    }


def _sum_by_key_and_method(
    cash_flows: Iterable[_CashFlow], by: Callable[[_CashFlow], Key]
) -> list[tuple[Key, CentsByMethod]]:
    sums: dict[Key, Counter[str]] = {}
    for flow in cash_flows:
        sums.setdefault(by(flow), Counter())[flow.method] += flow.cents
    return list(sums.items())


# --- Ledger for accounting programs ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ledger:
    """The money movements of an event or a whole tournament."""

    tournament: Tournament
    event: Event | None = None

    def movements(self) -> QuerySet[Movement]:
        rows = Movement.objects.filter(tournament=self.tournament)
        return rows if self.event is None else rows.filter(event=self.event)

    def postings(self) -> QuerySet[Posting]:
        rows = Posting.objects.filter(tournament=self.tournament)
        return rows if self.event is None else rows.filter(event=self.event)

    @property
    def unit(self) -> CurrencyFormat:
        currency = self.tournament.currency
        return CurrencyFormat(currency, get_currency_precision(currency))


def iter_movements_by_day(ledger: Ledger) -> Iterator[Movement]:
    """Yield all money movements in the order of their business days, with their recorded facts and postings."""
    rows = prefetch_movement_facts(ledger.movements()).select_related("event").prefetch_related("postings")
    return rows.order_by(F("day").asc(nulls_first=True), "pk").iterator(chunk_size=_ROWS_AT_ONCE)


def load_account_balances(ledger: Ledger) -> list[tuple[str, int]]:
    """Return each account's name in exports and its balance, sorted by name. The balances add up to zero."""
    names, sums = AccountNames(), Counter[str]()
    rows = ledger.postings().order_by("day", "movement", "pk").values_list("account", "method", "category", "cents")
    for account, method, category, cents in rows.iterator(chunk_size=_ROWS_AT_ONCE):
        sums[names.get_name(account, method=method, category=category)] += cents
    return sorted(sums.items())
