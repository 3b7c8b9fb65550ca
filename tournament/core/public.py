"""The version of what a page follows, for phones that hold no stream: asked for every few seconds, 304 while true."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_GET

from tournament.core.pages.caching import KEPT, marks_while
from tournament.core.selectors.versions import version_of
from tournament.core.topics import topics_in
from tournament.errors import NotFound


@require_GET
def version(request: HttpRequest, tournament: str, event: str) -> HttpResponse:
    topics = topics_in(request.GET.get("of", ""))
    found = version_of(tournament, event, topics)
    if found is None:
        raise NotFound("no-event", "There is no event at this address. Look at the tournament's page.")
    answer = JsonResponse({"version": found[1]}, headers={"ETag": f'"{found[1]}"', "Cache-Control": "no-cache"})
    if KEPT in request.headers:
        answer[KEPT] = marks_while(found[0], topics, found[1])
    return get_conditional_response(request, etag=answer["ETag"], response=answer) or answer
