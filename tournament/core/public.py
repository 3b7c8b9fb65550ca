"""Two addresses that programs request: the version of a page's content, and robots.txt.

Phones without a live stream poll the version every few seconds. They get a 304 while nothing has changed.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from tournament.core.cached import load_public_event_version, load_topics_version
from tournament.core.pages.following import PAGE_MARKS_HEADER, load_topic_marks_if_current
from tournament.core.permissions import load_visible_event_version
from tournament.core.topics import parse_topics
from tournament.errors import NotFound


@require_GET
def serve_topics_version(request: HttpRequest, tournament: str, event: str) -> HttpResponse:
    visible = load_visible_event_version(tournament, event, request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    if visible is None:
        raise NotFound("no-event", _("There is no event at this address. Look at the tournament's page."))
    event_id, event_version = visible
    topics = parse_topics(request.GET.get("of", ""))
    number = event_version if topics is None else load_topics_version(event_id, topics)
    response = JsonResponse({"version": number}, headers={"ETag": f'"{number}"', "Cache-Control": "no-cache"})
    # The version of a draft is not public.
    if PAGE_MARKS_HEADER in request.headers and load_public_event_version(tournament, event) is not None:
        response[PAGE_MARKS_HEADER] = load_topic_marks_if_current(event_id, topics, number)
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


@require_GET
def robots(request: HttpRequest) -> HttpResponse:
    """Keep search engines away from private pages and staff pages."""
    lines = [
        "User-agent: *",
        *(f"Disallow: {path}" for path in ("/accounts/", "/desk/", "/my/", "/live/", "/restore/")),
    ]
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain")
