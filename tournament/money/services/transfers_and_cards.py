"""Record payments reported by a bank or a card provider, each only once and for the right entry."""

import base64
import hashlib
import secrets
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.core.permissions import SYSTEM_ACTOR, Actor, require_permission
from tournament.core.selectors.copies import takes_card_payments
from tournament.core.selectors.log import compute_columns_digest
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.intake import LIST_FILE_LIMITS, read_in_subprocess
from tournament.models import (
    BankList,
    BankTransfer,
    CardEvent,
    CardPayment,
    Entrant,
    Event,
    LedgerLine,
    Tournament,
    TransferMatch,
)
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.selectors.transfers_and_cards import (
    PAYMENT_REFUNDED_KIND,
    PAYMENT_SUCCEEDED_KIND,
    PROVIDER_DATA_COLUMNS,
    UNREADABLE_MESSAGE_KIND,
    iter_rows_with_identifiers,
    load_bank_statement,
    match_reference_to_entrant,
)
from tournament.money.services.fees_and_refunds import add_payment, add_refund
from tournament.spreadsheets.bank_statements import BankStatementLine, read_bank_statement
from tournament.spreadsheets.cells import DATE_ORDERS
from tournament.spreadsheets.encodings import is_text_encoding
from tournament.templatetags.gin import money

CardEventState = CardEvent.State
_TRANSFER: Final = LedgerLine.Method.TRANSFER.value
_CARD: Final = LedgerLine.Method.CARD.value
_LONGEST_REFERENCE: Final = LedgerLine._meta.get_field("reference").max_length or 0
_RETRYABLE_REFUSALS: Final = frozenset({"bad-value", "out-of-order", "finished", "too-much", "differs"})
"""Error codes that are raised before any row is written. After any other error, the whole write is rolled back."""


# --- Bank transfers --------------------------------------------------------------------------------------------------


def store_bank_statement(tournament: Tournament, file_name: str, content: bytes, *, by: Actor) -> BankList:
    """Store a bank statement for review. No payment is recorded yet.

    Raises:
        UnreadableList: if the file is not a list.
        DomainError: `no-amounts`, `no-directions`.
    """
    require_permission(by, "desk", tournament)
    read_in_subprocess(LIST_FILE_LIMITS, read_bank_statement, content)
    with writing(tournament, verb="transfer.list-read", by=by) as write:
        stored = BankList.objects.create(
            tournament=tournament,
            file_name=file_name[-255:],
            file_digest=hashlib.sha256(content).hexdigest(),
            content=content,
            **write.fact_fields(),
        )
        write.about(stored.file_name, list=stored.pk, sha256=stored.file_digest)
        return stored


def reparse_bank_statement(
    bank_list: BankList, *, by: Actor, encoding: str = "", sheet: str = "", order: str = ""
) -> None:
    """Parse a bank statement again with another encoding, sheet, or date order.

    An empty argument keeps the earlier choice.

    Raises:
        DomainError: `no-such-choice`.
    """
    require_permission(by, "desk", bank_list.tournament)
    if (encoding and not is_text_encoding(encoding)) or order not in ("", *DATE_ORDERS):
        raise DomainError("no-such-choice", _("Choose one of the readings that the page offers."))
    with writing(bank_list.tournament, verb="transfer.list-read-again", by=by) as write:
        bank_list.encoding = encoding or bank_list.encoding
        bank_list.sheet = sheet or bank_list.sheet
        bank_list.order = order or bank_list.order
        bank_list.save(update_fields=["encoding", "sheet", "order"])
        write.about(bank_list.file_name, list=bank_list.pk, encoding=encoding, sheet=sheet, order=order)


def record_bank_statement(bank_list: BankList, *, by: Actor) -> Counter[str]:
    """Record the incoming transfers of a bank statement. Return the same counts as `record_transfers`.

    Raises:
        Conflict: `reading-open` if the statement can be read in two ways.
    """
    listed = load_bank_statement(bank_list)
    if listed.read.encodings or not listed.order_is_sure:
        raise Conflict("reading-open", _("The list can be read in two ways. Choose one on its page first."))
    counts = record_transfers(bank_list.tournament, [row for row in listed.rows if row.is_incoming], by=by)
    with writing(bank_list.tournament, verb="transfer.list-recorded", by=by) as write:
        bank_list.taken_at = write.at
        bank_list.save(update_fields=["taken_at"])
        write.about(bank_list.file_name, list=bank_list.pk, matched=counts["matched"], unmatched=counts["unmatched"])
    return counts


def record_transfers(tournament: Tournament, rows: Iterable[BankStatementLine], *, by: Actor) -> Counter[str]:
    """Record bank transfers. Return how many were `matched` with an entry, `unmatched`, or already `known`.

    Bank statements may overlap. A transfer that is already known is not recorded again.
    """
    require_permission(by, "desk", tournament)
    counted: Counter[str] = Counter()
    # Each transfer is a separate write, because no write may lock several events at the same time.
    for row, idents in iter_rows_with_identifiers(rows):
        counted[_record_transfer(tournament, row, idents, by)] += 1
    return counted


def _record_transfer(tournament: Tournament, row: BankStatementLine, idents: tuple[str, ...], by: Actor) -> str:
    if tournament.transfers.filter(ident__in=idents).exists():
        return "known"
    entrant = match_reference_to_entrant(tournament, row.text)
    scope: Event | Tournament = entrant.event if entrant is not None else tournament
    with writing(scope, verb="transfer.taken-in", by=by) as write:
        if tournament.transfers.filter(ident__in=idents).exists():
            write.about(row.payer, known=True)
            return "known"
        facts = {"booked": row.booked, "cents": row.cents, "payer": row.payer, "text": row.text}
        transfer = BankTransfer.objects.create(tournament=tournament, ident=idents[0], **facts, **write.fact_fields())
        write.log_row_digest("transfers", transfer)
        write.about(transfer, transfer=transfer.pk, cents=transfer.cents)
        # If the entry owes nothing, the desk decides: the payment may be meant for another entry.
        if (
            entrant is None
            or write.the_event.state == Event.State.FINISHED
            or not load_entry_account(entrant).due_cents
        ):
            return "unmatched"
        _record_match(write, transfer, entrant)
        return "matched"


def match_transfer(transfer: BankTransfer, entrant: Entrant, *, by: Actor, key: str = "") -> LedgerLine:
    """Record a bank transfer as a payment by this entry.

    Raises:
        Conflict: `matched`, `finished`.
    """
    require_permission(by, "desk", transfer.tournament)
    key = make_idempotency_key(key, transfer.pk, entrant.pk)
    with writing(entrant.event, verb="transfer.matched", by=by, key=key) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        return _record_match(write, _lock_transfer(transfer), entrant)


def _record_match(write: WriteTransaction, transfer: BankTransfer, entrant: Entrant) -> LedgerLine:
    line = add_payment(write, entrant, transfer.cents, _TRANSFER, transfer.text[:_LONGEST_REFERENCE])
    write.log_row_digest(
        "transfer_matches", TransferMatch.objects.create(transfer=transfer, line=line, **write.fact_fields())
    )
    write.about(entrant, line=line.pk, transfer=transfer.pk, cents=transfer.cents)
    return line


def set_transfer_aside(transfer: BankTransfer, *, by: Actor, reason: str, key: str = "") -> TransferMatch:
    """Set aside a bank transfer that has nothing to do with the tournament.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `matched`.
    """
    require_permission(by, "desk", transfer.tournament)
    require_reason(reason)
    key = make_idempotency_key(key, transfer.pk)
    with writing(transfer.tournament, verb="transfer.set-aside", by=by, reason=reason, key=key) as write:
        if write.repeated:
            return TransferMatch.objects.get(pk=write.outcome["match"])
        match = TransferMatch.objects.create(transfer=_lock_transfer(transfer), **write.fact_fields())
        write.log_row_digest("transfer_matches", match)
        write.about(transfer, match=match.pk)
        return match


def _lock_transfer(transfer: BankTransfer) -> BankTransfer:
    """Lock the transfer's own row, because staff may match it in two events at the same time."""
    locked = BankTransfer.objects.select_for_update(of=("self",)).get(pk=transfer.pk)
    if TransferMatch.objects.filter(transfer=locked).exists():
        message = _("This transfer was recorded or set aside before. Open the list of transfers again.")
        raise Conflict("matched", message)
    return locked


# --- Card payments ---------------------------------------------------------------------------------------------------
# The entrant starts a card payment, and each message of the provider is recorded once.


@dataclass(frozen=True, slots=True)
class CardProviderMessage:
    """A card provider's message in a common format. Repeated messages have the same `ident`."""

    ident: str
    kind: str
    payment: str
    cents: int = 0
    currency: str = ""
    refund: str = ""
    payload: dict[str, Any] = field(default_factory=dict, hash=False)


def make_message_for_unreadable_body(body: bytes) -> CardProviderMessage:
    """Return a message for a signed body that cannot be parsed, so that a director can look into it.

    The body is stored as base64, because a text column cannot store arbitrary bytes.
    """
    ident = f"{UNREADABLE_MESSAGE_KIND}-{hashlib.sha256(body).hexdigest()}"
    return CardProviderMessage(
        ident, UNREADABLE_MESSAGE_KIND, "", payload={"base64": base64.b64encode(body).decode("ascii")}
    )


def start_card_payment(entrant: Entrant, *, by: Actor, key: str) -> CardPayment:
    """Start a card payment of the amount that the entry owes. The payment counts once the provider confirms it.

    Raises:
        NotAllowed: if the actor is not the entrant.
        Conflict: `not-offered`, `nothing-owed`, `finished`.
    """
    if by.entrant is None or by.entrant.pk != entrant.pk:
        raise NotAllowed("not-allowed", _("Only the player pays by card. Use the link of this entry."))
    with writing(entrant.event, verb="card.started", by=by, key=make_idempotency_key(key, entrant.pk)) as write:
        if write.repeated:
            return CardPayment.objects.get(pk=write.outcome["payment"])
        if not takes_card_payments(write.tournament):
            raise Conflict("not-offered", _("This tournament takes no cards here. Choose another way to pay."))
        owner = entrant.joined_to or entrant
        cents = load_entry_account(owner).due_cents
        if cents <= 0:
            raise Conflict("nothing-owed", _("There is nothing to pay. Open your page again."))
        if write.the_event.state == Event.State.FINISHED:
            raise Conflict("finished", _("The event is finished. Please pay at the desk."))
        ident = f"pay_{secrets.token_hex(12)}"
        facts = {"event": entrant.event, "entrant": owner, "ident": ident, "cents": cents}
        payment = CardPayment.objects.create(**facts, **write.fact_fields())
        write.log_row_digest("card_payments", payment)
        write.about(owner, payment=payment.pk, cents=cents)
        return payment


def record_card_event(message: CardProviderMessage) -> CardEvent:
    """Store a message from the card provider, process it, and return its row.

    A message that was received before is not processed again. A message about an unknown payment is only stored.
    """
    known = CardEvent.objects.filter(ident=message.ident).first()
    if known is not None:
        return known
    payment = CardPayment.objects.select_related("event").filter(ident=message.payment).first()
    if payment is None:
        # The message belongs to no tournament, so no log contains it before a director settles it.
        state = (
            CardEventState.WAITING
            if message.kind in (PAYMENT_SUCCEEDED_KIND, PAYMENT_REFUNDED_KIND, UNREADABLE_MESSAGE_KIND)
            else CardEventState.IGNORED
        )
        note = _("No payment with the reference %(reference)s was started here.") % {"reference": message.payment}
        if message.kind == UNREADABLE_MESSAGE_KIND:
            begins = base64.b64decode(message.payload["base64"])[:150].decode("utf-8", "backslashreplace")
            printable = "".join(letter if letter.isprintable() else " " for letter in begins)
            note = _("This message cannot be read. It begins: %(begins)s") % {"begins": printable}
        facts = _make_message_columns(message) | {"state": state, "note": note[:300]}
        return CardEvent.objects.get_or_create(ident=message.ident, defaults=facts)[0]
    with writing(payment.event, verb="card.told", by=SYSTEM_ACTOR) as write:
        row, is_new = CardEvent.objects.get_or_create(
            ident=message.ident,
            defaults=_make_message_columns(message) | {"payment": payment, "state": CardEventState.WAITING},
        )
        write.about(payment, told=row.ident, kind=row.kind)
        if is_new:
            _log_provider_columns(write, row)
            _apply_card_event(write, row)
            _apply_pending_refunds(write, payment)
            row.refresh_from_db()
        return row


def _make_message_columns(message: CardProviderMessage) -> dict[str, Any]:
    return {
        "kind": message.kind,
        "at": timezone.now(),
        "payload": message.payload,
        "refund": message.refund,
        "cents": message.cents,
        "currency": message.currency,
    }


def _log_provider_columns(write: WriteTransaction, row: CardEvent) -> None:
    """Log a digest of the columns that contain the provider's data. These columns never change."""
    write.add_digest("card_events", row.pk, compute_columns_digest(row, PROVIDER_DATA_COLUMNS))


def retry_card_event(row: CardEvent, *, by: Actor, key: str = "", accept_amount: bool = False) -> CardEvent:
    """Process an open message again after a director has removed the obstacle.

    If `accept_amount` is true, the payment counts even if its amount differs from the requested one.

    Raises:
        Conflict: `not-waiting`.
    """
    if row.payment is None:
        raise Conflict("not-waiting", _("This message matches no payment here. There is nothing to record."))
    event = row.payment.event
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="card.tried-again", by=by, key=make_idempotency_key(key, row.pk, accept_amount)) as write:
        locked = CardEvent.objects.select_related("payment__event__tournament").get(pk=row.pk)
        if not write.repeated:
            if locked.state != CardEventState.WAITING:
                raise Conflict("not-waiting", _("This message was handled before. Nothing was changed."))
            _apply_card_event(write, locked, accept_amount=accept_amount)
            _apply_pending_refunds(write, row.payment)
            write.about(row.payment, told=row.ident)
        locked.refresh_from_db()
        return locked


def _apply_pending_refunds(write: WriteTransaction, payment: CardPayment) -> None:
    """Process the payment's refunds that the provider reported before the payment itself."""
    for row in payment.told.filter(state=CardEventState.WAITING, kind=PAYMENT_REFUNDED_KIND).order_by("pk"):
        _apply_card_event(write, row)


def _apply_card_event(write: WriteTransaction, row: CardEvent, *, accept_amount: bool = False) -> None:
    try:
        row.state, row.note, row.line = _record_card_money(write, row, accept_amount)
    except DomainError as refused:
        if refused.code not in _RETRYABLE_REFUSALS:
            raise
        row.state, row.note, row.line = CardEventState.WAITING, refused.message[:300], None
    row.save(update_fields=["state", "note", "line"])


def _record_card_money(
    write: WriteTransaction, row: CardEvent, accept_amount: bool
) -> tuple[CardEventState, str, LedgerLine | None]:
    payment = row.payment
    if payment is None or row.kind not in (PAYMENT_SUCCEEDED_KIND, PAYMENT_REFUNDED_KIND):
        return CardEventState.IGNORED, _("This kind of message changes nothing."), None
    if row.currency != write.tournament.currency or row.cents == 0:
        raise DomainError("bad-value", _describe_difference(write, payment, row))
    recorded = payment.told.filter(kind=row.kind, state=CardEventState.RECORDED)
    # A provider may report one payment or refund in two messages with different ids.
    same = {"cents": row.cents} if row.kind == PAYMENT_SUCCEEDED_KIND else {"refund": row.refund}
    if recorded.filter(**same).exists():
        return CardEventState.IGNORED, _("This was recorded before."), None
    if row.kind == PAYMENT_SUCCEEDED_KIND:
        if not accept_amount and (row.cents != payment.cents or recorded.exists()):
            raise DomainError("differs", _describe_difference(write, payment, row))
        return CardEventState.RECORDED, "", add_payment(write, payment.entrant, row.cents, _CARD, payment.ident)
    if not payment.told.filter(kind=PAYMENT_SUCCEEDED_KIND, state=CardEventState.RECORDED).exists():
        raise Conflict("out-of-order", _("The payment itself has not been reported yet. It is recorded after that."))
    return (
        CardEventState.RECORDED,
        "",
        add_refund(write, payment.entrant, row.cents, _CARD, _("Refunded by the card provider")),
    )


def _describe_difference(write: WriteTransaction, payment: CardPayment, row: CardEvent) -> str:
    currency = write.tournament.currency
    names = {"started": money(payment.cents, currency), "told": money(row.cents, row.currency)}
    text = _("The player started a payment of %(started)s. The card provider reports %(told)s.") % names
    if row.kind == PAYMENT_REFUNDED_KIND:
        text = _("The card provider reports a refund of %(told)s.") % names
    before = sum(
        payment.told.filter(kind=PAYMENT_SUCCEEDED_KIND, state=CardEventState.RECORDED).values_list("cents", flat=True)
    )
    if before:
        text = f"{text} {_('Recorded before: %(cents)s.') % {'cents': money(before, currency)}}"
    what_to_do = _("Look it up at the card provider. Then record it here, or set it aside.")
    if row.currency != currency or not row.cents:
        what_to_do = _("Look it up at the card provider. If the player paid, record that under Payments.")
    return f"{text} {what_to_do}"


# --- Card messages that wait -----------------------------------------------------------------------------------------
# A director settles payments that were not started on this site, or whose amount differs from the request.


def match_card_event(row: CardEvent, entrant: Entrant, *, by: Actor, key: str = "") -> LedgerLine:
    """Record a message from the card provider as a payment by this entry.

    Raises:
        DomainError: `bad-value` for another currency or a refund.
        Conflict: `not-waiting`, `finished`.
    """
    require_permission(by, "direct", entrant.event.tournament)
    with writing(entrant.event, verb="card.matched", by=by, key=make_idempotency_key(key, row.pk, entrant.pk)) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        locked = _lock_card_event(row)
        if locked.kind != PAYMENT_SUCCEEDED_KIND or locked.currency != write.tournament.currency:
            message = _("Only a payment in the currency of the tournament can be recorded. Set this one aside.")
            raise DomainError("bad-value", message)
        locked.line = add_payment(write, entrant, locked.cents, _CARD, locked.ident)
        locked.state, locked.note = CardEventState.RECORDED, ""
        locked.save(update_fields=["line", "state", "note"])
        _log_provider_columns(write, locked)
        write.about(entrant, line=locked.line.pk, told=locked.ident, cents=locked.cents)
        return locked.line


def set_card_event_aside(row: CardEvent, tournament: Tournament, *, by: Actor, reason: str, key: str = "") -> CardEvent:
    """Set aside a message from the card provider without recording a payment or a refund.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `not-waiting`.
    """
    require_permission(by, "direct", tournament)
    require_reason(reason)
    scope = row.payment.event if row.payment is not None else tournament
    with writing(scope, verb="card.set-aside", by=by, reason=reason, key=make_idempotency_key(key, row.pk)) as write:
        if write.repeated:
            return row
        locked = _lock_card_event(row, with_payment=True)
        locked.state, locked.note = CardEventState.IGNORED, reason[:300]
        locked.save(update_fields=["state", "note"])
        _log_provider_columns(write, locked)
        write.about(locked, told=locked.ident, cents=locked.cents)
        return locked


def _lock_card_event(row: CardEvent, *, with_payment: bool = False) -> CardEvent:
    """Lock the message's own row, because directors of two tournaments may act on it at the same time."""
    locked = CardEvent.objects.select_for_update(of=("self",)).get(pk=row.pk)
    if (locked.payment_id is not None and not with_payment) or locked.state != CardEventState.WAITING:
        raise Conflict("not-waiting", _("This message is settled already. Nothing was changed."))
    return locked
