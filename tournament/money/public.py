from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tournament.core.pages.access import public_event
from tournament.core.pages.caching import kept_by_version
from tournament.core.pages.following import follows
from tournament.models import Event
from tournament.models.topic import ENTRANTS, PRIZES
from tournament.money.selectors.prizes import load_prizes


@public_event
@follows(PRIZES, ENTRANTS)
@kept_by_version
def prizes(request: HttpRequest, event: Event) -> HttpResponse:
    return render(request, "tournament/money/public.html", {"prizes": load_prizes(event)})
