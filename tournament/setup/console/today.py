from typing import cast

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from tournament.core.pages.access import ActorRequest, console_event, console_tournament
from tournament.core.permissions import may
from tournament.models import Event, Tournament, User


@login_required
def desk(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    mine = Tournament.objects.all() if user.is_superuser else Tournament.objects.filter(roles__user=user).distinct()
    return render(request, "tournament/setup/console_tournaments.html", {"tournaments": mine})


@console_tournament("look")
def today(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    directs = may(cast(User, request.user), "direct", tournament)
    context = {"events": tournament.events.order_by("pk"), "directs": directs}
    return render(request, "tournament/setup/console_tournament.html", context)


@console_event("look")
def event_desk(request: ActorRequest, event: Event) -> HttpResponse:
    """An event's desk is a page of a higher app; the settings say which."""
    return redirect(settings.EVENT_DESK, tournament=event.tournament.slug, event=event.slug)
