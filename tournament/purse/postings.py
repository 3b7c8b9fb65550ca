"""Movements of money, each with two or more postings that add up to zero. `kinds.py` declares their accounts.

If a part of a payout is withheld for taxes, it is posted to `withheld` as a negative amount, and less money goes out.
Money in hand is in a drawer or in the safe. A transfer moves it between two of them. A reversal is another movement
of the same kind with every sign turned.
"""

from dataclasses import dataclass, replace

from tournament.purse.kinds import KINDS, AccountKind, MoneyKind


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

    kind: MoneyKind
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

        >>> book("payout", 100_00, entry=7, method="cash", withheld_cents=24_00).outgoing_cents
        7600
        """
        return -sum(posting.cents for posting in self.postings if posting.account is AccountKind.MONEY)

    def reversed(self) -> "Booking":
        """Return the reversal of this movement.

        >>> back = book("payment", 80_00, entry=7, method="cash").reversed()
        >>> [(str(posting.account), posting.cents) for posting in back.postings], back.is_reversal
        ([('money', -8000), ('entrant', 8000)], True)
        """
        turned = tuple(replace(posting, cents=-posting.cents) for posting in self.postings)
        return replace(self, postings=turned, is_reversal=not self.is_reversal)

    def in_drawer(self, drawer: int) -> "Booking":
        """Return the same movement with its money in hand in this drawer.

        >>> payment = book("payment", 80_00, entry=7, method="cash")
        >>> [(str(posting.account), posting.drawer) for posting in payment.in_drawer(2).postings]
        [('money', 2), ('entrant', 0)]
        """
        in_hand = AccountKind.MONEY
        return replace(
            self,
            postings=tuple(
                replace(posting, drawer=drawer) if posting.account is in_hand else posting for posting in self.postings
            ),
        )


def book(
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
) -> Booking:
    """Return the movement of a kind. A movement of zero cents has no postings.

    A refund is paid by `method`. If `paid_by` is a check and `method` is cash, the check stays and the cash goes out.
    If all of a prize is withheld, no money moves. A transfer moves money from `drawer` to `to_drawer`.

    >>> [(str(posting.account), posting.cents) for posting in book("charge", 100_00, entry=7).postings]
    [('entrant', 10000), ('fees', -10000)]
    >>> payout = book("payout", 100_00, entry=7, method="cash", withheld_cents=24_00)
    >>> [(str(posting.account), posting.cents) for posting in payout.postings]
    [('prizes', 10000), ('money', -7600), ('withheld', -2400)]
    >>> [(posting.cents, posting.drawer) for posting in book("transfer", 50_00, method="cash", to_drawer=3).postings]
    [(5000, 3), (-5000, 0)]

    Raises:
        ValueError: the amount is below zero, or more is withheld than the prize.
    """
    terms = KINDS[kind]
    if cents < 0:
        raise ValueError("an amount is zero or more; what goes back is a reversal")
    if not 0 <= withheld_cents <= (cents if terms.may_withhold else 0):
        raise ValueError("from nothing up to the whole prize can be withheld")
    where, is_transfer = {AccountKind.MONEY: drawer}, terms.to is terms.off
    rows = (
        PostedCents(terms.to, cents, to_drawer if is_transfer else where.get(terms.to, 0)),
        PostedCents(terms.off, withheld_cents - cents, where.get(terms.off, 0)),
        PostedCents(AccountKind.WITHHELD, -withheld_cents),
    )
    return Booking(
        MoneyKind(kind),
        tuple(row for row in rows if row.cents),
        entry,
        method if terms.moves_money else "",
        category if terms.has_category else "",
        paid_by=paid_by,
    )
