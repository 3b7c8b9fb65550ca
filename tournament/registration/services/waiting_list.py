"""Give places, fill the waiting list and move it up. Call it under the event's lock, so no place is given twice."""

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, writing
from tournament.errors import Conflict
from tournament.models import Entrant, EntrantFact, Event
from tournament.registration.selectors.entrants import free_halves, load_standing, load_waiting_list

Kind = EntrantFact.Kind
State = Entrant.State
MOVES_UP_BY_ITSELF = (Event.State.DRAFT, Event.State.OPEN, Event.State.CLOSED)


def add_fact(write: Write, entrant: Entrant, kind: str, *, role: str = "", **data: object) -> None:
    """Record a fact of an entry, and update the columns of the entrant that repeat its facts."""
    EntrantFact.objects.create(entrant=entrant, kind=kind, role=role, data=data, **write.signature_fields())
    standing = load_standing(entrant)
    entrant.state, entrant.arrived = standing.state.value, standing.arrived
    entrant.save(update_fields=["state", "arrived"])


def change_column(write: Write, entrant: Entrant, kind: str, column: str, value: str) -> str:
    """Record a change of one column that changes no state, and return the old value."""
    was: str = getattr(entrant, column)
    setattr(entrant, column, value)
    entrant.save(update_fields=[column])
    EntrantFact.objects.create(entrant=entrant, kind=kind, data={"was": was, column: value}, **write.fact_fields())
    return was


def place_or_wait(write: Write, entrant: Entrant, *, since: str) -> None:
    """Put a new entry on the waiting list if no place is free for it or others already wait.

    The entrant already counts as a holder of a place at this point.
    """
    event = write.the_event
    free = free_halves(event, without=entrant)
    if free is None:
        return
    someone_waits = event.entrants.filter(state=State.WAITING).exclude(pk=entrant.pk).exists()
    if free < halves_of(entrant) or someone_waits:
        add_fact(write, entrant, Kind.WAIT_LISTED, since=since)


def halves_of(entrant: Entrant) -> int:
    """Return how many half places an entry takes. Two entries that ask for a partner share one place."""
    return 1 if entrant.asks_partner else 2


def fill_free_places(write: Write) -> list[int]:
    """Move entries up by the event's rule while places are free, and return their numbers.

    Nothing happens if the director chooses by hand, or once the draw is made.
    """
    event = write.the_event
    if event.promotion == Event.Promotion.DIRECTOR or event.state not in MOVES_UP_BY_ITSELF:
        return []
    free, up = free_halves(event), []
    order = [waiting.number for waiting in load_waiting_list(event)]
    entrants = {entrant.number: entrant for entrant in event.entrants.filter(number__in=order)}
    for number in order:
        if free is not None:
            free -= halves_of(entrants[number])
            if free < 0:
                break
        add_fact(write, entrants[number], Kind.PROMOTED, rule=event.promotion)
        up.append(number)
    if up:
        write.outcome["promoted"] = up
    return up


def fill_places(event: Event, *, by: Actor) -> list[int]:
    """Move the waiting list up, for example after the number of places was raised.

    Raises:
        Conflict: `nobody-moves`.
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="waiting.filled", by=by) as write:
        up = fill_free_places(write)
        if not up:
            raise Conflict(
                "nobody-moves",
                _(
                    "Nobody can move up: no place is free, or the waiting list is empty, or the director chooses. "
                    "Look at the entrants."
                ),
            )
        write.about(event, promoted=up)
        return up


def promote(entrant: Entrant, *, by: Actor, reason: str = "") -> Entrant:
    """Give a free place to an entry on the waiting list, by the director's choice.

    Raises:
        Conflict: `not-waiting`, `full`.
    """
    require(by, "direct", entrant.event.tournament)
    with writing(entrant.event, verb="entrant.promoted", by=by, reason=reason) as write:
        locked = Entrant.objects.get(pk=entrant.pk)
        if locked.state != State.WAITING:
            raise Conflict(
                "not-waiting",
                _("%(name)s is not on the waiting list: the entry is in the state “%(state)s”. Nothing was changed.")
                % {"name": locked.name, "state": locked.get_state_display()},
            )
        free = free_halves(write.the_event)
        if free is not None and free < halves_of(locked):
            raise Conflict("full", _("All places are taken. Add places in the settings first."))
        add_fact(write, locked, Kind.PROMOTED, rule="by hand")
        write.about(locked, number=locked.number)
        return locked
