from __future__ import annotations

from pairing.selectors.placings import load_final_placings
from tournament.errors import Conflict, DomainError
from tournament.models import Event, Finish
from tournament.permissions import Actor, require
from tournament.services.doors import go_through
from tournament.services.finish import record_finish
from tournament.services.record import writing


def finish_event(event: Event, *, by: Actor) -> Finish:
    """Everything is decided: places become the finish, and the finish becomes payouts.

    Raises:
        Conflict: `not-complete`.
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="event.finished", by=by) as note:
        assert note.event is not None
        placings = load_final_placings(note.event)
        if placings is None:
            raise Conflict("not-complete", "Not everything is decided yet. Look at the tables for what is open.")
        go_through(note, note.event, Event.State.FINISHED)
        return record_finish(note, note.event, [list(placing.entries) for placing in placings.finish])


def reopen_event(event: Event, *, by: Actor, reason: str) -> Event:
    """Back in play, to correct a result; the prizes are made anew when it finishes again.

    Raises:
        Conflict: `paid-out`: prizes were handed over already.
    """
    require(by, "direct", event.tournament)
    if not reason.strip():
        raise DomainError("reason-needed", "Opening a finished event needs a reason: write down why.")
    with writing(event, verb="event.reopened", by=by, reason=reason) as note:
        assert note.event is not None
        if note.event.paid_out.exists():
            raise Conflict("paid-out", "Prizes were handed over already: this event cannot be opened again.")
        return go_through(note, note.event, Event.State.IN_PLAY)
