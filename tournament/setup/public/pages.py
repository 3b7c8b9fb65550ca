from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tournament.core.pages.access import public_event
from tournament.core.pages.caching import kept_by_version
from tournament.core.pages.following import follows
from tournament.core.selectors.events import load_tournament, public_events
from tournament.models import Event, Tournament
from tournament.models.topic import ENTRANTS
from tournament.registration.selectors.partners import half_fee


def home(request: HttpRequest) -> HttpResponse:
    return render(request, "tournament/setup/home.html", {"tournaments": Tournament.objects.all()})


def tournament_page(request: HttpRequest, tournament: str) -> HttpResponse:
    found = load_tournament(tournament)
    context = {"tournament": found, "events": public_events(found)}
    return render(request, "tournament/setup/tournament.html", context)


@public_event
@follows(ENTRANTS)
@kept_by_version
def event_page(request: HttpRequest, event: Event) -> HttpResponse:
    states = list(event.entrants.filter(state__in=["in", "seeking"]).values_list("state", flat=True))
    context = {"taken": states.count("in"), "seeking": states.count("seeking"), "half": half_fee(event)}
    return render(request, "tournament/setup/event.html", context)
