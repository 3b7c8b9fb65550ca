"""Add up movements of money: each entry's account, and the money in hand, added, spent and paid out.

A daybook also refuses a movement that exceeds what is available when it is booked.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tournament.errors import Conflict, DomainError
from tournament.lazy_text import lazy_text
from tournament.purse.fees import Account, MethodTotal, account_from
from tournament.purse.pool import PRIZE_PERCENT, DiscountsFrom, PrizePool, make_prize_pool
from tournament.purse.postings import AccountKind, Booking, MovementKind

_INCREASES_OWED: Final = frozenset(
    {MovementKind.CHARGE, MovementKind.SIDE_POOL, MovementKind.EXTRA, MovementKind.REFUND}
)
"""Kinds that increase what an entry owes. The other kinds decrease it."""


def _entry_amount(kind: str, cents: int) -> int:
    """Return the amount of an entry's posting of this kind, above zero unless more was reversed.

    >>> _entry_amount("payment", -80_00), _entry_amount("refund", 5_00)
    (8000, 500)
    """
    return cents if kind in _INCREASES_OWED else -cents


@dataclass(frozen=True, slots=True)
class SplitTerms:
    prize_percent: str = PRIZE_PERCENT
    discounts_from: DiscountsFrom = DiscountsFrom.EXPENSES


@dataclass(slots=True)
class Balances:
    """All sums of a set of movements. Their order does not matter.

    - `in_hand`: cents by method. `spent`: by category. `paid_out` and `side_paid_out`: prizes by entry.
    - `kept`: what an entry paid less refunds, by entry and the method of the payment.
    - `withheld_cents`: kept back from prizes for taxes and not remitted yet.
    - `other_cents`: in hand, but from no entry and no sponsor, such as change from the bank.
    - `total`: the sum of all postings, which is always zero.
    """

    kinds: dict[int, Counter[str]] = field(default_factory=dict)
    accounts: dict[int, Account] = field(default_factory=dict)
    kept: Counter[tuple[int, str]] = field(default_factory=Counter)
    in_hand: Counter[str] = field(default_factory=Counter)
    spent: Counter[str] = field(default_factory=Counter)
    paid_out: Counter[int] = field(default_factory=Counter)
    added_cents: int = 0
    other_cents: int = 0
    side_paid_out: Counter[int] = field(default_factory=Counter)
    withheld_cents: int = 0
    side_collected_cents: int = 0
    extra_collected_cents: int = 0
    collected_cents: int = 0
    settled_discounts_cents: int = 0
    to_return_cents: int = 0
    total: int = 0

    def add(self, movement: Booking) -> None:
        for posting in movement.postings:
            self.total += posting.cents
            self._post(movement, posting.account, posting.cents)

    def _post(self, movement: Booking, account: AccountKind, cents: int) -> None:
        if account is AccountKind.ENTRANT:
            self._add_to_entry(movement.entry, movement.kind, cents)
        elif account is AccountKind.MONEY:
            self.in_hand[movement.method] += cents
            if movement.kind in (MovementKind.PAYMENT, MovementKind.REFUND):
                self.kept[movement.entry, movement.paid_by or movement.method] += cents
        elif account is AccountKind.ADDED:
            self.added_cents -= cents
        elif account is AccountKind.EXPENSE:
            self.spent[movement.category] += cents
        elif account is AccountKind.PRIZES:
            self.paid_out[movement.entry] += cents
        elif account is AccountKind.SIDE_PRIZES:
            self.side_paid_out[movement.entry] += cents
        elif account is AccountKind.WITHHELD:
            self.withheld_cents -= cents
        elif account in (AccountKind.BANK, AccountKind.DIFFERENCE):
            self.other_cents -= cents

    def _add_to_entry(self, entry: int, kind: MovementKind, cents: int) -> None:
        sums = self.kinds.setdefault(entry, Counter())
        before = self.accounts.get(entry, Account())
        sums[kind] += _entry_amount(kind, cents)
        after = self.accounts[entry] = account_from(sums)
        self.collected_cents += after.collected_cents - before.collected_cents
        self.side_collected_cents += after.side_collected_cents - before.side_collected_cents
        self.extra_collected_cents += after.extra_collected_cents - before.extra_collected_cents
        self.settled_discounts_cents += after.settled_discounts_cents - before.settled_discounts_cents
        self.to_return_cents += after.refund_due_cents - before.refund_due_cents

    def charged(self, entry: int) -> int:
        return self.kinds.get(entry, Counter())[MovementKind.CHARGE]

    def pool(self, terms: SplitTerms) -> PrizePool:
        return make_prize_pool(
            self.collected_cents,
            terms.prize_percent,
            discounts_cents=terms.discounts_from.covered_cents(self.settled_discounts_cents),
            added_cents=self.added_cents,
        )

    def proof(self) -> int:
        """Return in hand + spent + paid out − collected − added − to be returned − withheld, which is always zero.

        Side pools and extras are included. `paid_out` has whole prizes, because withheld money is in hand and still
        owed.
        """
        paid_out = self.paid_out.total() + self.side_paid_out.total()
        out = self.in_hand.total() - self.other_cents + self.spent.total() + paid_out
        collected = self.collected_cents + self.side_collected_cents + self.extra_collected_cents
        return out - collected - self.added_cents - self.to_return_cents - self.withheld_cents


def fold_bookings(movements: Iterable[Booking]) -> Balances:
    """Return the balances after these movements.

    >>> from tournament.purse.postings import book_charge, book_payment
    >>> balances = fold_bookings([book_charge(7, 100_00), book_payment(7, 80_00, "cash")])
    >>> balances.accounts[7].due_cents, balances.in_hand["cash"], balances.total
    (2000, 8000, 0)
    """
    balances = Balances()
    for movement in movements:
        balances.add(movement)
    return balances


def sums_by_kind(rows: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    """Return the amounts of one entry by kind, for `account_from`, from its postings (kind, cents)."""
    sums: Counter[str] = Counter()
    for kind, cents in rows:
        sums[kind] += _entry_amount(kind, cents)
    return sums


def total_postings_by_method(rows: Iterable[tuple[str, str, int]]) -> dict[str, MethodTotal]:
    """Return payments and refunds by method, in alphabetical order, from postings (kind, method, cents).

    >>> total_postings_by_method([("payment", "cash", -300_00), ("charge", "", 300_00)])["cash"].kept_cents
    30000
    """
    sums: dict[str, Counter[str]] = {}
    for kind, method, cents in rows:
        if kind in (MovementKind.PAYMENT, MovementKind.REFUND):
            sums.setdefault(method, Counter())[kind] += _entry_amount(kind, cents)
    totals = ((method, own[MovementKind.PAYMENT], own[MovementKind.REFUND]) for method, own in sorted(sums.items()))
    return {method: MethodTotal(paid, refunded) for method, paid, refunded in totals}


# --- Daybook ---------------------------------------------------------------------------------------------------------


class Daybook:
    """Movements booked in order. `movements` has them by index, with None for a reversed one and for a reversal."""

    def __init__(self, terms: SplitTerms) -> None:
        self.terms = terms
        self.balances = Balances()
        self.movements: list[Booking | None] = []

    def book(self, movement: Booking) -> None:
        """Book a movement, or refuse it.

        >>> from tournament.purse.postings import book_charge, book_payment, book_refund
        >>> daybook = Daybook(SplitTerms())
        >>> for movement in (book_charge(7, 100_00), book_payment(7, 80_00, "cash")): daybook.book(movement)
        >>> daybook.book(book_refund(7, 90_00, "cash"))
        Traceback (most recent call last):
        tournament.errors.Conflict: A refund cannot be more than the entry paid by the same method. ...

        Raises:
            DomainError: `unknown-entry` for an entry without a charge.
            Conflict: `too-much`.
        """
        if refusal := self._refusal(movement):
            raise refusal
        self.balances.add(movement)
        self.movements.append(movement)

    def _refusal(self, movement: Booking) -> DomainError | None:
        if movement.entry and movement.kind is not MovementKind.CHARGE and not self.balances.charged(movement.entry):
            message = lazy_text(
                "Entry %(number)s was not charged anything. Charge its fee first.", number=movement.entry
            )
            return DomainError("unknown-entry", message)
        refusals = (check(self.balances, movement) for check in _CHECKS.get(movement.kind, ()))
        return next(filter(None, refusals), None) or self._check_pool(movement)

    def _check_pool(self, movement: Booking) -> DomainError | None:
        if movement.kind is not MovementKind.PAYOUT:
            return None
        left = self.balances.pool(self.terms).pool_cents - self.balances.paid_out.total()
        message = lazy_text("A payout cannot be more than what is left of the prize pool. Enter a smaller amount.")
        return Conflict("too-much", message) if movement.cents > left else None

    def reverse(self, of: int) -> None:
        """Reverse the movement at this index by booking all the others again without it.

        Raises:
            Conflict: `too-much`, if one of the others would be refused.
            LookupError: the movement is reversed already, or is a reversal.
        """
        if self.movements[of] is None:
            raise LookupError("this movement is reversed already, or is a reversal")
        without = Daybook(self.terms)
        self.movements[of] = None
        try:
            for movement in filter(None, self.movements):
                without.book(movement)
        except DomainError as refused:
            raise _dependent_refusal() from refused
        self.balances = without.balances
        self.movements.append(None)


def refuse_reversal(movements: Sequence[Booking], of: int) -> None:
    """Refuse a reversal after which another movement of the same entry would have too little.

    Movements that had too little before do not count, such as a refund of an earlier day by another method.

    Raises:
        Conflict: `too-much`.
    """
    others = [movement for index, movement in enumerate(movements) if index != of]
    before = [short for index, short in enumerate(_shortages(movements)) if index != of]
    if any(now and not then for now, then in zip(_shortages(others), before, strict=True)):
        raise _dependent_refusal()


def _dependent_refusal() -> Conflict:
    message = lazy_text("This cannot be reversed, because a later movement rests on it. Reverse that one first.")
    return Conflict("too-much", message)


def _shortages(movements: Iterable[Booking]) -> list[bool]:
    """Return for each movement whether its entry's account had too little for it."""
    balances, short = Balances(), []
    for movement in movements:
        checks = () if movement.is_reversal else _ENTRY_CHECKS.get(movement.kind, ())
        short.append(any(check(balances, movement) for check in checks))
        balances.add(movement)
    return short


# --- Checks of the daybook -------------------------------------------------------------------------------------------
# Each check returns the refusal of a movement that exceeds what is available, or None.

_Check = Callable[[Balances, Booking], DomainError | None]


def _check_discount(balances: Balances, movement: Booking) -> DomainError | None:
    kinds = balances.kinds.get(movement.entry, Counter())
    off = sum(kinds[kind] for kind in _WAIVING_KINDS)
    if off + movement.cents <= kinds[MovementKind.CHARGE]:
        return None
    return Conflict(
        "too-much", lazy_text("Discounts cannot be more than the entry is charged. Enter a smaller discount.")
    )


def _check_refund(balances: Balances, movement: Booking) -> DomainError | None:
    if movement.cents <= balances.kept[movement.entry, movement.paid_by or movement.method]:
        return None
    message = lazy_text(
        "A refund cannot be more than the entry paid by the same method. Enter a smaller amount, or another method."
    )
    return Conflict("too-much", message)


def _check_on_hand(balances: Balances, movement: Booking) -> DomainError | None:
    if movement.outgoing_cents <= balances.in_hand[movement.method]:
        return None
    return Conflict("too-much", lazy_text("There is not that much money on hand by this method. Use another method."))


def _check_withheld(balances: Balances, movement: Booking) -> DomainError | None:
    if movement.cents <= balances.withheld_cents:
        return None
    return Conflict("too-much", lazy_text("That is more than is still withheld. Enter a smaller amount."))


_WAIVING_KINDS: Final = (MovementKind.DISCOUNT, MovementKind.COMPLIMENTARY, MovementKind.CANCELLATION)
_ENTRY_CHECKS: Final[dict[MovementKind, tuple[_Check, ...]]] = {
    **dict.fromkeys(_WAIVING_KINDS, (_check_discount,)),
    MovementKind.REFUND: (_check_refund,),
}
"""Checks of an entry's account, which do not depend on the money in hand."""
_CHECKS: Final[dict[MovementKind, tuple[_Check, ...]]] = {
    **_ENTRY_CHECKS,
    MovementKind.REFUND: (_check_refund, _check_on_hand),
    MovementKind.EXPENSE: (_check_on_hand,),
    MovementKind.PAYOUT: (_check_on_hand,),
    MovementKind.REMITTANCE: (_check_withheld, _check_on_hand),
}
