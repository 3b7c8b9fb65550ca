"""A redirect from an entrant's private page to the public page with their matches."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from pairing.stages.pictures.groups import load_group_board
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.plans import load_event_plan, load_stage_traits
from tournament.core.pages.access import private_link_view
from tournament.core.pages.responses import make_event_url
from tournament.models import Entrant, Event


@private_link_view
def redirect_to_entrant_matches(request: HttpRequest, entrant: Entrant) -> HttpResponse:
    """Redirect to the public page with this entrant's matches, without revealing their private link."""
    page, parameter = _find_page(entrant.event, entrant.number)
    return redirect(f"{make_event_url(entrant.event, page)}?{parameter}={entrant.number}")


def _find_page(event: Event, number: int) -> tuple[str, str]:
    """Return the name of the page with this entrant's matches, and the query parameter that selects the entrant."""
    if not load_stage_traits(event).two_meet:
        return "pairing:seatings", "me"
    progress, groups = load_event_stages(event).progress, load_group_board(event)
    if progress is not None and number in progress.bracket.entries:
        return "pairing:bracket", "me"
    if groups is not None and groups.list_groups_of_entry(number):
        return "pairing:groups", "me"
    return ("pairing:bracket", "me") if load_event_plan(event).first.knockout else ("pairing:pairings", "q")
