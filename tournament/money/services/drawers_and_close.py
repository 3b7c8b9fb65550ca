"""Cash drawers and the close of a business day.

Each action locks the tournament and all its events, so nobody can record a payment while a drawer is being counted.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.utils.translation import gettext as _

from tournament.core.dispatch import send_task_after_commit
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.errors import Conflict, DomainError
from tournament.models import (
    CashMoved,
    DayClose,
    DayCount,
    DayOpened,
    DayReopened,
    Drawer,
    DrawerClosed,
    LedgerLine,
    Movement,
    Tournament,
    User,
)
from tournament.money.selectors.drawers_and_close import (
    CASH_METHOD,
    PAYMENT_METHODS,
    compute_expected_cents_by_method,
    find_business_day_at,
    find_open_drawer,
    load_cashiers,
    load_daily_close_figures,
    load_last_closable_day,
    load_last_closed_day,
    load_open_drawers,
    load_report_since_last_close,
    load_unused_day_count,
    read_counted_money,
    sum_cents_in_drawer,
    sum_cents_in_safe,
    to_venue_date,
)
from tournament.money.services.ledger import post_money_fact, require_open_day, require_positive_amount
from tournament.purse.business_day import CountedMoney, list_currency_denominations, sum_bills_and_coins
from tournament.purse.kinds import MoneyKind
from tournament.templatetags.gin import day_in_year, money

DenominationCounts = Mapping[int, int]
"""The number of bills or coins for each denomination in cents."""


@contextmanager
def _writing_all_events(
    tournament: Tournament, *, verb: str, by: Actor, key: str = "", reason: str = ""
) -> Iterator[WriteTransaction]:
    """Start a write transaction for the whole tournament, with all its events locked."""
    with writing(tournament, verb=verb, by=by, key=key, reason=reason) as write:
        list(tournament.events.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
        yield write


# --- Drawers ---------------------------------------------------------------------------------------------------------


def open_drawer(tournament: Tournament, cents: int, *, by: Actor, key: str, name: str = "", brought: bool) -> Drawer:
    """Open a drawer for the actor with starting cash, either from the safe or `brought` from outside.

    Raises:
        Conflict: `drawer-open` if the actor already has one, or `too-much` if the safe has less.
    """
    require_permission(by, "desk", tournament)
    if by.user is None:
        raise DomainError("no-cashier", _("A drawer belongs to a member of staff. Sign in as one first."))
    with _writing_all_events(
        tournament, verb="drawer.opened", by=by, key=make_idempotency_key(key, cents, name, brought)
    ) as write:
        if write.repeated:
            return Drawer.objects.get(pk=write.outcome["drawer"])
        _refuse_second_drawer(by.user, tournament)
        if brought and cents:
            _move_cash(write, MoneyKind.BROUGHT, cents)
        drawer = _add_drawer(write, by.user, name)
        if cents:
            if not brought:
                _refuse_more_than_in_safe(tournament, cents)
            _move_cash(write, MoneyKind.TRANSFER, cents, to=drawer)
        write.about(drawer, drawer=drawer.pk, cents=cents)
        return drawer


def move_cash_to_or_from_safe(drawer: Drawer, cents: int, *, to_safe: bool, by: Actor, key: str) -> CashMoved:
    """Move cash from a drawer to the safe, or from the safe to the drawer.

    Raises:
        Conflict: `drawer-closed`, `too-much`.
        DomainError: `bad-value`.
    """
    tournament = drawer.tournament
    require_permission(by, "desk", tournament)
    require_positive_amount(cents)
    verb = "drawer.dropped" if to_safe else "drawer.filled"
    with _writing_all_events(tournament, verb=verb, by=by, key=make_idempotency_key(key, drawer.pk, cents)) as write:
        if write.repeated:
            return CashMoved.objects.get(pk=write.outcome["moved"])
        _refuse_closed_drawer(drawer)
        if to_safe and cents > sum_cents_in_drawer(drawer).get(CASH_METHOD, 0):
            message = _("There is not that much cash in this drawer. Enter a smaller amount.")
            raise Conflict("too-much", message)
        if not to_safe:
            _refuse_more_than_in_safe(tournament, cents)
        off, to = (drawer, None) if to_safe else (None, drawer)
        row = _move_cash(write, MoneyKind.TRANSFER, cents, off=off, to=to)
        write.about(drawer, moved=row.pk, cents=cents)
        return row


def move_cash_to_or_from_outside(
    tournament: Tournament, cents: int, *, to_bank: bool, by: Actor, key: str, reason: str = ""
) -> CashMoved:
    """Bring cash from outside into the safe, or take cash from the safe to the bank.

    Raises:
        Conflict: `too-much`.
        DomainError: `bad-value`.
    """
    require_permission(by, "direct" if to_bank else "desk", tournament)
    require_positive_amount(cents)
    kind = MoneyKind.BANKED if to_bank else MoneyKind.BROUGHT
    with _writing_all_events(
        tournament, verb=f"cash.{kind.value}", by=by, key=make_idempotency_key(key, cents), reason=reason
    ) as write:
        if write.repeated:
            return CashMoved.objects.get(pk=write.outcome["moved"])
        if to_bank:
            _refuse_more_than_in_safe(tournament, cents)
        row = _move_cash(write, kind, cents)
        write.about(tournament, moved=row.pk, cents=cents)
        return row


def close_drawer(
    drawer: Drawer,
    pieces: DenominationCounts,
    *,
    next_cashier: User | None = None,
    by: Actor,
    key: str,
    reason: str = "",
) -> DrawerClosed:
    """Count a drawer and close it. Its money goes to the drawer of `next_cashier`, or to the safe if there is none.

    A difference is recorded in its own row, together with the reason.

    Raises:
        Conflict: `drawer-closed`, or `drawer-open` if the next cashier already has one.
        DomainError: `reason-needed`, `bad-value`.
    """
    tournament, counted_pieces = drawer.tournament, _clean_pieces(pieces, drawer.tournament)
    require_permission(by, "desk", tournament)
    next_pk = next_cashier.pk if next_cashier is not None else None
    verb = "drawer.closed" if next_pk is None else "drawer.handed-over"
    key = make_idempotency_key(key, drawer.pk, sorted(counted_pieces.items()), next_pk)
    with _writing_all_events(tournament, verb=verb, by=by, key=key, reason=reason) as write:
        if write.repeated:
            return DrawerClosed.objects.get(pk=write.outcome["closed"])
        _refuse_closed_drawer(drawer)
        counted = CountedMoney(
            CASH_METHOD, sum_cents_in_drawer(drawer).get(CASH_METHOD, 0), sum_bills_and_coins(counted_pieces)
        )
        _require_reason_for_difference([counted], reason, tournament.currency)
        _add_difference(write, counted, drawer=drawer)
        following = _open_next_drawer(write, drawer, next_cashier)
        for method, cents in sum_cents_in_drawer(drawer).items():
            off, to = (drawer, following) if cents > 0 else (following, drawer)
            _move_cash(write, MoneyKind.TRANSFER, abs(cents), method=method, off=off, to=to)
        closed = DrawerClosed.objects.create(
            drawer=drawer,
            pieces={str(cents): number for cents, number in counted_pieces.items()},
            counted_cents=counted.counted_cents,
            expected_cents=counted.expected_cents,
            next=following,
            **write.signature_fields(),
        )
        write.log_row_digest("drawers_closed", closed)
        write.about(drawer, closed=closed.pk, cents=counted.counted_cents, difference=counted.difference_cents)
        return closed


def _open_next_drawer(write: WriteTransaction, drawer: Drawer, cashier: User | None) -> Drawer | None:
    if cashier is None:
        return None
    if cashier.pk == drawer.cashier_id or not load_cashiers(write.tournament).filter(pk=cashier.pk).exists():
        message = _("Choose another member of staff who works at the desk.")
        raise DomainError("bad-value", message, field="next_cashier")
    _refuse_second_drawer(cashier, write.tournament)
    return _add_drawer(write, cashier, drawer.name)


def _add_drawer(write: WriteTransaction, cashier: User, name: str) -> Drawer:
    number = Drawer.objects.filter(tournament=write.tournament).count() + 1
    name = " ".join(name.split()) or _("Drawer %(number)s") % {"number": number}
    row = Drawer.objects.create(
        tournament=write.tournament, number=number, name=name, cashier=cashier, **write.fact_fields()
    )
    write.log_row_digest("drawers", row)
    return row


def _refuse_second_drawer(cashier: User, tournament: Tournament) -> None:
    if drawer := find_open_drawer(cashier, tournament):
        message = _("%(name)s has an open drawer already: %(drawer)s. Close that one first.")
        raise Conflict("drawer-open", message % {"name": cashier, "drawer": drawer})


def _refuse_closed_drawer(drawer: Drawer) -> None:
    if DrawerClosed.objects.filter(drawer=drawer).exists():
        raise Conflict("drawer-closed", _("This drawer was closed before. Nothing was changed. Open the page again."))


def _refuse_more_than_in_safe(tournament: Tournament, cents: int) -> None:
    if cents > sum_cents_in_safe(tournament).get(CASH_METHOD, 0):
        message = _(
            "There is not that much cash in the safe. Enter a smaller amount, or record the change you brought."
        )
        raise Conflict("too-much", message)


# --- Close of a day --------------------------------------------------------------------------------------------------
# One member of staff counts and signs. Another one signs and closes the day.


def choose_business_day(tournament: Tournament, day: date, *, by: Actor, key: str = "") -> DayOpened:
    """Choose the business day for money recorded from now on: yesterday (after midnight), today, or the next day.

    Raises:
        Conflict: `day-closed`.
        DomainError: `bad-value` for any other day.
    """
    require_permission(by, "direct", tournament)
    with writing(tournament, verb="day.opened", by=by, key=make_idempotency_key(key, day)) as write:
        if write.repeated:
            return DayOpened.objects.get(pk=write.outcome["opened"])
        today = to_venue_date(tournament, write.at)
        last = load_last_closed_day(tournament)
        following = max(today, last) + timedelta(days=1) if last is not None else today + timedelta(days=1)
        if not today - timedelta(days=1) <= day <= following:
            message = _("Choose yesterday, today or the next day that is open.")
            raise DomainError("bad-value", message, field="day")
        require_open_day(day, last)
        row = DayOpened.objects.create(tournament=tournament, day=day, **write.fact_fields())
        write.log_row_digest("days_opened", row)
        write.about(day, opened=row.pk)
        return row


@dataclass(frozen=True, slots=True)
class EndOfDayCount:
    """The counted bills and coins, and the counted cents for each other payment method."""

    pieces: DenominationCounts
    others: Mapping[str, int]


def record_day_count(
    tournament: Tournament, day: date, count: EndOfDayCount, *, by: Actor, key: str, reason: str = ""
) -> DayCount:
    """Record the actor's count of the day's money. The count is also the first signature of the close.

    Raises:
        Conflict: `day-closed`, or `drawer-open` while any drawer is open.
        DomainError: `bad-value`, `reason-needed`.
    """
    require_permission(by, "desk", tournament)
    pieces = _clean_pieces(count.pieces, tournament)
    others = {method: int(count.others.get(method, 0)) for method in PAYMENT_METHODS if method != CASH_METHOD}
    key = make_idempotency_key(key, day, sorted(pieces.items()), sorted(others.items()))
    with _writing_all_events(tournament, verb="day.counted", by=by, key=key, reason=reason) as write:
        if write.repeated:
            return DayCount.objects.get(pk=write.outcome["count"])
        _require_closable_day(write, day)
        expected = compute_expected_cents_by_method(load_report_since_last_close(tournament, day))
        counted = {CASH_METHOD: sum_bills_and_coins(pieces), **others}
        _require_reason_for_difference(
            [CountedMoney(method, expected[method], counted[method]) for method in PAYMENT_METHODS],
            reason,
            tournament.currency,
        )
        row = DayCount.objects.create(
            tournament=tournament,
            day=day,
            pieces={str(cents): number for cents, number in pieces.items()},
            counted=counted,
            expected=expected,
            **write.signature_fields(),
        )
        write.log_row_digest("day_counts", row)
        write.about(day, count=row.pk, cents=counted[CASH_METHOD])
        return row


def close_day(count: DayCount, *, by: Actor, key: str = "") -> DayClose:
    """Sign a count as the second staff member, record its differences, and close the day.

    Raises:
        Conflict: `day-closed`, `drawer-open`, `same-person`, or `changed-since-count`.
    """
    tournament = count.tournament
    require_permission(by, "desk", tournament)
    with _writing_all_events(
        tournament, verb="day.closed", by=by, key=make_idempotency_key(key, count.pk), reason=count.reason
    ) as write:
        if write.repeated:
            return DayClose.objects.get(pk=write.outcome["close"])
        _require_closable_day(write, count.day)
        _require_valid_second_signature(count, by)
        for counted in read_counted_money(count):
            _add_difference(write, counted, day=count.day)
        figures = load_daily_close_figures(tournament, count.day).as_json()
        row = DayClose.objects.create(
            tournament=tournament, day=count.day, count=count, figures=figures, **write.signature_fields()
        )
        write.log_row_digest("day_closes", row)
        write.about(count.day, close=row.pk, count=count.pk)
        return row


def reopen_day(close: DayClose, *, by: Actor, reason: str, key: str = "", site: str = "") -> DayReopened:
    """Reopen the last closed day. Its close stays on record, and both signers are notified.

    If the reopened day is today, new money belongs to it again. If it is yesterday, a director can choose it as the
    business day again (`choose_business_day`).

    Raises:
        DomainError: `reason-needed`.
        Conflict: `reopened`, or `later-closed` if a later day is closed.
    """
    tournament = close.tournament
    require_permission(by, "direct", tournament)
    require_reason(reason)
    key = make_idempotency_key(key, close.pk)
    with _writing_all_events(tournament, verb="day.reopened", by=by, key=key, reason=reason) as write:
        if write.repeated:
            return DayReopened.objects.get(pk=write.outcome["reopened"])
        if earlier := DayReopened.objects.filter(close=close).first():
            message = _("%(name)s opened this day again already. Nothing was changed.")
            raise Conflict("reopened", message % {"name": earlier.by_name})
        last = load_last_closed_day(tournament)
        if last is not None and last > close.day:
            message = _("%(day)s was closed after this day. Open that day again first.")
            raise Conflict("later-closed", message % {"day": day_in_year(last)})
        row = DayReopened.objects.create(
            close=close, movements=Movement.objects.filter(tournament=tournament).count(), **write.signature_fields()
        )
        write.log_row_digest("days_reopened", row)
        today = to_venue_date(tournament, write.at)
        if close.day == today != find_business_day_at(tournament, write.at):
            write.log_row_digest(
                "days_opened", DayOpened.objects.create(tournament=tournament, day=close.day, **write.fact_fields())
            )
        write.about(close.day, reopened=row.pk, close=close.pk)
        send_task_after_commit("tournament.tell_signers", reopened_id=row.pk, site=site)
        return row


def _require_closable_day(write: WriteTransaction, day: date) -> None:
    require_open_day(day, load_last_closed_day(write.tournament))
    if day > load_last_closable_day(write.tournament, write.at):
        message = _("%(day)s has not begun. Close it at the end of that day.")
        raise Conflict("not-begun", message % {"day": day_in_year(day)})
    drawer = load_open_drawers(write.tournament).first()
    if drawer is not None:
        message = _("%(drawer)s of %(name)s is still open. Count and close that drawer first.")
        raise Conflict("drawer-open", message % {"drawer": drawer, "name": drawer.cashier})


def _require_valid_second_signature(count: DayCount, by: Actor) -> None:
    if by.user is not None and by.user.pk == count.by_id:
        message = _("You counted, so another member of staff has to sign. Ask one of them to sign in.")
        raise Conflict("same-person", message)
    last = load_unused_day_count(count.tournament, count.day)
    if (
        last != count
        or compute_expected_cents_by_method(load_report_since_last_close(count.tournament, count.day)) != count.expected
    ):
        message = _(
            "Money was recorded or counted again since this count. Look at the newest figures, and count again."
        )
        raise Conflict("changed-since-count", message)


# --- Counts and moves of cash ----------------------------------------------------------------------------------------


def _clean_pieces(pieces: DenominationCounts, tournament: Tournament) -> dict[int, int]:
    """Return a count of bills and coins without its zeros.

    Raises:
        DomainError: `bad-value` for an unknown denomination or a negative number.
    """
    known = list_currency_denominations(tournament.currency)
    if any(cents not in known or number < 0 for cents, number in pieces.items()):
        raise DomainError("bad-value", _("Enter how many bills and coins of each kind there are, zero or more."))
    return {cents: number for cents, number in pieces.items() if number}


def _require_reason_for_difference(counted: list[CountedMoney], reason: str, currency: str) -> None:
    differences = [
        f"{LedgerLine.Method(cash.method).label} {money(cash.difference_cents, currency)}"
        for cash in counted
        if cash.difference_cents
    ]
    if differences and not reason.strip():
        message = _("The count and the ledger differ: %(found)s. Count again, or enter what the reason may be.")
        raise DomainError("reason-needed", message % {"found": ", ".join(differences)}, field="reason")


def _add_difference(
    write: WriteTransaction, counted: CountedMoney, *, drawer: Drawer | None = None, day: date | None = None
) -> CashMoved | None:
    """Record the difference between the count and the ledger, and return its row.

    Return None if there is no difference.
    """
    cents = counted.difference_cents
    if not cents:
        return None
    kind = MoneyKind.OVER if cents > 0 else MoneyKind.SHORT
    columns = {"kind": kind.value, "cents": abs(cents), "method": counted.method, "drawer": drawer}
    return _add_cash(write, columns, day=day)


def _move_cash(
    write: WriteTransaction,
    kind: MoneyKind,
    cents: int,
    *,
    method: str = CASH_METHOD,
    off: Drawer | None = None,
    to: Drawer | None = None,
) -> CashMoved:
    return _add_cash(write, {"kind": kind.value, "cents": cents, "method": method, "drawer": off, "to_drawer": to})


def _add_cash(write: WriteTransaction, columns: Mapping[str, Any], *, day: date | None = None) -> CashMoved:
    row = CashMoved.objects.create(tournament=write.tournament, **columns, **write.fact_fields())
    write.log_row_digest("cash_moved", row)
    post_money_fact(write, row, day=day)
    return row
