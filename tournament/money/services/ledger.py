"""The event's ledger. Every money record gets its movement and postings here, and no row is ever changed.

The module also records money that belongs to no entry: added money, expenses, tax remittances and charity payments.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require_permission
from tournament.core.selectors.issued import find_receipt_number
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.core.topics import record_bulk_created_rows
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
from tournament.money.selectors.drawers_and_close import find_open_drawer, load_business_day_settings, to_venue_date
from tournament.money.selectors.ledger import (
    MoneyFact,
    load_entry_cents_by_kind,
    load_held_cents_by_account,
    make_movement_from_fact,
)
from tournament.purse.business_day import find_current_business_day, is_day_closed
from tournament.purse.fees import leaves_prizes_unchanged, validate_ledger_line
from tournament.purse.kinds import DESK_FORM_BY_KIND, HELD_MONEY_BY_ACCOUNT, MONEY_KIND_DETAILS, AmountLimit, MoneyKind
from tournament.templatetags.gin import day_in_year, money

_FACT_COLUMNS: dict[type[MoneyFact], str] = {
    LedgerLine: "line",
    PaidOut: "paid_out",
    EventMoney: "money",
    CashMoved: "cash",
}
_MOST_CATEGORIES: Final = 60
_LONGEST_CATEGORY: Final = EventMoney._meta.get_field("category").max_length or 0


# --- Lines and their postings ----------------------------------------------------------------------------------------


def add_ledger_line(
    write: WriteTransaction,
    entrant: Entrant,
    kind: MoneyKind,
    cents: int,
    *,
    method: str = "",
    reason: str = "",
    reference: str = "",
    corrects: LedgerLine | None = None,
    given_cents: int | None = None,
    paid_by: str = "",
) -> LedgerLine:
    """Add a ledger line and its postings. In a finished event, only lines that leave the prizes unchanged are allowed.

    `corrects` is the line that a correction or a reversal cancels. `paid_by` is the method of the payment that a refund
    returns.

    Raises:
        DomainError: from `validate_ledger_line`.
        Conflict: `finished`.
    """
    validate_ledger_line(kind, cents, method=method, reason=reason)
    if _is_event_finished(write):
        sums = load_entry_cents_by_kind(entrant.joined_to or entrant)
        effect = (kind, cents) if corrects is None else (MoneyKind(corrects.kind), -cents)
        if not leaves_prizes_unchanged(sums, *effect):
            late_payment = _(
                "The event is finished, so only extras can be paid, once the fee and the side pools are. Open the "
                "event again first, with a reason."
            )
            require_not_finished(write, late_payment if kind is MoneyKind.PAYMENT else "")
    signed = write.fact_fields() | {"reason": reason}
    row = LedgerLine.objects.create(
        event_id=entrant.event_id,
        entrant=entrant,
        kind=kind.value,
        cents=cents,
        method=method,
        reference=reference,
        corrects=corrects,
        **signed,
    )
    write.log_row_digest("ledger", row)
    if paid_by and paid_by != method:
        write.log_row_digest("refund_sources", RefundSource.objects.create(line=row, method=paid_by, **signed))
    post_money_fact(write, row, given_cents=given_cents)
    write.about(entrant, line=row.pk, kind=row.kind, cents=row.cents)
    return row


def post_money_fact(
    write: WriteTransaction, fact: MoneyFact, *, given_cents: int | None = None, day: date | None = None
) -> Movement:
    """Add a recorded fact to the ledger: one movement and its postings, with a receipt number and a business day.

    Receipt numbers are unique because the write locks the event or tournament. If the actor is a cashier with an open
    drawer, the money goes into that drawer. `day` is set only for a difference that was found in a day's count: it is
    the day that was counted.

    Raises:
        Conflict: `day-closed` if the given day is closed.
    """
    movement = make_movement_from_fact(fact)
    drawer, reverses, event_id = None, None, None
    if not isinstance(fact, CashMoved):
        event_id = fact.event_id
        reverses = fact.corrects if isinstance(fact, LedgerLine) else fact.reverses
        drawer = _find_open_drawer_id(write)
        if drawer is not None:
            movement = movement.with_drawer(drawer)
    about: dict[str, Any] = {
        "tournament": write.tournament,
        "event_id": event_id,
        "day": _find_business_day(write, day),
    }
    number, receipt_key = _find_next_receipt_number(write, event_id, movement.kind)
    row = Movement.objects.create(
        number=number,
        receipt_key=receipt_key,
        kind=movement.kind.value,
        reverses=reverses.movement if reverses is not None else None,
        given_cents=given_cents,
        drawer_id=drawer,
        **about,
        **{_FACT_COLUMNS[type(fact)]: fact},
    )
    about |= {"kind": movement.kind.value, "method": movement.method, "category": movement.category}
    entrant_id = movement.entry or None
    rows = [
        Posting(
            movement=row,
            account=posting.account.value,
            cents=posting.cents,
            entrant_id=entrant_id,
            drawer=posting.drawer or None,
            **about,
        )
        for posting in movement.postings
    ]
    record_bulk_created_rows(Posting.objects.bulk_create(rows))
    return row


def _find_next_receipt_number(write: WriteTransaction, event_id: int | None, kind: str) -> tuple[int, int | None]:
    """Return the number and the `receipt_key` of the next money movement.

    Movements are numbered separately for each event, and for the tournament itself if `event_id` is None. The
    `receipt_key` is the same as that of the last movement. If an import changed the primary keys, it is the first part
    of receipt numbers. Otherwise, it is None.
    """
    rows = Movement.objects.filter(tournament=write.tournament, event=None)
    if event_id is not None:
        rows = Movement.objects.filter(event=event_id)
    last, receipt_key = rows.order_by("-number").values_list("number", "receipt_key").first() or (0, None)
    return find_receipt_number(rows, last, event_id, kind), receipt_key


def _find_business_day(write: WriteTransaction, day: date | None) -> date:
    today = to_venue_date(write.tournament, write.acted_at)
    if "days" not in write.cached_lookups:
        write.cached_lookups["days"] = load_business_day_settings(write.tournament, today)
    override, closed_through = write.cached_lookups["days"]
    day = day or find_current_business_day(today, override, closed_through)
    require_open_day(day, closed_through)
    return day


def _find_open_drawer_id(write: WriteTransaction) -> int | None:
    if "drawer" not in write.cached_lookups:
        open_drawer = find_open_drawer(write.by.user, write.tournament) if write.by.user is not None else None
        write.cached_lookups["drawer"] = open_drawer.pk if open_drawer is not None else None
    drawer: int | None = write.cached_lookups["drawer"]
    return drawer


def _is_event_finished(write: WriteTransaction) -> bool:
    return write.event is not None and write.event.state == Event.State.FINISHED


def require_not_finished(write: WriteTransaction, message: str = "") -> None:
    """Raise Conflict `finished` if the event is finished, because its prize pool must no longer change."""
    if _is_event_finished(write):
        default = _("The event is finished and its prizes are set. Open it again first, with a reason.")
        raise Conflict("finished", message or default)


def require_open_day(day: date, closed_through: date | None) -> None:
    if is_day_closed(day, closed_through):
        message = _("%(day)s is closed. Ask a director to open that day again under Money › Close the day.")
        raise Conflict("day-closed", message % {"day": day_in_year(day)})


# --- Money that belongs to no entry ----------------------------------------------------------------------------------
# Sponsors add money, and the organizer pays expenses and sends withheld taxes to the tax office.


@dataclass(frozen=True, slots=True)
class EventMoneyDetails:
    """The details of money that belongs to no entry.

    These are an amount, its payment method, the other party, and the category of an expense.
    """

    cents: int
    method: str
    party: str = ""
    category: str = ""
    reference: str = ""


def record_event_money(
    event: Event, kind: str, given: EventMoneyDetails, *, by: Actor, key: str, reason: str = ""
) -> EventMoney:
    """Record money that belongs to no entry, such as an expense or a sponsor's contribution.

    Raises:
        DomainError: `bad-value`, `reason-needed`.
        Conflict: `finished`, or `more-than-withheld` or `more-than-donated` if more is sent on than is held.
    """
    terms, form = MONEY_KIND_DETAILS[kind], DESK_FORM_BY_KIND[kind]
    require_permission(by, terms.recorded_by, event.tournament)
    require_positive_amount(given.cents)
    if form.no_party and not given.party.strip():
        raise DomainError("bad-value", str(form.no_party), field="party")
    if terms.needs_reason:
        require_reason(reason, str(form.no_reason))
    with writing(
        event, verb=DESK_FORM_BY_KIND[kind].verb, by=by, key=make_idempotency_key(key, given), reason=reason
    ) as write:
        if write.repeated:
            return EventMoney.objects.get(pk=write.outcome["money"])
        if form.changes_pool:
            require_not_finished(write)
        if form.has_category and given.category not in write.tournament.expense_categories:
            message = _("This category is not on the list. Choose one, or add it to the categories first.")
            raise DomainError("bad-value", message, field="category")
        if AmountLimit.HELD in terms.limits and given.cents > (
            held := load_held_cents_by_account(write.the_event)[terms.to]
        ):
            code, refusal = HELD_MONEY_BY_ACCOUNT[terms.to].too_much
            raise Conflict(code, str(refusal(money(held, write.tournament.currency))))
        return _add_money(write, kind, given)


def reverse_event_money(row: EventMoney, *, by: Actor, reason: str, key: str = "") -> EventMoney:
    """Reverse a record of money that belongs to no entry.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `reversed`, `finished`.
    """
    require_permission(by, MONEY_KIND_DETAILS[row.kind].reversed_by, row.event.tournament)
    require_reason(reason)
    with writing(
        row.event, verb="money.reversed", by=by, key=make_idempotency_key(key, row.pk), reason=reason
    ) as write:
        if write.repeated:
            return EventMoney.objects.get(pk=write.outcome["money"])
        if row.reverses_id is not None or EventMoney.objects.filter(reverses=row).exists():
            raise Conflict("reversed", _("This line was reversed before. Nothing was changed."))
        if DESK_FORM_BY_KIND[row.kind].changes_pool:
            require_not_finished(write)
        same = EventMoneyDetails(row.cents, row.method, row.party, row.category, row.reference)
        return _add_money(write, row.kind, same, reverses=row)


def set_expense_categories(tournament: Tournament, names: Iterable[str], *, by: Actor) -> list[str]:
    """Set the expense categories. Recorded expenses keep their category.

    Raises:
        DomainError: `bad-value` if there are no categories, too many, or one is too long.
    """
    require_permission(by, "direct", tournament)
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


def require_money_still_held(write: WriteTransaction, account: str, cents: int) -> None:
    """Raise Conflict if the account holds less than this amount, because the money was already sent on to its owner."""
    if cents and cents > load_held_cents_by_account(write.the_event)[account]:
        code, message = HELD_MONEY_BY_ACCOUNT[account].sent_already
        raise Conflict(code, str(message(money(cents, write.tournament.currency))))


def require_positive_amount(cents: int) -> None:
    if cents <= 0:
        raise DomainError("bad-value", _("Enter an amount above zero."), field="cents")


def _add_money(
    write: WriteTransaction, kind: str, given: EventMoneyDetails, *, reverses: EventMoney | None = None
) -> EventMoney:
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
    write.log_row_digest("event_money", row)
    post_money_fact(write, row)
    write.about(given.party or given.category, money=row.pk, kind=str(kind), cents=given.cents)
    return row
