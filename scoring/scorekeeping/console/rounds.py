"""The address of the rounds at the desk, which leads to the page for the event's format."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from pairing.plans.selectors import traits_of
from tournament.core.pages.access import ActorRequest, console_event
from tournament.errors import NotFound
from tournament.models import Event


@console_event("desk")
def rounds(request: ActorRequest, event: Event) -> HttpResponse:
    if not traits_of(event).one_card:
        raise NotFound("no-rounds", _("This event has another format. Look at its table assignments."))
    page = "scoring:desk_whist" if traits_of(event).own_cards else "scoring:desk_worksheet"
    return redirect(page, tournament=event.tournament.slug, event=event.slug)
