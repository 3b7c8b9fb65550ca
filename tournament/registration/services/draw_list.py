"""Decide on unpaid and absent entries before the draw: the director keeps them in it or leaves them out."""

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, writing
from tournament.errors import Conflict
from tournament.models import Entrant, EntrantFact, Event
from tournament.registration.services.entrants import reinstate_in
from tournament.registration.services.waiting_list import fill_free_places

Kind = EntrantFact.Kind


def keep_in_draw(event: Event, numbers: list[int], *, by: Actor, reason: str = "") -> int:
    """Keep entries in the draw although they are unpaid or absent.

    Return how many were recorded. Entries with such a decision already are skipped.
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="draw.kept", by=by, reason=reason) as write:
        already = EntrantFact.objects.filter(entrant__event=event, kind=Kind.KEPT).values_list("entrant_id", flat=True)
        kept = list(event.entrants.filter(number__in=numbers, state=Entrant.State.IN).exclude(pk__in=list(already)))
        for entrant in kept:
            EntrantFact.objects.create(entrant=entrant, kind=Kind.KEPT, **write.fact_fields())
        write.about(event, kept=[entrant.number for entrant in kept])
        return len(kept)


def leave_out(event: Event, numbers: list[int], *, by: Actor, reason: str) -> int:
    """Leave entries out of the draw, and return how many. They can be brought back before the draw.

    Raises:
        Conflict: `drawn`, after the draw. An entrant is withdrawn instead.
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="draw.left-out", by=by, reason=reason) as write:
        _refuse_drawn(write)
        left = list(event.entrants.filter(number__in=numbers, state=Entrant.State.IN))
        for entrant in left:
            EntrantFact.objects.create(entrant=entrant, kind=Kind.LEFT_OUT, **write.fact_fields())
            entrant.state = Entrant.State.REMOVED
            entrant.save(update_fields=["state"])
        write.about(event, left_out=[entrant.number for entrant in left], promoted=fill_free_places(write))
        return len(left)


def bring_back(event: Event, numbers: list[int], *, by: Actor, reason: str) -> int:
    """Bring left-out entries back to a place or to the waiting list, in one write, and return how many.

    Raises:
        Conflict: `drawn`, or `already-entered` if one of the players has entered again. Then nobody comes back.
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="draw.brought-back", by=by, reason=reason) as write:
        _refuse_drawn(write)
        back = list(event.entrants.filter(number__in=numbers, state=Entrant.State.REMOVED).order_by("number"))
        for entrant in back:
            reinstate_in(write, entrant)
        write.about(event, brought_back=[entrant.number for entrant in back])
        return len(back)


def _refuse_drawn(write: Write) -> None:
    if write.the_event.state not in (Event.State.OPEN, Event.State.CLOSED):
        raise Conflict("drawn", _("The draw is posted. Withdraw the player on the Results page instead."))
