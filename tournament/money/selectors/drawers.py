"""Drawers at the desk, and the money in each drawer and in the safe."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from tournament.models import CashMoved, Drawer, LedgerLine, Posting, StaffRole, Tournament, User
from tournament.money.selectors.movements import sums_by
from tournament.purse.ledger.postings import AccountKind

CASH = LedgerLine.Method.CASH.value


def open_drawers(tournament: Tournament) -> QuerySet[Drawer]:
    return Drawer.objects.filter(tournament=tournament, closed=None).select_related("cashier").order_by("number")


def closed_drawers(tournament: Tournament) -> QuerySet[Drawer]:
    """Return the closed drawers, last closed first."""
    rows = Drawer.objects.filter(tournament=tournament, closed__isnull=False)
    return rows.select_related("cashier", "closed__next").order_by("-closed__pk")


def open_drawer_of(user: User, tournament: Tournament) -> Drawer | None:
    return open_drawers(tournament).filter(cashier=user).first()


def in_drawer(drawer: Drawer) -> dict[str, int]:
    """Return the cents in a drawer by method, without methods that come to zero."""
    rows = Posting.objects.filter(drawer=drawer.pk, account=AccountKind.MONEY)
    return {method: cents for (method,), cents in sorted(sums_by(rows, "method")) if cents}


def in_safe(tournament: Tournament) -> dict[str, int]:
    rows = Posting.objects.filter(tournament=tournament, drawer=None, account=AccountKind.MONEY)
    return {method: cents for (method,), cents in sorted(sums_by(rows, "method")) if cents}


def cash_moved_of(tournament: Tournament) -> QuerySet[CashMoved]:
    rows = CashMoved.objects.filter(tournament=tournament)
    return rows.select_related("movement", "drawer", "to_drawer").order_by("-pk")


def cashiers_of(tournament: Tournament) -> QuerySet[User]:
    roles = (StaffRole.Role.DIRECTOR, StaffRole.Role.COORDINATOR, StaffRole.Role.DESK)
    return User.objects.filter(roles__tournament=tournament, roles__role__in=roles, is_active=True).distinct()


@dataclass(frozen=True, slots=True)
class InDrawer:
    drawer: Drawer
    sums: tuple[tuple[str, int], ...]

    @property
    def cash_cents(self) -> int:
        return dict(self.sums).get(CASH, 0)


def with_sums(drawers: Iterable[Drawer]) -> list[InDrawer]:
    return [InDrawer(drawer, tuple(in_drawer(drawer).items())) for drawer in drawers]
