"""The business day to which money belongs, the cash counted on that day, and the report that closes the day.

The business day is the local date at the venue, unless the director sets another day or that day is already closed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from tournament.purse.kinds import MONEY_KIND_DETAILS, AccountKind


def is_day_closed(day: date, closed_through: date | None) -> bool:
    """Return whether a day is closed. Closing a day also closes all days before it."""
    return closed_through is not None and day <= closed_through


def find_current_business_day(today: date, override: date | None, closed_through: date | None) -> date:
    """Return the business day of money recorded on the date `today`. It is never a closed day.

    `override` is the day that the director set on this date. For example, after midnight it can be yesterday, and in
    the evening it can be tomorrow. The override applies until that day is closed or the date changes. Without an
    override, the business day is today, or the first day that is not closed.

    >>> fri, sat = date(2026, 11, 27), date(2026, 11, 28)
    >>> find_current_business_day(sat, fri, None) == fri, find_current_business_day(sat, fri, fri) == sat
    (True, True)
    >>> find_current_business_day(fri, sat, fri) == sat, find_current_business_day(fri, None, fri) == sat
    (True, True)
    """
    if override is not None and not is_day_closed(override, closed_through):
        return override
    return find_next_open_day(today, closed_through)


def find_last_closable_day(today: date, override: date | None, closed_through: date | None) -> date:
    """Return the last day that can be counted and closed: today, or an open day that the director has set.

    Once this day is closed, new money belongs to the next day. The next day cannot be closed until it begins.
    """
    return override if override is not None and not is_day_closed(override, closed_through) else today


def find_next_open_day(today: date, closed_through: date | None) -> date:
    """Return the first day from today on that is not closed."""
    return max(today, closed_through + timedelta(days=1)) if closed_through is not None else today


# --- Counted cash ----------------------------------------------------------------------------------------------------

_DENOMINATIONS: Final[Mapping[str, tuple[int, ...]]] = {
    "USD": (100_00, 50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 50, 25, 10, 5, 1),
    "CAD": (100_00, 50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 25, 10, 5),
    "EUR": (200_00, 100_00, 50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 50, 20, 10, 5, 2, 1),
    "AUD": (100_00, 50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 50, 20, 10, 5),
    "CHF": (200_00, 100_00, 50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 50, 20, 10, 5),
    "MXN": (1000_00, 500_00, 200_00, 100_00, 50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 50),
    "GBP": (50_00, 20_00, 10_00, 5_00, 2_00, 1_00, 50, 20, 10, 5, 2, 1),
}
"""Bills and coins in cents for each currency, largest first."""


def list_currency_denominations(currency: str) -> tuple[int, ...]:
    """Return a currency's bills and coins in cents, largest first. An unknown currency is treated like the dollar."""
    return _DENOMINATIONS.get(currency, _DENOMINATIONS["USD"])


def sum_bills_and_coins(pieces: Mapping[int, int]) -> int:
    return sum(cents * number for cents, number in pieces.items())


@dataclass(frozen=True, slots=True)
class CountedMoney:
    method: str
    expected_cents: int
    counted_cents: int

    @property
    def difference_cents(self) -> int:
        """Return the counted minus the expected cents. It is negative if money is missing."""
        return self.counted_cents - self.expected_cents


# --- Report of a day -------------------------------------------------------------------------------------------------
# A report has the charges, the money in and out, and all accounts, which add up to zero.

PostingGroupKey = tuple[str, str, str, str]
"""The account, kind, method and category by which postings are summed up."""


@dataclass(frozen=True, slots=True)
class MovementTotal:
    """The total of one kind of movement. Outgoing money is negative.

    `of` is the payment method or the category. It is empty if the kind has a single total.
    """

    kind: str
    of: str
    cents: int


@dataclass(frozen=True, slots=True)
class AccountBalance:
    """An account's balance before the day, and its change on the day.

    Money on hand has a separate balance for each payment method. For all other accounts, `method` is empty.
    """

    account: str
    method: str
    before_cents: int
    day_cents: int

    @property
    def after_cents(self) -> int:
        return self.before_cents + self.day_cents


@dataclass(frozen=True, slots=True)
class DayReport:
    """A daily report. `fees` contains charges and waivers, and `moved` contains incoming and outgoing money."""

    fees: tuple[MovementTotal, ...]
    moved: tuple[MovementTotal, ...]
    accounts: tuple[AccountBalance, ...]

    @property
    def fees_cents(self) -> int:
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
        """Return the sum of all accounts after the day. It is always zero, like the sum before the day."""
        return self.before_cents + self.day_cents

    def get_cents_on_hand(self, method: str, *, includes_earlier: bool) -> int:
        """Return the expected money on hand by this payment method, in cents.

        If `includes_earlier` is true, money from before the day is included. Otherwise, the result is the day's change.
        """
        rows = [line for line in self.accounts if line.account == AccountKind.MONEY and line.method == method]
        return sum(line.after_cents if includes_earlier else line.day_cents for line in rows)


def make_day_report(
    before: Iterable[tuple[PostingGroupKey, int]], on_day: Iterable[tuple[PostingGroupKey, int]]
) -> DayReport:
    """Return a day's report, computed from totals of the postings before the day and on it.

    >>> paid = [(("money", "payment", "cash", ""), 300_00), (("entrant", "payment", "cash", ""), -300_00)]
    >>> report = make_day_report([], paid)
    >>> report.moved, report.day_cents, report.get_cents_on_hand("cash", includes_earlier=True)
    ((MovementTotal(kind='payment', of='cash', cents=30000),), 0, 30000)
    """
    today = list(on_day)
    lines = [line for kind in MONEY_KIND_DETAILS for line in _list_day_totals(today, kind)]
    fees = tuple(line for line in lines if not MONEY_KIND_DETAILS[line.kind].moves_money)
    moved = tuple(line for line in lines if MONEY_KIND_DETAILS[line.kind].moves_money)
    before_day, during_day = _sum_by_account(before), _sum_by_account(today)
    order = {account.value: place for place, account in enumerate(AccountKind)}
    named = sorted({*before_day, *during_day}, key=lambda key: (order.get(key[0], len(order)), key))
    rows = (AccountBalance(*key, before_day[key], during_day[key]) for key in named)
    return DayReport(fees, moved, tuple(row for row in rows if row.before_cents or row.day_cents))


def _list_day_totals(sums: Iterable[tuple[PostingGroupKey, int]], kind: str) -> list[MovementTotal]:
    """Return a day's totals of one kind of movement, as the daily report lists them.

    `sums` contains the day's postings, already added up. The kind's `split_by` decides whether there is a total for
    each payment method, one for each category, or a single total. If `split_by` is None, the result is empty.

    A total for a payment method is the change of the account `money` (money on hand). Any other total comes from the
    account that says what the money is for, such as `fees`.
    """
    terms = MONEY_KIND_DETAILS[kind]
    if terms.split_by is None:
        return []
    others = (AccountKind.ENTRANT, AccountKind.MONEY)
    purpose = terms.off if terms.to in others else terms.to
    account, sign = (AccountKind.MONEY, 1) if terms.split_by == "method" else (purpose, -1)
    totals: Counter[str] = Counter()
    for (where, what, method, category), cents in sums:
        if where == account and what == kind:
            totals[{"method": method, "category": category}.get(terms.split_by, "")] += sign * cents
    return [MovementTotal(str(kind), of, cents) for of, cents in sorted(totals.items()) if cents]


def _sum_by_account(sums: Iterable[tuple[PostingGroupKey, int]]) -> Counter[tuple[str, str]]:
    totals: Counter[tuple[str, str]] = Counter()
    for (account, _kind, method, _category), cents in sums:
        totals[account, method if account == AccountKind.MONEY else ""] += cents
    return totals
