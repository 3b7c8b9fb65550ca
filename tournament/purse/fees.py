"""An entrant's account of debts and payments, computed from ledger lines that are never changed or deleted.

| line | meaning | effect |
|---|---|---|
| charge | the fee of a new entry | owed + |
| side-pool | the price of a side pool | owed for side pools + |
| extra | the price of a dinner or another extra | owed for extras + |
| discount | a part of the fee is waived, with a reason | owed − |
| complimentary | the whole fee is waived, with a reason | owed − |
| cancellation | the fee is canceled with the entry, with a reason | owed − |
| payment | money in, by a method | paid + |
| refund | money out, by a method, with a reason | refunded + |
| correction | cancels a payment, by its method, with a reason | paid − |
| reversal | cancels any other line, with a reason | as if the line did not exist |

A wrong line stays, and another line cancels it: a cancellation for a charge, a correction for a payment, a reversal for
any other. All amounts are whole cents, zero or more.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Final

from tournament.errors import DomainError
from tournament.lazy_text import lazy_text
from tournament.purse.kinds import CANCELING_LINE_LABELS, MONEY_KIND_DETAILS, MoneyKind


def validate_ledger_line(kind: MoneyKind, cents: int, *, method: str = "", reason: str = "") -> None:
    """Raise an error if a ledger line is incomplete.

    Raises:
        DomainError: `bad-value` for a negative amount, `missing-reason`, `missing-method`.
    """
    if cents < 0:
        raise DomainError("bad-value", lazy_text("An amount cannot be below zero. Record money paid back as a refund."))
    if (kind in CANCELING_LINE_LABELS or MONEY_KIND_DETAILS[kind].needs_reason) and not reason.strip():
        raise DomainError("missing-reason", lazy_text("The reason is missing. Enter a reason."))
    moves_money = kind is MoneyKind.CORRECTION or (kind in MONEY_KIND_DETAILS and MONEY_KIND_DETAILS[kind].moves_money)
    if moves_money and not method.strip():
        raise DomainError("missing-method", lazy_text("The method is missing. Choose how it was paid, such as cash."))


@dataclass(frozen=True, slots=True)
class FeeTerms:
    """The prices for one entry in cents. A price is None if the event does not have it.

    The early-bird fee applies to entries received up to and including `early_until`, and the late fee from `late_from`
    on. Both are dates at the venue.

    Raises:
        DomainError: `bad-value`, for a fee below zero, a fee without its date, an early fee above the fee, a late fee
            below it, or a late fee that begins while the early-bird fee still applies.
    """

    fee_cents: int
    early_fee_cents: int | None = None
    early_until: date | None = None
    late_fee_cents: int | None = None
    late_from: date | None = None

    def __post_init__(self) -> None:
        if min(self.fee_cents, self.early_fee_cents or 0, self.late_fee_cents or 0) < 0:
            raise DomainError("bad-value", lazy_text("A fee is zero or more."))
        if (self.early_fee_cents is None) != (self.early_until is None):
            raise DomainError("bad-value", lazy_text("An early-bird fee and its last date belong together."))
        if self.early_fee_cents is not None and self.early_fee_cents > self.fee_cents:
            raise DomainError("bad-value", lazy_text("The early-bird fee is no more than the fee."))
        if (self.late_fee_cents is None) != (self.late_from is None):
            raise DomainError("bad-value", lazy_text("A late fee and its first day belong together."))
        if self.late_fee_cents is not None and self.late_fee_cents < self.fee_cents:
            raise DomainError("bad-value", lazy_text("The late fee is no less than the fee."))
        if self.late_from and self.early_until and self.late_from <= self.early_until:
            raise DomainError("bad-value", lazy_text("The late fee begins after the last day of the early-bird fee."))

    def halve_for_single_player(self) -> "FeeTerms":
        """Return half of each price, rounded up. A player who is looking for a partner pays these prices."""
        early = None if self.early_fee_cents is None else (self.early_fee_cents + 1) // 2
        late = None if self.late_fee_cents is None else (self.late_fee_cents + 1) // 2
        return FeeTerms((self.fee_cents + 1) // 2, early, self.early_until, late, self.late_from)


def compute_fee_on_date(terms: FeeTerms, received_on: date) -> int:
    """Return the fee in cents for an entry received on this local date at the venue.

    The dates of payment and approval do not matter.

    >>> terms = FeeTerms(300_00, 275_00, date(2026, 10, 1), late_fee_cents=325_00, late_from=date(2026, 11, 20))
    >>> [compute_fee_on_date(terms, day) for day in (date(2026, 10, 1), date(2026, 10, 2), date(2026, 11, 20))]
    [27500, 30000, 32500]
    """
    if terms.late_fee_cents is not None and terms.late_from is not None and received_on >= terms.late_from:
        return terms.late_fee_cents
    if terms.early_fee_cents is None or terms.early_until is None or received_on > terms.early_until:
        return terms.fee_cents
    return terms.early_fee_cents


@dataclass(frozen=True, slots=True)
class EntryAccount:
    """The account of one entrant, or the sum of many, in cents.

    - `owed_cents`, `side_owed_cents`, `extra_owed_cents`: charges for the fee, side pools and extras.
    - `due_cents`: still to be paid. `refund_due_cents`: to be returned.
    - `collected_cents`: payments for the fee. Of all payments, only these count toward the prize pool.
    - `side_collected_cents`, `extra_collected_cents`: payments for side pools and for extras. A payment covers the fee
      first, then side pools, then extras.
    - `settled_discounts_cents`: the discounts of an entry that has paid the rest of its fee. It is 0 if the fee was
      canceled. The prize pool may count these discounts as if they had been paid.
    - `paid_cents`: payments less corrections. `net_paid_cents`: payments less refunds. Both are below zero only if more
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
    def net_paid_cents(self) -> int:
        return self.paid_cents - self.refunded_cents

    @property
    def balance_cents(self) -> int:
        """Return the amount still to be paid, in cents. A negative balance has to be refunded."""
        return self.charged_cents - self.net_paid_cents

    @property
    def charged_cents(self) -> int:
        return self.owed_cents + self.side_owed_cents + self.extra_owed_cents

    @property
    def prize_basis(self) -> tuple[int, ...]:
        """Return the amounts that determine the prize pool, the expenses and the side pools."""
        fee = (self.owed_cents, self.collected_cents, self.discounted_cents, self.complimentary_cents)
        return (*fee, self.settled_discounts_cents, self.side_owed_cents, self.side_collected_cents)

    @property
    def fee_due_cents(self) -> int:
        return self.owed_cents - self.collected_cents

    @property
    def is_settled(self) -> bool:
        return self.due_cents == 0 and self.refund_due_cents == 0


def leaves_prizes_unchanged(sums: Mapping[str, int], kind: MoneyKind, cents: int) -> bool:
    """Return whether adding a ledger line to an entry's account leaves the prize pool and all side pools unchanged.

    `sums` contains the entry's amounts by kind. For a reversal, pass the kind of the reversed line and negative
    `cents`.

    Selling or returning an extra, such as a dinner, changes no pool. A payment changes no pool if the fee and the side
    pools are already paid. For an overpayment, return False, because it is a mistake.

    >>> sums = {"charge": 100_00, "payment": 100_00, "extra": 35_00}
    >>> [leaves_prizes_unchanged(sums, MoneyKind.PAYMENT, cents) for cents in (35_00, 35_01)]
    [True, False]
    """
    before = make_entry_account(sums)
    if kind is MoneyKind.PAYMENT and cents > before.due_cents:
        return False
    return before.prize_basis == make_entry_account({**sums, kind: sums.get(kind, 0) + cents}).prize_basis


def make_entry_account(sums: Mapping[str, int]) -> EntryAccount:
    """Return an entry's account, given the totals of its lines by kind after corrections and reversals.

    >>> make_entry_account({"charge": 300_00, "payment": 350_00}).refund_due_cents
    5000
    """
    charged, refunded = sums.get(MoneyKind.CHARGE, 0), sums.get(MoneyKind.REFUND, 0)
    discounted, complimentary = sums.get(MoneyKind.DISCOUNT, 0), sums.get(MoneyKind.COMPLIMENTARY, 0)
    cancelled, paid = sums.get(MoneyKind.CANCELLATION, 0), sums.get(MoneyKind.PAYMENT, 0)
    owed = max(0, charged - discounted - complimentary - cancelled)
    side, extra = max(0, sums.get(MoneyKind.SIDE_POOL, 0)), max(0, sums.get(MoneyKind.EXTRA, 0))
    net_paid = paid - refunded
    collected = max(0, min(net_paid, owed))
    side_collected = max(0, min(net_paid - collected, side))
    fell_away = owed == 0 and cancelled > 0
    counts = net_paid >= owed and not fell_away
    return EntryAccount(
        discounted_cents=discounted,
        complimentary_cents=complimentary,
        owed_cents=owed,
        paid_cents=paid,
        refunded_cents=refunded,
        collected_cents=collected,
        due_cents=max(0, owed + side + extra - net_paid),
        refund_due_cents=max(0, net_paid - owed - side - extra),
        settled_discounts_cents=min(discounted + complimentary, charged) if counts else 0,
        side_owed_cents=side,
        side_collected_cents=side_collected,
        extra_owed_cents=extra,
        extra_collected_cents=max(0, min(net_paid - collected - side_collected, extra)),
    )


def sum_entry_accounts(accounts: Iterable[EntryAccount]) -> EntryAccount:
    """Return the field-by-field sum of the accounts. One entrant's overpayment never hides another's debt."""
    sums = {field.name: 0 for field in fields(EntryAccount)}
    for account in accounts:
        for name in sums:
            sums[name] += getattr(account, name)
    return EntryAccount(**sums)


# --- References of bank transfers ------------------------------------------------------------------------------------
# A reference follows ISO 11649: “RF”, two check digits, and the number of the entry.

_DIGITS: Final = 8
_RF_AND_ZEROS: Final = "271500"
"""“RF” as digits (R is 27, F is 15), followed by 00. Appended to a number to compute its check digits."""
_REFERENCE: Final = re.compile(rf"(?=RF(\d\d)(\d{{{_DIGITS}}}))")


def make_payment_reference(number: int) -> str:
    """Return the payment reference (ISO 11649) for a number.

    >>> make_payment_reference(123)
    'RF78 0000 0123'
    """
    body = f"{number:0{_DIGITS}}"
    if len(body) > _DIGITS:
        raise ValueError(f"{number} is too large for a reference")
    check = _compute_check_digits(body)
    return f"RF{check} {body[:4]} {body[4:]}"


def find_payment_references(text: str) -> tuple[int, ...]:
    """Return the numbers of all valid payment references in a text, without duplicates. Spacing does not matter.

    >>> find_payment_references("entry fee rf78-0000-0123 thank you"), find_payment_references("RF78 0000 0132")
    ((123,), ())
    """
    plain = re.sub(r"[\W_]", "", text.upper(), flags=re.ASCII)
    numbers = (int(body) for check, body in _REFERENCE.findall(plain) if check == _compute_check_digits(body))
    return tuple(dict.fromkeys(numbers))


def _compute_check_digits(body: str) -> str:
    return f"{98 - int(body + _RF_AND_ZEROS) % 97:02}"
