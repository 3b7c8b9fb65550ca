"""Cash drawers: open them with a float, move cash to the safe, count them, and hand them over to the next cashier.

Each act locks the tournament and then all its events, so nobody records a payment while a drawer is counted.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import CashMoved, Drawer, DrawerClosed, LedgerLine, Tournament, User
from tournament.money.selectors.drawers import CASH, cashiers_of, in_drawer, in_safe, open_drawer_of
from tournament.money.services.posting import post
from tournament.purse.ledger.counted import CountedCash, count_cash, denominations_of
from tournament.templatetags.gin import money

Kind = CashMoved.Kind
Pieces = Mapping[int, int]
"""The number of pieces of each denomination, by its cents."""


@contextmanager
def writing_at_desk(
    tournament: Tournament, *, verb: str, by: Actor, key: str = "", reason: str = ""
) -> Iterator[Write]:
    """Open a write of the whole tournament that also locks all its events."""
    with writing(tournament, verb=verb, by=by, key=key, reason=reason) as write:
        list(tournament.events.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
        yield write


def open_drawer(tournament: Tournament, cents: int, *, by: Actor, key: str, name: str = "", brought: bool) -> Drawer:
    """Open a drawer for the actor, with a float from the safe or `brought` from outside.

    Raises:
        Conflict: `drawer-open` if the actor already has one, or `too-much` for the safe.
    """
    require(by, "desk", tournament)
    user = _user(by)
    with writing_at_desk(tournament, verb="drawer.opened", by=by, key=scoped_key(key, cents, name, brought)) as write:
        if write.repeated:
            return Drawer.objects.get(pk=write.outcome["drawer"])
        _refuse_second(user, tournament)
        if brought and cents:
            move_cash(write, Kind.BROUGHT, cents)
        drawer = _add_drawer(write, user, name)
        if cents:
            if not brought:
                _refuse_beyond_safe(tournament, cents)
            move_cash(write, Kind.TRANSFER, cents, to=drawer)
        write.about(drawer, drawer=drawer.pk, cents=cents)
        return drawer


def move_float(drawer: Drawer, cents: int, *, to_safe: bool, by: Actor, key: str) -> CashMoved:
    """Move cash from a drawer to the safe, or back.

    Raises:
        Conflict: `drawer-closed`, `too-much`.
        DomainError: `bad-value`.
    """
    tournament = drawer.tournament
    require(by, "desk", tournament)
    _refuse_nothing(cents)
    verb = "drawer.dropped" if to_safe else "drawer.filled"
    with writing_at_desk(tournament, verb=verb, by=by, key=scoped_key(key, drawer.pk, cents)) as write:
        if write.repeated:
            return CashMoved.objects.get(pk=write.outcome["moved"])
        _refuse_closed(drawer)
        if to_safe and cents > in_drawer(drawer).get(CASH, 0):
            said = _("There is not that much cash in this drawer. Enter a smaller amount.")
            raise Conflict("too-much", said)
        if not to_safe:
            _refuse_beyond_safe(tournament, cents)
        off, to = (drawer, None) if to_safe else (None, drawer)
        row = move_cash(write, Kind.TRANSFER, cents, off=off, to=to)
        write.about(drawer, moved=row.pk, cents=cents)
        return row


def move_bank(tournament: Tournament, cents: int, *, to_bank: bool, by: Actor, key: str, reason: str = "") -> CashMoved:
    """Bring change into the safe from outside, or take cash from the safe to the bank.

    Raises:
        Conflict: `too-much`.
        DomainError: `bad-value`.
    """
    require(by, "direct" if to_bank else "desk", tournament)
    _refuse_nothing(cents)
    kind = Kind.BANKED if to_bank else Kind.BROUGHT
    with writing_at_desk(
        tournament, verb=f"cash.{kind.value}", by=by, key=scoped_key(key, cents), reason=reason
    ) as write:
        if write.repeated:
            return CashMoved.objects.get(pk=write.outcome["moved"])
        if to_bank:
            _refuse_beyond_safe(tournament, cents)
        row = move_cash(write, kind, cents)
        write.about(tournament, moved=row.pk, cents=cents)
        return row


@dataclass(frozen=True, slots=True)
class DrawerCount:
    """The count of a drawer, and the cashier who takes it over. Without one the cash goes to the safe."""

    pieces: Pieces
    next_cashier: User | None = None


def close_drawer(drawer: Drawer, count: DrawerCount, *, by: Actor, key: str, reason: str = "") -> DrawerClosed:
    """Count a drawer and close it. A difference is recorded as a row of its own, with the reason.

    Raises:
        Conflict: `drawer-closed`, or `drawer-open` if the next cashier already has one.
        DomainError: `reason-needed`, `bad-value`.
    """
    tournament, pieces = drawer.tournament, clean_pieces(count.pieces, drawer.tournament)
    require(by, "desk", tournament)
    next_pk = count.next_cashier.pk if count.next_cashier is not None else None
    verb = "drawer.closed" if next_pk is None else "drawer.handed-over"
    key = scoped_key(key, drawer.pk, sorted(pieces.items()), next_pk)
    with writing_at_desk(tournament, verb=verb, by=by, key=key, reason=reason) as write:
        if write.repeated:
            return DrawerClosed.objects.get(pk=write.outcome["closed"])
        _refuse_closed(drawer)
        found = CountedCash(CASH, in_drawer(drawer).get(CASH, 0), count_cash(pieces))
        refuse_unexplained([found], reason, tournament.currency)
        add_difference(write, found, drawer=drawer)
        following = _following(write, drawer, count.next_cashier)
        for method, cents in in_drawer(drawer).items():
            off, to = (drawer, following) if cents > 0 else (following, drawer)
            move_cash(write, Kind.TRANSFER, abs(cents), method=method, off=off, to=to)
        closed = DrawerClosed.objects.create(
            drawer=drawer,
            pieces={str(cents): number for cents, number in pieces.items()},
            counted_cents=found.counted_cents,
            expected_cents=found.expected_cents,
            next=following,
            **write.signature_fields(),
        )
        write.keep("drawers_closed", closed)
        write.about(drawer, closed=closed.pk, cents=found.counted_cents, difference=found.difference_cents)
        return closed


def clean_pieces(pieces: Pieces, tournament: Tournament) -> dict[int, int]:
    """Return the pieces without zeros.

    Raises:
        DomainError: `bad-value` for an unknown denomination or a negative number.
    """
    known = denominations_of(tournament.currency)
    if any(cents not in known or number < 0 for cents, number in pieces.items()):
        raise DomainError("bad-value", _("Enter how many bills and coins of each kind there are, zero or more."))
    return {cents: number for cents, number in pieces.items() if number}


def refuse_unexplained(counted: list[CountedCash], reason: str, currency: str) -> None:
    """Raise DomainError `reason-needed` if a count differs from the ledger and there is no reason."""
    found = [
        f"{LedgerLine.Method(one.method).label} {money(one.difference_cents, currency)}"
        for one in counted
        if one.difference_cents
    ]
    if found and not reason.strip():
        said = _("The count and the ledger differ: %(found)s. Count again, or enter what the reason may be.")
        raise DomainError("reason-needed", said % {"found": ", ".join(found)}, field="reason")


def add_difference(
    write: Write, found: CountedCash, *, drawer: Drawer | None = None, day: date | None = None
) -> CashMoved | None:
    """Inside an open write, add the row that makes the ledger agree with the count."""
    cents = found.difference_cents
    if not cents:
        return None
    kind = Kind.OVER if cents > 0 else Kind.SHORT
    columns = {"kind": kind.value, "cents": abs(cents), "method": found.method, "drawer": drawer}
    return _add_cash(write, columns, day=day)


def move_cash(
    write: Write,
    kind: CashMoved.Kind,
    cents: int,
    *,
    method: str = CASH,
    off: Drawer | None = None,
    to: Drawer | None = None,
) -> CashMoved:
    return _add_cash(write, {"kind": kind.value, "cents": cents, "method": method, "drawer": off, "to_drawer": to})


def _add_cash(write: Write, columns: Mapping[str, Any], *, day: date | None = None) -> CashMoved:
    row = CashMoved.objects.create(tournament=write.tournament, **columns, **write.fact_fields())
    write.keep("cash_moved", row)
    post(write, row, day=day)
    return row


def _add_drawer(write: Write, cashier: User, name: str) -> Drawer:
    number = Drawer.objects.filter(tournament=write.tournament).count() + 1
    name = " ".join(name.split()) or _("Drawer %(number)s") % {"number": number}
    row = Drawer.objects.create(
        tournament=write.tournament, number=number, name=name, cashier=cashier, **write.fact_fields()
    )
    write.keep("drawers", row)
    return row


def _following(write: Write, drawer: Drawer, cashier: User | None) -> Drawer | None:
    if cashier is None:
        return None
    if cashier.pk == drawer.cashier_id or not cashiers_of(write.tournament).filter(pk=cashier.pk).exists():
        said = _("Choose another member of staff who works at the desk.")
        raise DomainError("bad-value", said, field="next_cashier")
    _refuse_second(cashier, write.tournament)
    return _add_drawer(write, cashier, drawer.name)


def _refuse_second(cashier: User, tournament: Tournament) -> None:
    if found := open_drawer_of(cashier, tournament):
        said = _("%(name)s has an open drawer already: %(drawer)s. Close that one first.")
        raise Conflict("drawer-open", said % {"name": cashier, "drawer": found})


def _refuse_closed(drawer: Drawer) -> None:
    if DrawerClosed.objects.filter(drawer=drawer).exists():
        raise Conflict("drawer-closed", _("This drawer was closed before. Nothing was changed. Open the page again."))


def _refuse_beyond_safe(tournament: Tournament, cents: int) -> None:
    if cents > in_safe(tournament).get(CASH, 0):
        said = _("There is not that much cash in the safe. Enter a smaller amount, or record the change you brought.")
        raise Conflict("too-much", said)


def _refuse_nothing(cents: int) -> None:
    if cents <= 0:
        raise DomainError("bad-value", _("Enter an amount above zero."), field="cents")


def _user(by: Actor) -> User:
    if by.user is None:
        raise DomainError("no-cashier", _("A drawer belongs to a member of staff. Sign in as one first."))
    return by.user
