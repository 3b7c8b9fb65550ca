"""The one function that writes postings: of a fact that was just added, in its transaction."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.db.models import Max
from django.utils.translation import gettext as _

from tournament.core.services.record import Write
from tournament.core.topics import told
from tournament.errors import Conflict
from tournament.models import Event, EventMoney, LedgerLine, Movement, PaidOut, Posting
from tournament.money.selectors.movements import MoneyFact, recorded_of, reversed_fact
from tournament.purse.ledger.recorded import movement_of

COLUMN_OF: dict[type[MoneyFact], str] = {LedgerLine: "line", PaidOut: "paid_out", EventMoney: "money"}


def post(write: Write, fact: MoneyFact, *, given_cents: int | None = None) -> Movement:
    """Give a fact its number and its postings; the lock of its event keeps numbers apart."""
    moved = movement_of(recorded_of(fact))
    reverses = reversed_fact(fact)
    about = {"tournament": write.tournament, "event_id": fact.event_id, "day": _day(write)}
    row = Movement.objects.create(
        number=_next_number(fact.event_id),
        kind=moved.kind.value,
        reverses=reverses.movement if reverses is not None else None,
        given_cents=given_cents,
        **about,
        **{COLUMN_OF[type(fact)]: fact},
    )
    about |= {"kind": moved.kind.value, "method": moved.method, "category": moved.category}
    entrant_id = moved.entry or None
    rows = [
        Posting(movement=row, account=one.account.value, cents=one.cents, entrant_id=entrant_id, **about)
        for one in moved.postings
    ]
    told(Posting.objects.bulk_create(rows))
    return row


def refuse_finished(write: Write) -> None:
    """Raises Conflict `finished`: what changes the pool waits until the event is open again."""
    if write.event is not None and write.event.state == Event.State.FINISHED:
        said = _("The event is finished and its prizes are set. Open it again first, with a reason.")
        raise Conflict("finished", said)


def _next_number(event_id: int) -> int:
    last: int | None = Movement.objects.filter(event=event_id).aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def _day(write: Write) -> date:
    at: datetime = write.at
    return at.astimezone(ZoneInfo(write.tournament.time_zone)).date()
