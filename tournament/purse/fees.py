"""What an entrant owes, and the ledger at the desk: lines are only ever added, the account is their fold.

    charge          the fee, when the entry is taken                     owed goes up
    side-pool       what a side pool costs, when the entry joins it      owed for side pools goes up
    extra           what a dinner or the like costs, when it is sold     owed for extras goes up
    discount        part of the fee not asked for, with a reason         owed goes down
    complimentary   the whole fee not asked for, with a reason           owed goes down
    cancellation    the fee falls away with the entry, with a reason     owed goes down
    payment         money in, by a method (cash, check, card …)          paid goes up
    refund          money out, by a method, with a reason                refunded goes up
    correction      a payment that never was, by its method, why         paid goes down
    reversal        any other line that never was, with a reason         as if it had never been

A line typed wrongly stays and is answered by another: a charge by a cancellation, a payment by a correction, any
other by a reversal. All amounts are whole cents, zero or more; the kind of the line says which way it counts.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from enum import StrEnum
from typing import Final

from tournament.errors import DomainError
from tournament.said import worded


class LineKind(StrEnum):
    CHARGE = "charge"
    SIDE_POOL = "side-pool"
    EXTRA = "extra"
    DISCOUNT = "discount"
    COMPLIMENTARY = "complimentary"
    CANCELLATION = "cancellation"
    PAYMENT = "payment"
    REFUND = "refund"
    CORRECTION = "correction"
    REVERSAL = "reversal"


NEEDS_METHOD: Final = frozenset({LineKind.PAYMENT, LineKind.REFUND, LineKind.CORRECTION})
NEEDS_REASON: Final = frozenset(LineKind) - {LineKind.CHARGE, LineKind.SIDE_POOL, LineKind.EXTRA, LineKind.PAYMENT}


@dataclass(frozen=True, slots=True)
class FeeLine:
    """One fact about one entrant's money. Only a reversal `reverses`: a line of that kind, in whole.

    Raises:
        DomainError: `bad-value` below zero, `missing-reason`, `missing-method`.
    """

    kind: LineKind
    cents: int
    reason: str = ""
    method: str = ""
    reverses: LineKind | None = None

    def __post_init__(self) -> None:
        if self.cents < 0:
            message = worded("An amount cannot be below zero. Record money paid back as a refund.")
            raise DomainError("bad-value", message)
        if self.kind in NEEDS_REASON and not self.reason.strip():
            raise DomainError("missing-reason", worded("The reason is missing. Enter a reason."))
        if (self.kind is LineKind.REVERSAL) != (self.reverses is not None):
            raise ValueError("a reversal, and nothing else, names the kind of the line it reverses")
        if self.kind in NEEDS_METHOD and not self.method.strip():
            raise DomainError("missing-method", worded("The method is missing. Choose how it was paid, such as cash."))


@dataclass(frozen=True, slots=True)
class FeeTerms:
    """What an event asks for one entry; None where it has no such price.

    The early-bird fee holds for entries received up to and on `early_until`, and the late fee from `late_from` on,
    dates at the venue.

    Raises:
        DomainError: `bad-value`, for a fee below zero, a fee without its date, an early fee above the fee or a late fee
            below it, and a late fee that begins while the early-bird fee still holds.
    """

    fee_cents: int
    early_fee_cents: int | None = None
    early_until: date | None = None
    late_fee_cents: int | None = None
    late_from: date | None = None

    def __post_init__(self) -> None:
        if min(self.fee_cents, self.early_fee_cents or 0, self.late_fee_cents or 0) < 0:
            raise DomainError("bad-value", worded("A fee is zero or more."))
        if (self.early_fee_cents is None) != (self.early_until is None):
            raise DomainError("bad-value", worded("An early-bird fee and its last date belong together."))
        if self.early_fee_cents is not None and self.early_fee_cents > self.fee_cents:
            raise DomainError("bad-value", worded("The early-bird fee is no more than the fee."))
        if (self.late_fee_cents is None) != (self.late_from is None):
            raise DomainError("bad-value", worded("A late fee and its first day belong together."))
        if self.late_fee_cents is not None and self.late_fee_cents < self.fee_cents:
            raise DomainError("bad-value", worded("The late fee is no less than the fee."))
        if self.late_from and self.early_until and self.late_from <= self.early_until:
            raise DomainError("bad-value", worded("The late fee begins after the last day of the early-bird fee."))

    def for_half_a_pair(self) -> "FeeTerms":
        """What somebody pays who asks for a partner: half of each price, half a cent up."""
        early = None if self.early_fee_cents is None else (self.early_fee_cents + 1) // 2
        late = None if self.late_fee_cents is None else (self.late_fee_cents + 1) // 2
        return FeeTerms((self.fee_cents + 1) // 2, early, self.early_until, late, self.late_from)


def fee_for(terms: FeeTerms, received_on: date) -> int:
    """The fee of an entry in cents, by the date at the venue when it was received, not when it was paid or approved.

    $300, or $275 if the entry is received by 1 October; an entry of that very day is still early. From 20 November on
    it is $325.

    >>> terms = FeeTerms(300_00, 275_00, date(2026, 10, 1), late_fee_cents=325_00, late_from=date(2026, 11, 20))
    >>> [fee_for(terms, day) for day in (date(2026, 10, 1), date(2026, 10, 2), date(2026, 11, 20))]
    [27500, 30000, 32500]
    """
    if terms.late_fee_cents is not None and terms.late_from is not None and received_on >= terms.late_from:
        return terms.late_fee_cents
    if terms.early_fee_cents is None or terms.early_until is None or received_on > terms.early_until:
        return terms.fee_cents
    return terms.early_fee_cents


@dataclass(frozen=True, slots=True)
class Account:
    """Where one entrant stands, or many added up; in cents.

    `owed_cents` is the fee that is asked for, `side_owed_cents` what side pools cost, `extra_owed_cents` what extras
    cost; `due_cents` what of all is still to be paid, and `refund_due_cents` what is to be handed back.
    `collected_cents` is what was kept of the fee: this, and never an overpayment, a side pool or an extra, makes the
    prize pool. Payments go to the fee first, then to the side pools (`side_collected_cents`), and then to the extras
    (`extra_collected_cents`). `settled_discounts_cents` is what was let off of an entry whose fee is
    paid: the expenses may have to cover it. An entry whose fee fell away with it has none. `paid_cents` are the
    payments less corrections, `kept_cents` the money in the desk's drawer; these two are below zero only where more
    was corrected or refunded than was ever paid.
    """

    discounted_cents: int = 0
    complimentary_cents: int = 0
    owed_cents: int = 0
    paid_cents: int = 0
    refunded_cents: int = 0
    collected_cents: int = 0
    due_cents: int = 0
    refund_due_cents: int = 0
    settled_discounts_cents: int = 0
    side_owed_cents: int = 0
    side_collected_cents: int = 0
    extra_owed_cents: int = 0
    extra_collected_cents: int = 0

    @property
    def kept_cents(self) -> int:
        return self.paid_cents - self.refunded_cents

    @property
    def balance_cents(self) -> int:
        """What is owed less what was kept: above zero to pay, below zero to hand back."""
        return self.asked_cents - self.kept_cents

    @property
    def asked_cents(self) -> int:
        """The fee, the side pools and the extras."""
        return self.owed_cents + self.side_owed_cents + self.extra_owed_cents

    @property
    def of_prizes(self) -> tuple[int, ...]:
        """What the prize pool, the expenses and the side pools are made of."""
        fee = (self.owed_cents, self.collected_cents, self.discounted_cents, self.complimentary_cents)
        return (*fee, self.settled_discounts_cents, self.side_owed_cents, self.side_collected_cents)

    @property
    def fee_due_cents(self) -> int:
        """What of the fee alone is still to be paid."""
        return self.owed_cents - self.collected_cents

    @property
    def is_settled(self) -> bool:
        return self.due_cents == 0 and self.refund_due_cents == 0


def fold_ledger(lines: Iterable[FeeLine]) -> Account:
    """One entrant's account, whatever the order of the lines.

    A complimentary line or discount beyond the charges takes nothing more off: nobody is owed money they never
    paid.

    >>> lines = [FeeLine(LineKind.CHARGE, 300_00), FeeLine(LineKind.PAYMENT, 350_00, method="cash")]
    >>> account = fold_ledger(lines)
    >>> account.refund_due_cents, account.collected_cents
    (5000, 30000)
    """
    sums: Counter[str] = Counter()
    for line in lines:
        kind, sign = _counts_as(line)
        sums[kind] += sign * line.cents
    return account_from(sums)


def leaves_prizes(sums: Mapping[str, int], line: FeeLine) -> bool:
    """Whether the prize pool and the side pools stay as they are with one line more of an entry; `sums` by kind.

    A dinner that is sold or given back does; so does its payment, once the fee and the side pools are paid. A payment
    beyond what is owed is refused with the others: it is a mistake.

    >>> sums = {"charge": 100_00, "payment": 100_00, "extra": 35_00}
    >>> [leaves_prizes(sums, FeeLine(LineKind.PAYMENT, cents, method="cash")) for cents in (35_00, 35_01)]
    [True, False]
    """
    before = account_from(sums)
    if line.kind is LineKind.PAYMENT and line.cents > before.due_cents:
        return False
    kind, sign = _counts_as(line)
    after = account_from({**sums, kind: sums.get(kind, 0) + sign * line.cents})
    return before.of_prizes == after.of_prizes


def _counts_as(line: FeeLine) -> tuple[LineKind, int]:
    """The kind whose sum a line changes, and which way."""
    if line.kind is LineKind.CORRECTION:
        return LineKind.PAYMENT, -1
    return (line.reverses, -1) if line.reverses is not None else (line.kind, 1)


def account_from(sums: Mapping[str, int]) -> Account:
    """Return what the sums of an entry's lines come to, by kind; what was corrected or reversed is taken off them.

    >>> account_from({"charge": 300_00, "payment": 350_00}).refund_due_cents
    5000
    """
    charged, refunded = sums.get(LineKind.CHARGE, 0), sums.get(LineKind.REFUND, 0)
    discounted, complimentary = sums.get(LineKind.DISCOUNT, 0), sums.get(LineKind.COMPLIMENTARY, 0)
    cancelled, paid = sums.get(LineKind.CANCELLATION, 0), sums.get(LineKind.PAYMENT, 0)
    owed = max(0, charged - discounted - complimentary - cancelled)
    side, extra = max(0, sums.get(LineKind.SIDE_POOL, 0)), max(0, sums.get(LineKind.EXTRA, 0))
    kept = paid - refunded
    collected = max(0, min(kept, owed))
    side_collected = max(0, min(kept - collected, side))
    fell_away = owed == 0 and cancelled > 0
    counts = kept >= owed and not fell_away
    return Account(
        discounted_cents=discounted,
        complimentary_cents=complimentary,
        owed_cents=owed,
        paid_cents=paid,
        refunded_cents=refunded,
        collected_cents=collected,
        due_cents=max(0, owed + side + extra - kept),
        refund_due_cents=max(0, kept - owed - side - extra),
        settled_discounts_cents=min(discounted + complimentary, charged) if counts else 0,
        side_owed_cents=side,
        side_collected_cents=side_collected,
        extra_owed_cents=extra,
        extra_collected_cents=max(0, min(kept - collected - side_collected, extra)),
    )


def add_accounts(accounts: Iterable[Account]) -> Account:
    """The columns added up. One entrant's overpayment never hides what another has still to pay."""
    sums = {field.name: 0 for field in fields(Account)}
    for account in accounts:
        for name in sums:
            sums[name] += getattr(account, name)
    return Account(**sums)


@dataclass(frozen=True, slots=True)
class MethodTotal:
    """Money in and out by one method: what the drawer, or the card terminal's slip, has to agree with."""

    paid_cents: int
    refunded_cents: int

    @property
    def kept_cents(self) -> int:
        return self.paid_cents - self.refunded_cents


def total_by_method(lines: Iterable[FeeLine]) -> dict[str, MethodTotal]:
    """Payments less corrections, and refunds, of any number of entrants, by method in alphabetical order.

    >>> lines = [FeeLine(LineKind.PAYMENT, 300_00, method="cash"), FeeLine(LineKind.CHARGE, 300_00)]
    >>> total_by_method(lines)["cash"].kept_cents
    30000
    """
    moved = [line for line in lines if line.method]
    totals: dict[str, MethodTotal] = {}
    for method in sorted({line.method for line in moved}):
        account = fold_ledger(line for line in moved if line.method == method)
        totals[method] = MethodTotal(account.paid_cents, account.refunded_cents)
    return totals
