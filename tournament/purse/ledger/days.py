"""The business day that money counts to: the date at the venue, unless the director says another."""

from datetime import date, timedelta


def is_closed(day: date, closed_through: date | None) -> bool:
    """A close is of its day and of all days before it."""
    return closed_through is not None and day <= closed_through


def counting_day(today: date, said: date | None, closed_through: date | None) -> date:
    """The day of what is recorded now; it may be closed, and is refused then.

    `said` is what the director said on this date: after midnight that the day before goes on, or in the evening that
    the next day has begun. It holds until that day is closed, or the date changes.

    >>> fri, sat = date(2026, 11, 27), date(2026, 11, 28)
    >>> counting_day(sat, fri, None) == fri, counting_day(sat, fri, fri) == sat, counting_day(fri, sat, fri) == sat
    (True, True, True)
    """
    return said if said is not None and not is_closed(said, closed_through) else today


def next_open_day(today: date, closed_through: date | None) -> date:
    """The first day from today on that is not closed.

    >>> next_open_day(date(2026, 11, 27), date(2026, 11, 27))
    datetime.date(2026, 11, 28)
    """
    return max(today, closed_through + timedelta(days=1)) if closed_through is not None else today
