"""Two addresses for programs: the version of the topics that a page follows, and robots.txt.

Phones without a stream poll the version every few seconds. The answer is 304 while nothing has changed.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from tournament.core.cached import load_public_version, load_topics_version
from tournament.core.pages.following import PAGE_MARKS_HEADER, marks_if_current
from tournament.core.permissions import load_visible_version
from tournament.core.topics import parse_topics
from tournament.errors import NotFound


@require_GET
def version(request: HttpRequest, tournament: str, event: str) -> HttpResponse:
    found = load_visible_version(tournament, event, request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    if found is None:
        raise NotFound("no-event", _("There is no event at this address. Look at the tournament's page."))
    topics = parse_topics(request.GET.get("of", ""))
    now = found[1] if topics is None else load_topics_version(found[0], topics)
    answer = JsonResponse({"version": now}, headers={"ETag": f'"{now}"', "Cache-Control": "no-cache"})
    # The version of a draft is not public.
    if PAGE_MARKS_HEADER in request.headers and load_public_version(tournament, event) is not None:
        answer[PAGE_MARKS_HEADER] = marks_if_current(found[0], topics, now)
    return get_conditional_response(request, etag=answer["ETag"], response=answer) or answer


@require_GET
def robots(request: HttpRequest) -> HttpResponse:
    """Keep search engines off private pages and off those of the staff."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in ("/accounts/", "/desk/", "/my/", "/live/"))]
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain")
