"""Who has not paid or not arrived before the draw: the director keeps them in it, or draws without them."""

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, writing
from tournament.errors import Conflict
from tournament.models import Entrant, EntrantFact, Event
from tournament.registration.services.entrants import reinstate_in
from tournament.registration.services.waiting_list import fill_free_places

Kind = EntrantFact.Kind


def keep_in_draw(event: Event, numbers: list[int], *, by: Actor, reason: str = "") -> int:
    """Kept although unpaid or not arrived; said twice, nothing is added. How many were kept."""
    require(by, "direct", event.tournament)
    with writing(event, verb="draw.kept", by=by, reason=reason) as write:
        already = EntrantFact.objects.filter(entrant__event=event, kind=Kind.KEPT).values_list("entrant_id", flat=True)
        kept = list(event.entrants.filter(number__in=numbers, state=Entrant.State.IN).exclude(pk__in=list(already)))
        for entrant in kept:
            EntrantFact.objects.create(entrant=entrant, kind=Kind.KEPT, **write.fact_fields())
        write.about(event, kept=[entrant.number for entrant in kept])
        return len(kept)


def leave_out(event: Event, numbers: list[int], *, by: Actor, reason: str) -> int:
    """Drawn without them; they can be reinstated before the draw. How many were left out.

    Raises:
        Conflict: `drawn`: after the draw an entrant is withdrawn instead.
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
    """Those left out are in again, all in one act: to a place, or to the waiting list. How many came back.

    Raises:
        Conflict: `drawn`; `already-entered` where somebody has another entry by now: then nobody comes back.
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
