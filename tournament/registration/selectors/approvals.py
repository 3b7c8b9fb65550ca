"""The approvals that every entry of an event needs, and whether the staff has somebody for each."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext as _

from tournament.models import Entrant, Event, StaffRole
from tournament.registration.selectors.entrants import ROLES, load_standings
from tournament.said import listed, worded

APPROVALS: Final = ("director", "coordinator", "hotel")
NOBODY_IN_ROLE: Final = {
    "director": worded("no director"),
    "coordinator": worded("no coordinator"),
    "hotel": worded("no hotel contact"),
}
"""Source: “All entrants are subject to approval by the Director, Coordinator, and the Hotel” (GRA 2012, preamble)."""


def asked_of(event: Event) -> tuple[str, ...]:
    """Return the roles that a new entry needs approval from, in the order of the rules."""
    return tuple(role for role in APPROVALS if role in event.approvals)


def roles_in_words(roles: Sequence[str]) -> str:
    """Name the roles, such as “the director, the coordinator and the hotel”. Without roles the answer is empty."""
    return str(listed([ROLES[role] for role in roles]))


def asked_in_words(event: Event) -> str:
    """Tell the director which approvals are needed, and which of these roles nobody holds."""
    asked = asked_of(event)
    if not asked:
        return _("No approval is needed. Every entry is accepted at once.")
    said = _("Every new entry needs approval by %(roles)s.") % {"roles": roles_in_words(asked)}
    missing = without_holder(event)
    if not missing:
        return said
    warned = _("You have %(roles)s yet. Add them under Staff, or change which approvals are needed.")
    return f"{said} {warned % {'roles': listed([NOBODY_IN_ROLE[role] for role in missing])}}"


def without_holder(event: Event) -> tuple[str, ...]:
    """Return the required roles that nobody of the staff holds."""
    held = set(StaffRole.objects.filter(tournament=event.tournament_id).values_list("role", flat=True))
    return tuple(role for role in asked_of(event) if role not in held)


def load_missing(event: Event) -> Counter[str]:
    """Count the entries that wait for the approval of each role, in two queries."""
    waiting = load_standings(event.entrants.filter(state=Entrant.State.APPLIED))
    return Counter(role for standing in waiting.values() for role in standing.missing)
