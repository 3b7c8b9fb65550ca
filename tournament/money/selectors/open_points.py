"""Money questions that are open when an event is to be finished, each with the page that settles it."""

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
    """One open question about the money.

    If it stops the finish (`stops`), the event can only be finished with a reason. Otherwise it is information. `who`
    has names with cents, 0 for no amount. `until` is the time at which the question settles itself.
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
"""Returns the open questions, read under the event's lock. The service that finishes the event receives it."""


def digest_of_points(points: Iterable[OpenPoint]) -> str:
    """Return a digest of exactly the points that are shown, or an empty string if there are none."""
    shown = [repr(point) for point in points]
    return hashlib.sha256("\n".join(shown).encode()).hexdigest()[:32] if shown else ""


def money_points(event: Event, books: Books | None = None) -> list[OpenPoint]:
    """Return open points for money to be handed back, and for unpaid fees, which are not in the pool."""
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
    """Return an open point for the side pools whose places the desk has not recorded."""
    missing = tuple((state.pool.name, 0) for state in load_side_pools(event, books) if state.awaits_desk)
    return [OpenPoint("side-pool-results", SIDE_POOLS, len(missing), missing, stops=False)] if missing else []
