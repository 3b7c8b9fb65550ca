"""Approve and refuse entries, and decide which unpaid or absent entries are drawn."""

from dataclasses import replace

from django.utils.translation import gettext as _

from tournament.core.permissions import SYSTEM, Actor, require, roles_of
from tournament.core.services.record import Write, refuse_without, scoped_key, writing
from tournament.errors import Conflict, NotAllowed
from tournament.models import Entrant, EntrantFact, Event, Tournament
from tournament.money.services.ledger import add_cancellation
from tournament.registration.selectors.entries import APPROVALS, asked_of, load_standing
from tournament.registration.services.entries import (
    OUT_STATES,
    Entry,
    enter_in,
    refuse_half_of_pair,
    reinstate_within,
    send_link,
)
from tournament.registration.services.waiting_list import BEFORE_DRAW, add_fact, fill_free_places

Kind = EntrantFact.Kind
State = Entrant.State


def enter_approved(event: Event, entry: Entry, *, by: Actor, key: str = "", site: str = "") -> Entrant:
    """Enter somebody and approve the entry for every role that the event asks, in one write.

    Raises:
        NotAllowed: `not-your-role`, if the user lacks one of these roles. Also everything that `enter` raises.
    """
    require(by, "desk", event.tournament)
    roles = asked_of(event)
    for role in roles:
        _require_role(role, by, event.tournament)
    with writing(event, verb="entrant.entered", by=by, key=scoped_key(key, entry, roles)) as write:
        if write.repeated:
            return Entrant.objects.select_related("event__tournament").get(pk=write.outcome["entrant"])
        entrant = enter_in(write, entry)
        for role in roles:
            add_fact(write, entrant, Kind.APPROVED, role=role)
        write.about(entrant, approved_as=list(roles), state=entrant.state)
        send_link(entrant, site)
        return entrant


def approve(entrant: Entrant, role: str, *, by: Actor, reason: str = "") -> Entrant:
    """Record one role's approval of an entry.

    Raises:
        Conflict: `not-asked`, if the approval was given already or never needed.
        NotAllowed: `not-your-role`.
    """
    _require_role(role, by, entrant.event.tournament)
    with writing(entrant.event, verb="entrant.approved", by=by, reason=reason) as write:
        locked = Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)
        if locked.state not in (State.APPLIED, State.WAITING) or role not in load_standing(locked).missing:
            raise Conflict(
                "not-asked", _("%(name)s does not need this approval. Nothing was changed.") % {"name": locked.name}
            )
        add_fact(write, locked, Kind.APPROVED, role=role)
        if role == "desk":
            fill_free_places(write)
        write.about(locked, number=locked.number, role=role, state=locked.state)
        return locked


def approve_many(event: Event, numbers: list[int], role: str, *, by: Actor) -> int:
    """Approve all these entries for one role and return how many needed it. The others are skipped."""
    _require_role(role, by, event.tournament)
    with writing(event, verb="entrants.approved", by=by) as write:
        done = []
        for locked in event.entrants.filter(number__in=numbers, state__in=[State.APPLIED, State.WAITING]):
            if role in load_standing(locked).missing:
                add_fact(write, locked, Kind.APPROVED, role=role)
                done.append(locked.number)
        if not done:
            raise Conflict("nobody", _("None of these entries needs this approval. Nothing was changed."))
        if role == "desk":
            fill_free_places(write)
        write.about(event, role=role, numbers=done)
        return len(done)


def refuse(entrant: Entrant, role: str, *, by: Actor, reason: str) -> Entrant:
    """Refuse an entry, cancel its fee, and move up the next on the waiting list.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `out-already`, `drawn`.
    """
    tournament = entrant.event.tournament
    asked = load_standing(entrant).asked or asked_of(entrant.event)
    if asked and asked != ("desk",):
        _require_role(role, by, tournament)
    else:
        require(by, "desk", tournament)
    refuse_without(reason)
    with writing(entrant.event, verb="entrant.refused", by=by, reason=reason) as write:
        locked = Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)
        if locked.state in OUT_STATES:
            raise Conflict(
                "out-already",
                _("The entry of %(name)s is already in the state “%(state)s”. Nothing was changed.")
                % {"name": locked.name, "state": locked.get_state_display()},
            )
        refuse_half_of_pair(locked)
        if write.the_event.state not in BEFORE_DRAW:
            raise Conflict(
                "drawn", _("The draw is made, so the entry can no longer be refused. Record a ruling instead.")
            )
        add_fact(write, locked, Kind.REFUSED, role=role)
        add_cancellation(replace(write, reason=reason), locked, only_due=False)
        write.about(locked, number=locked.number, role=role)
        fill_free_places(write)
        return locked


def _require_role(role: str, by: Actor, tournament: Tournament) -> None:
    if role == "desk":
        require(by, "desk", tournament)
        return
    require(by, "approve", tournament)
    if role not in APPROVALS:
        raise NotAllowed("not-your-role", _("This role cannot approve entries. Choose director, coordinator or hotel."))
    if by == SYSTEM:
        return
    if by.user is None or role not in roles_of(by.user, tournament):
        raise NotAllowed(
            "not-your-role",
            _("You are not the %(role)s of this tournament. Ask the %(role)s to approve it.") % {"role": role},
        )


# --- Unpaid and absent entries ---------------------------------------------------------------------------------------
# Before the draw the director keeps them in it or leaves them out.


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
        _require_before_draw(write)
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
        _require_before_draw(write)
        back = list(event.entrants.filter(number__in=numbers, state=Entrant.State.REMOVED).order_by("number"))
        for entrant in back:
            reinstate_within(write, entrant)
        write.about(event, brought_back=[entrant.number for entrant in back])
        return len(back)


def _require_before_draw(write: Write) -> None:
    if write.the_event.state not in (Event.State.OPEN, Event.State.CLOSED):
        raise Conflict("drawn", _("The draw is posted. Withdraw the player on the Results page instead."))
