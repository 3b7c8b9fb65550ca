"""Book movements in order, and refuse each that exceeds what is available at that moment."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tournament.errors import Conflict, DomainError
from tournament.purse.ledger.balances import Balances, SplitTerms
from tournament.purse.ledger.postings import Booking, MovementKind
from tournament.said import worded

Check = Callable[[Balances, Booking], DomainError | None]


def _discount(balances: Balances, movement: Booking) -> DomainError | None:
    kinds = balances.kinds.get(movement.entry, Counter())
    off = sum(kinds[kind] for kind in LETS_OFF)
    if off + movement.cents <= kinds[MovementKind.CHARGE]:
        return None
    return Conflict("too-much", worded("Discounts cannot be more than the entry is charged. Enter a smaller discount."))


def _refund(balances: Balances, movement: Booking) -> DomainError | None:
    if movement.cents <= balances.kept[movement.entry, movement.paid_by or movement.method]:
        return None
    said = worded(
        "A refund cannot be more than the entry paid by the same method. Enter a smaller amount, or another method."
    )
    return Conflict("too-much", said)


def _from_hand(balances: Balances, movement: Booking) -> DomainError | None:
    if movement.handed_cents <= balances.in_hand[movement.method]:
        return None
    return Conflict("too-much", worded("There is not that much money on hand by this method. Use another method."))


def _withheld(balances: Balances, movement: Booking) -> DomainError | None:
    if movement.cents <= balances.withheld_cents:
        return None
    return Conflict("too-much", worded("That is more than is still withheld. Enter a smaller amount."))


LETS_OFF: Final = (MovementKind.DISCOUNT, MovementKind.COMPLIMENTARY, MovementKind.CANCELLATION)
OF_ENTRY: Final[dict[MovementKind, tuple[Check, ...]]] = {
    **dict.fromkeys(LETS_OFF, (_discount,)),
    MovementKind.REFUND: (_refund,),
}
"""Checks of an entry's account, which do not depend on the money in hand."""
CHECKS: Final[dict[MovementKind, tuple[Check, ...]]] = {
    **OF_ENTRY,
    MovementKind.REFUND: (_refund, _from_hand),
    MovementKind.EXPENSE: (_from_hand,),
    MovementKind.PAYOUT: (_from_hand,),
    MovementKind.REMITTANCE: (_withheld, _from_hand),
}


class Daybook:
    """Movements booked in order. `standing` has them by index, with None for a reversed one and for a reversal."""

    def __init__(self, terms: SplitTerms) -> None:
        self.terms = terms
        self.balances = Balances()
        self.standing: list[Booking | None] = []

    def book(self, movement: Booking) -> None:
        """Book a movement, or refuse it.

        >>> from tournament.purse.ledger.postings import book_charge, book_payment, book_refund
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
        self.standing.append(movement)

    def _refusal(self, movement: Booking) -> DomainError | None:
        if movement.entry and movement.kind is not MovementKind.CHARGE and not self.balances.charged(movement.entry):
            said = worded("Entry %(number)s was not charged anything. Charge its fee first.", number=movement.entry)
            return DomainError("unknown-entry", said)
        found = (check(self.balances, movement) for check in CHECKS.get(movement.kind, ()))
        return next(filter(None, found), None) or self._beyond_pool(movement)

    def _beyond_pool(self, movement: Booking) -> DomainError | None:
        if movement.kind is not MovementKind.PAYOUT:
            return None
        left = self.balances.pool(self.terms).pool_cents - self.balances.paid_out.total()
        said = worded("A payout cannot be more than what is left of the prize pool. Enter a smaller amount.")
        return Conflict("too-much", said) if movement.cents > left else None

    def reverse(self, of: int) -> None:
        """Reverse the movement at this index by booking all the others again without it.

        Raises:
            Conflict: `too-much`, if one of the others would be refused.
            LookupError: the movement is reversed already, or is a reversal.
        """
        if self.standing[of] is None:
            raise LookupError("this movement does not stand")
        again = Daybook(self.terms)
        self.standing[of] = None
        try:
            for movement in filter(None, self.standing):
                again.book(movement)
        except DomainError as refused:
            said = worded("This cannot be reversed, because a later movement rests on it. Reverse that one first.")
            raise Conflict("too-much", said) from refused
        self.balances = again.balances
        self.standing.append(None)


def refuse_reversal(movements: Sequence[Booking], of: int) -> None:
    """Refuse a reversal after which another movement of the same entry would have too little.

    Movements that had too little before do not count, such as a refund of an earlier day by another method.

    Raises:
        Conflict: `too-much`.
    """
    others = [movement for index, movement in enumerate(movements) if index != of]
    before = [short for index, short in enumerate(_short(movements)) if index != of]
    if any(now and not then for now, then in zip(_short(others), before, strict=True)):
        said = worded("This cannot be reversed, because a later movement rests on it. Reverse that one first.")
        raise Conflict("too-much", said)


def _short(movements: Iterable[Booking]) -> list[bool]:
    """Return for each movement whether its entry's account had too little for it."""
    balances, found = Balances(), []
    for movement in movements:
        checks = () if movement.is_reversal else OF_ENTRY.get(movement.kind, ())
        found.append(any(check(balances, movement) for check in checks))
        balances.add(movement)
    return found
