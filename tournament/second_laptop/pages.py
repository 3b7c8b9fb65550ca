"""Describe how phones and addresses on paper find the laptop that took over."""

from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.utils import timezone

from tournament.core.selectors.installation import load_installation
from tournament.models import Event, Installation

TAKEOVER_SHOWN_FOR: Final = timedelta(days=7)
"""How long after a takeover the page *This laptop* says how to give this computer the first one's address."""


def describe_move() -> dict[str, Any]:
    """Return the first laptop's address, this one's, and the events whose posters show the old one.

    The result is empty if this laptop has not taken over recently.
    """
    installation = load_installation()
    if installation is None or installation.origin != Installation.Origin.TAKEN_OVER:
        return {}
    if installation.at < timezone.now() - TAKEOVER_SHOWN_FOR:
        return {}
    events = Event.objects.exclude(state__in=[Event.State.DRAFT, Event.State.FINISHED, Event.State.CALLED_OFF])
    return {
        "first_address": installation.came_from.rpartition(":")[0],
        "own_address": settings.SITE_URL,
        "events": events.filter(tournament__is_demo=False).select_related("tournament").order_by("pk"),
    }
