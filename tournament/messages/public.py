"""The latest announcement to everybody, as a fragment for wall screens."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tournament.core.pages.access import public_event_view
from tournament.core.pages.following import cached_by_version, follows_topics
from tournament.models import Event


@public_event_view
@follows_topics()
@cached_by_version
def wall_message(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the latest announcement to everybody."""
    return render(request, "tournament/messages/wall_message.html")
