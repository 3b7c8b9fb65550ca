"""Who has come: one tap at the desk, taken back by another."""

from tournament.core.permissions import Actor, require
from tournament.core.services.record import writing
from tournament.errors import Conflict
from tournament.models import Entrant, EntrantFact

Kind = EntrantFact.Kind


def mark_arrived(entrant: Entrant, arrived: bool = True, *, by: Actor) -> Entrant:
    """Marked so already, nothing is added: two desks may tap at once.

    Raises:
        Conflict: `not-in`, for an entry that is not in the event.
    """
    require(by, "desk", entrant.event.tournament)
    with writing(entrant.event, verb="entrant.arrived" if arrived else "entrant.not-arrived", by=by) as write:
        locked = Entrant.objects.select_for_update(of=("self",)).get(pk=entrant.pk)
        if locked.state not in (Entrant.State.IN, Entrant.State.SEEKING):
            raise Conflict("not-in", f"{locked.name} is “{locked.get_state_display()}”: only who is in can arrive.")
        write.about(locked, arrived=arrived)
        if locked.arrived != arrived:
            kind = Kind.ARRIVED if arrived else Kind.NOT_ARRIVED
            EntrantFact.objects.create(entrant=locked, kind=kind, **write.fact_fields())
            locked.arrived = arrived
            locked.save(update_fields=["arrived"])
        return locked
