"""The event's version for phones that cannot hold a stream: asked for every few seconds, answered by 304 while true."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_GET

from tournament.core.permissions import version_shown
from tournament.errors import NotFound


@require_GET
def version(request: HttpRequest, tournament: str, event: str) -> HttpResponse:
    found = version_shown(tournament, event, request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    if found is None:
        raise NotFound("no-event", "There is no event at this address. Look at the tournament's page.")
    answer = JsonResponse({"version": found[1]}, headers={"ETag": f'"{found[1]}"', "Cache-Control": "no-cache"})
    return get_conditional_response(request, etag=answer["ETag"], response=answer) or answer
