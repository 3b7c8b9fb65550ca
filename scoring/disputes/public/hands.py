"""The public page of two judged hands."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from scoring.disputes.pages.hands import load_judged_page
from tournament.core.pages.access import public_event
from tournament.models import Event


@public_event
def hands(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the two hands in the address as judged, for everybody."""
    context = load_judged_page(request, event)
    return render(request, "scoring/disputes/hands/public.html", context)
