"""Actors and their permissions.

Staff have roles in a tournament, and entrants act for themselves through their private link.
"""

from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from typing import Final

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from tournament.core.cached import load_public_event_version
from tournament.errors import NotAllowed
from tournament.models import Entrant, Event, StaffRole, Tournament, User

DIRECTOR_ROLE: Final = StaffRole.Role.DIRECTOR.value
COORDINATOR_ROLE: Final = StaffRole.Role.COORDINATOR.value
HOTEL_ROLE: Final = StaffRole.Role.HOTEL.value
DESK_ROLE: Final = StaffRole.Role.DESK.value

ROLES_BY_ACTION: Final[dict[str, frozenset[str]]] = {
    "direct": frozenset({DIRECTOR_ROLE}),
    "desk": frozenset({DIRECTOR_ROLE, COORDINATOR_ROLE, DESK_ROLE}),
    "look": frozenset({DIRECTOR_ROLE, COORDINATOR_ROLE, DESK_ROLE, HOTEL_ROLE}),
    "approve": frozenset({DIRECTOR_ROLE, COORDINATOR_ROLE, HOTEL_ROLE}),
    "links": frozenset({DIRECTOR_ROLE}),
}
"""The roles that may perform each kind of action.

`direct` covers settings, the draw, rulings, and outgoing money. `desk` covers all work during play. `links` covers
viewing players' private links and signing codes, which would allow staff to sign for them.
"""

_REFUSAL_MESSAGES: Final = {
    "direct": _("Only a director of this tournament can do this. Ask the director, or sign in as one."),
    "desk": _("Only the desk of this tournament can do this. Sign in with a staff account."),
    "look": _("Only staff of this tournament can see this. Sign in with a staff account."),
    "approve": _("Only the director, coordinator and hotel approve entrants. Sign in as one of them."),
    "links": _("Only a director of this tournament sees private links and signing codes. Ask the director."),
}


@dataclass(frozen=True, slots=True)
class SignInLinkAttribution:
    """The person who created a sign-in link for somebody else, and when they did so."""

    link_by: str
    link_at: datetime


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of a write: a staff member, an entrant with a private link, or the system."""

    name: str
    user: User | None = None
    entrant: Entrant | None = None
    link: SignInLinkAttribution | None = None


SYSTEM_ACTOR: Final = Actor("system")


def make_staff_actor(user: User, link: SignInLinkAttribution | None = None) -> Actor:
    return Actor(str(user), user=user, link=link)


def make_player_actor(entrant: Entrant) -> Actor:
    return Actor(f"{entrant.name} (entry {entrant.number})", entrant=entrant)


def load_roles(user: User, tournament: Tournament) -> frozenset[str]:
    """Return the user's roles in a tournament. A superuser has all of them."""
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    if user.is_superuser:
        return frozenset(StaffRole.Role.values)
    return frozenset(user.roles.filter(tournament=tournament).values_list("role", flat=True))


def is_allowed(user: User, act: str, tournament: Tournament) -> bool:
    return bool(load_roles(user, tournament) & ROLES_BY_ACTION[act])


def load_allowed_actions(user: User, tournament: Tournament) -> frozenset[str]:
    """Return the kinds of actions that the user may perform in the tournament. Pages offer only these actions."""
    roles = load_roles(user, tournament)
    return frozenset(act for act, allowed in ROLES_BY_ACTION.items() if roles & allowed)


def load_visible_event_version(tournament_slug: str, event_slug: str, session: str | None) -> tuple[int, int] | None:
    """Return the event's primary key and version, or None if this session may not see it.

    Only staff can see a draft.
    """
    public = load_public_event_version(tournament_slug, event_slug)
    if public is None and session:
        drafts = Event.objects.select_related("tournament").filter(tournament__slug=tournament_slug, slug=event_slug)
        event = drafts.first()
        user = load_session_user(session) if event is not None else None
        if event is not None and user is not None and is_allowed(user, "look", event.tournament):
            return event.pk, event.version
    return public


def load_session_user(session: str) -> User | None:
    """Return the user who is signed in in the session with this key, or None if nobody is."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session)
    user = get_user(request)
    return user if user.is_authenticated else None


def require_permission(actor: Actor, act: str, tournament: Tournament) -> None:
    """Raise NotAllowed unless the actor is the system, or a staff member with a role that allows this action."""
    if actor == SYSTEM_ACTOR:
        return
    if actor.user is None or not is_allowed(actor.user, act, tournament):
        raise NotAllowed("not-allowed", str(_REFUSAL_MESSAGES[act]))


def may_direct_installation(user: User) -> bool:
    """Return whether the user may do something that concerns all tournaments, such as restoring a backup.

    The user must be an administrator, or must direct every tournament. Demos are ignored, unless there are only demos.
    """
    tournaments = list(Tournament.objects.filter(is_demo=False)) or list(Tournament.objects.all())
    return user.is_superuser or bool(tournaments and all(is_allowed(user, "direct", each) for each in tournaments))


def require_installation_permission(actor: Actor) -> None:
    if actor == SYSTEM_ACTOR:
        return
    if actor.user is None or not may_direct_installation(actor.user):
        message = _("Only an administrator, or a director of all tournaments here, can do this. Ask one of them.")
        raise NotAllowed("not-allowed", str(message))
