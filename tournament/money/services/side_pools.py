"""Side pools and extras: set up, sell and refund them, and record the results of side pools.

A sale at the desk records a payment, side pools, extras and a check-in in one transaction. The module also records an
event's finish, and cancels all fees if the event is called off.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.core.topics import add_topics_to_write
from tournament.errors import Conflict, DomainError
from tournament.models import (
    EndedEarly,
    Entrant,
    Event,
    EventExtra,
    Finish,
    LedgerLine,
    SidePool,
    SidePoolEntry,
    SidePoolResult,
)
from tournament.models.topic import PRIZES_TOPIC
from tournament.money.selectors.awards import load_paid_prize_cents, load_valid_payouts
from tournament.money.selectors.ledger import STATES_ALLOWING_PURCHASES, load_current_finish, load_event_accounts
from tournament.money.selectors.side_pools import (
    load_charges_for_extras,
    load_side_pool_entries,
    load_side_pools,
    rank_side_pool_by_finish,
)
from tournament.money.services.checkin import record_check_in
from tournament.money.services.fees_and_refunds import (
    add_fee_cancellation,
    add_payment,
    add_reversal,
    reverse_charge_for_side_pool_or_extra,
    validate_payment,
)
from tournament.money.services.ledger import add_ledger_line, require_not_finished
from tournament.purse.kinds import MoneyKind
from tournament.purse.pool import read_prize_percent
from tournament.purse.prizes import make_prize_scale

_MOST_AT_ONCE: Final = 20


# --- Side pools ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SidePoolTerms:
    name: str
    fee_cents: int
    prize_percent: str = "100"
    prize_scale: tuple[str, ...] = ("100",)
    condition: str = ""
    places_by: str = SidePool.PlacesBy.FINISH

    def check(self) -> None:
        """Raise DomainError `bad-value` or `bad-scale` for the first invalid field."""
        if not self.name.strip():
            raise DomainError("bad-value", _("The side pool has no name. Enter one, such as Sweepstake."), field="name")
        if self.fee_cents < 1:
            message = _("A side pool has to cost something. Enter what each entry pays for it.")
            raise DomainError("bad-value", message, field="fee_cents")
        for field, read in (
            ("prize_percent", lambda: read_prize_percent(self.prize_percent)),
            ("prize_scale", lambda: make_prize_scale(self.prize_scale)),
        ):
            try:
                read()
            except DomainError as refusal:
                raise DomainError(refusal.code, refusal.message, field=field) from refusal


def add_side_pool(event: Event, terms: SidePoolTerms, *, by: Actor, key: str = "") -> SidePool:
    """Set up a side pool.

    Raises:
        DomainError: `bad-value`, `bad-scale`.
        Conflict: `name-taken`, `finished`.
    """
    require_permission(by, "direct", event.tournament)
    terms.check()
    with writing(event, verb="side-pool.added", by=by, key=make_idempotency_key(key, terms)) as write:
        if write.repeated:
            return SidePool.objects.get(pk=write.outcome["pool"])
        require_not_finished(write)
        pool = SidePool(event=write.the_event)
        _save_side_pool(write, pool, terms)
        return pool


def change_side_pool(pool: SidePool, terms: SidePoolTerms, *, by: Actor, reason: str = "") -> SidePool:
    """Change a side pool.

    Once an entry has joined the pool, the pool's name and fee are fixed, and other changes need a reason.

    Raises:
        DomainError: `bad-value`, `bad-scale`, `reason-needed`.
        Conflict: `name-taken`, `in-use`, `paid-from`, `finished`.
    """
    require_permission(by, "direct", pool.event.tournament)
    terms.check()
    with writing(pool.event, verb="side-pool.changed", by=by, reason=reason) as write:
        require_not_finished(write)
        locked = SidePool.objects.select_related("event__tournament").get(pk=pool.pk)
        if SidePoolEntry.objects.filter(pool=locked).exists():
            if (terms.name, terms.fee_cents) != (locked.name, locked.fee_cents):
                message = _("Entries were charged for this side pool, so its name and fee stay. Add another side pool.")
                raise Conflict("in-use", message)
            require_reason(reason)
        _refuse_paid_pool(write, locked)
        _save_side_pool(write, locked, terms)
        return locked


def remove_side_pool(pool: SidePool, *, by: Actor) -> None:
    """Delete a side pool. Raise Conflict `in-use` if an entry ever joined it."""
    require_permission(by, "direct", pool.event.tournament)
    with writing(pool.event, verb="side-pool.removed", by=by) as write:
        if SidePoolEntry.objects.filter(pool=pool).exists():
            message = _("Entries were charged for this side pool, so it stays on record. Take its entries out instead.")
            raise Conflict("in-use", message)
        write.about(pool, pool=pool.pk)
        add_topics_to_write(PRIZES_TOPIC)
        SidePool.objects.filter(pk=pool.pk).delete()


def _save_side_pool(write: WriteTransaction, pool: SidePool, terms: SidePoolTerms) -> None:
    name = SidePool._meta.get_field("name").to_python(terms.name)
    others = SidePool.objects.filter(event=write.the_event, name__iexact=name).exclude(pk=pool.pk)
    if others.exists():
        message = _("This event has a side pool named %(name)s. Choose another name.") % {"name": name}
        raise Conflict("name-taken", message, field="name")
    pool.name, pool.fee_cents = name, terms.fee_cents
    pool.condition, pool.places_by = terms.condition.strip(), terms.places_by
    pool.prize_percent, pool.prize_scale = terms.prize_percent, list(terms.prize_scale)
    pool.save()
    logged_terms = {"fee_cents": pool.fee_cents, "percent": pool.prize_percent, "scale": pool.prize_scale}
    write.about(pool, pool=pool.pk, places_by=pool.places_by, condition=pool.condition, **logged_terms)


def join_side_pool(pool: SidePool, entrant: Entrant, *, by: Actor, key: str = "") -> SidePoolEntry:
    """Add an entry to a side pool and charge its fee.

    Raises:
        Conflict: `in-already`, `not-in-event`, `paid-from`, `finished`.
    """
    require_permission(by, "desk", pool.event.tournament)
    with writing(
        pool.event, verb="side-pool.joined", by=by, key=make_idempotency_key(key, pool.pk, entrant.pk)
    ) as write:
        if write.repeated:
            return SidePoolEntry.objects.get(pk=write.outcome["entry"])
        locked = Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)
        row = _add_to_side_pool(write, pool, locked)
        write.about(locked, entry=row.pk, pool=pool.pk, line=row.line_id, cents=row.line.cents)
        return row


def _add_to_side_pool(write: WriteTransaction, pool: SidePool, entrant: Entrant) -> SidePoolEntry:
    _refuse_paid_pool(write, pool)
    _require_can_join(write, pool, entrant)
    line = add_ledger_line(write, entrant, MoneyKind.SIDE_POOL, pool.fee_cents, reference=pool.name)
    row = SidePoolEntry.objects.create(pool=pool, entrant=entrant, line=line, **write.fact_fields())
    write.log_row_digest("pool_entries", row)
    return row


def _require_can_join(write: WriteTransaction, pool: SidePool, entrant: Entrant) -> None:
    if load_side_pool_entries(write.the_event).filter(pool=pool, entrant=entrant).exists():
        message = _("%(name)s is in %(pool)s already. Nothing was changed.")
        raise Conflict("in-already", message % {"name": entrant.name, "pool": pool.name})
    if (
        entrant.event_id != pool.event_id
        or entrant.state not in STATES_ALLOWING_PURCHASES
        or entrant.joined_to_id is not None
    ):
        message = _("%(name)s is not in the event now, so they cannot join a side pool. Bring the entry in first.")
        raise Conflict("not-in-event", message % {"name": entrant.name})


def leave_side_pool(entry: SidePoolEntry, *, by: Actor, reason: str, key: str = "") -> SidePoolEntry:
    """Take an entry out of a side pool by reversing the charge for it.

    Money that was paid for the side pool goes toward other charges or has to be refunded.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `out-already`, `paid-from`, `finished`.
    """
    require_permission(by, "desk", entry.pool.event.tournament)
    require_reason(reason)
    with writing(
        entry.pool.event, verb="side-pool.left", by=by, key=make_idempotency_key(key, entry.pk), reason=reason
    ) as write:
        if write.repeated:
            return entry
        current = load_side_pool_entries(write.the_event).filter(pk=entry.pk).first()
        if current is None:
            raise Conflict("out-already", _("This entry was taken out of the side pool before. Nothing was changed."))
        _refuse_paid_pool(write, current.pool)
        line = reverse_charge_for_side_pool_or_extra(write, current.line)
        write.about(current.entrant, entry=current.pk, pool=current.pool_id, line=line.pk, cents=line.cents)
        return current


def _refuse_paid_pool(write: WriteTransaction, pool: SidePool) -> None:
    if load_valid_payouts(write.the_event, pool).exists():
        message = _("Awards of %(pool)s were paid already. Undo these payouts first.") % {"pool": pool.name}
        raise Conflict("paid-from", message)


def record_side_pool_result(
    pool: SidePool, places: Sequence[Sequence[int]], *, by: Actor, reason: str = "", key: str = ""
) -> SidePoolResult:
    """Record a side pool's ranking as groups of tied entry numbers, best first.

    Replacing a result requires a reason. A pool that follows the event's ranking normally gets no result of its own. If
    that ranking includes none of the pool's entries, a director can record a result with a reason.

    Raises:
        DomainError: `no-places`, `not-in-pool`, `bad-value`, `reason-needed`.
        Conflict: `by-finish`.
    """
    by_desk = pool.places_by == SidePool.PlacesBy.DESK
    require_permission(by, "desk" if by_desk else "direct", pool.event.tournament)
    groups = [list(group) for group in places if group]
    with writing(
        pool.event, verb="side-pool.result", by=by, key=make_idempotency_key(key, pool.pk, places), reason=reason
    ) as write:
        if write.repeated:
            return SidePoolResult.objects.get(pk=write.outcome["result"])
        inside = set(
            load_side_pool_entries(write.the_event).filter(pool=pool).values_list("entrant__number", flat=True)
        )
        if not by_desk:
            finish = load_current_finish(write.the_event)
            if finish is None or rank_side_pool_by_finish(pool, finish, inside):
                message = _("The places of this side pool follow from the event. Finish the event to see them.")
                raise Conflict("by-finish", message)
            require_reason(reason, _("Nobody in this pool has a place in the event. Enter why you name the winners."))
        _validate_places(pool, groups, inside)
        if SidePoolResult.objects.filter(pool=pool).exists():
            require_reason(reason, _("A result is on record. Enter why it is replaced."))
        row = SidePoolResult.objects.create(pool=pool, places=groups, **write.fact_fields())
        write.log_row_digest("pool_results", row)
        write.about(pool, pool=pool.pk, result=row.pk, places=groups)
        return row


def _validate_places(pool: SidePool, groups: Sequence[Sequence[int]], inside: Collection[int]) -> None:
    numbers = [number for group in groups for number in group]
    if not numbers:
        raise DomainError(
            "no-places", _("No place was entered. Enter who came first, by entry number."), field="places"
        )
    strange = sorted(set(numbers) - set(inside))
    if strange:
        message = _("Entry %(number)s is not in %(pool)s. Enter only entries of this side pool.")
        raise DomainError("not-in-pool", message % {"number": strange[0], "pool": pool.name}, field="places")
    if len(set(numbers)) < len(numbers):
        repeated = next(number for number in numbers if numbers.count(number) > 1)
        message = _("Entry %(number)s is there twice. Give each entry one place.") % {"number": repeated}
        raise DomainError("bad-value", message, field="places")


# --- Extras ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventExtraTerms:
    name: str
    price_cents: int

    def check(self) -> None:
        """Raise DomainError `bad-value` if the name is empty or the price is below one cent."""
        if not self.name.strip():
            raise DomainError("bad-value", _("The extra has no name. Enter one, such as Dinner."), field="name")
        if self.price_cents < 1:
            message = _("An extra has to cost something. Enter the price of one.")
            raise DomainError("bad-value", message, field="price_cents")


def add_event_extra(event: Event, terms: EventExtraTerms, *, by: Actor, key: str = "") -> EventExtra:
    """Offer a new extra.

    Raises:
        DomainError: `bad-value`.
        Conflict: `name-taken`.
    """
    require_permission(by, "direct", event.tournament)
    terms.check()
    with writing(event, verb="extra.added", by=by, key=make_idempotency_key(key, terms)) as write:
        if write.repeated:
            return EventExtra.objects.get(pk=write.outcome["extra"])
        return _save_extra(write, EventExtra(event=write.the_event), terms)


def change_event_extra(extra: EventExtra, terms: EventExtraTerms, *, by: Actor) -> EventExtra:
    """Change an extra's name and price.

    Raises:
        DomainError: `bad-value`.
        Conflict: `name-taken`, or `in-use` if the extra was ever sold.
    """
    require_permission(by, "direct", extra.event.tournament)
    terms.check()
    with writing(extra.event, verb="extra.changed", by=by) as write:
        locked = EventExtra.objects.select_related("event__tournament").get(pk=extra.pk)
        _refuse_sold_extra(write, locked)
        return _save_extra(write, locked, terms)


def remove_event_extra(extra: EventExtra, *, by: Actor) -> None:
    """Delete an extra. Raise Conflict `in-use` if one was ever sold."""
    require_permission(by, "direct", extra.event.tournament)
    with writing(extra.event, verb="extra.removed", by=by) as write:
        _refuse_sold_extra(write, extra)
        write.about(extra, extra=extra.pk)
        add_topics_to_write(PRIZES_TOPIC)
        EventExtra.objects.filter(pk=extra.pk).delete()


def _save_extra(write: WriteTransaction, extra: EventExtra, terms: EventExtraTerms) -> EventExtra:
    name = EventExtra._meta.get_field("name").to_python(terms.name)
    if EventExtra.objects.filter(event=write.the_event, name__iexact=name).exclude(pk=extra.pk).exists():
        message = _("This event has an extra named %(name)s. Choose another name.") % {"name": name}
        raise Conflict("name-taken", message, field="name")
    extra.name, extra.price_cents = name, terms.price_cents
    extra.save()
    write.about(extra, extra=extra.pk, price_cents=extra.price_cents)
    return extra


def _refuse_sold_extra(write: WriteTransaction, extra: EventExtra) -> None:
    if load_charges_for_extras(write.the_event).filter(reference=extra.name).exists():
        message = _("This extra was sold, so its name and price stay. Add another extra.")
        raise Conflict("in-use", message)


def sell_event_extra(extra: EventExtra, entrant: Entrant, count: int = 1, *, by: Actor, key: str) -> list[LedgerLine]:
    """Charge an entry for one or more items of an extra.

    Raises:
        DomainError: `bad-value`.
        Conflict: `not-in-event`.
    """
    require_permission(by, "desk", extra.event.tournament)
    if not 1 <= count <= _MOST_AT_ONCE:
        message = _("Enter how many they buy, from 1 to %(most)s.") % {"most": _MOST_AT_ONCE}
        raise DomainError("bad-value", message, field="count")
    with writing(
        extra.event, verb="extra.sold", by=by, key=make_idempotency_key(key, extra.pk, entrant.pk, count)
    ) as write:
        if write.repeated:
            return list(LedgerLine.objects.filter(pk__in=write.outcome["lines"]).order_by("pk"))
        locked = Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)
        lines = [_charge_extra(write, extra, locked) for _one in range(count)]
        write.about(locked, extra=extra.pk, lines=[line.pk for line in lines], cents=sum(line.cents for line in lines))
        return lines


def _charge_extra(write: WriteTransaction, extra: EventExtra, entrant: Entrant) -> LedgerLine:
    if (
        entrant.event_id != extra.event_id
        or entrant.state not in STATES_ALLOWING_PURCHASES
        or entrant.joined_to_id is not None
    ):
        message = _("%(name)s is not in the event now, so they cannot buy an extra. Bring the entry in first.")
        raise Conflict("not-in-event", message % {"name": entrant.name})
    locked = EventExtra.objects.get(pk=extra.pk)
    return add_ledger_line(write, entrant, MoneyKind.EXTRA, locked.price_cents, reference=locked.name)


def reverse_event_extra_sale(line: LedgerLine, *, by: Actor, reason: str, key: str = "") -> LedgerLine:
    """Reverse one charge for an extra. Money paid for it goes toward other charges or has to be refunded.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `out-already`.
    """
    require_permission(by, "desk", line.event.tournament)
    require_reason(reason)
    with writing(
        line.event, verb="extra.given-back", by=by, key=make_idempotency_key(key, line.pk), reason=reason
    ) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        current = load_charges_for_extras(write.the_event).filter(pk=line.pk, corrected_by=None).first()
        if current is None:
            raise Conflict("out-already", _("This extra was given back before. Nothing was changed."))
        return reverse_charge_for_side_pool_or_extra(write, current)


# --- Sale at the desk ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeskSale:
    """A payment at the desk, with the primary keys of the side pools and extras bought with it.

    A `donation` to charity is added to the payment. Either the payment or the donation may be zero. If `check_in` is
    true, the player is also checked in.
    """

    cents: int
    method: str
    reference: str = ""
    given_cents: int | None = None
    pools: tuple[int, ...] = ()
    extras: tuple[int, ...] = ()
    check_in: bool = False
    donation: int | None = None


def complete_sale(entrant: Entrant, sale: DeskSale, *, by: Actor, key: str = "") -> LedgerLine:
    """Record a payment, and everything bought with it, in one transaction.

    Raises:
        DomainError: `bad-value`.
        Conflict: as in `join_side_pool`, or `not-in` if the entry cannot be checked in.
    """
    require_permission(by, "desk", entrant.event.tournament)
    donation = sale.donation or 0
    validate_payment(sale.cents + donation, sale.given_cents)
    with writing(entrant.event, verb="ledger.payment", by=by, key=make_idempotency_key(key, entrant.pk, sale)) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        locked = Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)
        chosen = SidePool.objects.filter(event=write.the_event, pk__in=sale.pools)
        joined = [_add_to_side_pool(write, pool, locked).pk for pool in chosen]
        bought = EventExtra.objects.filter(event=write.the_event, pk__in=sale.extras)
        charged = [_charge_extra(write, extra, locked).pk for extra in bought]
        line = _record_sale_payment(write, locked, sale, donation)
        arrived = sale.check_in and record_check_in(write, locked)
        write.about(locked, pool_entries_made=joined, extra_lines=charged, arrived=arrived)
        return line


def _record_sale_payment(write: WriteTransaction, entrant: Entrant, sale: DeskSale, donation: int) -> LedgerLine:
    """Record a sale's payment and donation. If there are both, any change given back belongs to the payment."""
    given = sale.given_cents
    if donation:
        alone = given if not sale.cents else None
        line = add_ledger_line(
            write,
            entrant,
            MoneyKind.DONATION,
            donation,
            method=sale.method,
            reference=sale.reference,
            given_cents=alone,
        )
        if not sale.cents:
            return line
        given = given - donation if given is not None else None
    return add_payment(write, entrant, sale.cents, sale.method, sale.reference, given)


# --- End of an event -------------------------------------------------------------------------------------------------
# The finish is recorded, or all fees are canceled if the event is called off.


def record_finish(write: WriteTransaction, event: Event, places: list[list[int]]) -> Finish:
    """Record the event's final ranking in the caller's transaction.

    `places` contains groups of tied entry numbers, best first.
    """
    if not any(places):
        raise DomainError(
            "no-finish", _("No player has a final place, so there is nobody to pay. Correct the results first.")
        )
    finish = Finish.objects.create(event=event, places=places, **write.fact_fields())
    write.log_row_digest("finishes", finish)
    write.about(event, finish=finish.pk)
    return finish


def record_early_finish(write: WriteTransaction, event: Event, places: list[list[int]]) -> Finish:
    """Record that the event ended early with this final ranking, in the caller's transaction.

    `places` contains groups of tied entry numbers, best first.
    """
    finish = record_finish(write, event, places)
    early = EndedEarly.objects.create(finish=finish, **write.fact_fields())
    write.log_row_digest("ended_early", early)
    return finish


def require_no_prizes_paid(write: WriteTransaction) -> None:
    """Raise Conflict `prizes-paid` if any prize has been paid."""
    if load_paid_prize_cents(write.the_event) or any(
        state.has_paid_awards for state in load_side_pools(write.the_event)
    ):
        raise Conflict("prizes-paid", _("Prizes of this event were paid. Undo these payouts on the prizes page first."))


def cancel_all_fees(write: WriteTransaction) -> list[int]:
    """Cancel all of the event's charges, as part of this write. Return the primary keys of the cancellation lines."""
    event = write.the_event
    charged = [pk for pk, account in load_event_accounts(event).accounts.items() if account.charged_cents]
    before = LedgerLine.objects.filter(event=event).order_by("-pk").values_list("pk", flat=True).first() or 0
    for entrant in Entrant.objects.select_related("event__tournament").filter(pk__in=charged).order_by("number"):
        add_fee_cancellation(write, entrant, only_due=False)
    return list(LedgerLine.objects.filter(event=event, pk__gt=before).order_by("pk").values_list("pk", flat=True))


def restore_charges(write: WriteTransaction, lines: Iterable[int]) -> None:
    """Restore the charges that these cancellation lines canceled, unless they have already been restored."""
    rows = LedgerLine.objects.filter(pk__in=lines, corrected_by=None).select_related(
        "entrant__event__tournament", "corrects"
    )
    for line in rows.order_by("pk"):
        if line.kind == MoneyKind.CANCELLATION:
            add_reversal(write, line, write.reason)
        elif line.kind == MoneyKind.REVERSAL and line.corrects is not None:
            _restore_charge(write, line.entrant, line.corrects)


def _restore_charge(write: WriteTransaction, entrant: Entrant, charge: LedgerLine) -> None:
    if charge.kind == MoneyKind.SIDE_POOL:
        pool = SidePool.objects.filter(event=write.the_event, name=charge.reference).first()
        if pool is not None:
            _add_to_side_pool(write, pool, entrant)
    elif (extra := EventExtra.objects.filter(event=write.the_event, name=charge.reference).first()) is not None:
        _charge_extra(write, extra, entrant)
