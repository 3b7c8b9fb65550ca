"""The desk's page that judges two hands."""

from django.http import HttpResponse
from django.shortcuts import render

from scoring.disputes.pages.hands import load_judged_page
from tournament.core.pages.access import ActorRequest, console_event
from tournament.models import Event


@console_event("look")
def hands(request: ActorRequest, event: Event) -> HttpResponse:
    """Show two hands in a dispute, typed or tapped, judged by the event's rules or as a hand of a card."""
    context = load_judged_page(request, event)
    refused = "form" in context and bool(context["form"].errors)
    return render(request, "scoring/disputes/hands/console.html", context, status=422 if refused else 200)
