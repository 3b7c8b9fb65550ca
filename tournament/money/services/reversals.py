"""Reverse any movement by the service of its kind."""

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor
from tournament.errors import Conflict
from tournament.models import CashMoved, LedgerLine, Movement, PaidOut
from tournament.money.selectors.days import is_of_closed_day
from tournament.money.services.ledger import REVERSIBLE, correct_payment, reverse_line
from tournament.money.services.other_money import reverse_money
from tournament.money.services.payouts import undo_payout, void_payout


def is_reversible(movement: Movement) -> bool:
    """Return whether the movement counts and can be reversed. Fees are canceled, and cash is moved back instead."""
    if movement.cash_id is not None or movement.is_reversal or hasattr(movement, "reversed_by"):
        return False
    line = movement.line
    return line is None or line.kind == LedgerLine.Kind.PAYMENT or line.kind in REVERSIBLE


def reverse_movement(movement: Movement, *, by: Actor, reason: str, key: str) -> None:
    """Reverse a movement. It raises what the service of its kind raises, such as `too-much` or `reversed`."""
    fact = movement.fact
    if isinstance(fact, PaidOut):
        undo = void_payout if is_of_closed_day(movement) else undo_payout
        undo(fact, by=by, reason=reason, key=key)
    elif isinstance(fact, CashMoved):
        raise Conflict("not-reversible", _("Cash moved by mistake is moved back under Money › Drawers."))
    elif not isinstance(fact, LedgerLine):
        reverse_money(fact, by=by, reason=reason, key=key)
    elif fact.kind == LedgerLine.Kind.PAYMENT:
        correct_payment(fact, by=by, reason=reason, key=key)
    else:
        reverse_line(fact, by=by, reason=reason, key=key)
