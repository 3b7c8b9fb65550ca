from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tournament.models import Event
from tournament.selectors.prizes import load_prizes
from tournament.views.access import public_event
from tournament.views.caching import kept_by_version


@public_event
@kept_by_version
def prizes(request: HttpRequest, event: Event) -> HttpResponse:
    return render(request, "tournament/public/prizes.html", {"prizes": load_prizes(event)})
