"""A tournament's business days, the money in its drawers and safe, and the figures of each daily close."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Max, Min, QuerySet

from tournament.models import (
    CashMoved,
    DayClose,
    DayCount,
    DayOpened,
    DayReopened,
    Drawer,
    Event,
    LedgerLine,
    Movement,
    Posting,
    StaffRole,
    Tournament,
    User,
)
from tournament.money.selectors.finances import load_event_money_figures
from tournament.money.selectors.ledger import sum_postings_by_columns
from tournament.purse.business_day import (
    AccountBalance,
    CountedMoney,
    DayReport,
    MovementTotal,
    PostingGroupKey,
    find_current_business_day,
    find_last_closable_day,
    is_day_closed,
    make_day_report,
)
from tournament.purse.kinds import AccountKind

CASH_METHOD = LedgerLine.Method.CASH.value
PAYMENT_METHODS = tuple(LedgerLine.Method.values)


# --- Business days ---------------------------------------------------------------------------------------------------


def to_venue_date(tournament: Tournament, at: datetime) -> date:
    return at.astimezone(ZoneInfo(tournament.time_zone)).date()


def find_business_day_at(tournament: Tournament, at: datetime) -> date:
    """Return the business day to which money recorded at this time belongs."""
    today = to_venue_date(tournament, at)
    return find_current_business_day(today, *load_business_day_settings(tournament, today))


def find_business_day_after_close(tournament: Tournament, at: datetime) -> date | None:
    """Return the later day to which new money belongs if today is already closed. If today is open, return None."""
    today = to_venue_date(tournament, at)
    if not is_day_closed(today, load_last_closed_day(tournament)):
        return None
    day = find_business_day_at(tournament, at)
    return day if day > today else None


def load_last_closable_day(tournament: Tournament, at: datetime) -> date:
    """Return the latest day that can be counted and closed at this time."""
    today = to_venue_date(tournament, at)
    return find_last_closable_day(today, *load_business_day_settings(tournament, today))


def load_business_day_settings(tournament: Tournament, today: date) -> tuple[date | None, date | None]:
    """Return the business day that the director chose on this date, and the latest closed day."""
    zone = ZoneInfo(tournament.time_zone)
    midnight = datetime(today.year, today.month, today.day, tzinfo=zone)
    on_date = DayOpened.objects.filter(tournament=tournament, at__gte=midnight, at__lt=midnight + timedelta(days=1))
    last = on_date.order_by("-pk").values_list("day", flat=True).first()
    return last, load_last_closed_day(tournament)


def load_last_closed_day(tournament: Tournament) -> date | None:
    last_day: date | None = load_valid_daily_closes(tournament).aggregate(last=Max("day"))["last"]
    return last_day


def load_valid_daily_closes(tournament: Tournament) -> QuerySet[DayClose]:
    """Return the daily closes that have not been reopened."""
    return DayClose.objects.filter(tournament=tournament, reopened=None)


def load_all_daily_closes(tournament: Tournament) -> QuerySet[DayClose]:
    """Return all daily closes, including reopened ones, latest day first."""
    rows = DayClose.objects.filter(tournament=tournament).select_related("count", "reopened")
    return rows.order_by("-day", "-pk")


def is_on_closed_day(movement: Movement, last_closed: date | None) -> bool:
    return movement.day is not None and is_day_closed(movement.day, last_closed)


def load_days_to_close(tournament: Tournament) -> list[date]:
    """Return the days with recorded money that have not been closed, newest first."""
    rows = Movement.objects.filter(tournament=tournament, day__isnull=False)
    if (last := load_last_closed_day(tournament)) is not None:
        rows = rows.filter(day__gt=last)
    return [day for day in rows.order_by("-day").values_list("day", flat=True).distinct() if day is not None]


def load_days_to_close_again(tournament: Tournament) -> list[DayReopened]:
    """Return reopened days that have not been closed again, earliest day first."""
    rows = DayReopened.objects.filter(close__tournament=tournament).select_related("close__count", "close__tournament")
    by_day = {row.close.day: row for row in rows.order_by("close__day", "pk")}
    last = load_last_closed_day(tournament) if by_day else None
    return [row for day, row in by_day.items() if not is_day_closed(day, last)]


def load_unused_day_count(tournament: Tournament, day: date) -> DayCount | None:
    """Return the day's last count that was not used for a close, or None.

    A reopened day has to be counted again, so the count of its earlier close is not returned.
    """
    return DayCount.objects.filter(tournament=tournament, day=day, close=None).order_by("-pk").first()


# --- Drawers and the safe --------------------------------------------------------------------------------------------


def load_open_drawers(tournament: Tournament) -> QuerySet[Drawer]:
    return Drawer.objects.filter(tournament=tournament, closed=None).select_related("cashier").order_by("number")


def load_closed_drawers(tournament: Tournament) -> QuerySet[Drawer]:
    """Return the closed drawers, most recently closed first."""
    rows = Drawer.objects.filter(tournament=tournament, closed__isnull=False)
    return rows.select_related("cashier", "closed__next").order_by("-closed__pk")


def find_open_drawer(user: User, tournament: Tournament) -> Drawer | None:
    return load_open_drawers(tournament).filter(cashier=user).first()


def sum_cents_in_drawer(drawer: Drawer) -> dict[str, int]:
    """Return the cents in a drawer by payment method. Methods with a zero balance are left out."""
    rows = Posting.objects.filter(drawer=drawer.pk, account=AccountKind.MONEY)
    return {method: cents for (method,), cents in sorted(sum_postings_by_columns(rows, "method")) if cents}


def sum_cents_in_safe(tournament: Tournament) -> dict[str, int]:
    rows = Posting.objects.filter(tournament=tournament, drawer=None, account=AccountKind.MONEY)
    return {method: cents for (method,), cents in sorted(sum_postings_by_columns(rows, "method")) if cents}


def load_cash_moves(tournament: Tournament) -> QuerySet[CashMoved]:
    rows = CashMoved.objects.filter(tournament=tournament)
    return rows.select_related("movement", "drawer", "to_drawer").order_by("-pk")


def load_cashiers(tournament: Tournament) -> QuerySet[User]:
    roles = (StaffRole.Role.DIRECTOR, StaffRole.Role.COORDINATOR, StaffRole.Role.DESK)
    return User.objects.filter(roles__tournament=tournament, roles__role__in=roles, is_active=True).distinct()


# --- Figures of a close ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventMoneyFigures:
    """An event's figures at the time of the close, in cents.

    The figures satisfy this equation:

        collected + added + subsidy = pool + expenses

    `left` is the unspent part of the event's expense budget. Older signed reports lack some of these figures, which
    are then 0 or None.
    """

    name: str
    collected: int
    pool: int
    expenses: int
    left: int
    owed_by: int
    owed_to: int
    to_pay: int
    to_get_back: int
    side: int = 0
    """Payments received for side pools."""

    extras: int = 0
    added: int | None = None
    subsidy: int | None = None


@dataclass(frozen=True, slots=True)
class _DailyCloseFigures:
    """The figures of a daily close, on its page and in its PDF. A closed day keeps the figures that were signed.

    `began` is the first day of the report, or None if the report covers a single day.
    """

    report: DayReport
    events: tuple[EventMoneyFigures, ...]
    began: date | None = None

    def as_json(self) -> dict[str, Any]:
        events, began = [asdict(event) for event in self.events], self.began
        more = {"began": began.isoformat()} if began is not None else {}
        return {**day_report_to_json(self.report), "events": events, **more}


@dataclass(frozen=True, slots=True)
class BusinessDay:
    """A business day with its count and its close, if there are any.

    A count is stale (`is_stale`) if money was recorded after it.
    """

    day: date
    figures: _DailyCloseFigures
    count: DayCount | None
    close: DayClose | None
    next_days_cash_cents: int = 0
    """Cash that belongs to a later day. It is also in the cash box, but it is not part of this day's count."""
    reopened_close: DayClose | None = None
    """The reopened close with which these figures are compared."""

    @property
    def counted(self) -> tuple[CountedMoney, ...]:
        return read_counted_money(self.count) if self.count is not None else ()

    @property
    def pieces(self) -> tuple[tuple[int, int, int], ...]:
        """Return a row for each denomination, largest first: its cents, the number of pieces, and their total."""
        counts = self.count.pieces if self.count is not None else {}
        rows = sorted(((int(cents), number) for cents, number in counts.items()), reverse=True)
        return tuple((cents, number, cents * number) for cents, number in rows)

    @property
    def is_stale(self) -> bool:
        count = self.count
        return (
            count is not None
            and self.close is None
            and compute_expected_cents_by_method(self.figures.report) != count.expected
        )


def load_business_day(tournament: Tournament, day: date, *, reopened: int | None = None) -> BusinessDay:
    """Return a business day, with its close if there is one.

    If `reopened` is the primary key of a close that was reopened, return the day with the figures of that close.
    """
    close = load_valid_daily_closes(tournament).filter(day=day).select_related("count").first()
    if reopened is not None:
        closes = DayClose.objects.select_related("count", "reopened").filter(tournament=tournament, day=day)
        close = closes.filter(pk=reopened).first() or close
    if close is not None:
        figures = read_daily_close_figures(close.figures)
        reopened_close = _load_reopened_close(tournament, day, figures.began, close)
        return BusinessDay(day, figures, close.count, close, reopened_close=reopened_close)
    later = Posting.objects.filter(tournament=tournament, account=AccountKind.MONEY, method=CASH_METHOD, day__gt=day)
    cents = sum(cents for _method, cents in sum_postings_by_columns(later, "method"))
    figures = load_daily_close_figures(tournament, day)
    reopened_close = _load_reopened_close(tournament, day, figures.began)
    return BusinessDay(day, figures, load_unused_day_count(tournament, day), None, cents, reopened_close)


def _load_reopened_close(
    tournament: Tournament, day: date, began: date | None, before: DayClose | None = None
) -> DayClose | None:
    rows = DayClose.objects.filter(
        tournament=tournament, day__gte=began or day, day__lte=day, reopened__isnull=False
    ).select_related("count", "reopened")
    if before is not None:
        rows = rows.filter(pk__lt=before.pk)
    return rows.order_by("-pk").first()


def load_daily_close_figures(tournament: Tournament, day: date) -> _DailyCloseFigures:
    events = tournament.events.exclude(state=Event.State.DRAFT).select_related("tournament").order_by("pk")
    began = _load_first_day(tournament, day)
    report = load_day_report(tournament, day, began)
    return _DailyCloseFigures(report, tuple(map(_make_event_figures, events)), began if began < day else None)


def _make_event_figures(event: Event) -> EventMoneyFigures:
    figures = load_event_money_figures(event)
    return EventMoneyFigures(event.name, **{field.name: figures[field.name] for field in fields(EventMoneyFigures)[1:]})


def read_daily_close_figures(figures: Mapping[str, Any]) -> _DailyCloseFigures:
    fees, moved = (tuple(MovementTotal(**line) for line in figures[name]) for name in ("fees", "moved"))
    accounts = tuple(AccountBalance(**line) for line in figures["accounts"])
    events = tuple(EventMoneyFigures(**line) for line in figures["events"])
    return _DailyCloseFigures(DayReport(fees, moved, accounts), events, read_first_day_of_close(figures))


def read_first_day_of_close(figures: Mapping[str, Any]) -> date | None:
    """Return the first day of a signed close, or None if the close covers a single day."""
    return date.fromisoformat(figures["began"]) if "began" in figures else None


def day_report_to_json(report: DayReport) -> dict[str, Any]:
    """Return, as JSON data, the part of the report that is computed only from database rows."""
    return {
        "fees": [asdict(line) for line in report.fees],
        "moved": [asdict(line) for line in report.moved],
        "accounts": [asdict(line) for line in report.accounts],
    }


def load_day_report(
    tournament: Tournament, day: date, began: date | None = None, *, movements: int | None = None
) -> DayReport:
    """Return a report on the days from `began` to `day`, for all events of the tournament together.

    If `movements` is given, the report covers only the tournament's first `movements` money movements. This makes it
    possible to verify a close that was reopened later.
    """
    rows, began = Posting.objects.filter(tournament=tournament), began or day
    if movements is not None:
        signed = Movement.objects.filter(tournament=tournament).order_by("pk").values_list("pk")[:movements]
        last = max((pk for (pk,) in signed), default=0)
        rows = rows.filter(movement__lte=last)
    before, on_day = (
        _sum_posting_groups(rows.filter(day__lt=began)),
        _sum_posting_groups(rows.filter(day__gte=began, day__lte=day)),
    )
    return make_day_report(before, on_day)


def load_report_since_last_close(tournament: Tournament, day: date) -> DayReport:
    """Return a report on all money since the last close, as if the given day were closed now."""
    return load_day_report(tournament, day, _load_first_day(tournament, day))


def _load_first_day(tournament: Tournament, day: date) -> date:
    """Return the first day that this day's close covers. A close includes earlier days that were not closed."""
    rows = Movement.objects.filter(tournament=tournament, day__lte=day)
    if (last := load_last_closed_day(tournament)) is not None:
        rows = rows.filter(day__gt=last)
    first_day: date | None = rows.aggregate(first=Min("day"))["first"]
    return first_day or day


def _sum_posting_groups(rows: Any) -> list[tuple[PostingGroupKey, int]]:
    sums = sum_postings_by_columns(rows, "account", "kind", "method", "category")
    return [((account, kind, method, category), cents) for (account, kind, method, category), cents in sums]


def compute_expected_cents_by_method(report: DayReport) -> dict[str, int]:
    """Return the cents that a count should find for each payment method.

    For cash, this is all cash on hand. For any other method, it is the money received since the last close.
    """
    return {
        method: report.get_cents_on_hand(method, includes_earlier=method == CASH_METHOD) for method in PAYMENT_METHODS
    }


def read_counted_money(count: DayCount) -> tuple[CountedMoney, ...]:
    """Return the expected and the counted amount for each payment method in a day's count.

    Methods other than cash are left out if nothing was expected or counted.
    """
    rows = (
        CountedMoney(method, count.expected.get(method, 0), count.counted.get(method, 0)) for method in PAYMENT_METHODS
    )
    return tuple(row for row in rows if row.expected_cents or row.counted_cents)
