"""Money at the desk: lines are only ever added, by the kinds of `tournament.purse.fees`."""

from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, Event, LedgerLine
from tournament.money.selectors.ledger import account_of, lines_of
from tournament.purse import FeeLine as Line
from tournament.purse import FeeTerms, LineKind, fee_for

Kind = LedgerLine.Kind


def charge(write: Write, entrant: Entrant) -> LedgerLine:
    """The fee of a new entry, by the date at the venue when it was received; inside the write that enters it.

    Who asks for a partner pays half of what a pair does.
    """
    event = entrant.event
    zone = ZoneInfo(event.tournament.time_zone)
    received_on = entrant.entered_at.astimezone(zone).date()
    terms = FeeTerms(event.fee_cents, event.early_fee_cents, event.early_until)
    if entrant.asks_partner:
        terms = terms.for_half_a_pair()
    return _add(write, entrant, Line(LineKind.CHARGE, fee_for(terms, received_on)))


def take_payment(entrant: Entrant, cents: int, method: str, *, by: Actor, key: str, reference: str = "") -> LedgerLine:
    """Raises DomainError `bad-value` for nothing or less; sent again with its key it adds nothing."""
    require(by, "desk", entrant.event.tournament)
    if cents <= 0:
        said = _("A payment has to be more than zero. Enter the amount you received.")
        raise DomainError("bad-value", said, field="cents")
    key = scoped_key(key, entrant.pk, cents, method, reference)
    with writing(entrant.event, verb="ledger.payment", by=by, key=key) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        return _add(write, entrant, Line(LineKind.PAYMENT, cents, method=method), reference=reference)


def refund(entrant: Entrant, cents: int, method: str, *, by: Actor, key: str, reason: str) -> LedgerLine:
    """Hand money back, up to what was paid. In a finished event only what was paid too much: the pool stays as it is.

    Raises Conflict `too-much`, `finished`.
    """
    require(by, "direct", entrant.event.tournament)
    key = scoped_key(key, entrant.pk, cents, method)
    with writing(entrant.event, verb="ledger.refund", by=by, key=key, reason=reason) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        account = account_of(entrant)
        if not 0 < cents <= account.kept_cents:
            raise Conflict(
                "too-much",
                _(
                    "A refund cannot be more than what was paid and not refunded yet. Enter a smaller amount above "
                    "zero."
                ),
            )
        line = Line(LineKind.REFUND, cents, reason=reason, method=method)
        return _add(write, entrant, line, settled=cents > account.refund_due_cents)


def correct_payment(payment: LedgerLine, *, by: Actor, reason: str, key: str = "") -> LedgerLine:
    """A payment typed by mistake stays and is answered by a correction of the whole amount, once."""
    require(by, "desk", payment.event.tournament)
    # One form may stand beside several payments: what was sent before is this payment's correction only.
    key = scoped_key(key, payment.pk)
    with writing(payment.event, verb="ledger.correction", by=by, key=key, reason=reason) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        if payment.kind != Kind.PAYMENT or LedgerLine.objects.filter(corrects=payment).exists():
            raise Conflict(
                "corrected",
                _(
                    "This line cannot be corrected: it is not a payment, or it was corrected before. Open the ledger "
                    "again."
                ),
            )
        line = Line(LineKind.CORRECTION, payment.cents, reason=reason, method=payment.method)
        return _add(write, payment.entrant, line, corrects=payment)


def waive_fee(entrant: Entrant, cents: int | None, *, by: Actor, reason: str, key: str) -> LedgerLine:
    """A discount of so many cents, or with None a complimentary entry: what is still asked for is not asked for."""
    require(by, "direct", entrant.event.tournament)
    with writing(
        entrant.event, verb="ledger.let-off", by=by, key=scoped_key(key, entrant.pk, cents), reason=reason
    ) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        return add_let_off(write, entrant, cents)


def add_let_off(write: Write, entrant: Entrant, cents: int | None) -> LedgerLine:
    """`waive_fee` inside another verb's write; the note's reason is the line's."""
    owed = account_of(entrant).owed_cents
    if cents is None:
        return _add(write, entrant, Line(LineKind.COMPLIMENTARY, owed, reason=write.reason))
    if not 0 < cents <= owed:
        said = _("A discount cannot be more than the fee. Enter an amount above zero, up to the fee.")
        raise DomainError("bad-value", said, field="cents")
    return _add(write, entrant, Line(LineKind.DISCOUNT, cents, reason=write.reason))


def add_payment(write: Write, entrant: Entrant, cents: int, method: str, reference: str = "") -> LedgerLine:
    """`take_payment` inside another verb's write, for lists that come with amounts."""
    return _add(write, entrant, Line(LineKind.PAYMENT, cents, method=method), reference=reference)


def cancel_fee(entrant: Entrant, *, by: Actor, reason: str, key: str) -> LedgerLine:
    """The fee falls away with the entry; what was paid is then due back."""
    require(by, "direct", entrant.event.tournament)
    with writing(
        entrant.event, verb="ledger.cancelled", by=by, key=scoped_key(key, entrant.pk), reason=reason
    ) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        owed = account_of(entrant).owed_cents
        if owed == 0:
            raise Conflict("nothing-owed", _("There is no fee to cancel. Nothing was changed."))
        return _add(write, entrant, Line(LineKind.CANCELLATION, owed, reason=reason))


def _add(
    write: Write,
    entrant: Entrant,
    line: Line,
    *,
    reference: str = "",
    corrects: LedgerLine | None = None,
    settled: bool = True,
) -> LedgerLine:
    """The row of a line that the purse accepts; refused where the event's money is settled, if that is so for it."""
    event = write.event
    if settled and event is not None and event.state == Event.State.FINISHED:
        said = _("The event is finished and its prizes are set. Open it again first, with a reason.")
        raise Conflict("finished", said)
    signed = write.fact_fields() | {"reason": line.reason}
    row = LedgerLine.objects.create(
        event_id=entrant.event_id,
        entrant=entrant,
        kind=line.kind.value,
        cents=line.cents,
        method=line.method,
        reference=reference,
        corrects=corrects,
        **signed,
    )
    write.keep("ledger", row)
    write.about(entrant, line=row.pk, kind=row.kind, cents=row.cents)
    return row


def add_cancellation(write: Write, entrant: Entrant, *, only_due: bool) -> LedgerLine | None:
    """The fee of an entry that goes falls away inside that write: all of it, or only what is not paid yet."""
    account = account_of(entrant)
    cents = account.due_cents if only_due else account.owed_cents
    if cents == 0:
        return None
    return _add(write, entrant, Line(LineKind.CANCELLATION, cents, reason=write.reason))


def restore_fee(write: Write, entrant: Entrant) -> LedgerLine | None:
    """Ask an entrant who is back in for the fee of their entry again, less what was let off."""
    # The first charge is the fee: a pair that was put together has those of its two halves.
    charged = lines_of(entrant).filter(kind=Kind.CHARGE)
    if entrant.halves.exists():
        charged = charged.exclude(entrant=entrant)
    fees: dict[int, int] = {}
    for whose, cents in charged.values_list("entrant_id", "cents"):
        fees.setdefault(whose, cents)
    account = account_of(entrant)
    off = account.discounted_cents + account.complimentary_cents + account.owed_cents
    cents = max(0, sum(fees.values()) - off)
    return _add(write, entrant, Line(LineKind.CHARGE, cents)) if cents else None


def split_payments(write: Write, pair: Entrant, halves: tuple[Entrant, Entrant]) -> None:
    """A pair was taken apart: what it paid since goes to its halves, first to what they still owe; a refund likewise.

    The drawer stays as it was: each payment is answered by its correction and paid anew by the same method. What a
    half had paid before is its own again. A discount of the pair ends with it.
    """
    reason = write.reason or "taken apart"
    first = halves[0]
    for line in LedgerLine.objects.filter(entrant=pair, kind=Kind.PAYMENT, corrected_by=None).order_by("pk"):
        _add(write, pair, Line(LineKind.CORRECTION, line.cents, reason=reason, method=line.method), corrects=line)
        for half, cents in _shared(line.cents, halves, account_of(first).due_cents):
            _add(write, half, Line(LineKind.PAYMENT, cents, method=line.method), reference=line.reference)
    for line in LedgerLine.objects.filter(entrant=pair, kind=Kind.REFUND).order_by("pk"):
        _add(write, pair, Line(LineKind.PAYMENT, line.cents, method=line.method))
        for half, cents in _shared(line.cents, halves, account_of(first).kept_cents):
            _add(write, half, Line(LineKind.REFUND, cents, reason=line.reason, method=line.method))


def _shared(cents: int, halves: tuple[Entrant, Entrant], most: int) -> list[tuple[Entrant, int]]:
    """Up to `most` is the first one's, the rest the other's."""
    of_first = max(0, min(cents, most))
    return [(half, part) for half, part in zip(halves, (of_first, cents - of_first), strict=True) if part]
