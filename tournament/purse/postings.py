"""Movements of money, each with two or more postings that add up to zero. A function makes each kind of movement.

    charge          entrant +   fees −          payment    money +     entrant −
    side-pool       entrant +   side-fees −     side-payout  side-prizes +  money −
    extra           entrant +   extras −
    discount        discounts + entrant −       refund     entrant +   money −
    complimentary   discounts + entrant −       added      money +     added −
    cancellation    fees +      entrant −       expense    expense +   money −
    over            money +     difference −    payout     prizes +    money −
    short           difference + money −        brought    money +     bank −
    transfer        money + money −             banked     bank +      money −
    remittance      withheld +  money −

If a part of a payout is withheld for taxes, it is posted to `withheld` as a negative amount, and less money goes out.
Money in hand is in a drawer or in the safe. A transfer moves it between two of them. A reversal is another movement
of the same kind with every sign turned.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from tournament.purse.fees import LineKind


class AccountKind(StrEnum):
    """The account of a posting. `money` is in hand, an `entrant` owes, and the others are purposes.

    - `bank`: brought to the bank less the change that was brought from it.
    - `difference`: missing when money was counted, less what was counted too much.
    - `withheld`: below zero, because it is owed to the tax office.
    """

    ENTRANT = "entrant"
    FEES = "fees"
    DISCOUNTS = "discounts"
    MONEY = "money"
    ADDED = "added"
    EXPENSE = "expense"
    PRIZES = "prizes"
    BANK = "bank"
    DIFFERENCE = "difference"
    SIDE_FEES = "side-fees"
    SIDE_PRIZES = "side-prizes"
    EXTRAS = "extras"
    WITHHELD = "withheld"


class MovementKind(StrEnum):
    CHARGE = "charge"
    DISCOUNT = "discount"
    COMPLIMENTARY = "complimentary"
    CANCELLATION = "cancellation"
    PAYMENT = "payment"
    REFUND = "refund"
    ADDED = "added"
    EXPENSE = "expense"
    PAYOUT = "payout"
    TRANSFER = "transfer"
    BROUGHT = "brought"
    BANKED = "banked"
    OVER = "over"
    SHORT = "short"
    SIDE_POOL = "side-pool"
    SIDE_PAYOUT = "side-payout"
    EXTRA = "extra"
    REMITTANCE = "remittance"


@dataclass(frozen=True, slots=True)
class PostedCents:
    """Cents posted to an account, or taken off it if below zero. `drawer` holds money in hand, and 0 is the safe."""

    account: AccountKind
    cents: int
    drawer: int = 0


@dataclass(frozen=True, slots=True)
class Booking:
    """A movement of money. `entry` is 0, and `method` and `category` are empty, if they do not apply.

    A reversal has the kind of the movement it reverses, so that the two cancel out in a sum by kind.

    Raises:
        ValueError: the postings do not add up to zero.
    """

    kind: MovementKind
    postings: tuple[PostedCents, ...]
    entry: int = 0
    method: str = ""
    category: str = ""
    is_reversal: bool = False
    paid_by: str = ""
    """The original payment's method, if a refund is paid by another method. Empty means the same as `method`."""

    def __post_init__(self) -> None:
        if off := sum(posting.cents for posting in self.postings):
            raise ValueError(f"a movement adds up to zero; this one is {off} off")

    @property
    def cents(self) -> int:
        """Return the amount of the movement, the sum of its positive postings."""
        return sum(posting.cents for posting in self.postings if posting.cents > 0)

    @property
    def outgoing_cents(self) -> int:
        """Return the cents that leave the money in hand. Incoming money is below zero.

        >>> book_payout(7, 100_00, "cash", 24_00).outgoing_cents
        7600
        """
        return -sum(posting.cents for posting in self.postings if posting.account is AccountKind.MONEY)

    def reversed(self) -> "Booking":
        """Return the reversal of this movement.

        >>> back = book_payment(7, 80_00, "cash").reversed()
        >>> [(str(posting.account), posting.cents) for posting in back.postings], back.is_reversal
        ([('money', -8000), ('entrant', 8000)], True)
        """
        turned = tuple(replace(posting, cents=-posting.cents) for posting in self.postings)
        return replace(self, postings=turned, is_reversal=not self.is_reversal)

    def in_drawer(self, drawer: int) -> "Booking":
        """Return the same movement with its money in hand in this drawer.

        >>> [(str(posting.account), posting.drawer) for posting in book_payment(7, 80_00, "cash").in_drawer(2).postings]
        [('money', 2), ('entrant', 0)]
        """
        in_hand = AccountKind.MONEY
        return replace(
            self,
            postings=tuple(
                replace(posting, drawer=drawer) if posting.account is in_hand else posting for posting in self.postings
            ),
        )


def book_charge(entry: int, cents: int) -> Booking:
    """Charge the fee of an entry.

    >>> [(str(posting.account), posting.cents) for posting in book_charge(7, 100_00).postings]
    [('entrant', 10000), ('fees', -10000)]
    """
    return _book(MovementKind.CHARGE, cents, to=AccountKind.ENTRANT, off=AccountKind.FEES, entry=entry)


def book_discount(entry: int, cents: int) -> Booking:
    return _book(MovementKind.DISCOUNT, cents, to=AccountKind.DISCOUNTS, off=AccountKind.ENTRANT, entry=entry)


def book_complimentary(entry: int, cents: int) -> Booking:
    return _book(MovementKind.COMPLIMENTARY, cents, to=AccountKind.DISCOUNTS, off=AccountKind.ENTRANT, entry=entry)


def book_cancellation(entry: int, cents: int) -> Booking:
    """Cancel the fee of an entry, or what is left of it."""
    return _book(MovementKind.CANCELLATION, cents, to=AccountKind.FEES, off=AccountKind.ENTRANT, entry=entry)


def book_payment(entry: int, cents: int, method: str) -> Booking:
    to, off = AccountKind.MONEY, AccountKind.ENTRANT
    return _book(MovementKind.PAYMENT, cents, to=to, off=off, entry=entry, method=method)


def book_refund(entry: int, cents: int, method: str, paid_by: str = "") -> Booking:
    """Refund money by `method`. If a check is refunded in cash, the check stays and the cash goes out.

    >>> refund = book_refund(7, 60_00, "cash", paid_by="check")
    >>> refund.method, refund.paid_by, [(str(posting.account), posting.cents) for posting in refund.postings]
    ('cash', 'check', [('entrant', 6000), ('money', -6000)])
    """
    to, off = AccountKind.ENTRANT, AccountKind.MONEY
    return _book(MovementKind.REFUND, cents, to=to, off=off, entry=entry, method=method, paid_by=paid_by)


def book_added(cents: int, method: str) -> Booking:
    """Add money of a sponsor or a raffle."""
    return _book(MovementKind.ADDED, cents, to=AccountKind.MONEY, off=AccountKind.ADDED, method=method)


def book_expense(cents: int, method: str, category: str) -> Booking:
    to, off = AccountKind.EXPENSE, AccountKind.MONEY
    return _book(MovementKind.EXPENSE, cents, to=to, off=off, method=method, category=category)


def book_payout(entry: int, cents: int, method: str, withheld_cents: int = 0) -> Booking:
    """Pay a prize of `cents`. The part withheld for taxes is not handed over.

    >>> [(str(posting.account), posting.cents) for posting in book_payout(7, 100_00, "cash", 24_00).postings]
    [('prizes', 10000), ('money', -7600), ('withheld', -2400)]
    """
    rows = _prize_postings(AccountKind.PRIZES, cents, withheld_cents)
    return Booking(MovementKind.PAYOUT, rows, entry=entry, method=method)


def book_side_pool(entry: int, cents: int, pool: str) -> Booking:
    """Charge the price of a side pool, whose name is the category. It does not count toward the prize pool.

    >>> [(str(posting.account), posting.cents) for posting in book_side_pool(7, 20_00, "Senior").postings]
    [('entrant', 2000), ('side-fees', -2000)]
    """
    to, off = AccountKind.ENTRANT, AccountKind.SIDE_FEES
    return _book(MovementKind.SIDE_POOL, cents, to=to, off=off, entry=entry, category=pool)


def book_side_payout(entry: int, cents: int, method: str, pool: str, withheld_cents: int = 0) -> Booking:
    rows = _prize_postings(AccountKind.SIDE_PRIZES, cents, withheld_cents)
    return Booking(MovementKind.SIDE_PAYOUT, rows, entry=entry, method=method, category=pool)


def book_remittance(cents: int, method: str) -> Booking:
    """Send withheld money on to the tax office.

    >>> [(str(posting.account), posting.cents) for posting in book_remittance(24_00, "check").postings]
    [('withheld', 2400), ('money', -2400)]
    """
    return _book(MovementKind.REMITTANCE, cents, to=AccountKind.WITHHELD, off=AccountKind.MONEY, method=method)


def book_extra(entry: int, cents: int, extra: str) -> Booking:
    """Charge the price of an extra such as a dinner, whose name is the category. It is not part of the entry fee.

    >>> [(str(posting.account), posting.cents) for posting in book_extra(7, 35_00, "Dinner").postings]
    [('entrant', 3500), ('extras', -3500)]
    """
    to, off = AccountKind.ENTRANT, AccountKind.EXTRAS
    return _book(MovementKind.EXTRA, cents, to=to, off=off, entry=entry, category=extra)


def book_transfer(cents: int, method: str, *, off: int, to: int) -> Booking:
    """Move money between two drawers, or between a drawer and the safe (0). The money in hand stays the same.

    >>> [(posting.cents, posting.drawer) for posting in book_transfer(50_00, "cash", off=0, to=3).postings]
    [(5000, 3), (-5000, 0)]
    """
    in_hand = AccountKind.MONEY
    rows = (PostedCents(in_hand, cents, to), PostedCents(in_hand, -cents, off))
    return Booking(MovementKind.TRANSFER, rows, method=method)


def book_bank_withdrawal(cents: int, method: str) -> Booking:
    """Bring change from the bank, or from the organizer's pocket."""
    return _book(MovementKind.BROUGHT, cents, to=AccountKind.MONEY, off=AccountKind.BANK, method=method)


def book_bank_deposit(cents: int, method: str) -> Booking:
    return _book(MovementKind.BANKED, cents, to=AccountKind.BANK, off=AccountKind.MONEY, method=method)


def book_overage(cents: int, method: str) -> Booking:
    """Record that more was counted than expected."""
    return _book(MovementKind.OVER, cents, to=AccountKind.MONEY, off=AccountKind.DIFFERENCE, method=method)


def book_shortage(cents: int, method: str) -> Booking:
    return _book(MovementKind.SHORT, cents, to=AccountKind.DIFFERENCE, off=AccountKind.MONEY, method=method)


def _prize_postings(prizes: AccountKind, cents: int, withheld_cents: int) -> tuple[PostedCents, ...]:
    """Return the postings of a prize. If all of it is withheld, no money moves."""
    if not 0 <= withheld_cents <= cents:
        raise ValueError("from nothing up to the whole prize can be withheld")
    rows = ((prizes, cents), (AccountKind.MONEY, withheld_cents - cents), (AccountKind.WITHHELD, -withheld_cents))
    return tuple(PostedCents(account, moved) for account, moved in rows if moved)


def _book(kind: MovementKind, cents: int, *, to: AccountKind, off: AccountKind, **about: Any) -> Booking:
    """Return a movement from one account to another. A movement of zero cents has no postings."""
    if cents < 0:
        raise ValueError("an amount is zero or more; what goes back is a reversal")
    return Booking(kind, (PostedCents(to, cents), PostedCents(off, -cents)) if cents else (), **about)


# --- Recorded facts --------------------------------------------------------------------------------------------------
# Recorded facts are ledger lines, payouts, money without an entry, and cash at the desk. Each becomes a movement.


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


_BOOKINGS: Final[dict[str, Callable[[RecordedMoney], Booking]]] = {
    MovementKind.CHARGE: lambda fact: book_charge(fact.entry, fact.cents),
    MovementKind.DISCOUNT: lambda fact: book_discount(fact.entry, fact.cents),
    MovementKind.COMPLIMENTARY: lambda fact: book_complimentary(fact.entry, fact.cents),
    MovementKind.CANCELLATION: lambda fact: book_cancellation(fact.entry, fact.cents),
    MovementKind.PAYMENT: lambda fact: book_payment(fact.entry, fact.cents, fact.method),
    MovementKind.REFUND: lambda fact: book_refund(fact.entry, fact.cents, fact.method, fact.paid_by),
    MovementKind.ADDED: lambda fact: book_added(fact.cents, fact.method),
    MovementKind.EXPENSE: lambda fact: book_expense(fact.cents, fact.method, fact.category),
    MovementKind.PAYOUT: lambda fact: book_payout(fact.entry, fact.cents, fact.method, fact.withheld_cents),
    MovementKind.SIDE_POOL: lambda fact: book_side_pool(fact.entry, fact.cents, fact.category),
    MovementKind.SIDE_PAYOUT: lambda fact: book_side_payout(
        fact.entry, fact.cents, fact.method, fact.category, fact.withheld_cents
    ),
    MovementKind.EXTRA: lambda fact: book_extra(fact.entry, fact.cents, fact.category),
    MovementKind.REMITTANCE: lambda fact: book_remittance(fact.cents, fact.method),
    MovementKind.TRANSFER: lambda fact: book_transfer(fact.cents, fact.method, off=fact.drawer, to=fact.to_drawer),
    MovementKind.BROUGHT: lambda fact: book_bank_withdrawal(fact.cents, fact.method),
    MovementKind.BANKED: lambda fact: book_bank_deposit(fact.cents, fact.method),
    MovementKind.OVER: lambda fact: book_overage(fact.cents, fact.method).in_drawer(fact.drawer),
    MovementKind.SHORT: lambda fact: book_shortage(fact.cents, fact.method).in_drawer(fact.drawer),
}


def book_recorded(recorded: RecordedMoney) -> Booking:
    """Return the movement of a fact. A fact that reverses another row gives the reversed movement.

    >>> correction = book_recorded(RecordedMoney("correction", 80_00, 7, "cash", reverses="payment"))
    >>> str(correction.kind), [posting.cents for posting in correction.postings]
    ('payment', [-8000, 8000])
    """
    if recorded.kind == LineKind.CORRECTION:
        return _BOOKINGS[MovementKind.PAYMENT](recorded).reversed()
    if recorded.reverses:
        return _BOOKINGS[recorded.reverses](recorded).reversed()
    return _BOOKINGS[recorded.kind](recorded)
