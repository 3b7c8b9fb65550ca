"""The money of a whole tournament: the figures of its events, and the money in hand by day, drawer and method."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import TypeVar

from tournament.models import Drawer, Event, LedgerLine, Posting, Tournament
from tournament.money.selectors.expenses import load_expenses
from tournament.money.selectors.ledger import load_books
from tournament.money.selectors.movements import sums_by
from tournament.money.selectors.prizes import load_prizes
from tournament.purse.ledger.postings import AccountKind

Sums = Mapping[str, int]
"""Cents by method."""
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class EventFigures:
    """The figures of an event in cents. The last four are open items.

    collected + added + subsidy = pool + expenses

    `side` was paid for side pools. Their payouts are in `paid_out`, and the part that is not paid out is in `left`.
    Payments for extras are in `extras` and in `left`. `withheld` is the part of `paid_out` that is kept for taxes.
    """

    collected: int = 0
    added: int = 0
    subsidy: int = 0
    pool: int = 0
    expenses: int = 0
    side: int = 0
    extras: int = 0
    spent: int = 0
    left: int = 0
    paid_out: int = 0
    withheld: int = 0
    owed_by: int = 0
    owed_to: int = 0
    to_pay: int = 0
    to_get_back: int = 0

    @property
    def is_open(self) -> bool:
        return bool(self.owed_by or self.owed_to or self.to_pay or self.to_get_back)


def add_figures(rows: Iterable[EventFigures]) -> EventFigures:
    """Return the sum of each figure.

    >>> add_figures([EventFigures(collected=100, pool=82), EventFigures(collected=50, pool=41)]).pool
    123
    """
    found = list(rows)
    return EventFigures(*(sum(getattr(row, one.name) for row in found) for one in fields(EventFigures)))


@dataclass(frozen=True, slots=True)
class Moved:
    """Money that came in less money that went out on a day, by one method, in a drawer or the safe (None)."""

    day: date | None
    drawer: Drawer | None
    method: str
    cents: int


@dataclass(frozen=True, slots=True)
class WholeMoney:
    events: tuple[tuple[Event, EventFigures], ...]
    moved: tuple[Moved, ...]

    @property
    def total(self) -> EventFigures:
        return add_figures(figures for _event, figures in self.events)

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(method for method in LedgerLine.Method.values if any(one.method == method for one in self.moved))

    @property
    def by_day(self) -> list[tuple[date | None, Sums]]:
        return _added(self.moved, lambda one: one.day)

    @property
    def by_place(self) -> list[tuple[Drawer | None, Sums]]:
        """Return the money in each drawer and in the safe, without empty ones."""
        return [(place, sums) for place, sums in _added(self.moved, lambda one: one.drawer) if any(sums.values())]

    @property
    def in_hand(self) -> Sums:
        return Counter(dict(_added(self.moved, lambda _one: None)).get(None, {}))


def load_whole_money(tournament: Tournament) -> WholeMoney:
    """Return the figures of all events but drafts, and every amount that is or was in hand."""
    rows = Posting.objects.filter(tournament=tournament, account=AccountKind.MONEY)
    drawers = Drawer.objects.filter(tournament=tournament).select_related("cashier").in_bulk()
    events = tournament.events.exclude(state=Event.State.DRAFT).select_related("tournament").order_by("pk")
    sums = sorted(sums_by(rows, "day", "drawer", "method"), key=lambda one: (str(one[0][0] or ""), one[0][1] or 0))
    return WholeMoney(
        tuple((event, event_figures(event)) for event in events),
        tuple(Moved(day, drawers.get(pk), method, cents) for (day, pk, method), cents in sums if cents),
    )


def event_figures(event: Event) -> EventFigures:
    """Return an event's figures, computed as on the pages of the event."""
    books, prizes = load_books(event), load_prizes(event)
    expenses = load_expenses(event, prizes.side_pools)
    pool = expenses.pool
    return EventFigures(
        collected=pool.collected_cents,
        added=pool.added_cents,
        subsidy=pool.subsidy_cents,
        pool=pool.pool_cents,
        expenses=pool.expenses_cents,
        side=books.total.side_collected_cents,
        extras=books.total.extra_collected_cents,
        spent=expenses.spent_cents,
        left=expenses.left_cents,
        paid_out=prizes.paid_out_cents,
        withheld=expenses.withheld_cents,
        owed_by=books.total.due_cents,
        owed_to=books.total.refund_due_cents,
        to_pay=prizes.to_pay_cents,
        to_get_back=prizes.to_get_back_cents,
    )


def _added(moved: Iterable[Moved], by: Callable[[Moved], Key]) -> list[tuple[Key, Sums]]:
    found: dict[Key, Counter[str]] = {}
    for one in moved:
        found.setdefault(by(one), Counter())[one.method] += one.cents
    return list(found.items())
