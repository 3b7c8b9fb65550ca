"""The business day that money counts to, and the days that are closed."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Max, Min, QuerySet

from tournament.models import DayClose, DayCount, DayOpened, DayReopened, Movement, Tournament
from tournament.purse.ledger.days import counting_day, is_closed, last_begun_day


def venue_date(tournament: Tournament, at: datetime) -> date:
    return at.astimezone(ZoneInfo(tournament.time_zone)).date()


def what_was_said(tournament: Tournament, today: date) -> tuple[date | None, date | None]:
    """Return the business day that the director chose on this date, and the last closed day."""
    zone = ZoneInfo(tournament.time_zone)
    began = datetime(today.year, today.month, today.day, tzinfo=zone)
    on_date = DayOpened.objects.filter(tournament=tournament, at__gte=began, at__lt=began + timedelta(days=1))
    last = on_date.order_by("-pk").values_list("day", flat=True).first()
    return last, closed_through(tournament)


def closed_through(tournament: Tournament) -> date | None:
    found: date | None = standing_closes(tournament).aggregate(last=Max("day"))["last"]
    return found


def standing_closes(tournament: Tournament) -> QuerySet[DayClose]:
    """Return the closes that no director has reopened."""
    return DayClose.objects.filter(tournament=tournament, reopened=None)


def is_of_closed_day(movement: Movement) -> bool:
    return is_closed_by(movement, closed_through(movement.tournament))


def is_closed_by(movement: Movement, closed: date | None) -> bool:
    """Return whether the movement's business day is on or before `closed`, the last closed day."""
    return movement.day is not None and is_closed(movement.day, closed)


def current_day(tournament: Tournament, at: datetime) -> date:
    """Return the business day for money that is recorded at this time."""
    today = venue_date(tournament, at)
    return counting_day(today, *what_was_said(tournament, today))


def day_after_close(tournament: Tournament, at: datetime) -> date | None:
    """Return the later day that money counts to because today is closed, or None while today is open."""
    today = venue_date(tournament, at)
    if not is_closed(today, closed_through(tournament)):
        return None
    day = current_day(tournament, at)
    return day if day > today else None


def last_day_begun(tournament: Tournament, at: datetime) -> date:
    """Return the last day that can be counted and closed at this time."""
    today = venue_date(tournament, at)
    return last_begun_day(today, *what_was_said(tournament, today))


def began_on(tournament: Tournament, day: date) -> date:
    """Return the first day that a close of this day covers. A close includes earlier days that nobody closed."""
    rows = Movement.objects.filter(tournament=tournament, day__lte=day)
    if (last := closed_through(tournament)) is not None:
        rows = rows.filter(day__gt=last)
    found: date | None = rows.aggregate(first=Min("day"))["first"]
    return found or day


def last_count(tournament: Tournament, day: date) -> DayCount | None:
    """Return the last count that has no close, or None. A reopened day has to be counted again."""
    return DayCount.objects.filter(tournament=tournament, day=day, close=None).order_by("-pk").first()


def days_to_close(tournament: Tournament) -> list[date]:
    """Return the days with recorded money that are not closed, newest first."""
    rows = Movement.objects.filter(tournament=tournament, day__isnull=False)
    if (last := closed_through(tournament)) is not None:
        rows = rows.filter(day__gt=last)
    return [day for day in rows.order_by("-day").values_list("day", flat=True).distinct() if day is not None]


def closes_of(tournament: Tournament) -> QuerySet[DayClose]:
    """Return all closes, including reopened ones, latest day first."""
    rows = DayClose.objects.filter(tournament=tournament).select_related("count", "reopened")
    return rows.order_by("-day", "-pk")


def days_to_close_again(tournament: Tournament) -> list[DayReopened]:
    """Return the reopened days that were not closed again, earliest day first."""
    rows = DayReopened.objects.filter(close__tournament=tournament).select_related("close__count", "close__tournament")
    by_day = {row.close.day: row for row in rows.order_by("close__day", "pk")}
    last = closed_through(tournament) if by_day else None
    return [row for day, row in by_day.items() if not is_closed(day, last)]
