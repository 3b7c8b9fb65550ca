"""What a business day came to: its charges, money in and out, and every account, which are zero in all."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tournament.purse.ledger.postings import AccountKind, MovementKind

Group = tuple[str, str, str, str]
"""Account, kind, method and category of postings that are added up."""

ACCOUNTS: Final = tuple(AccountKind)
LINES: Final = (
    (MovementKind.CHARGE, AccountKind.FEES, -1, ""),
    (MovementKind.CANCELLATION, AccountKind.FEES, -1, ""),
    (MovementKind.DISCOUNT, AccountKind.DISCOUNTS, -1, ""),
    (MovementKind.COMPLIMENTARY, AccountKind.DISCOUNTS, -1, ""),
    (MovementKind.SIDE_POOL, AccountKind.SIDE_FEES, -1, "category"),
    (MovementKind.EXTRA, AccountKind.EXTRAS, -1, "category"),
    (MovementKind.PAYMENT, AccountKind.MONEY, 1, "method"),
    (MovementKind.REFUND, AccountKind.MONEY, 1, "method"),
    (MovementKind.ADDED, AccountKind.MONEY, 1, "method"),
    (MovementKind.EXPENSE, AccountKind.EXPENSE, -1, "category"),
    (MovementKind.PAYOUT, AccountKind.MONEY, 1, "method"),
    (MovementKind.SIDE_PAYOUT, AccountKind.MONEY, 1, "method"),
    (MovementKind.REMITTANCE, AccountKind.MONEY, 1, "method"),
    (MovementKind.BROUGHT, AccountKind.MONEY, 1, "method"),
    (MovementKind.BANKED, AccountKind.MONEY, 1, "method"),
    (MovementKind.OVER, AccountKind.MONEY, 1, "method"),
    (MovementKind.SHORT, AccountKind.MONEY, 1, "method"),
)
"""Each kind, the account that says it, the sign of its amount, and by what it is told apart."""
OF_FEES: Final = frozenset(
    {
        MovementKind.CHARGE,
        MovementKind.CANCELLATION,
        MovementKind.DISCOUNT,
        MovementKind.COMPLIMENTARY,
        MovementKind.SIDE_POOL,
        MovementKind.EXTRA,
    }
)


@dataclass(frozen=True, slots=True)
class DayLine:
    """What one kind of movement came to; `of` is its method or category. What goes out is below zero."""

    kind: str
    of: str
    cents: int


@dataclass(frozen=True, slots=True)
class AccountLine:
    """An account (of money in hand, one of its methods) before the day, and what the day put on it, in cents."""

    account: str
    method: str
    before_cents: int
    day_cents: int

    @property
    def after_cents(self) -> int:
        return self.before_cents + self.day_cents


@dataclass(frozen=True, slots=True)
class DayReport:
    """`fees` is what was asked for and let off, `moved` what came in and went out."""

    fees: tuple[DayLine, ...]
    moved: tuple[DayLine, ...]
    accounts: tuple[AccountLine, ...]

    @property
    def asked_cents(self) -> int:
        return sum(line.cents for line in self.fees)

    @property
    def moved_cents(self) -> int:
        return sum(line.cents for line in self.moved)

    @property
    def before_cents(self) -> int:
        return sum(line.before_cents for line in self.accounts)

    @property
    def day_cents(self) -> int:
        return sum(line.day_cents for line in self.accounts)

    @property
    def after_cents(self) -> int:
        """Zero, always, as are the other two."""
        return self.before_cents + self.day_cents

    def in_hand(self, method: str, *, since_before: bool) -> int:
        """What there should be of a method: of the day alone, or with what was there before."""
        rows = [one for one in self.accounts if one.account == AccountKind.MONEY and one.method == method]
        return sum(one.after_cents if since_before else one.day_cents for one in rows)


def report_day(before: Iterable[tuple[Group, int]], on_day: Iterable[tuple[Group, int]]) -> DayReport:
    """Put together a day's report from sums of postings.

    >>> paid = [(("money", "payment", "cash", ""), 300_00), (("entrant", "payment", "cash", ""), -300_00)]
    >>> report = report_day([], paid)
    >>> report.moved, report.day_cents, report.in_hand("cash", since_before=True)
    ((DayLine(kind='payment', of='cash', cents=30000),), 0, 30000)
    """
    today = list(on_day)
    lines = [line for kind, account, sign, by in LINES for line in _lines(today, kind, account, sign, by)]
    fees = tuple(line for line in lines if line.kind in OF_FEES)
    moved = tuple(line for line in lines if line.kind not in OF_FEES)
    return DayReport(fees, moved, _accounts(_by_account(before), _by_account(today)))


def _lines(
    sums: Iterable[tuple[Group, int]], kind: MovementKind, account: AccountKind, sign: int, by: str
) -> list[DayLine]:
    found: Counter[str] = Counter()
    for (where, what, method, category), cents in sums:
        if where == account and what == kind:
            found[{"method": method, "category": category}.get(by, "")] += sign * cents
    return [DayLine(kind.value, of, cents) for of, cents in sorted(found.items()) if cents]


def _by_account(sums: Iterable[tuple[Group, int]]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for (account, _kind, method, _category), cents in sums:
        found[account, method if account == AccountKind.MONEY else ""] += cents
    return found


def _accounts(before: Counter[tuple[str, str]], today: Counter[tuple[str, str]]) -> tuple[AccountLine, ...]:
    order = {account.value: place for place, account in enumerate(ACCOUNTS)}
    named = sorted({*before, *today}, key=lambda one: (order.get(one[0], len(order)), one))
    rows = (AccountLine(account, method, before[account, method], today[account, method]) for account, method in named)
    return tuple(row for row in rows if row.before_cents or row.day_cents)
