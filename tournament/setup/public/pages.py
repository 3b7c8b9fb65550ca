from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone

from tournament.above import stages
from tournament.core.pages.access import public_event
from tournament.core.pages.caching import kept_by_version
from tournament.core.pages.following import follows
from tournament.core.selectors.demo import is_loading
from tournament.core.selectors.events import load_tournament, public_events
from tournament.models import Event, Tournament
from tournament.models.topic import BRACKET, ENTRANTS, PAIRINGS, PRIZES, STANDINGS
from tournament.registration.selectors.entry_terms import entry_terms


def home(request: HttpRequest) -> HttpResponse:
    return render(request, "tournament/setup/home.html", _with_demo(list(Tournament.objects.all())))


def _with_demo(tournaments: list[Tournament]) -> dict[str, Any]:
    return {"tournaments": tournaments, "demo_is_loading": any(map(is_loading, tournaments))}


def tournament_page(request: HttpRequest, tournament: str) -> HttpResponse:
    found = load_tournament(tournament)
    context = {"tournament": found, "events": public_events(found), "demo_is_loading": is_loading(found)}
    return render(request, "tournament/setup/tournament.html", context)


@public_event
@follows(BRACKET, PAIRINGS, STANDINGS, ENTRANTS, PRIZES)
def event_page(request: HttpRequest, event: Event) -> HttpResponseBase:
    """Show what is being played. A search is not cached, because it would push out pages that others need.

    `kept_as` changes the cache key when a fee or a date has passed, although nothing was written.
    """
    if "q" in request.GET:
        return stages().show_event(request, event)
    vars(request)["kept_as"] = entry_terms(event, timezone.now()).kept_as
    return _kept_event_page(request, event)


@kept_by_version
def _kept_event_page(request: HttpRequest, event: Event) -> HttpResponse:
    return stages().show_event(request, event)
