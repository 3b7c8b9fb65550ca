"""What the stages answer where entries ask (`tournament/above.py`)."""

from django.urls import reverse

from pairing.course.selectors.in_play import has_played_all
from pairing.event_pages.pages.event import show_event
from pairing.event_pages.pages.own import load_own_next
from pairing.late_entries.selectors.byes import takes_late_entries
from pairing.plans.selectors import traits_of
from tournament.models import Entrant, Event

__all__ = ["has_played_all", "load_own_next", "seat_address", "show_event", "takes_late_entries", "two_meet"]


def two_meet(event: Event) -> bool:
    return traits_of(event).two_meet


def seat_address(entrant: Entrant) -> str:
    event = entrant.event
    if not traits_of(event).at_tables:
        return ""
    return f"{reverse('pairing:seatings', args=[event.tournament.slug, event.slug])}?me={entrant.number}"
