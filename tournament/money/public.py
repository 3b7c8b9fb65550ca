from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tournament.core.pages.access import public_event
from tournament.core.pages.caching import kept_by_version
from tournament.core.pages.following import follows
from tournament.models import Event
from tournament.models.topic import BRACKET, ENTRANTS, PRIZES, STANDINGS
from tournament.money.selectors.prizes import load_prizes, load_ties


@public_event
@follows(PRIZES, ENTRANTS, BRACKET, STANDINGS)
@kept_by_version
def prizes(request: HttpRequest, event: Event) -> HttpResponse:
    """What ties would pay changes with every result."""
    found = load_prizes(event)
    return render(request, "tournament/money/public.html", {"prizes": found, "ties": load_ties(event, found)})
