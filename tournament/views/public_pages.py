from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tournament.models import Event, Tournament
from tournament.selectors.events import load_tournament, public_events
from tournament.views.access import public_event
from tournament.views.caching import kept_by_version


def home(request: HttpRequest) -> HttpResponse:
    return render(
        request,
        "tournament/public/home.html",
        {"tournaments": Tournament.objects.all()},
    )


def tournament_page(request: HttpRequest, tournament: str) -> HttpResponse:
    found = load_tournament(tournament)
    context = {"tournament": found, "events": public_events(found)}
    return render(request, "tournament/public/tournament.html", context)


@public_event
@kept_by_version
def event_page(request: HttpRequest, event: Event) -> HttpResponse:
    return render(request, "tournament/public/event.html", {"taken": _taken(event)})


def _taken(event: Event) -> int:
    return event.entrants.filter(state="in").count()
