"""Implement the port in `tournament/ports.py`, through which the tournament app gets information about play."""

from collections.abc import Mapping, Sequence

from django.urls import reverse

from pairing.draws.knockout.places import make_placings
from pairing.event_pages.pages.event import load_next_match_summary, show_event
from pairing.ports import score_cards
from pairing.results.selectors.late_entries import accepts_late_entries
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.plans import load_stage_traits
from tournament.models import Entrant, Event
from tournament.purse.prizes import TiedPlaces

__all__ = [
    "accepts_late_entries",
    "count_entrants_in_play",
    "find_seat_assignments_url",
    "has_finished_all_matches",
    "has_two_sided_matches",
    "is_eliminated_or_withdrawn",
    "is_in_draw",
    "load_next_match_summary",
    "load_possible_finishes",
    "show_event",
]


def count_entrants_in_play(event: Event) -> int | None:
    """Return how many entrants are still in the bracket. In other formats, return how many were drawn.

    Return None before the draw.
    """
    course = load_event_stages(event)
    if not course.stages:
        return None
    if course.progress is not None:
        return len(make_placings(course.progress).still_in)
    return len(course.entries)


def load_possible_finishes(event: Event) -> Mapping[int, Sequence[TiedPlaces]]:
    course = load_event_stages(event)
    if course.bracket is None or course.bracket.is_complete:
        return {}
    return course.bracket.compute_possible_places(course.stages[:-1]).finishes


def is_in_draw(entrant: Entrant) -> bool:
    """Return whether the entrant is in the draw. A late entry is not in it until the desk adds it."""
    return entrant.number in load_event_stages(entrant.event).entries


def is_eliminated_or_withdrawn(entrant: Entrant) -> bool:
    """Return whether the entrant has left the event or was eliminated from the bracket."""
    if entrant.state == Entrant.State.REMOVED:
        return True
    course = load_event_stages(entrant.event)
    if course.progress is None or entrant.number not in course.entries:
        return False
    return entrant.number not in make_placings(course.progress).still_in


def has_finished_all_matches(entrant: Entrant) -> bool:
    return score_cards().has_only_closed_cards(entrant)


def has_two_sided_matches(event: Event) -> bool:
    return load_stage_traits(event).two_meet


def find_seat_assignments_url(entrant: Entrant) -> str:
    event = entrant.event
    if not load_stage_traits(event).at_tables:
        return ""
    return f"{reverse('pairing:seatings', args=[event.tournament.slug, event.slug])}?me={entrant.number}"
