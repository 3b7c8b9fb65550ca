"""A redirect from an entrant's private page to their own place on the public pages."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from pairing.stages.pictures.groups import load_groups
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.plans import load_plan, traits_of
from tournament.core.pages.access import entrant_page
from tournament.models import Entrant, Event


@entrant_page
def my_path(request: HttpRequest, entrant: Entrant) -> HttpResponse:
    """Redirect to the public page with this entrant's path or tables, without revealing the private link."""
    slugs = {"tournament": entrant.event.tournament.slug, "event": entrant.event.slug}
    page, asked = _find_page(entrant.event, entrant.number)
    return redirect(f"{reverse(page, kwargs=slugs)}?{asked}={entrant.number}")


def _find_page(event: Event, number: int) -> tuple[str, str]:
    """Return the name of the page with this entrant, and the parameter that names them there."""
    if not traits_of(event).two_meet:
        return "pairing:seatings", "me"
    progress, groups = load_course(event).progress, load_groups(event)
    if progress is not None and number in progress.bracket.entries:
        return "pairing:bracket", "me"
    if groups is not None and groups.of(number):
        return "pairing:groups", "me"
    return ("pairing:bracket", "me") if load_plan(event).first.knockout else ("pairing:pairings", "q")
