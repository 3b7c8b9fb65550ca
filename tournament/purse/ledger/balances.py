"""The fold of movements: each entry's account, and the money in hand, added, spent and paid out."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from tournament.purse.fees import Account, MethodTotal, account_from
from tournament.purse.ledger.postings import AccountKind, Booking, MovementKind
from tournament.purse.pool import PRIZE_PERCENT, DiscountsFrom, PrizePool, make_prize_pool

MAKES_OWE: Final = frozenset({MovementKind.CHARGE, MovementKind.SIDE_POOL, MovementKind.EXTRA, MovementKind.REFUND})
"""Kinds that increase what an entry owes. The other kinds decrease it."""


def amount_of(kind: str, cents: int) -> int:
    """Return the amount of an entry's posting of this kind, above zero unless more was reversed.

    >>> amount_of("payment", -80_00), amount_of("refund", 5_00)
    (8000, 500)
    """
    return cents if kind in MAKES_OWE else -cents


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
    - `no_fees_cents`: in hand, but from no entry and no sponsor, such as change from the bank.
    - `total`: the sum of all postings, which is always zero.
    """

    kinds: dict[int, Counter[str]] = field(default_factory=dict)
    accounts: dict[int, Account] = field(default_factory=dict)
    kept: Counter[tuple[int, str]] = field(default_factory=Counter)
    in_hand: Counter[str] = field(default_factory=Counter)
    spent: Counter[str] = field(default_factory=Counter)
    paid_out: Counter[int] = field(default_factory=Counter)
    added_cents: int = 0
    no_fees_cents: int = 0
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
            self.no_fees_cents -= cents

    def _add_to_entry(self, entry: int, kind: MovementKind, cents: int) -> None:
        sums, before = self.kinds.setdefault(entry, Counter()), self.accounts.get(entry, Account())
        sums[kind] += amount_of(kind, cents)
        now = self.accounts[entry] = account_from(sums)
        self.collected_cents += now.collected_cents - before.collected_cents
        self.side_collected_cents += now.side_collected_cents - before.side_collected_cents
        self.extra_collected_cents += now.extra_collected_cents - before.extra_collected_cents
        self.settled_discounts_cents += now.settled_discounts_cents - before.settled_discounts_cents
        self.to_return_cents += now.refund_due_cents - before.refund_due_cents

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
        out = self.in_hand.total() - self.no_fees_cents + self.spent.total() + paid_out
        collected = self.collected_cents + self.side_collected_cents + self.extra_collected_cents
        return out - collected - self.added_cents - self.to_return_cents - self.withheld_cents


def fold_bookings(movements: Iterable[Booking]) -> Balances:
    """Return the balances after these movements.

    >>> from tournament.purse.ledger.postings import book_charge, book_payment
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
        sums[kind] += amount_of(kind, cents)
    return sums


def methods_of(rows: Iterable[tuple[str, str, int]]) -> dict[str, MethodTotal]:
    """Return payments and refunds by method, in alphabetical order, from postings (kind, method, cents).

    >>> methods_of([("payment", "cash", -300_00), ("charge", "", 300_00)])["cash"].kept_cents
    30000
    """
    sums: dict[str, Counter[str]] = {}
    for kind, method, cents in rows:
        if kind in (MovementKind.PAYMENT, MovementKind.REFUND):
            sums.setdefault(method, Counter())[kind] += amount_of(kind, cents)
    totals = ((method, own[MovementKind.PAYMENT], own[MovementKind.REFUND]) for method, own in sorted(sums.items()))
    return {method: MethodTotal(paid, refunded) for method, paid, refunded in totals}
