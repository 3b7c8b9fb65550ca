"""The latest announcement for wall screens, as an HTML fragment."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tournament.core.pages.access import public_event_view
from tournament.core.pages.following import cached_by_version, follows_topics
from tournament.models import Event


@public_event_view
@follows_topics()
@cached_by_version
def wall_message(request: HttpRequest, event: Event) -> HttpResponse:
    """Return the latest announcement for wall screens, as an HTML fragment."""
    return render(request, "tournament/messages/wall_message.html")
