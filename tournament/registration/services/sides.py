"""Change an entrant's side, in events with two sides."""

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.record import writing
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, EntrantFact, Event
from tournament.registration.selectors.sides import side_choices
from tournament.registration.services.waiting_list import change_column


def change_side(entrant: Entrant, side: str, *, by: Actor, reason: str = "") -> Entrant:
    """Move an entrant to another side before the draw is posted.

    Raises:
        DomainError: `bad-side`.
        Conflict: `drawn`, `same-side`.
    """
    require(by, "desk", entrant.event.tournament)
    with writing(entrant.event, verb="entrant.side", by=by, reason=reason) as write:
        locked = Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)
        if locked.event.state not in (Event.State.DRAFT, Event.State.OPEN, Event.State.CLOSED):
            raise Conflict("drawn", _("The draw is posted, so nobody can change sides. Undo the draw first."))
        refuse_other_side(locked.event, side, needed=True)
        if locked.side == side:
            name = dict(side_choices(locked.event))[side]
            raise Conflict(
                "same-side",
                _("%(name)s already plays with the %(name2)s. Nothing was changed.")
                % {"name": locked.name, "name2": name},
            )
        was = change_column(write, locked, EntrantFact.Kind.SIDE, "side", side)
        write.about(locked, number=locked.number, was=was, side=side)
        return locked


def refuse_other_side(event: Event, side: str, *, needed: bool = False) -> None:
    """Refuse a side that this event does not have. An empty side is refused only if `needed`."""
    choices = dict(side_choices(event))
    if (side or needed) and side not in choices:
        names = " · ".join(choices.values())
        choose = _("There is no such side. Choose one of these: %(sides)s.") % {"sides": names}
        said = choose if names else _("This event has no sides. Leave the side out.")
        raise DomainError("bad-side", said, field="side")
