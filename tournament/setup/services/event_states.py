"""The states of an event and the transitions between them: draft → open → closed → drawn → in play → finished.

An event that is open, closed, drawn or in play can be called off, and be brought back to that state.

The services of the upper apps (drawn, in play, finished) call `transition` inside their own transaction.
"""

from typing import Final

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Event, EventStep

State = Event.State

WAYS: Final[dict[str, tuple[str, ...]]] = {
    State.DRAFT: (State.OPEN,),
    State.OPEN: (State.CLOSED, State.CALLED_OFF),
    State.CLOSED: (State.OPEN, State.DRAWN, State.CALLED_OFF),
    State.DRAWN: (State.CLOSED, State.IN_PLAY, State.CALLED_OFF),
    State.IN_PLAY: (State.FINISHED, State.CLOSED, State.CALLED_OFF),
    State.FINISHED: (State.IN_PLAY,),
    State.CALLED_OFF: (State.OPEN, State.CLOSED, State.DRAWN, State.IN_PLAY),
}
"""The allowed transitions from each state.

Going back needs a reason: closed → open, drawn or in play → closed (a redraw), finished → in play. Bringing back an
event that was called off needs one as well.
"""

_ORDER: Final = [state.value for state in State]


def transition(write: Write, event: Event, to: str) -> Event:
    """Move the locked event to another state inside an open write, and record the step.

    Raises:
        Conflict: `already-there` or `no-such-door`.
        DomainError: `reason-needed` when going back.
    """
    if event.state == to:
        raise Conflict(
            "already-there",
            _("%(name)s is “%(state)s” already. Nothing was changed.")
            % {"name": event.name, "state": event.get_state_display()},
        )
    if to not in WAYS[event.state]:
        said = _("%(name)s is “%(state)s” and cannot become “%(label)s”. Look at what comes next.") % {
            "name": event.name,
            "state": event.get_state_display(),
            "label": State(to).label,
        }
        raise Conflict("no-such-door", said)
    if _ORDER.index(to) < _ORDER.index(event.state) and not write.reason.strip():
        raise DomainError("reason-needed", _("Write why you go back. The reason is kept in the log."))
    EventStep.objects.create(event=event, came_from=event.state, went_to=to, **write.fact_fields())
    event.state = to
    event.save(update_fields=["state"])
    write.about(event, state=to)
    return event


def open_registration(event: Event, *, by: Actor, reason: str = "") -> Event:
    require(by, "direct", event.tournament)
    with writing(event, verb="event.opened", by=by, reason=reason) as write:
        locked = write.the_event
        if locked.opens_at and locked.closes_at and locked.opens_at >= locked.closes_at:
            said = _("Registration closes before it opens. Correct the registration window in the settings.")
            raise DomainError("window", said)
        return transition(write, locked, State.OPEN)
