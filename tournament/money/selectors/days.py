"""The business day that money counts to, and which days are closed."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Max, Min, QuerySet

from tournament.models import DayClose, DayCount, DayOpened, DayReopened, Movement, Tournament
from tournament.purse.ledger.days import counting_day, is_closed, last_begun_day


def venue_date(tournament: Tournament, at: datetime) -> date:
    return at.astimezone(ZoneInfo(tournament.time_zone)).date()


def what_was_said(tournament: Tournament, today: date) -> tuple[date | None, date | None]:
    """The day that the director said on this date, and the last one that is closed."""
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
    """Whether the business day of a movement is closed."""
    return is_closed_by(movement, closed_through(movement.tournament))


def is_closed_by(movement: Movement, closed: date | None) -> bool:
    """Whether its business day is not after `closed`, the last one that is closed."""
    return movement.day is not None and is_closed(movement.day, closed)


def current_day(tournament: Tournament, at: datetime) -> date:
    """The day that money recorded now counts to."""
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
    """The last day that can be counted and closed now."""
    today = venue_date(tournament, at)
    return last_begun_day(today, *what_was_said(tournament, today))


def began_on(tournament: Tournament, day: date) -> date:
    """The first day that a close of this day is of: days before it that nobody closed belong to it."""
    rows = Movement.objects.filter(tournament=tournament, day__lte=day)
    if (last := closed_through(tournament)) is not None:
        rows = rows.filter(day__gt=last)
    found: date | None = rows.aggregate(first=Min("day"))["first"]
    return found or day


def last_count(tournament: Tournament, day: date) -> DayCount | None:
    """Return the last count that no close was signed under: a day that is open again is counted again."""
    return DayCount.objects.filter(tournament=tournament, day=day, close=None).order_by("-pk").first()


def days_to_close(tournament: Tournament) -> list[date]:
    """Days on which money was recorded and that are not closed, the newest first."""
    rows = Movement.objects.filter(tournament=tournament, day__isnull=False)
    if (last := closed_through(tournament)) is not None:
        rows = rows.filter(day__gt=last)
    return [day for day in rows.order_by("-day").values_list("day", flat=True).distinct() if day is not None]


def closes_of(tournament: Tournament) -> QuerySet[DayClose]:
    """The last day first, with the closes that were opened again."""
    rows = DayClose.objects.filter(tournament=tournament).select_related("count", "reopened")
    return rows.order_by("-day", "-pk")


def days_to_close_again(tournament: Tournament) -> list[DayReopened]:
    """Days that were opened again and are not closed since, the first one first."""
    rows = DayReopened.objects.filter(close__tournament=tournament).select_related("close__count", "close__tournament")
    by_day = {row.close.day: row for row in rows.order_by("close__day", "pk")}
    last = closed_through(tournament) if by_day else None
    return [row for day, row in by_day.items() if not is_closed(day, last)]
