"""Staff pages for results. The kinds of the event's stages determine what they show."""

from django.http import HttpResponse

from pairing.stages.selectors.kinds import pages_of
from tournament.core.pages.access import ActorRequest, console_event
from tournament.models import Event


@console_event("desk")
def results(request: ActorRequest, event: Event) -> HttpResponse:
    return pages_of(event).results(request, event)


@console_event("desk")
def decide(request: ActorRequest, event: Event, ident: str) -> HttpResponse:
    return pages_of(event).decide(request, event, ident)
