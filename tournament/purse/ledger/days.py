"""The business day of money: the date at the venue, unless the director sets another day or the day is closed."""

from datetime import date, timedelta


def is_closed(day: date, closed_through: date | None) -> bool:
    """Return whether a day is closed. A close covers its day and all days before it."""
    return closed_through is not None and day <= closed_through


def counting_day(today: date, said: date | None, closed_through: date | None) -> date:
    """Return the business day of money that is recorded on the date `today`. It is never a closed day.

    `said` is the day that the director set on this date, such as the day before after midnight, or the next day in
    the evening. It holds until that day is closed or the date changes. Without it, money counts to today, or to the
    first day that is not closed.

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
    """Return the last day that can be counted and closed: today, unless the director sets another day.

    Money that comes in after the close belongs to the next day, but does not begin that day.
    """
    return said if said is not None and not is_closed(said, closed_through) else today


def next_open_day(today: date, closed_through: date | None) -> date:
    """Return the first day from today on that is not closed.

    >>> next_open_day(date(2026, 11, 27), date(2026, 11, 27))
    datetime.date(2026, 11, 28)
    """
    return max(today, closed_through + timedelta(days=1)) if closed_through is not None else today
