"""The business day that money counts to: the date at the venue, unless the director says another, or it is closed."""

from datetime import date, timedelta


def is_closed(day: date, closed_through: date | None) -> bool:
    """A close is of its day and of all days before it."""
    return closed_through is not None and day <= closed_through


def counting_day(today: date, said: date | None, closed_through: date | None) -> date:
    """Return the day of money that is recorded now; it is never a closed one.

    `said` is what the director said on this date: after midnight that the day before goes on, or in the evening that
    the next day has begun. It holds until that day is closed, or the date changes. Without it, money counts to today,
    or to the first day that is not closed.

    >>> fri, sat = date(2026, 11, 27), date(2026, 11, 28)
    >>> counting_day(sat, fri, None) == fri, counting_day(sat, fri, fri) == sat, counting_day(fri, sat, fri) == sat
    (True, True, True)
    >>> counting_day(fri, None, fri) == sat
    True
    """
    if said is not None and not is_closed(said, closed_through):
        return said
    return next_open_day(today, closed_through)


def last_begun_day(today: date, said: date | None, closed_through: date | None) -> date:
    """Return the last day that can be counted and closed: today, unless the director says another day.

    Money that comes in after the close belongs to the next day, which has not begun by that.
    """
    return said if said is not None and not is_closed(said, closed_through) else today


def next_open_day(today: date, closed_through: date | None) -> date:
    """The first day from today on that is not closed.

    >>> next_open_day(date(2026, 11, 27), date(2026, 11, 27))
    datetime.date(2026, 11, 28)
    """
    return max(today, closed_through + timedelta(days=1)) if closed_through is not None else today
