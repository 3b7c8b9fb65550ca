"""Write the movement and the postings of a money fact, in the transaction that adds the fact.

No other code writes postings, so this is where a closed day refuses rows.
"""

from datetime import date
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from tournament.core.services.record import Write
from tournament.core.topics import told
from tournament.errors import Conflict
from tournament.models import CashMoved, Event, EventMoney, LedgerLine, Movement, PaidOut, Posting
from tournament.money.selectors.days import venue_date, what_was_said
from tournament.money.selectors.drawers import open_drawer_of
from tournament.money.selectors.movements import MoneyFact, recorded_of, reversed_fact
from tournament.purse.ledger.days import counting_day, is_closed
from tournament.purse.ledger.recorded import movement_of
from tournament.templatetags.gin import day_in_year

COLUMN_OF: dict[type[MoneyFact], str] = {
    LedgerLine: "line",
    PaidOut: "paid_out",
    EventMoney: "money",
    CashMoved: "cash",
}


def post(write: Write, fact: MoneyFact, *, given_cents: int | None = None, day: date | None = None) -> Movement:
    """Give a fact its receipt number, its business day and its postings. The event's lock keeps the numbers unique.

    If the actor is a cashier with an open drawer, the money is in that drawer. Pass `day` only for a count of that day.

    Raises:
        Conflict: `day-closed` if the given day is closed.
    """
    drawer = None if isinstance(fact, CashMoved) else _drawer(write)
    moved = movement_of(recorded_of(fact)).in_drawer(drawer) if drawer is not None else movement_of(recorded_of(fact))
    reverses, event_id = reversed_fact(fact), _event_of(fact)
    about: dict[str, Any] = {"tournament": write.tournament, "event_id": event_id, "day": _day(write, day)}
    row = Movement.objects.create(
        number=_next_number(write, event_id),
        kind=moved.kind.value,
        reverses=reverses.movement if reverses is not None else None,
        given_cents=given_cents,
        drawer_id=drawer,
        **about,
        **{COLUMN_OF[type(fact)]: fact},
    )
    about |= {"kind": moved.kind.value, "method": moved.method, "category": moved.category}
    entrant_id = moved.entry or None
    rows = [
        Posting(
            movement=row,
            account=one.account.value,
            cents=one.cents,
            entrant_id=entrant_id,
            drawer=one.drawer or None,
            **about,
        )
        for one in moved.postings
    ]
    told(Posting.objects.bulk_create(rows))
    return row


def is_finished(write: Write) -> bool:
    return write.event is not None and write.event.state == Event.State.FINISHED


def refuse_finished(write: Write, message: str = "") -> None:
    """Raise Conflict `finished` if the event is finished, because its pool must not change."""
    if is_finished(write):
        said = _("The event is finished and its prizes are set. Open it again first, with a reason.")
        raise Conflict("finished", message or said)


def refuse_closed_day(day: date, closed_through: date | None) -> None:
    if is_closed(day, closed_through):
        said = _("%(day)s is closed. Ask a director to open that day again under Money › Close the day.")
        raise Conflict("day-closed", said % {"day": day_in_year(day)})


def _event_of(fact: MoneyFact) -> int | None:
    return None if isinstance(fact, CashMoved) else fact.event_id


def _next_number(write: Write, event_id: int | None) -> int:
    rows = Movement.objects.filter(tournament=write.tournament, event=None)
    if event_id is not None:
        rows = Movement.objects.filter(event=event_id)
    last: int | None = rows.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def _day(write: Write, day: date | None) -> date:
    today = venue_date(write.tournament, write.at)
    if "days" not in write.looked_up:
        write.looked_up["days"] = what_was_said(write.tournament, today)
    said, closed_through = write.looked_up["days"]
    day = day or counting_day(today, said, closed_through)
    refuse_closed_day(day, closed_through)
    return day


def _drawer(write: Write) -> int | None:
    if "drawer" not in write.looked_up:
        found = open_drawer_of(write.by.user, write.tournament) if write.by.user is not None else None
        write.looked_up["drawer"] = found.pk if found is not None else None
    drawer: int | None = write.looked_up["drawer"]
    return drawer
