from typing import cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from tournament.core.pages.access import ActorRequest, console_event, console_tournament, signed_in
from tournament.core.permissions import may
from tournament.models import Event, Tournament, User
from tournament.setup.words import first_step


@signed_in
def desk(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    mine = Tournament.objects.all() if user.is_superuser else Tournament.objects.filter(roles__user=user).distinct()
    first = None if mine else first_step(0, 0)
    return render(request, "tournament/setup/console_tournaments.html", {"tournaments": mine, "first": first})


@console_tournament("look")
def today(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    directs = may(cast(User, request.user), "direct", tournament)
    events = tournament.events.order_by("pk")
    context = {"events": events, "directs": directs, "first": first_step(1, len(events))}
    return render(request, "tournament/setup/console_tournament.html", context)


@console_event("look")
def event_desk(request: ActorRequest, event: Event) -> HttpResponse:
    """Redirect to the desk of the event, a page of a higher app that the settings name."""
    return redirect(settings.EVENT_DESK, tournament=event.tournament.slug, event=event.slug)
