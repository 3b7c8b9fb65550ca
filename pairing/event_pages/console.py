"""Staff pages for results. The kinds of the event's stages determine what they show."""

from django.http import HttpResponse

from pairing.stages.selectors.kinds import load_stage_kind_pages
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.models import Event


@staff_event_view("desk")
def results_page(request: ActorRequest, event: Event) -> HttpResponse:
    return load_stage_kind_pages(event).results(request, event)


@staff_event_view("desk")
def decide_result(request: ActorRequest, event: Event, ident: str) -> HttpResponse:
    return load_stage_kind_pages(event).decide(request, event, ident)
