"""The ledger of an event: fees, payments, refunds and discounts of entries, and money that belongs to no entry.

Lines are only ever added. Each gets its movement and its postings in the transaction that adds it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.db.models import Max
from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, require_reason, scoped_key, writing
from tournament.core.topics import announce_bulk
from tournament.errors import Conflict, DomainError
from tournament.models import (
    CashMoved,
    Entrant,
    Event,
    EventMoney,
    LedgerLine,
    Movement,
    PaidOut,
    Posting,
    RefundSource,
    Tournament,
)
from tournament.money.selectors.cash import load_day_settings, open_drawer_of, venue_date
from tournament.money.selectors.ledger import (
    MoneyFact,
    account_of,
    booking_of,
    cents_by_kind,
    entry_movements,
    fee_terms_of,
    held_cents,
    lines_of,
    load_books,
    open_extra_charges,
    open_side_pool_charges,
    paid_by_method,
    refund_source_of,
)
from tournament.purse import FeeLine, FeeTerms, fee_for, keeps_prizes_unchanged
from tournament.purse.business_day import current_business_day, is_closed
from tournament.purse.kinds import DESK_FORMS, HELD, KINDS, Limit, MoneyKind
from tournament.purse.postings import refuse_reversal
from tournament.templatetags.gin import day_in_year, money

_FACT_COLUMNS: dict[type[MoneyFact], str] = {
    LedgerLine: "line",
    PaidOut: "paid_out",
    EventMoney: "money",
    CashMoved: "cash",
}
_MOST_CATEGORIES: Final = 60
_LONGEST_CATEGORY: Final = EventMoney._meta.get_field("category").max_length or 0


# --- Fees and payments of entries ------------------------------------------------------------------------------------


def charge(write: Write, entrant: Entrant) -> LedgerLine:
    """Charge the fee of a new entry inside the write that enters it, by the venue's date when it was received.

    An entry that asks for a partner pays half the fee of a pair. A re-entry pays the re-entry fee if the event has one.
    """
    event = entrant.event
    zone = ZoneInfo(event.tournament.time_zone)
    received_on = entrant.entered_at.astimezone(zone).date()
    terms = fee_terms_of(event)
    if entrant.reentry_of_id is not None and event.reentry_fee_cents is not None:
        terms = FeeTerms(event.reentry_fee_cents)
    if entrant.asks_partner:
        terms = terms.for_half_a_pair()
    return add_fee_line(write, entrant, FeeLine(MoneyKind.CHARGE, fee_for(terms, received_on)))


def take_payment(
    entrant: Entrant, cents: int, method: str, *, by: Actor, key: str, reference: str = "", given: int | None = None
) -> LedgerLine:
    """Record a payment once for each key. `given` is the cash that was handed over, if change was given.

    Raises:
        DomainError: `bad-value` if the amount is not above zero, or more than was given.
    """
    require(by, "desk", entrant.event.tournament)
    validate_payment(cents, given)
    key = scoped_key(key, entrant.pk, cents, method, reference, *(() if given is None else (given,)))
    with writing(entrant.event, verb="ledger.payment", by=by, key=key) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        return add_payment(write, entrant, cents, method, reference, given)


def validate_payment(cents: int, given: int | None) -> None:
    """Raise DomainError `bad-value` if the amount is not above zero, or more than was given."""
    if cents <= 0:
        message = _("A payment has to be more than zero. Enter the amount you received.")
        raise DomainError("bad-value", message, field="cents")
    if given is not None and given < cents:
        message = _("Less was given than is paid. Enter the amount you received, or leave this empty.")
        raise DomainError("bad-value", message, field="given")


def add_payment(
    write: Write, entrant: Entrant, cents: int, method: str, reference: str = "", given: int | None = None
) -> LedgerLine:
    """Add a payment inside another verb's write, such as an imported list or a sale."""
    return add_fee_line(
        write, entrant, FeeLine(MoneyKind.PAYMENT, cents, method=method), reference=reference, given_cents=given
    )


def refund(
    entrant: Entrant, cents: int, method: str, *, by: Actor, key: str, reason: str, paid_by: str = ""
) -> LedgerLine:
    """Refund money, up to what was paid by that method, or by `paid_by` if it was paid by another one.

    In a finished event, only refunds that leave the pools unchanged are accepted.

    Raises:
        Conflict: `too-much`, `finished`.
    """
    require(by, "direct", entrant.event.tournament)
    key = scoped_key(key, entrant.pk, cents, method, *((paid_by,) if paid_by else ()))
    with writing(entrant.event, verb="ledger.refund", by=by, key=key, reason=reason) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        return add_refund(write, entrant, cents, method, reason, paid_by)


def add_refund(write: Write, entrant: Entrant, cents: int, method: str, reason: str, paid_by: str = "") -> LedgerLine:
    """Add a refund inside another verb's write. Raise Conflict `too-much` or `finished` as `refund` does."""
    source = paid_by or method
    if not 0 < cents <= account_of(entrant).kept_cents:
        message = _(
            "A refund cannot be more than what was paid and not refunded yet. Enter a smaller amount above zero."
        )
        raise Conflict("too-much", message)
    if cents > paid_by_method(entrant).get(source, 0):
        message = _(
            "This entry did not pay that much by this method. Choose how it was paid, or enter a smaller amount."
        )
        raise Conflict("too-much", message)
    return add_fee_line(write, entrant, FeeLine(MoneyKind.REFUND, cents, reason=reason, method=method), paid_by=source)


def correct_payment(payment: LedgerLine, *, by: Actor, reason: str, key: str = "") -> LedgerLine:
    """Cancel the whole amount of a mistyped payment with a correction. The payment stays on record."""
    require(by, "desk", payment.event.tournament)
    # A page may show one form key next to several payments, so the key is scoped to this payment.
    key = scoped_key(key, payment.pk)
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
        return _add_answer(write, payment, MoneyKind.CORRECTION)


def reverse_line(line: LedgerLine, *, by: Actor, reason: str, key: str = "") -> LedgerLine:
    """Reverse a line that was recorded by mistake, such as a discount or a refund. The line stays on record.

    Raises:
        Conflict: `not-reversible`, `reversed`, `too-much` if a later line depends on it, `finished`.
    """
    terms = KINDS.get(line.kind)
    require(by, (terms and terms.reversed_by) or "direct", line.event.tournament)
    with writing(line.event, verb="ledger.reversal", by=by, key=scoped_key(key, line.pk), reason=reason) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        if terms is None or not terms.reversed_by or line.kind == MoneyKind.PAYMENT:
            message = _("This line cannot be reversed. Correct a payment, or cancel a fee.")
            raise Conflict("not-reversible", message)
        if LedgerLine.objects.filter(corrects=line).exists():
            raise Conflict("reversed", _("This line was reversed before. Nothing was changed."))
        if terms.off in HELD:
            require_held(write, terms.off, line.cents)
        return _add_answer(write, line, MoneyKind.REVERSAL)


def _add_answer(write: Write, line: LedgerLine, kind: MoneyKind) -> LedgerLine:
    movements = entry_movements(line.entrant.joined_to or line.entrant)
    refuse_reversal(list(movements.values()), list(movements).index(line.pk))
    return add_fee_line(write, line.entrant, _make_answer(line, kind, write.reason), corrects=line)


def _make_answer(line: LedgerLine, kind: MoneyKind, reason: str) -> FeeLine:
    reverses = MoneyKind(line.kind) if kind is MoneyKind.REVERSAL else None
    return FeeLine(kind, line.cents, reason=reason, method=line.method, reverses=reverses)


def waive_fee(entrant: Entrant, cents: int | None, *, by: Actor, reason: str, key: str) -> LedgerLine:
    """Give an entry a discount of so many cents, or make it complimentary if `cents` is None.

    Raises:
        DomainError: `bad-value`.
        Conflict: `nothing-owed`, `finished`.
    """
    require(by, "direct", entrant.event.tournament)
    with writing(
        entrant.event, verb="ledger.let-off", by=by, key=scoped_key(key, entrant.pk, cents), reason=reason
    ) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        if cents is None and account_of(entrant).owed_cents == 0:
            raise Conflict("nothing-owed", _("This entry owes no fee. Nothing was changed."))
        return add_let_off(write, entrant, cents)


def add_let_off(write: Write, entrant: Entrant, cents: int | None) -> LedgerLine:
    """Waive a fee inside another verb's write, for the reason of that write."""
    owed = account_of(entrant).owed_cents
    if cents is None:
        return add_fee_line(write, entrant, FeeLine(MoneyKind.COMPLIMENTARY, owed, reason=write.reason))
    if not 0 < cents <= owed:
        message = _("A discount cannot be more than the fee. Enter an amount above zero, up to the fee.")
        raise DomainError("bad-value", message, field="cents")
    return add_fee_line(write, entrant, FeeLine(MoneyKind.DISCOUNT, cents, reason=write.reason))


def reverse_named_charge(write: Write, line: LedgerLine) -> LedgerLine:
    """Reverse the charge of a side pool or an extra inside an open write. Raise Conflict `finished`."""
    is_extra = line.kind == MoneyKind.EXTRA
    reason = write.reason or (_("Extra given back") if is_extra else _("Taken out of the side pool"))
    return add_fee_line(
        write, line.entrant, _make_answer(line, MoneyKind.REVERSAL, reason), corrects=line, reference=line.reference
    )


# --- Entries that leave or come back ---------------------------------------------------------------------------------


def cancel_fee(entrant: Entrant, *, by: Actor, reason: str, key: str) -> LedgerLine:
    """Cancel the fee of an entry. What was paid is then due back."""
    require(by, "direct", entrant.event.tournament)
    with writing(
        entrant.event, verb="ledger.cancelled", by=by, key=scoped_key(key, entrant.pk), reason=reason
    ) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        owed = account_of(entrant).owed_cents
        if owed == 0:
            raise Conflict("nothing-owed", _("There is no fee to cancel. Nothing was changed."))
        return add_fee_line(write, entrant, FeeLine(MoneyKind.CANCELLATION, owed, reason=reason))


def add_cancellation(write: Write, entrant: Entrant, *, only_due: bool) -> LedgerLine | None:
    """Cancel the fee of an entry that leaves, or only the unpaid part of it, inside that write.

    The entry also leaves its side pools and gives its extras back. What it paid for them is due back.
    """
    for line in (*open_side_pool_charges(entrant), *open_extra_charges(entrant)):
        reverse_named_charge(write, line)
    account = account_of(entrant)
    cents = account.fee_due_cents if only_due else account.owed_cents
    if cents == 0:
        return None
    return add_fee_line(write, entrant, FeeLine(MoneyKind.CANCELLATION, cents, reason=write.reason))


def reverse_cancellation(write: Write, line: LedgerLine) -> LedgerLine:
    """Reverse a canceled fee, inside the write that brings the event back."""
    return add_fee_line(write, line.entrant, _make_answer(line, MoneyKind.REVERSAL, write.reason), corrects=line)


def restore_fee(write: Write, entrant: Entrant) -> LedgerLine | None:
    """Charge the fee again for an entry that is back in, less its discounts."""
    # The first charge is the fee. A pair that was put together has the charges of its two halves.
    charged = lines_of(entrant).filter(kind=MoneyKind.CHARGE, corrected_by=None)
    if entrant.halves.exists():
        charged = charged.exclude(entrant=entrant)
    fees: dict[int, int] = {}
    for entrant_id, cents in charged.values_list("entrant_id", "cents"):
        fees.setdefault(entrant_id, cents)
    account = account_of(entrant)
    off = account.discounted_cents + account.complimentary_cents + account.owed_cents
    cents = max(0, sum(fees.values()) - off)
    return add_fee_line(write, entrant, FeeLine(MoneyKind.CHARGE, cents)) if cents else None


def split_payments(write: Write, pair: Entrant, halves: tuple[Entrant, Entrant]) -> None:
    """Move the payments and refunds of a separated pair to its halves, first to the half that owes.

    The drawer does not change: each payment is corrected and recorded again by the same method. A half gets back what
    it had paid on its own. Charges and discounts of the pair end with the pair.
    """
    reason = write.reason or "taken apart"
    first = halves[0]
    fee_kinds = (MoneyKind.CHARGE, MoneyKind.DISCOUNT, MoneyKind.COMPLIMENTARY, MoneyKind.CANCELLATION)
    for line in LedgerLine.objects.filter(entrant=pair, kind__in=fee_kinds, corrected_by=None).order_by("pk"):
        add_fee_line(write, pair, _make_answer(line, MoneyKind.REVERSAL, reason), corrects=line)
    for line in (*open_side_pool_charges(pair), *open_extra_charges(pair).filter(entrant=pair)):
        reverse_named_charge(write, line)
    for line in LedgerLine.objects.filter(entrant=pair, kind=MoneyKind.PAYMENT, corrected_by=None).order_by("pk"):
        add_fee_line(write, pair, _make_answer(line, MoneyKind.CORRECTION, reason), corrects=line)
        for half, cents in _divide_between(line.cents, halves, account_of(first).due_cents):
            add_fee_line(write, half, FeeLine(MoneyKind.PAYMENT, cents, method=line.method), reference=line.reference)
    for line in LedgerLine.objects.filter(entrant=pair, kind=MoneyKind.REFUND, corrected_by=None).order_by("pk"):
        source = refund_source_of(line)
        add_fee_line(write, pair, _make_answer(line, MoneyKind.REVERSAL, reason), corrects=line)
        for half, cents in _divide_between(line.cents, halves, account_of(first).kept_cents):
            part = FeeLine(MoneyKind.REFUND, cents, reason=line.reason, method=line.method)
            add_fee_line(write, half, part, paid_by=source.method if source is not None else "")


def _divide_between(cents: int, halves: tuple[Entrant, Entrant], most: int) -> list[tuple[Entrant, int]]:
    of_first = max(0, min(cents, most))
    return [(half, part) for half, part in zip(halves, (of_first, cents - of_first), strict=True) if part]


# --- Refunds of a whole event ----------------------------------------------------------------------------------------


def refund_all(event: Event, cents: int, *, by: Actor, reason: str, key: str = "") -> int:
    """Refund every entry what it is owed, each by the methods it paid with, and return the number of these entries.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `changed` if the sum owed is not the sum that was shown.
    """
    require(by, "direct", event.tournament)
    require_reason(reason)
    with writing(event, verb="ledger.refund-all", by=by, key=scoped_key(key, cents), reason=reason) as write:
        if write.repeated:
            return int(write.outcome["entries"])
        books = load_books(write.the_event)
        owed = [pk for pk, account in books.accounts.items() if account.refund_due_cents]
        if not owed or books.total.refund_due_cents != cents:
            message = _("What players are owed has changed since this page was opened. Look at the list again.")
            raise Conflict("changed", message)
        for entrant in Entrant.objects.select_related("event__tournament").filter(pk__in=owed).order_by("number"):
            for method, part in _refund_parts(entrant, books.account(entrant.pk).refund_due_cents):
                add_refund(write, entrant, part, method, reason)
        write.about(event, entries=len(owed), cents=cents)
        return len(owed)


def _refund_parts(entrant: Entrant, cents: int) -> Iterator[tuple[str, int]]:
    paid = paid_by_method(entrant)
    for method in sorted(paid, key=lambda method: (-paid[method], method)):
        part = min(cents, paid[method])
        if part > 0:
            yield method, part
            cents -= part


# --- Money that belongs to no entry ----------------------------------------------------------------------------------
# Sponsors add money, and the organizer pays expenses and sends withheld taxes to the tax office.


@dataclass(frozen=True, slots=True)
class Sum:
    """An amount and how it was paid. `party` gave it or was paid, and `category` is what it was for."""

    cents: int
    method: str
    party: str = ""
    category: str = ""
    reference: str = ""


def record_money(event: Event, kind: str, given: Sum, *, by: Actor, key: str, reason: str = "") -> EventMoney:
    """Record money of no entry. A repeated request with the same key adds nothing.

    Raises:
        DomainError: `bad-value`, `reason-needed`.
        Conflict: `finished`, or the refusal of the account if more is sent on than is held for somebody else.
    """
    terms, form = KINDS[kind], DESK_FORMS[kind]
    require(by, terms.recorded_by, event.tournament)
    require_amount(given.cents)
    if form.no_party and not given.party.strip():
        raise DomainError("bad-value", str(form.no_party), field="party")
    if terms.needs_reason:
        require_reason(reason, str(form.no_reason))
    with writing(event, verb=DESK_FORMS[kind].verb, by=by, key=scoped_key(key, given), reason=reason) as write:
        if write.repeated:
            return EventMoney.objects.get(pk=write.outcome["money"])
        if form.changes_pool:
            require_not_finished(write)
        if form.has_category and given.category not in write.tournament.expense_categories:
            message = _("This category is not on the list. Choose one, or add it to the categories first.")
            raise DomainError("bad-value", message, field="category")
        if Limit.HELD in terms.limits and given.cents > (held := held_cents(write.the_event)[terms.to]):
            code, refusal = HELD[terms.to].too_much
            raise Conflict(code, str(refusal(money(held, write.tournament.currency))))
        return _add_money(write, kind, given)


def reverse_money(row: EventMoney, *, by: Actor, reason: str, key: str = "") -> EventMoney:
    """Reverse added money, an expense or a tax remittance that was recorded by mistake.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `reversed`, `finished`.
    """
    require(by, KINDS[row.kind].reversed_by, row.event.tournament)
    require_reason(reason)
    with writing(row.event, verb="money.reversed", by=by, key=scoped_key(key, row.pk), reason=reason) as write:
        if write.repeated:
            return EventMoney.objects.get(pk=write.outcome["money"])
        if row.reverses_id is not None or EventMoney.objects.filter(reverses=row).exists():
            raise Conflict("reversed", _("This line was reversed before. Nothing was changed."))
        if DESK_FORMS[row.kind].changes_pool:
            require_not_finished(write)
        same = Sum(row.cents, row.method, row.party, row.category, row.reference)
        return _add_money(write, row.kind, same, reverses=row)


def set_categories(tournament: Tournament, names: Iterable[str], *, by: Actor) -> list[str]:
    """Set the categories of expenses. Recorded expenses keep the category they have.

    Raises:
        DomainError: `bad-value` if there are no categories, too many, or one is too long.
    """
    require(by, "direct", tournament)
    categories = list(dict.fromkeys(name for name in (" ".join(name.split()) for name in names) if name))
    if not 0 < len(categories) <= _MOST_CATEGORIES or any(len(name) > _LONGEST_CATEGORY for name in categories):
        message = _("Enter from 1 to %(most)s categories, one per line, each up to %(longest)s letters.")
        raise DomainError(
            "bad-value", message % {"most": _MOST_CATEGORIES, "longest": _LONGEST_CATEGORY}, field="names"
        )
    with writing(tournament, verb="money.categories", by=by) as write:
        write.tournament.expense_categories = categories
        write.tournament.save(update_fields=["expense_categories"])
        write.about(tournament, categories=categories)
    return categories


def require_held(write: Write, account: str, cents: int) -> None:
    """Refuse to give back money that was already sent on to whom it belongs."""
    if cents and cents > held_cents(write.the_event)[account]:
        code, message = HELD[account].sent_already
        raise Conflict(code, str(message(money(cents, write.tournament.currency))))


def require_amount(cents: int) -> None:
    if cents <= 0:
        raise DomainError("bad-value", _("Enter an amount above zero."), field="cents")


def _add_money(write: Write, kind: str, given: Sum, *, reverses: EventMoney | None = None) -> EventMoney:
    row = EventMoney.objects.create(
        event=write.the_event,
        kind=kind,
        cents=given.cents,
        method=given.method,
        party=given.party,
        category=given.category,
        reference=given.reference,
        reverses=reverses,
        **write.fact_fields(),
    )
    write.log_digest("event_money", row)
    post(write, row)
    write.about(given.party or given.category, money=row.pk, kind=str(kind), cents=given.cents)
    return row


# --- Lines and their postings ----------------------------------------------------------------------------------------


def add_fee_line(
    write: Write,
    entrant: Entrant,
    line: FeeLine,
    *,
    reference: str = "",
    corrects: LedgerLine | None = None,
    given_cents: int | None = None,
    paid_by: str = "",
) -> LedgerLine:
    """Add a ledger line and its postings, unless the event is finished and the line would change a prize.

    `paid_by` is the method by which the money of a refund was paid.
    """
    if is_finished(write) and not keeps_prizes_unchanged(cents_by_kind(entrant.joined_to or entrant), line):
        late_payment = _(
            "The event is finished, so only extras can be paid, once the fee and the side pools are. Open the event "
            "again first, with a reason."
        )
        require_not_finished(write, late_payment if line.kind is MoneyKind.PAYMENT else "")
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
    write.log_digest("ledger", row)
    if paid_by and paid_by != line.method:
        write.log_digest("refund_sources", RefundSource.objects.create(line=row, method=paid_by, **signed))
    post(write, row, given_cents=given_cents)
    write.about(entrant, line=row.pk, kind=row.kind, cents=row.cents)
    return row


def post(write: Write, fact: MoneyFact, *, given_cents: int | None = None, day: date | None = None) -> Movement:
    """Give a fact its receipt number, its business day and its postings. The event's lock keeps the numbers unique.

    If the actor is a cashier with an open drawer, the money is in that drawer. Pass `day` only for a count of that day.

    Raises:
        Conflict: `day-closed` if the given day is closed.
    """
    booking = booking_of(fact)
    drawer, reverses, event_id = None, None, None
    if not isinstance(fact, CashMoved):
        event_id = fact.event_id
        reverses = fact.corrects if isinstance(fact, LedgerLine) else fact.reverses
        drawer = _open_drawer_id(write)
        if drawer is not None:
            booking = booking.in_drawer(drawer)
    about: dict[str, Any] = {"tournament": write.tournament, "event_id": event_id, "day": _business_day(write, day)}
    row = Movement.objects.create(
        number=_next_number(write, event_id),
        kind=booking.kind.value,
        reverses=reverses.movement if reverses is not None else None,
        given_cents=given_cents,
        drawer_id=drawer,
        **about,
        **{_FACT_COLUMNS[type(fact)]: fact},
    )
    about |= {"kind": booking.kind.value, "method": booking.method, "category": booking.category}
    entrant_id = booking.entry or None
    rows = [
        Posting(
            movement=row,
            account=posting.account.value,
            cents=posting.cents,
            entrant_id=entrant_id,
            drawer=posting.drawer or None,
            **about,
        )
        for posting in booking.postings
    ]
    announce_bulk(Posting.objects.bulk_create(rows))
    return row


def _next_number(write: Write, event_id: int | None) -> int:
    rows = Movement.objects.filter(tournament=write.tournament, event=None)
    if event_id is not None:
        rows = Movement.objects.filter(event=event_id)
    last: int | None = rows.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def _business_day(write: Write, day: date | None) -> date:
    today = venue_date(write.tournament, write.at)
    if "days" not in write.looked_up:
        write.looked_up["days"] = load_day_settings(write.tournament, today)
    override, closed_through = write.looked_up["days"]
    day = day or current_business_day(today, override, closed_through)
    require_open_day(day, closed_through)
    return day


def _open_drawer_id(write: Write) -> int | None:
    if "drawer" not in write.looked_up:
        open_drawer = open_drawer_of(write.by.user, write.tournament) if write.by.user is not None else None
        write.looked_up["drawer"] = open_drawer.pk if open_drawer is not None else None
    drawer: int | None = write.looked_up["drawer"]
    return drawer


def is_finished(write: Write) -> bool:
    return write.event is not None and write.event.state == Event.State.FINISHED


def require_not_finished(write: Write, message: str = "") -> None:
    """Raise Conflict `finished` if the event is finished, because its pool must not change."""
    if is_finished(write):
        default = _("The event is finished and its prizes are set. Open it again first, with a reason.")
        raise Conflict("finished", message or default)


def require_open_day(day: date, closed_through: date | None) -> None:
    if is_closed(day, closed_through):
        message = _("%(day)s is closed. Ask a director to open that day again under Money › Close the day.")
        raise Conflict("day-closed", message % {"day": day_in_year(day)})
