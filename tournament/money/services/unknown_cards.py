"""Settle card payments that did not begin here, or that differ from what was started."""

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.reasons import refuse_without
from tournament.core.services.record import scoped_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import CardEvent, Entrant, LedgerLine, Tournament
from tournament.money.selectors.card_events import PAID
from tournament.money.services.card_payments import CARD, keep_told
from tournament.money.services.ledger import add_payment

State = CardEvent.State


def match_card_event(row: CardEvent, entrant: Entrant, *, by: Actor, key: str = "") -> LedgerLine:
    """Record a card message as the payment of this entry.

    Raises:
        DomainError: `bad-value` for another currency or a refund.
        Conflict: `not-waiting`, `finished`.
    """
    require(by, "direct", entrant.event.tournament)
    with writing(entrant.event, verb="card.matched", by=by, key=scoped_key(key, row.pk, entrant.pk)) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        locked = _locked(row)
        if locked.kind != PAID or locked.currency != write.tournament.currency:
            said = _("Only a payment in the currency of the tournament can be recorded. Set this one aside.")
            raise DomainError("bad-value", said)
        locked.line = add_payment(write, entrant, locked.cents, CARD, locked.ident)
        locked.state, locked.note = State.RECORDED, ""
        locked.save(update_fields=["line", "state", "note"])
        keep_told(write, locked)
        write.about(entrant, line=locked.line.pk, told=locked.ident, cents=locked.cents)
        return locked.line


def set_card_event_aside(row: CardEvent, tournament: Tournament, *, by: Actor, reason: str, key: str = "") -> CardEvent:
    """Set a card message aside. It is not recorded, and no longer waits.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `not-waiting`.
    """
    require(by, "direct", tournament)
    refuse_without(reason)
    scope = row.payment.event if row.payment is not None else tournament
    with writing(scope, verb="card.set-aside", by=by, reason=reason, key=scoped_key(key, row.pk)) as write:
        if write.repeated:
            return row
        locked = _locked(row, with_payment=True)
        locked.state, locked.note = State.IGNORED, reason[:300]
        locked.save(update_fields=["state", "note"])
        keep_told(write, locked)
        write.about(locked, told=locked.ident, cents=locked.cents)
        return locked


def _locked(row: CardEvent, *, with_payment: bool = False) -> CardEvent:
    """Lock the message's own row too, because directors of two tournaments may settle it at once."""
    locked = CardEvent.objects.select_for_update(of=("self",)).get(pk=row.pk)
    if (locked.payment_id is not None and not with_payment) or locked.state != State.WAITING:
        raise Conflict("not-waiting", _("This message is settled already. Nothing was changed."))
    return locked
