from __future__ import annotations

import datetime as dt

from tests.factories import a_director, an_event
from tests.prebuilt import prebuilt
from tests.tournament.helpers.money import a_cashier, charged
from tournament.core.permissions import Actor
from tournament.models import DayClose, Event
from tournament.money.services.drawers_and_close import EndOfDayCount, close_day, record_day_count
from tournament.money.services.fees_and_refunds import take_payment
from tournament.money.services.ledger import EventMoneyDetails, record_event_money

FRIDAY, SATURDAY = dt.date(2026, 11, 27), dt.date(2026, 11, 28)


EVENING = dt.datetime(2026, 11, 28, 5, 30, tzinfo=dt.UTC)
"""Friday, 9:30 PM at the venue."""


AFTER_MIDNIGHT = EVENING + dt.timedelta(hours=3)


NIGHT = EndOfDayCount({100_00: 5}, {"card": 300_00})


@prebuilt
def a_day_of_two_events() -> tuple[Event, Actor, Actor]:
    """Record $500 in cash and $300 by card: two entry fees, an expense, and a sponsor's money.

    Return the event with the expense, a cashier, and a director.
    """
    event = an_event()
    other = an_event(event.tournament)
    ann, director = a_cashier(event), a_director(event.tournament)
    take_payment(charged(event), 300_00, "cash", by=ann, key="1")
    take_payment(charged(other), 300_00, "card", by=ann, key="2")
    record_event_money(event, "expense", EventMoneyDetails(40_00, "cash", category="Trays"), by=director, key="3")
    record_event_money(other, "added", EventMoneyDetails(240_00, "cash", "The club"), by=ann, key="4")
    return event, ann, director


@prebuilt
def closed_day(event: Event, ann: Actor, director: Actor) -> DayClose:
    count = record_day_count(event.tournament, FRIDAY, NIGHT, by=ann, key="")
    return close_day(count, by=director)
