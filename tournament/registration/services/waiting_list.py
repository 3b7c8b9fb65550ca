"""Assign places, move up the waiting list, and change sides and locations, all under the event's lock."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, writing
from tournament.errors import Conflict, DomainError, ReasonRequired
from tournament.models import Entrant, EntrantFact, Event
from tournament.registration.selectors.entries import (
    count_free_half_places,
    list_sites,
    load_entry_summary,
    load_waiting_list,
    make_side_choices,
)
from tournament.spreadsheets import name_key

EntrantFactKind = EntrantFact.Kind
EntrantState = Entrant.State
EVENT_STATES_BEFORE_DRAW = (Event.State.DRAFT, Event.State.OPEN, Event.State.CLOSED)


def record_entrant_fact(
    write: WriteTransaction, entrant: Entrant, kind: str, *, role: str = "", **data: object
) -> None:
    """Record a fact about an entry, and update the entrant's columns that are derived from its facts."""
    EntrantFact.objects.create(entrant=entrant, kind=kind, role=role, data=data, **write.signature_fields())
    standing = load_entry_summary(entrant)
    entrant.state, entrant.arrived = standing.state.value, standing.arrived
    entrant.save(update_fields=["state", "arrived"])


def change_entrant_column(write: WriteTransaction, entrant: Entrant, kind: str, column: str, value: str) -> str:
    """Change a column that does not affect the entry's state, and record the change. Return the old value."""
    was: str = getattr(entrant, column)
    setattr(entrant, column, value)
    entrant.save(update_fields=[column])
    EntrantFact.objects.create(entrant=entrant, kind=kind, data={"was": was, column: value}, **write.fact_fields())
    return was


def put_on_waiting_list_if_full(write: WriteTransaction, entrant: Entrant, *, since: str) -> None:
    """Put a new entry on the waiting list if no place is free, or if others are already waiting."""
    event = write.the_event
    free = count_free_half_places(event, without=entrant)
    if free is None:
        return
    others_wait = event.entrants.filter(state=EntrantState.WAITING).exclude(pk=entrant.pk).exists()
    if free < _count_half_places(entrant) or others_wait:
        record_entrant_fact(write, entrant, EntrantFactKind.WAIT_LISTED, since=since)


def _count_half_places(entrant: Entrant) -> int:
    """Return how many half places an entry needs: one for a player without a partner, two for any other entry."""
    return 1 if entrant.asks_partner else 2


def fill_free_places(write: WriteTransaction) -> list[int]:
    """Move entries up from the waiting list while places are free. Return their numbers.

    Nobody moves up automatically after the draw, or if the director decides who moves up.
    """
    event = write.the_event
    if event.promotion == Event.Promotion.DIRECTOR or event.state not in EVENT_STATES_BEFORE_DRAW:
        return []
    free, promoted = count_free_half_places(event), []
    order = [waiting.number for waiting in load_waiting_list(event)]
    entrants = {entrant.number: entrant for entrant in event.entrants.filter(number__in=order)}
    for number in order:
        if free is not None:
            free -= _count_half_places(entrants[number])
            if free < 0:
                break
        record_entrant_fact(write, entrants[number], EntrantFactKind.PROMOTED, rule=event.promotion)
        promoted.append(number)
    if promoted:
        write.outcome["promoted"] = promoted
    return promoted


def move_up_waiting_list(event: Event, *, by: Actor) -> list[int]:
    """Move entries up from the waiting list, for example after the director has added places.

    Raises:
        Conflict: `nobody-moves`.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="waiting.filled", by=by) as write:
        promoted = fill_free_places(write)
        if not promoted:
            raise Conflict(
                "nobody-moves",
                _(
                    "Nobody can move up: no place is free, or the waiting list is empty, or the director chooses. "
                    "Look at the entrants."
                ),
            )
        write.about(event, promoted=promoted)
        return promoted


def promote_from_waiting_list(entrant: Entrant, *, by: Actor, reason: str = "") -> Entrant:
    """Give a free place to the waiting entry that the director chose.

    Raises:
        Conflict: `not-waiting`, `full`.
    """
    require_permission(by, "direct", entrant.event.tournament)
    with writing(entrant.event, verb="entrant.promoted", by=by, reason=reason) as write:
        locked = Entrant.objects.get(pk=entrant.pk)
        if locked.state != EntrantState.WAITING:
            raise Conflict(
                "not-waiting",
                _("%(name)s is not on the waiting list: the entry is in the state “%(state)s”. Nothing was changed.")
                % {"name": locked.name, "state": locked.get_state_display()},
            )
        free = count_free_half_places(write.the_event)
        if free is not None and free < _count_half_places(locked):
            raise Conflict("full", _("All places are taken. Add places in the settings first."))
        record_entrant_fact(write, locked, EntrantFactKind.PROMOTED, rule="by hand")
        write.about(locked, number=locked.number)
        return locked


# --- Sides -----------------------------------------------------------------------------------------------------------


def change_side(entrant: Entrant, side: str, *, by: Actor, reason: str = "") -> Entrant:
    """Move an entrant to another side before the draw is posted.

    Raises:
        DomainError: `bad-side`.
        Conflict: `drawn`, `same-side`.
    """
    require_permission(by, "desk", entrant.event.tournament)
    with writing(entrant.event, verb="entrant.side", by=by, reason=reason) as write:
        locked = Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)
        if locked.event.state not in EVENT_STATES_BEFORE_DRAW:
            raise Conflict("drawn", _("The draw is posted, so nobody can change sides. Undo the draw first."))
        require_valid_side(locked.event, side, needed=True)
        if locked.side == side:
            name = dict(make_side_choices(locked.event))[side]
            raise Conflict(
                "same-side",
                _("%(name)s already plays with the %(name2)s. Nothing was changed.")
                % {"name": locked.name, "name2": name},
            )
        was = change_entrant_column(write, locked, EntrantFact.Kind.SIDE, "side", side)
        write.about(locked, number=locked.number, was=was, side=side)
        return locked


def require_valid_side(event: Event, side: str, *, needed: bool = False) -> None:
    """Raise an error if this event does not have the side. An empty side is an error only if `needed`."""
    choices = dict(make_side_choices(event))
    if (side or needed) and side not in choices:
        names = " · ".join(choices.values())
        choose = _("There is no such side. Choose one of these: %(sides)s.") % {"sides": names}
        message = choose if names else _("This event has no sides. Leave the side out.")
        raise DomainError("bad-side", message, field="side")


# --- Sites -----------------------------------------------------------------------------------------------------------

MAX_SITES = 20


def change_site(entrant: Entrant, site: str, *, by: Actor, reason: str = "") -> Entrant:
    """Move an entrant to another location, together with the games they have played.

    The desk can do this before the draw. Later, until the event is finished, only the director can, with a reason.

    Raises:
        DomainError: `bad-site`.
        Conflict: `same-site`, `finished`.
        ReasonRequired: `drawn`.
        NotAllowed: the actor lacks the permission.
    """
    require_permission(by, "desk", entrant.event.tournament)
    with writing(entrant.event, verb="entrant.site", by=by, reason=reason) as write:
        locked = Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)
        require_valid_site(locked.event, site, needed=True)
        if locked.site == site:
            raise Conflict(
                "same-site",
                _("%(name)s already plays at %(site)s. Nothing was changed.") % {"name": locked.name, "site": site},
            )
        _refuse_late_change(locked.event, by, reason)
        was = change_entrant_column(write, locked, EntrantFact.Kind.SITE, "site", site)
        write.about(locked, number=locked.number, was=was, site=site)
        return locked


def _refuse_late_change(event: Event, by: Actor, reason: str) -> None:
    if event.state in EVENT_STATES_BEFORE_DRAW:
        return
    if event.state == Event.State.FINISHED:
        raise Conflict(
            "finished", _("The event is finished, so nobody can change sites. Open it again first if that is wrong.")
        )
    require_permission(by, "direct", event.tournament)
    if not reason.strip():
        raise ReasonRequired(
            "drawn", _("The draw is made, and standings go by site. Enter why the player changes sites.")
        )


def require_valid_site(event: Event, site: str, *, needed: bool = False) -> None:
    """Raise an error if this event does not have the location. An empty location is an error only if `needed`."""
    sites = list_sites(event)
    if (site or needed) and site not in sites:
        choose = _("There is no such site. Choose one of these: %(sites)s.") % {"sites": ", ".join(sites)}
        message = choose if sites else _("This event has no sites. Leave the site out.")
        raise DomainError("bad-site", message, field="site")


def validate_site_changes(event: Event, changes: Mapping[str, Any]) -> None:
    """Check a new list of locations. It must have two or more different names and include each entrant's location.

    Raises:
        DomainError: `bad-sites`.
        Conflict: `site-in-use`.
    """
    sites: Sequence[str] = changes.get("sites", event.sites)
    if len(sites) == 1 or len(sites) > MAX_SITES:
        message = _("An event has no sites, or 2 to %(most)s. Change the list of sites.")
        raise DomainError("bad-sites", message % {"most": MAX_SITES}, field="sites")
    if len({name_key(site) for site in sites} - {""}) < len(sites):
        raise DomainError("bad-sites", _("Every site needs a name of its own, with letters in it."), field="sites")
    gone = [site for site in event.sites if site not in sites]
    at_them = event.entrants.filter(site__in=gone).order_by("number") if gone else []
    if at_them:
        names = ", ".join(f"{entrant} ({entrant.site})" for entrant in at_them)
        raise Conflict(
            "site-in-use",
            _("Players still have this site: %(names)s. Give them another site first.") % {"names": names},
            field="sites",
        )
