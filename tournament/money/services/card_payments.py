"""Payments by card: started by the entrant, recorded when the provider tells of them, once however often it does."""

import secrets
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.core.permissions import SYSTEM, Actor, require
from tournament.core.selectors.row_digests import columns_digest
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import CardEvent, CardPayment, Entrant, Event, LedgerLine
from tournament.money.selectors.card_events import PAID, REFUNDED, TOLD
from tournament.money.selectors.ledger import account_of
from tournament.money.services.ledger import add_payment, add_refund

CARD: Final = LedgerLine.Method.CARD.value
State = CardEvent.State
HOLDS_UP: Final = frozenset({"bad-value", "out-of-order", "finished", "too-much"})
"""Refusals that come before any row is written. After any other one nothing of the write may stay."""


@dataclass(frozen=True, slots=True)
class CardMessage:
    """What a provider tells, whatever its own form is. `ident` is the same when it tells it again."""

    ident: str
    kind: str
    payment: str
    cents: int = 0
    currency: str = ""
    refund: str = ""
    payload: dict[str, Any] = field(default_factory=dict, hash=False)


def start_card_payment(entrant: Entrant, *, by: Actor, key: str) -> CardPayment:
    """Begin to pay what is owed. Nothing is recorded as paid before the provider says so.

    Raises:
        NotAllowed: by somebody else. Conflict: `not-offered`, `nothing-owed`, `finished`.
    """
    if by.entrant is None or by.entrant.pk != entrant.pk:
        raise NotAllowed("not-allowed", _("Only the player pays by card. Use the link of this entry."))
    with writing(entrant.event, verb="card.started", by=by, key=scoped_key(key, entrant.pk)) as write:
        if write.repeated:
            return CardPayment.objects.get(pk=write.outcome["payment"])
        if "card" not in write.tournament.providers:
            raise Conflict("not-offered", _("This tournament takes no cards here. Choose another way to pay."))
        whose = entrant.joined_to or entrant
        cents = account_of(whose).due_cents
        if cents <= 0:
            raise Conflict("nothing-owed", _("There is nothing to pay. Open your page again."))
        if write.the_event.state == Event.State.FINISHED:
            raise Conflict("finished", _("The event is finished. Please pay at the desk."))
        ident = f"pay_{secrets.token_hex(12)}"
        facts = {"event": entrant.event, "entrant": whose, "ident": ident, "cents": cents}
        made = CardPayment.objects.create(**facts, **write.fact_fields())
        write.keep("card_payments", made)
        write.about(whose, payment=made.pk, cents=cents)
        return made


def take_card_event(message: CardMessage) -> CardEvent:
    """Keep what the provider tells, and record what it means. Told again, it answers what was made of it then."""
    known = CardEvent.objects.filter(ident=message.ident).first()
    if known is not None:
        return known
    payment = CardPayment.objects.select_related("event").filter(ident=message.payment).first()
    if payment is None:
        # It belongs to no tournament, so no log has it before a director says what it is.
        about_money = message.kind in (PAID, REFUNDED)
        state = State.WAITING if about_money else State.IGNORED
        facts = _facts(message) | {"state": state, "note": _no_payment(message.payment)}
        return CardEvent.objects.get_or_create(ident=message.ident, defaults=facts)[0]
    with writing(payment.event, verb="card.told", by=SYSTEM) as write:
        row, is_new = CardEvent.objects.get_or_create(
            ident=message.ident, defaults=_facts(message) | {"payment": payment, "state": State.WAITING}
        )
        write.about(payment, told=row.ident, kind=row.kind)
        if is_new:
            keep_told(write, row)
            _apply(write, row)
            _apply_waiting(write, payment)
            row.refresh_from_db()
        return row


def _no_payment(reference: str) -> str:
    return (_("No payment with the reference %(reference)s was started here.") % {"reference": reference})[:300]


def keep_told(write: Write, row: CardEvent) -> None:
    """What was told never changes; what was made of it does, and is a line of the ledger."""
    write.keep_digest("card_events", row.pk, columns_digest(row, TOLD))


def _facts(message: CardMessage) -> dict[str, Any]:
    return {
        "kind": message.kind,
        "at": timezone.now(),
        "payload": message.payload,
        "refund": message.refund,
        "cents": message.cents,
        "currency": message.currency,
    }


def try_card_event_again(row: CardEvent, *, by: Actor, key: str = "") -> CardEvent:
    """A director has it recorded after all, when what held it up is settled.

    Raises:
        Conflict: `not-waiting`.
    """
    if row.payment is None:
        raise Conflict("not-waiting", _("This message matches no payment here. There is nothing to record."))
    event = row.payment.event
    require(by, "direct", event.tournament)
    with writing(event, verb="card.tried-again", by=by, key=scoped_key(key, row.pk)) as write:
        locked = CardEvent.objects.select_related("payment__event__tournament").get(pk=row.pk)
        if not write.repeated:
            if locked.state != State.WAITING:
                raise Conflict("not-waiting", _("This message was handled before. Nothing was changed."))
            _apply(write, locked)
            _apply_waiting(write, row.payment)
            write.about(row.payment, told=row.ident)
        locked.refresh_from_db()
        return locked


def _apply_waiting(write: Write, payment: CardPayment) -> None:
    """A refund may be told before its payment: it waits for it."""
    for row in payment.told.filter(state=State.WAITING, kind=REFUNDED).order_by("pk"):
        _apply(write, row)


def _apply(write: Write, row: CardEvent) -> None:
    try:
        row.state, row.note, row.line = _recorded(write, row)
    except DomainError as refused:
        if refused.code not in HOLDS_UP:
            raise
        row.state, row.note, row.line = State.WAITING, refused.message[:300], None
    row.save(update_fields=["state", "note", "line"])


def _recorded(write: Write, row: CardEvent) -> tuple[State, str, LedgerLine | None]:
    payment = row.payment
    if payment is None or row.kind not in (PAID, REFUNDED):
        return State.IGNORED, _("This kind of message changes nothing."), None
    if row.currency != write.tournament.currency or row.cents == 0:
        said = _("The amount or the currency does not match. Look it up at the card provider.")
        raise DomainError("bad-value", said)
    if _stands_for_the_same(payment, row):
        return State.IGNORED, _("This was recorded before."), None
    if row.kind == PAID:
        return State.RECORDED, "", add_payment(write, payment.entrant, row.cents, CARD, payment.ident)
    if not payment.told.filter(kind=PAID, state=State.RECORDED).exists():
        raise Conflict("out-of-order", _("The payment itself has not been reported yet. It is recorded after that."))
    return State.RECORDED, "", add_refund(write, payment.entrant, row.cents, CARD, _("Refunded by the card provider"))


def _stands_for_the_same(payment: CardPayment, row: CardEvent) -> bool:
    """A provider may tell the same payment or refund in a second message with an id of its own."""
    recorded = payment.told.filter(kind=row.kind, state=State.RECORDED)
    return recorded.exists() if row.kind == PAID else recorded.filter(refund=row.refund).exists()
