"""Card payments: the entrant starts them, and each message from the provider is recorded once."""

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.core.permissions import SYSTEM, Actor, require
from tournament.core.selectors.row_digests import columns_digest
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import CardEvent, CardPayment, Entrant, Event, LedgerLine
from tournament.money.selectors.card_events import PAID, REFUNDED, TOLD, UNREAD
from tournament.money.selectors.ledger import account_of
from tournament.money.services.ledger import add_payment, add_refund
from tournament.templatetags.gin import money

CARD: Final = LedgerLine.Method.CARD.value
State = CardEvent.State
HOLDS_UP: Final = frozenset({"bad-value", "out-of-order", "finished", "too-much", "differs"})
"""Refusals that occur before any row is written. After any other refusal the whole write must be rolled back."""


@dataclass(frozen=True, slots=True)
class CardMessage:
    """A message from a card provider in our own form. Repeated messages have the same `ident`."""

    ident: str
    kind: str
    payment: str
    cents: int = 0
    currency: str = ""
    refund: str = ""
    payload: dict[str, Any] = field(default_factory=dict, hash=False)


def unread_message(body: bytes) -> CardMessage:
    """Make a message of a body with a valid signature that cannot be read, so that a director can look into it.

    The body is stored as base64, because no database accepts every byte as text.
    """
    ident = f"{UNREAD}-{hashlib.sha256(body).hexdigest()}"
    return CardMessage(ident, UNREAD, "", payload={"base64": base64.b64encode(body).decode("ascii")})


def start_card_payment(entrant: Entrant, *, by: Actor, key: str) -> CardPayment:
    """Start a card payment of what the entry owes. It counts as paid only after the provider reports it.

    Raises:
        NotAllowed: if the actor is not the entrant.
        Conflict: `not-offered`, `nothing-owed`, `finished`.
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
    """Store a message from the provider and apply it. For a repeated message, return the stored row."""
    known = CardEvent.objects.filter(ident=message.ident).first()
    if known is not None:
        return known
    payment = CardPayment.objects.select_related("event").filter(ident=message.payment).first()
    if payment is None:
        # The message belongs to no tournament, so no log contains it before a director settles it.
        state = State.WAITING if message.kind in (PAID, REFUNDED, UNREAD) else State.IGNORED
        note = _unread(message) if message.kind == UNREAD else _no_payment(message.payment)
        facts = _facts(message) | {"state": state, "note": note[:300]}
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
    return _("No payment with the reference %(reference)s was started here.") % {"reference": reference}


def _unread(message: CardMessage) -> str:
    begins = base64.b64decode(message.payload["base64"])[:150].decode("utf-8", "backslashreplace")
    printable = "".join(letter if letter.isprintable() else " " for letter in begins)
    return _("This message cannot be read. It begins: %(begins)s") % {"begins": printable}


def keep_told(write: Write, row: CardEvent) -> None:
    """Log a digest of the columns that the provider reported, which never change.

    The outcome of the message may change. It is recorded as a ledger line.
    """
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


def try_card_event_again(row: CardEvent, *, by: Actor, key: str = "", accepts: bool = False) -> CardEvent:
    """Record a waiting message after a director removed what held it up.

    With `accepts`, the payment counts even if its amount is not the amount that was started.

    Raises:
        Conflict: `not-waiting`.
    """
    if row.payment is None:
        raise Conflict("not-waiting", _("This message matches no payment here. There is nothing to record."))
    event = row.payment.event
    require(by, "direct", event.tournament)
    with writing(event, verb="card.tried-again", by=by, key=scoped_key(key, row.pk, accepts)) as write:
        locked = CardEvent.objects.select_related("payment__event__tournament").get(pk=row.pk)
        if not write.repeated:
            if locked.state != State.WAITING:
                raise Conflict("not-waiting", _("This message was handled before. Nothing was changed."))
            _apply(write, locked, accepts=accepts)
            _apply_waiting(write, row.payment)
            write.about(row.payment, told=row.ident)
        locked.refresh_from_db()
        return locked


def _apply_waiting(write: Write, payment: CardPayment) -> None:
    """Apply refunds that the provider reported before their payment."""
    for row in payment.told.filter(state=State.WAITING, kind=REFUNDED).order_by("pk"):
        _apply(write, row)


def _apply(write: Write, row: CardEvent, *, accepts: bool = False) -> None:
    try:
        row.state, row.note, row.line = _recorded(write, row, accepts)
    except DomainError as refused:
        if refused.code not in HOLDS_UP:
            raise
        row.state, row.note, row.line = State.WAITING, refused.message[:300], None
    row.save(update_fields=["state", "note", "line"])


def _recorded(write: Write, row: CardEvent, accepts: bool) -> tuple[State, str, LedgerLine | None]:
    payment = row.payment
    if payment is None or row.kind not in (PAID, REFUNDED):
        return State.IGNORED, _("This kind of message changes nothing."), None
    if row.currency != write.tournament.currency or row.cents == 0:
        raise DomainError("bad-value", _another_amount(write, payment, row))
    recorded = payment.told.filter(kind=row.kind, state=State.RECORDED)
    if _stands_for_the_same(recorded, row):
        return State.IGNORED, _("This was recorded before."), None
    if row.kind == PAID:
        if not accepts and (row.cents != payment.cents or recorded.exists()):
            raise DomainError("differs", _another_amount(write, payment, row))
        return State.RECORDED, "", add_payment(write, payment.entrant, row.cents, CARD, payment.ident)
    if not payment.told.filter(kind=PAID, state=State.RECORDED).exists():
        raise Conflict("out-of-order", _("The payment itself has not been reported yet. It is recorded after that."))
    return State.RECORDED, "", add_refund(write, payment.entrant, row.cents, CARD, _("Refunded by the card provider"))


def _another_amount(write: Write, payment: CardPayment, row: CardEvent) -> str:
    currency = write.tournament.currency
    names = {"started": money(payment.cents, currency), "told": money(row.cents, row.currency)}
    said = _("The player started a payment of %(started)s. The card provider reports %(told)s.") % names
    if row.kind == REFUNDED:
        said = _("The card provider reports a refund of %(told)s.") % names
    before = sum(payment.told.filter(kind=PAID, state=State.RECORDED).values_list("cents", flat=True))
    if before:
        said = f"{said} {_('Recorded before: %(cents)s.') % {'cents': money(before, currency)}}"
    what_to_do = _("Look it up at the card provider. Then record it here, or set it aside.")
    if row.currency != currency or not row.cents:
        what_to_do = _("Look it up at the card provider. If the player paid, record that under Payments.")
    return f"{said} {what_to_do}"


def _stands_for_the_same(recorded: QuerySet[CardEvent], row: CardEvent) -> bool:
    """Return whether this payment or refund was recorded from another message.

    A provider may report one payment or refund in two messages with different ids.
    """
    return (recorded.filter(cents=row.cents) if row.kind == PAID else recorded.filter(refund=row.refund)).exists()
