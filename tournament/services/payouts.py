"""Prizes handed over: what each entry gets is computed; that it was paid is a fact."""

from __future__ import annotations

from tournament.errors import Conflict
from tournament.models import Entrant, Event, PaidOut
from tournament.permissions import Actor, require
from tournament.selectors.ledger import load_payout
from tournament.services.record import writing


def pay_prize(entrant: Entrant, method: str, *, by: Actor, key: str = "") -> PaidOut:
    """Raises Conflict `not-finished`, `no-prize` or `paid-already`: a prize is paid once, for exactly what it is."""
    event = entrant.event
    require(by, "direct", event.tournament)
    with writing(event, verb="prize.paid", by=by, key=key) as note:
        if note.repeated:
            return PaidOut.objects.get(pk=note.outcome["paid"])
        cents = _prize_of(entrant, note.event or event)
        if PaidOut.objects.filter(entrant=entrant).exists():
            raise Conflict("paid-already", f"{entrant.name} was paid already. Look at the payout list.")
        paid = PaidOut.objects.create(event=event, entrant=entrant, cents=cents, method=method, **note.signed())
        note.about(entrant, paid=paid.pk, cents=cents)
        return paid


def _prize_of(entrant: Entrant, event: Event) -> int:
    payout = load_payout(event)
    if payout is None:
        raise Conflict("not-finished", "The event is not finished, so nobody is paid yet.")
    for award in payout.awards:
        if award.entry == entrant.number:
            return award.cents
    raise Conflict("no-prize", f"{entrant.name} has won no prize in this event.")
