"""What is still open when an event is to be finished, each point with the page that settles it."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tournament.core.selectors.entries import load_entries
from tournament.models import Event
from tournament.money.selectors.ledger import Books, load_books
from tournament.money.selectors.side_pools import load_side_pools


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """One thing that is open. `stops`: the event is finished over it only with a reason; else it is something to know.

    `who` are names with cents (0: no amount), `count` how many there are, `until` when it is over by itself.
    """

    code: str
    page: str
    count: int = 1
    who: tuple[tuple[str, int], ...] = ()
    until: datetime | None = None
    stops: bool = True

    @property
    def cents(self) -> int:
        return sum(cents for _name, cents in self.who)


SIDE_POOLS: Final = "tournament:desk_side_pools"
StillOpen = Callable[[Event], Sequence[OpenPoint]]
"""Looks under the lock of the event; handed down by the service that finishes."""


def digest_of_points(points: Iterable[OpenPoint]) -> str:
    """Of exactly what is shown; empty where there is nothing to show."""
    shown = [repr(point) for point in points]
    return hashlib.sha256("\n".join(shown).encode()).hexdigest()[:32] if shown else ""


def money_points(event: Event, books: Books | None = None) -> list[OpenPoint]:
    """Money to be handed back, and fees that are not paid: those are not in the pool."""
    accounts = (books or load_books(event)).accounts
    names = {entry.pk: entry.name for entry in load_entries(event) if entry.pk in accounts}
    back = tuple((names[pk], accounts[pk].refund_due_cents) for pk in names if accounts[pk].refund_due_cents)
    due = tuple((names[pk], accounts[pk].due_cents) for pk in names if accounts[pk].due_cents)
    points = []
    if back:
        points.append(OpenPoint("to-hand-back", "tournament:desk_payments", len(back), back))
    if due:
        points.append(OpenPoint("to-pay", "tournament:desk_payments", len(due), due, stops=False))
    return points


def side_pool_points(event: Event, books: Books) -> list[OpenPoint]:
    """Side pools whose places the desk has not recorded."""
    missing = tuple((state.pool.name, 0) for state in load_side_pools(event, books) if state.awaits_desk)
    return [OpenPoint("side-pool-results", SIDE_POOLS, len(missing), missing, stops=False)] if missing else []
