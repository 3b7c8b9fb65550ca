"""The report of a business day: its sums, the expected amounts in hand, and the figures of each event."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from tournament.models import DayClose, DayCount, Event, LedgerLine, Movement, Posting, Tournament
from tournament.money.selectors.days import began_on, last_count, standing_closes
from tournament.money.selectors.drawers import CASH
from tournament.money.selectors.expenses import load_expenses
from tournament.money.selectors.ledger import load_books
from tournament.money.selectors.movements import sums_by
from tournament.money.selectors.prizes import load_prizes
from tournament.purse.ledger.close import AccountLine, DayLine, DayReport, Group, report_day
from tournament.purse.ledger.counted import CountedCash
from tournament.purse.ledger.postings import AccountKind

METHODS = tuple(LedgerLine.Method.values)


@dataclass(frozen=True, slots=True)
class EventLine:
    """The figures of an event at the time of the report, in cents. `left` is what is left of its expenses.

    collected + added + subsidy = pool + expenses
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
    """Payments for side pools. It is 0 in reports that were signed before the report printed it."""

    extras: int = 0
    """Payments for extras."""

    added: int | None = None
    subsidy: int | None = None
    """Money that joined the pool beside the fees.

    It is None in reports that were signed before the report printed it.
    """


@dataclass(frozen=True, slots=True)
class CloseFigures:
    """The figures of a close, on the page and on paper. A closed day has the figures that were signed.

    `began` is the first day of the report, or None if the report covers a single day.
    """

    report: DayReport
    events: tuple[EventLine, ...]
    began: date | None = None

    def as_json(self) -> dict[str, Any]:
        events, began = [asdict(event) for event in self.events], self.began
        more = {"began": began.isoformat()} if began is not None else {}
        return {**report_as_json(self.report), "events": events, **more}


def report_as_json(report: DayReport) -> dict[str, Any]:
    """Return the part of the report that is computed from the rows alone."""
    return {
        "fees": [asdict(line) for line in report.fees],
        "moved": [asdict(line) for line in report.moved],
        "accounts": [asdict(line) for line in report.accounts],
    }


def read_figures(figures: Mapping[str, Any]) -> CloseFigures:
    fees, moved = (tuple(DayLine(**line) for line in figures[name]) for name in ("fees", "moved"))
    accounts = tuple(AccountLine(**line) for line in figures["accounts"])
    events = tuple(EventLine(**line) for line in figures["events"])
    return CloseFigures(DayReport(fees, moved, accounts), events, began_in(figures))


def began_in(figures: Mapping[str, Any]) -> date | None:
    """Return the first day of a signed close, or None if it covers a single day."""
    return date.fromisoformat(figures["began"]) if "began" in figures else None


def load_report(
    tournament: Tournament, day: date, began: date | None = None, *, movements: int | None = None
) -> DayReport:
    """Report on all events together, from the sums of their postings, for `began` to `day`.

    `movements` limits the report to the first so many movements. A reopened close is checked this way.
    """
    rows, began = Posting.objects.filter(tournament=tournament), began or day
    if movements is not None:
        signed = Movement.objects.filter(tournament=tournament).order_by("pk").values_list("pk")[:movements]
        last = max((pk for (pk,) in signed), default=0)
        rows = rows.filter(movement__lte=last)
    before, on_day = _groups(rows.filter(day__lt=began)), _groups(rows.filter(day__gte=began, day__lte=day))
    return report_day(before, on_day)


def load_open_report(tournament: Tournament, day: date) -> DayReport:
    """Report on everything since the last close, as a close of this day would."""
    return load_report(tournament, day, began_on(tournament, day))


def _groups(rows: Any) -> list[tuple[Group, int]]:
    found = sums_by(rows, "account", "kind", "method", "category")
    return [((account, kind, method, category), cents) for (account, kind, method, category), cents in found]


def load_figures(tournament: Tournament, day: date) -> CloseFigures:
    events = tournament.events.exclude(state=Event.State.DRAFT).select_related("tournament").order_by("pk")
    began = began_on(tournament, day)
    report = load_report(tournament, day, began)
    return CloseFigures(report, tuple(map(_event_line, events)), began if began < day else None)


def _event_line(event: Event) -> EventLine:
    books, prizes = load_books(event), load_prizes(event)
    expenses = load_expenses(event, prizes.side_pools)
    return EventLine(
        event.name,
        expenses.pool.collected_cents,
        expenses.pool.pool_cents,
        expenses.pool.expenses_cents,
        expenses.left_cents,
        books.total.due_cents,
        books.total.refund_due_cents,
        prizes.to_pay_cents,
        prizes.to_get_back_cents,
        books.total.side_collected_cents,
        books.total.extra_collected_cents,
        expenses.pool.added_cents,
        expenses.pool.subsidy_cents,
    )


def expected_of(report: DayReport) -> dict[str, int]:
    """Return the cents that should be counted, by method: all cash, and the other methods since the last close."""
    return {method: report.in_hand(method, since_before=method == CASH) for method in METHODS}


def counted_of(count: DayCount) -> tuple[CountedCash, ...]:
    """Return the counted cash by method, without methods that were neither expected nor counted."""
    rows = (CountedCash(one, count.expected.get(one, 0), count.counted.get(one, 0)) for one in METHODS)
    return tuple(row for row in rows if row.expected_cents or row.counted_cents)


@dataclass(frozen=True, slots=True)
class DayOnPage:
    """A business day with its count and its close, if it has them.

    The count is stale (`is_stale`) if money was recorded after it.
    """

    day: date
    figures: CloseFigures
    count: DayCount | None
    close: DayClose | None
    later_cash_cents: int = 0
    """Cash that counts to a later day. It is in hand too, but it is not part of this count."""
    earlier: DayClose | None = None
    """The signed close that these figures are compared with, after a director reopened it."""

    @property
    def counted(self) -> tuple[CountedCash, ...]:
        return counted_of(self.count) if self.count is not None else ()

    @property
    def pieces(self) -> tuple[tuple[int, int, int], ...]:
        """Return the cents, the number and the sum of each denomination, largest first."""
        found = self.count.pieces if self.count is not None else {}
        rows = sorted(((int(cents), number) for cents, number in found.items()), reverse=True)
        return tuple((cents, number, cents * number) for cents, number in rows)

    @property
    def is_stale(self) -> bool:
        count = self.count
        return count is not None and self.close is None and expected_of(self.figures.report) != count.expected


def load_business_day(tournament: Tournament, day: date, *, reopened: int | None = None) -> DayOnPage:
    """Return a business day with its close, if it is closed.

    With `reopened`, the primary key of a reopened close, return the day with the figures of that close.
    """
    close = standing_closes(tournament).filter(day=day).select_related("count").first()
    if reopened is not None:
        closes = DayClose.objects.select_related("count", "reopened").filter(tournament=tournament, day=day)
        close = closes.filter(pk=reopened).first() or close
    if close is not None:
        figures = read_figures(close.figures)
        return DayOnPage(day, figures, close.count, close, earlier=_earlier(tournament, day, figures.began, close))
    later = Posting.objects.filter(tournament=tournament, account=AccountKind.MONEY, method=CASH, day__gt=day)
    cents = sum(cents for _method, cents in sums_by(later, "method"))
    figures = load_figures(tournament, day)
    count, earlier = last_count(tournament, day), _earlier(tournament, day, figures.began)
    return DayOnPage(day, figures, count, None, cents, earlier)


def _earlier(tournament: Tournament, day: date, began: date | None, before: DayClose | None = None) -> DayClose | None:
    rows = DayClose.objects.filter(
        tournament=tournament, day__gte=began or day, day__lte=day, reopened__isnull=False
    ).select_related("count", "reopened")
    if before is not None:
        rows = rows.filter(pk__lt=before.pk)
    return rows.order_by("-pk").first()
