"""Entry fees, payments, discounts and refunds. Every action adds lines to the event's ledger."""

from collections.abc import Iterator
from dataclasses import replace
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, Event, LedgerLine
from tournament.money.selectors.ledger import (
    find_refund_source,
    load_current_charges_for_extras,
    load_entry_account,
    load_event_accounts,
    load_ledger_lines,
    make_movement_from_fact,
    read_fee_terms,
    sum_payments_by_method,
)
from tournament.money.services.ledger import add_ledger_line, require_money_still_held
from tournament.purse.fees import FeeTerms, compute_fee_on_date
from tournament.purse.kinds import HELD_MONEY_BY_ACCOUNT, MONEY_KIND_DETAILS, MoneyKind
from tournament.purse.postings import MoneyMovement, require_reversible

# --- Fees and payments of entries ------------------------------------------------------------------------------------


def charge_fee(write: WriteTransaction, entrant: Entrant) -> LedgerLine:
    """Charge a new entry's fee. Call this in the transaction that creates the entry.

    The fee depends on the local date at the venue when the entry was received. An entry that is looking for a partner
    pays half a pair's fee. A re-entry pays the re-entry fee, if the event has one.
    """
    event = entrant.event
    zone = ZoneInfo(event.tournament.time_zone)
    received_on = entrant.entered_at.astimezone(zone).date()
    terms = read_fee_terms(event)
    if entrant.reentry_of_id is not None and event.reentry_fee_cents is not None:
        terms = FeeTerms(event.reentry_fee_cents)
    if entrant.asks_partner:
        terms = terms.halve_for_single_player()
    return add_ledger_line(write, entrant, MoneyKind.CHARGE, compute_fee_on_date(terms, received_on))


def take_payment(
    entrant: Entrant, cents: int, method: str, *, by: Actor, key: str, reference: str = "", given: int | None = None
) -> LedgerLine:
    """Record a payment. `given` is the amount of cash received, if change was given.

    Raises:
        DomainError: `bad-value` if the amount is not above zero, or more than was given.
    """
    require_permission(by, "desk", entrant.event.tournament)
    validate_payment(cents, given)
    key = make_idempotency_key(key, entrant.pk, cents, method, reference, *(() if given is None else (given,)))
    with writing(entrant.event, verb="ledger.payment", by=by, key=key) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        return add_payment(write, entrant, cents, method, reference, given)


def validate_payment(cents: int, given: int | None) -> None:
    if cents <= 0:
        message = _("A payment has to be more than zero. Enter the amount you received.")
        raise DomainError("bad-value", message, field="cents")
    if given is not None and given < cents:
        message = _("Less was given than is paid. Enter the amount you received, or leave this empty.")
        raise DomainError("bad-value", message, field="given")


def add_payment(
    write: WriteTransaction, entrant: Entrant, cents: int, method: str, reference: str = "", given: int | None = None
) -> LedgerLine:
    """Add a payment in the caller's transaction."""
    return add_ledger_line(
        write, entrant, MoneyKind.PAYMENT, cents, method=method, reference=reference, given_cents=given
    )


def refund_entry(
    entrant: Entrant, cents: int, method: str, *, by: Actor, key: str, reason: str, paid_by: str = ""
) -> LedgerLine:
    """Refund money to an entry. `paid_by` is the method of the original payment, if it differs from `method`.

    The refund is at most the amount that the entry paid by that original method. A finished event allows only refunds
    that do not change the prize pools.

    Raises:
        Conflict: `too-much`, `finished`.
    """
    require_permission(by, "direct", entrant.event.tournament)
    key = make_idempotency_key(key, entrant.pk, cents, method, *((paid_by,) if paid_by else ()))
    with writing(entrant.event, verb="ledger.refund", by=by, key=key, reason=reason) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        return add_refund(write, entrant, cents, method, reason, paid_by)


def add_refund(
    write: WriteTransaction, entrant: Entrant, cents: int, method: str, reason: str, paid_by: str = ""
) -> LedgerLine:
    """Add a refund in the caller's transaction. Raise the same errors as `refund_entry`."""
    source = paid_by or method
    if not 0 < cents <= load_entry_account(entrant).net_paid_cents:
        message = _(
            "A refund cannot be more than what was paid and not refunded yet. Enter a smaller amount above zero."
        )
        raise Conflict("too-much", message)
    if cents > sum_payments_by_method(entrant).get(source, 0):
        message = _(
            "This entry did not pay that much by this method. Choose how it was paid, or enter a smaller amount."
        )
        raise Conflict("too-much", message)
    return add_ledger_line(write, entrant, MoneyKind.REFUND, cents, method=method, reason=reason, paid_by=source)


def correct_payment(payment: LedgerLine, *, by: Actor, reason: str, key: str = "") -> LedgerLine:
    """Cancel a mistyped payment in full by adding a correction. The payment stays on record."""
    require_permission(by, "desk", payment.event.tournament)
    # A page may show one form key next to several payments, so the key is scoped to this payment.
    key = make_idempotency_key(key, payment.pk)
    with writing(payment.event, verb="ledger.correction", by=by, key=key, reason=reason) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        if payment.kind != MoneyKind.PAYMENT or LedgerLine.objects.filter(corrects=payment).exists():
            raise Conflict(
                "corrected",
                _(
                    "This line cannot be corrected: it is not a payment, or it was corrected before. Open the ledger "
                    "again."
                ),
            )
        return _cancel_line(write, payment, MoneyKind.CORRECTION)


def reverse_ledger_line(line: LedgerLine, *, by: Actor, reason: str, key: str = "") -> LedgerLine:
    """Reverse a line that was recorded by mistake, such as a discount or a refund. The line stays on record.

    Raises:
        Conflict: `not-reversible`, `reversed`, `too-much` if a later line depends on it, `finished`.
    """
    terms = MONEY_KIND_DETAILS.get(line.kind)
    require_permission(by, (terms and terms.reversed_by) or "direct", line.event.tournament)
    with writing(
        line.event, verb="ledger.reversal", by=by, key=make_idempotency_key(key, line.pk), reason=reason
    ) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        if terms is None or not terms.reversed_by or line.kind == MoneyKind.PAYMENT:
            message = _("This line cannot be reversed. Correct a payment, or cancel a fee.")
            raise Conflict("not-reversible", message)
        if LedgerLine.objects.filter(corrects=line).exists():
            raise Conflict("reversed", _("This line was reversed before. Nothing was changed."))
        if terms.off in HELD_MONEY_BY_ACCOUNT:
            require_money_still_held(write, terms.off, line.cents)
        return _cancel_line(write, line, MoneyKind.REVERSAL)


def _cancel_line(write: WriteTransaction, line: LedgerLine, kind: MoneyKind) -> LedgerLine:
    movements = _load_entry_movements(line.entrant.joined_to or line.entrant)
    require_reversible(list(movements.values()), list(movements).index(line.pk))
    return add_reversal(write, line, write.reason, kind)


def _load_entry_movements(entrant: Entrant) -> dict[int, MoneyMovement]:
    """Return the money movement of each line in an entry's ledger, keyed by the line's primary key, oldest first."""
    sources = ("refund_source", "corrects__refund_source")
    lines = load_ledger_lines(entrant).select_related("corrects", *sources)
    return {line.pk: replace(make_movement_from_fact(line), entry=entrant.pk) for line in lines}


def add_reversal(
    write: WriteTransaction, line: LedgerLine, reason: str, kind: MoneyKind = MoneyKind.REVERSAL, reference: str = ""
) -> LedgerLine:
    return add_ledger_line(
        write, line.entrant, kind, line.cents, method=line.method, reason=reason, reference=reference, corrects=line
    )


def discount_or_waive_fee(entrant: Entrant, cents: int | None, *, by: Actor, reason: str, key: str) -> LedgerLine:
    """Give an entry a discount of this many cents, or make the entry complimentary if `cents` is None.

    Raises:
        DomainError: `bad-value`.
        Conflict: `nothing-owed`, `finished`.
    """
    require_permission(by, "direct", entrant.event.tournament)
    with writing(
        entrant.event, verb="ledger.let-off", by=by, key=make_idempotency_key(key, entrant.pk, cents), reason=reason
    ) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        if cents is None and load_entry_account(entrant).owed_cents == 0:
            raise Conflict("nothing-owed", _("This entry owes no fee. Nothing was changed."))
        return add_fee_waiver(write, entrant, cents)


def add_fee_waiver(write: WriteTransaction, entrant: Entrant, cents: int | None) -> LedgerLine:
    """Waive all or part of an entry's fee in the caller's transaction.

    If `cents` is None, the entry becomes complimentary. Otherwise, it gets a discount of this many cents. The reason of
    the transaction is recorded as the reason of the waiver.
    """
    owed = load_entry_account(entrant).owed_cents
    if cents is None:
        return add_ledger_line(write, entrant, MoneyKind.COMPLIMENTARY, owed, reason=write.reason)
    if not 0 < cents <= owed:
        message = _("A discount cannot be more than the fee. Enter an amount above zero, up to the fee.")
        raise DomainError("bad-value", message, field="cents")
    return add_ledger_line(write, entrant, MoneyKind.DISCOUNT, cents, reason=write.reason)


def reverse_charge_for_side_pool_or_extra(write: WriteTransaction, line: LedgerLine) -> LedgerLine:
    """Reverse the charge for a side pool or an extra in the caller's transaction.

    Raise Conflict `finished` if this would change a finished event's prizes.
    """
    is_extra = line.kind == MoneyKind.EXTRA
    reason = write.reason or (_("Extra given back") if is_extra else _("Taken out of the side pool"))
    return add_reversal(write, line, reason, reference=line.reference)


# --- Entries that leave or come back ---------------------------------------------------------------------------------


def cancel_fee(entrant: Entrant, *, by: Actor, reason: str, key: str) -> LedgerLine:
    """Cancel an entry's fee. Its payments then have to be refunded."""
    require_permission(by, "direct", entrant.event.tournament)
    with writing(
        entrant.event, verb="ledger.cancelled", by=by, key=make_idempotency_key(key, entrant.pk), reason=reason
    ) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        owed = load_entry_account(entrant).owed_cents
        if owed == 0:
            raise Conflict("nothing-owed", _("There is no fee to cancel. Nothing was changed."))
        return add_ledger_line(write, entrant, MoneyKind.CANCELLATION, owed, reason=reason)


def add_fee_cancellation(write: WriteTransaction, entrant: Entrant, *, only_due: bool) -> LedgerLine | None:
    """Cancel an entry's fee in the caller's transaction.

    Call this if the entry leaves the event or the event is called off. If `only_due` is true, cancel only the unpaid
    part. The entry also leaves its side pools and returns its extras. Payments for them have to be refunded.

    Return the cancellation line, or None if there was nothing to cancel.
    """
    for line in (*_load_open_side_pool_charges(entrant), *load_current_charges_for_extras(entrant)):
        reverse_charge_for_side_pool_or_extra(write, line)
    account = load_entry_account(entrant)
    cents = account.fee_due_cents if only_due else account.owed_cents
    if cents == 0:
        return None
    return add_ledger_line(write, entrant, MoneyKind.CANCELLATION, cents, reason=write.reason)


def _load_open_side_pool_charges(entrant: Entrant) -> QuerySet[LedgerLine]:
    """Return the charge for each side pool that an entry is in, in the order in which it joined them."""
    kind = MoneyKind.SIDE_POOL
    return LedgerLine.objects.filter(entrant=entrant, kind=kind, corrected_by=None).order_by("pk")


def restore_fee(write: WriteTransaction, entrant: Entrant) -> LedgerLine | None:
    """Charge a canceled fee again, less discounts, when the entry is reinstated.

    Any part of the fee that is still charged is not charged again. Return None if nothing is left to charge.
    """
    # The first charge is the fee. A joined pair has the charges of its two players.
    charged = load_ledger_lines(entrant).filter(kind=MoneyKind.CHARGE, corrected_by=None)
    if entrant.halves.exists():
        charged = charged.exclude(entrant=entrant)
    fees: dict[int, int] = {}
    for entrant_id, cents in charged.values_list("entrant_id", "cents"):
        fees.setdefault(entrant_id, cents)
    account = load_entry_account(entrant)
    off = account.discounted_cents + account.complimentary_cents + account.owed_cents
    cents = max(0, sum(fees.values()) - off)
    return add_ledger_line(write, entrant, MoneyKind.CHARGE, cents) if cents else None


def split_pair_payments(write: WriteTransaction, pair: Entrant, halves: tuple[Entrant, Entrant]) -> None:
    """Move a separated pair's payments and refunds to its two players. The first player's debt is paid first.

    The cash in the drawer does not change: each payment is corrected and recorded again with the same method. The
    pair's charges and discounts are reversed.
    """
    reason, first = write.reason or "taken apart", halves[0]

    def open_lines(*kinds: MoneyKind) -> QuerySet[LedgerLine]:
        rows = LedgerLine.objects.filter(entrant=pair, kind__in=kinds, corrected_by=None)
        return rows.select_related("entrant").order_by("pk")

    for line in open_lines(MoneyKind.CHARGE, MoneyKind.DISCOUNT, MoneyKind.COMPLIMENTARY, MoneyKind.CANCELLATION):
        add_reversal(write, line, reason)
    for line in (*_load_open_side_pool_charges(pair), *load_current_charges_for_extras(pair).filter(entrant=pair)):
        reverse_charge_for_side_pool_or_extra(write, line)
    for line in open_lines(MoneyKind.PAYMENT):
        add_reversal(write, line, reason, MoneyKind.CORRECTION)
        for half, cents in _divide_between_halves(line.cents, halves, load_entry_account(first).due_cents):
            add_ledger_line(write, half, MoneyKind.PAYMENT, cents, method=line.method, reference=line.reference)
    for line in open_lines(MoneyKind.REFUND):
        source = find_refund_source(line)
        add_reversal(write, line, reason)
        for half, cents in _divide_between_halves(line.cents, halves, load_entry_account(first).net_paid_cents):
            add_ledger_line(
                write,
                half,
                MoneyKind.REFUND,
                cents,
                method=line.method,
                reason=line.reason,
                paid_by=source.method if source is not None else "",
            )


def _divide_between_halves(cents: int, halves: tuple[Entrant, Entrant], most: int) -> list[tuple[Entrant, int]]:
    of_first = max(0, min(cents, most))
    return [(half, part) for half, part in zip(halves, (of_first, cents - of_first), strict=True) if part]


# --- Refunds of a whole event ----------------------------------------------------------------------------------------


def refund_all_entries(event: Event, cents: int, *, by: Actor, reason: str, key: str = "") -> int:
    """Refund what each entry is owed, by its original payment methods. Return the number of refunded entries.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `changed` if the total owed differs from `cents`, the total that the page showed.
    """
    require_permission(by, "direct", event.tournament)
    require_reason(reason)
    with writing(event, verb="ledger.refund-all", by=by, key=make_idempotency_key(key, cents), reason=reason) as write:
        if write.repeated:
            return int(write.outcome["entries"])
        books = load_event_accounts(write.the_event)
        owed = [pk for pk, account in books.accounts.items() if account.refund_due_cents]
        if not owed or books.total.refund_due_cents != cents:
            message = _("What players are owed has changed since this page was opened. Look at the list again.")
            raise Conflict("changed", message)
        for entrant in Entrant.objects.select_related("event__tournament").filter(pk__in=owed).order_by("number"):
            for method, part in _iter_refund_parts(entrant, books.get_account(entrant.pk).refund_due_cents):
                add_refund(write, entrant, part, method, reason)
        write.about(event, entries=len(owed), cents=cents)
        return len(owed)


def _iter_refund_parts(entrant: Entrant, cents: int) -> Iterator[tuple[str, int]]:
    paid = sum_payments_by_method(entrant)
    for method in sorted(paid, key=lambda method: (-paid[method], method)):
        part = min(cents, paid[method])
        if part > 0:
            yield method, part
            cents -= part
