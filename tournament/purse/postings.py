"""Money movements and their totals.

A money movement is a transaction in the books, such as a payment. Its postings to accounts add up to zero.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tournament.errors import Conflict, DomainError
from tournament.lazy_text import lazy_text
from tournament.purse.fees import EntryAccount, make_entry_account
from tournament.purse.kinds import HELD_MONEY_BY_ACCOUNT, MONEY_KIND_DETAILS, AccountKind, AmountLimit, MoneyKind
from tournament.purse.pool import DEFAULT_PRIZE_PERCENT, DiscountSource, PrizePool, make_prize_pool


@dataclass(frozen=True, slots=True)
class PostedAmount:
    """An amount in cents that is posted to an account. A negative amount is subtracted from the account.

    For money on hand, `drawer` is the drawer's primary key, or 0 for the safe.
    """

    account: AccountKind
    cents: int
    drawer: int = 0


@dataclass(frozen=True, slots=True)
class MoneyMovement:
    """A transaction in the books, such as a charge, a payment or a refund.

    `entry` is 0, and `method` and `category` are empty, if they do not apply. A reversal has the same kind as the
    movement it reverses, so that they cancel each other out in a sum by kind. `paid_by` is the payment method of
    refunded money, if it differs from the refund's `method`.

    Raises:
        ValueError: the postings do not add up to zero.
    """

    kind: MoneyKind
    postings: tuple[PostedAmount, ...]
    entry: int = 0
    method: str = ""
    category: str = ""
    is_reversal: bool = False
    paid_by: str = ""

    def __post_init__(self) -> None:
        if off := sum(posting.cents for posting in self.postings):
            raise ValueError(f"a movement adds up to zero; this one is {off} off")

    @property
    def cents(self) -> int:
        return sum(posting.cents for posting in self.postings if posting.cents > 0)

    @property
    def outgoing_cents(self) -> int:
        """Return the cents by which this movement reduces the money on hand. Incoming money gives a negative number.

        >>> make_movement("payout", 100_00, entry=7, method="cash", withheld_cents=24_00).outgoing_cents
        7600
        """
        return -sum(posting.cents for posting in self.postings if posting.account is AccountKind.MONEY)

    def make_reversal(self) -> "MoneyMovement":
        """Return the reversal of this movement.

        >>> reversal = make_movement("payment", 80_00, entry=7, method="cash").make_reversal()
        >>> [(str(posting.account), posting.cents) for posting in reversal.postings], reversal.is_reversal
        ([('money', -8000), ('entrant', 8000)], True)
        """
        turned = tuple(replace(posting, cents=-posting.cents) for posting in self.postings)
        return replace(self, postings=turned, is_reversal=not self.is_reversal)

    def with_drawer(self, drawer: int) -> "MoneyMovement":
        """Return a copy of this movement in which the postings of money on hand belong to this drawer.

        >>> payment = make_movement("payment", 80_00, entry=7, method="cash")
        >>> [(str(posting.account), posting.drawer) for posting in payment.with_drawer(2).postings]
        [('money', 2), ('entrant', 0)]
        """
        in_hand = AccountKind.MONEY
        return replace(
            self,
            postings=tuple(
                replace(posting, drawer=drawer) if posting.account is in_hand else posting for posting in self.postings
            ),
        )


def make_movement(
    kind: str,
    cents: int,
    *,
    entry: int = 0,
    method: str = "",
    category: str = "",
    paid_by: str = "",
    withheld_cents: int = 0,
    drawer: int = 0,
    to_drawer: int = 0,
) -> MoneyMovement:
    """Return a money movement of this kind. If the amount is zero, it has no postings.

    A refund is paid out by `method`. If the refunded money had been paid by another method, `paid_by` is that method.
    For example, if a payment by check is refunded in cash, the check stays on hand and the cash goes out.

    If a prize is withheld in full, no money moves. A transfer moves money from `drawer` to `to_drawer`.

    >>> [(str(posting.account), posting.cents) for posting in make_movement("charge", 100_00, entry=7).postings]
    [('entrant', 10000), ('fees', -10000)]
    >>> payout = make_movement("payout", 100_00, entry=7, method="cash", withheld_cents=24_00)
    >>> [(str(posting.account), posting.cents) for posting in payout.postings]
    [('prizes', 10000), ('money', -7600), ('withheld', -2400)]
    >>> transfer = make_movement("transfer", 50_00, method="cash", to_drawer=3)
    >>> [(posting.cents, posting.drawer) for posting in transfer.postings]
    [(5000, 3), (-5000, 0)]

    Raises:
        ValueError: the amount is below zero, or more is withheld than the prize.
    """
    terms = MONEY_KIND_DETAILS[kind]
    if cents < 0:
        raise ValueError("an amount is zero or more; what goes back is a reversal")
    if not 0 <= withheld_cents <= (cents if terms.may_withhold else 0):
        raise ValueError("from nothing up to the whole prize can be withheld")
    where, is_transfer = {AccountKind.MONEY: drawer}, terms.to is terms.off
    rows = (
        PostedAmount(terms.to, cents, to_drawer if is_transfer else where.get(terms.to, 0)),
        PostedAmount(terms.off, withheld_cents - cents, where.get(terms.off, 0)),
        PostedAmount(AccountKind.WITHHELD, -withheld_cents),
    )
    return MoneyMovement(
        MoneyKind(kind),
        tuple(row for row in rows if row.cents),
        entry,
        method if terms.moves_money else "",
        category if terms.has_category else "",
        paid_by=paid_by,
    )


# --- Balances --------------------------------------------------------------------------------------------------------


def _sign_entry_amount(kind: str, cents: int) -> int:
    return cents if MONEY_KIND_DETAILS[kind].increases_owed else -cents


@dataclass(slots=True)
class MovementBalances:
    """The totals of a set of movements, which can be in any order.

    - `in_hand`: cents by payment method. `spent`: cents by category. `paid_out`, `side_paid_out`: prizes by entry.
    - `kept`: payments minus refunds, by entry and original payment method.
    - `by_account`: the total of each account. These totals always add up to zero.
    """

    kinds: dict[int, Counter[str]] = field(default_factory=dict)
    accounts: dict[int, EntryAccount] = field(default_factory=dict)
    kept: Counter[tuple[int, str]] = field(default_factory=Counter)
    in_hand: Counter[str] = field(default_factory=Counter)
    spent: Counter[str] = field(default_factory=Counter)
    paid_out: Counter[int] = field(default_factory=Counter)
    side_paid_out: Counter[int] = field(default_factory=Counter)
    by_account: Counter[AccountKind] = field(default_factory=Counter)
    side_collected_cents: int = 0
    extra_collected_cents: int = 0
    collected_cents: int = 0
    settled_discounts_cents: int = 0
    to_return_cents: int = 0

    @property
    def total(self) -> int:
        return self.by_account.total()

    @property
    def added_cents(self) -> int:
        return -self.by_account[AccountKind.ADDED]

    @property
    def other_cents(self) -> int:
        """Return the cents on hand that came neither from an entry nor from a sponsor, such as change from the bank."""
        return -self.by_account[AccountKind.BANK] - self.by_account[AccountKind.DIFFERENCE]

    def get_held_cents(self, account: AccountKind) -> int:
        """Return the cents on hand that this account holds for somebody else, such as withheld taxes."""
        return -self.by_account[account]

    def add(self, movement: MoneyMovement) -> None:
        for posting in movement.postings:
            self.by_account[posting.account] += posting.cents
            self._add_posting(movement, posting.account, posting.cents)

    def _add_posting(self, movement: MoneyMovement, account: AccountKind, cents: int) -> None:
        if account is AccountKind.ENTRANT:
            self._add_to_entry(movement.entry, movement.kind, cents)
        elif account is AccountKind.MONEY:
            self.in_hand[movement.method] += cents
            if movement.kind in (MoneyKind.PAYMENT, MoneyKind.REFUND):
                self.kept[movement.entry, movement.paid_by or movement.method] += cents
        elif account is AccountKind.EXPENSE:
            self.spent[movement.category] += cents
        elif account is AccountKind.PRIZES:
            self.paid_out[movement.entry] += cents
        elif account is AccountKind.SIDE_PRIZES:
            self.side_paid_out[movement.entry] += cents

    def _add_to_entry(self, entry: int, kind: MoneyKind, cents: int) -> None:
        sums = self.kinds.setdefault(entry, Counter())
        before = self.accounts.get(entry, EntryAccount())
        sums[kind] += _sign_entry_amount(kind, cents)
        after = self.accounts[entry] = make_entry_account(sums)
        self.collected_cents += after.collected_cents - before.collected_cents
        self.side_collected_cents += after.side_collected_cents - before.side_collected_cents
        self.extra_collected_cents += after.extra_collected_cents - before.extra_collected_cents
        self.settled_discounts_cents += after.settled_discounts_cents - before.settled_discounts_cents
        self.to_return_cents += after.refund_due_cents - before.refund_due_cents

    def get_charged_cents(self, entry: int) -> int:
        return self.kinds.get(entry, Counter())[MoneyKind.CHARGE]

    def compute_pool(self, prize_percent: str, discounts_from: DiscountSource) -> PrizePool:
        return make_prize_pool(
            self.collected_cents,
            prize_percent,
            discounts_cents=discounts_from.compute_covered_cents(self.settled_discounts_cents),
            added_cents=self.added_cents,
        )

    def compute_balance_check(self) -> int:
        """Return a sum that is zero if the books balance.

        The sum is: on hand (without `other_cents`) + spent + paid out − collected − added − to be refunded − held.

        Side pools and extras are included. `paid_out` includes withheld amounts, because that money is still on hand.
        """
        paid_out = self.paid_out.total() + self.side_paid_out.total()
        out = self.in_hand.total() - self.other_cents + self.spent.total() + paid_out
        collected = self.collected_cents + self.side_collected_cents + self.extra_collected_cents
        held = sum(map(self.get_held_cents, map(AccountKind, HELD_MONEY_BY_ACCOUNT)))
        return out - collected - self.added_cents - self.to_return_cents - held


def sum_movements(movements: Iterable[MoneyMovement]) -> MovementBalances:
    """Return the balances that result from these movements.

    >>> charge = make_movement("charge", 100_00, entry=7)
    >>> balances = sum_movements([charge, make_movement("payment", 80_00, entry=7, method="cash")])
    >>> balances.accounts[7].due_cents, balances.in_hand["cash"], balances.total
    (2000, 8000, 0)
    """
    balances = MovementBalances()
    for movement in movements:
        balances.add(movement)
    return balances


def sum_cents_by_kind(rows: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    """Return an entry's cents by kind of money, given its postings as pairs (kind, cents), for `make_entry_account`."""
    sums: Counter[str] = Counter()
    for kind, cents in rows:
        sums[kind] += _sign_entry_amount(kind, cents)
    return sums


# --- Daybook ---------------------------------------------------------------------------------------------------------


class Daybook:
    """A list of movements that are booked one after another. Each is checked against the balances so far.

    `movements` contains None in place of a reversal and of the movement that it reversed.
    """

    def __init__(
        self, prize_percent: str = DEFAULT_PRIZE_PERCENT, discounts_from: DiscountSource = DiscountSource.EXPENSES
    ) -> None:
        self.prize_percent, self.discounts_from = prize_percent, discounts_from
        self.balances = MovementBalances()
        self.movements: list[MoneyMovement | None] = []

    def post(self, movement: MoneyMovement) -> None:
        """Book a movement, or raise an error if it exceeds a limit.

        >>> daybook = Daybook()
        >>> daybook.post(make_movement("charge", 100_00, entry=7))
        >>> daybook.post(make_movement("payment", 80_00, entry=7, method="cash"))
        >>> daybook.post(make_movement("refund", 90_00, entry=7, method="cash"))
        Traceback (most recent call last):
        tournament.errors.Conflict: A refund cannot be more than the entry paid by the same method. ...

        Raises:
            DomainError: `unknown-entry` for an entry without a charge.
            Conflict: `too-much`.
        """
        if refusal := self._find_refusal(movement):
            raise refusal
        self.balances.add(movement)
        self.movements.append(movement)

    def _find_refusal(self, movement: MoneyMovement) -> DomainError | None:
        if (
            movement.entry
            and movement.kind is not MoneyKind.CHARGE
            and not self.balances.get_charged_cents(movement.entry)
        ):
            message = lazy_text(
                "Entry %(number)s was not charged anything. Charge its fee first.", number=movement.entry
            )
            return DomainError("unknown-entry", message)
        limits = MONEY_KIND_DETAILS[movement.kind].limits
        refusals = (_CHECKS[limit](self.balances, movement) for limit in limits if limit in _CHECKS)
        return next(filter(None, refusals), None) or self._check_prize_pool(movement)

    def compute_pool(self) -> PrizePool:
        return self.balances.compute_pool(self.prize_percent, self.discounts_from)

    def _check_prize_pool(self, movement: MoneyMovement) -> DomainError | None:
        if AmountLimit.POOL not in MONEY_KIND_DETAILS[movement.kind].limits:
            return None
        left = self.compute_pool().pool_cents - self.balances.paid_out.total()
        message = lazy_text("A payout cannot be more than what is left of the prize pool. Enter a smaller amount.")
        return Conflict("too-much", message) if movement.cents > left else None

    def reverse(self, of: int) -> None:
        """Reverse the movement with the index `of`.

        All other movements are booked again from the beginning, because one of them may depend on the reversed one.

        Raises:
            Conflict: `too-much`, if one of the other movements is refused without the reversed one.
            LookupError: the movement is reversed already, or is a reversal.
        """
        if self.movements[of] is None:
            raise LookupError("this movement is reversed already, or is a reversal")
        without = Daybook(self.prize_percent, self.discounts_from)
        others = [None if index == of else movement for index, movement in enumerate(self.movements)]
        try:
            for movement in filter(None, others):
                without.post(movement)
        except DomainError as refused:
            raise _make_dependent_refusal() from refused
        self.balances = without.balances
        self.movements = [*others, None]


def require_reversible(movements: Sequence[MoneyMovement], of: int) -> None:
    """Raise an error if a reversal would leave too little money for another movement of the same entry.

    Movements for which there was too little money even before the reversal are ignored.

    Raises:
        Conflict: `too-much`.
    """
    others = [movement for index, movement in enumerate(movements) if index != of]
    before = [short for index, short in enumerate(_find_shortages(movements)) if index != of]
    if any(now and not then for now, then in zip(_find_shortages(others), before, strict=True)):
        raise _make_dependent_refusal()


def _make_dependent_refusal() -> Conflict:
    message = lazy_text("This cannot be reversed, because a later movement rests on it. Reverse that one first.")
    return Conflict("too-much", message)


def _find_shortages(movements: Iterable[MoneyMovement]) -> list[bool]:
    """Return a flag for each movement: whether it exceeded a limit of its entry's account when it was booked."""
    balances, short = MovementBalances(), []
    for movement in movements:
        limits = () if movement.is_reversal else MONEY_KIND_DETAILS[movement.kind].limits
        short.append(any(_CHECKS[limit](balances, movement) for limit in limits if limit in _ENTRY_LIMITS))
        balances.add(movement)
    return short


# --- Checks of the daybook -------------------------------------------------------------------------------------------
# Each check returns the refusal of a movement that exceeds what is available, or None.

_Check = Callable[[MovementBalances, MoneyMovement], DomainError | None]


def _check_discount(balances: MovementBalances, movement: MoneyMovement) -> DomainError | None:
    kinds = balances.kinds.get(movement.entry, Counter())
    off = sum(
        kinds[kind]
        for kind in MoneyKind
        if kind in MONEY_KIND_DETAILS and AmountLimit.CHARGED in MONEY_KIND_DETAILS[kind].limits
    )
    if off + movement.cents <= kinds[MoneyKind.CHARGE]:
        return None
    return Conflict(
        "too-much", lazy_text("Discounts cannot be more than the entry is charged. Enter a smaller discount.")
    )


def _check_refund(balances: MovementBalances, movement: MoneyMovement) -> DomainError | None:
    if movement.cents <= balances.kept[movement.entry, movement.paid_by or movement.method]:
        return None
    message = lazy_text(
        "A refund cannot be more than the entry paid by the same method. Enter a smaller amount, or another method."
    )
    return Conflict("too-much", message)


def _check_on_hand(balances: MovementBalances, movement: MoneyMovement) -> DomainError | None:
    if movement.outgoing_cents <= balances.in_hand[movement.method]:
        return None
    return Conflict("too-much", lazy_text("There is not that much money on hand by this method. Use another method."))


def _check_held(balances: MovementBalances, movement: MoneyMovement) -> DomainError | None:
    if movement.cents <= balances.get_held_cents(MONEY_KIND_DETAILS[movement.kind].to):
        return None
    return Conflict("too-much", lazy_text("That is more than is still held. Enter a smaller amount."))


_CHECKS: Final[Mapping[AmountLimit, _Check]] = {
    AmountLimit.CHARGED: _check_discount,
    AmountLimit.PAID: _check_refund,
    AmountLimit.ON_HAND: _check_on_hand,
    AmountLimit.HELD: _check_held,
}
_ENTRY_LIMITS: Final = (AmountLimit.CHARGED, AmountLimit.PAID)
"""Limits that depend only on an entry's account, regardless of the money on hand."""
