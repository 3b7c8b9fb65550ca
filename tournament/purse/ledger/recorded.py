"""Turn recorded facts into movements: ledger lines, payouts, money without an entry, and cash at the desk."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tournament.purse.fees import LineKind
from tournament.purse.ledger import postings
from tournament.purse.ledger.postings import Booking, MovementKind


@dataclass(frozen=True, slots=True)
class RecordedMoney:
    """A recorded fact about money. `reverses` is the kind of the row that it reverses, or empty.

    `drawer` and `to_drawer` are set only if the fact itself names them, for money that was moved or counted.
    """

    kind: str
    cents: int
    entry: int = 0
    method: str = ""
    category: str = ""
    reverses: str = ""
    drawer: int = 0
    to_drawer: int = 0
    withheld_cents: int = 0
    """Cents of a payout that were withheld for taxes."""
    paid_by: str = ""
    """The original payment's method, if a refund was paid by another method."""


_MOVED: Final[dict[str, Callable[[RecordedMoney], Booking]]] = {
    MovementKind.CHARGE: lambda one: postings.book_charge(one.entry, one.cents),
    MovementKind.DISCOUNT: lambda one: postings.book_discount(one.entry, one.cents),
    MovementKind.COMPLIMENTARY: lambda one: postings.book_complimentary(one.entry, one.cents),
    MovementKind.CANCELLATION: lambda one: postings.book_cancellation(one.entry, one.cents),
    MovementKind.PAYMENT: lambda one: postings.book_payment(one.entry, one.cents, one.method),
    MovementKind.REFUND: lambda one: postings.book_refund(one.entry, one.cents, one.method, one.paid_by),
    MovementKind.ADDED: lambda one: postings.book_added(one.cents, one.method),
    MovementKind.EXPENSE: lambda one: postings.book_expense(one.cents, one.method, one.category),
    MovementKind.PAYOUT: lambda one: postings.book_payout(one.entry, one.cents, one.method, one.withheld_cents),
    MovementKind.SIDE_POOL: lambda one: postings.book_side_pool(one.entry, one.cents, one.category),
    MovementKind.SIDE_PAYOUT: lambda one: postings.book_side_payout(
        one.entry, one.cents, one.method, one.category, one.withheld_cents
    ),
    MovementKind.EXTRA: lambda one: postings.book_extra(one.entry, one.cents, one.category),
    MovementKind.REMITTANCE: lambda one: postings.book_remittance(one.cents, one.method),
    MovementKind.TRANSFER: lambda one: postings.book_transfer(one.cents, one.method, off=one.drawer, to=one.to_drawer),
    MovementKind.BROUGHT: lambda one: postings.book_brought(one.cents, one.method),
    MovementKind.BANKED: lambda one: postings.book_banked(one.cents, one.method),
    MovementKind.OVER: lambda one: postings.book_over(one.cents, one.method).in_drawer(one.drawer),
    MovementKind.SHORT: lambda one: postings.book_short(one.cents, one.method).in_drawer(one.drawer),
}


def movement_of(recorded: RecordedMoney) -> Booking:
    """Return the movement of a fact. A fact that reverses another row gives the reversed movement.

    >>> correction = movement_of(RecordedMoney("correction", 80_00, 7, "cash", reverses="payment"))
    >>> str(correction.kind), [posting.cents for posting in correction.postings]
    ('payment', [-8000, 8000])
    """
    if recorded.kind == LineKind.CORRECTION:
        return _MOVED[MovementKind.PAYMENT](recorded).reversed()
    if recorded.reverses:
        return _MOVED[recorded.reverses](recorded).reversed()
    return _MOVED[recorded.kind](recorded)
