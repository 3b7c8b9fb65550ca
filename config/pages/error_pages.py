"""Error pages for refusals and outages.

Django's own pages would read the body again to look for the CSRF token, although it may be unreadable.
"""

import sys
from inspect import unwrap
from typing import Final

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.views.defaults import bad_request, page_not_found, permission_denied, server_error

from config.front.guard import Fields, fields_to_keep, refusal_for_outage, render_refusal
from tournament.core.pages.access import referring_page

LIMITED: Final = "300"
"""Seconds in Retry-After: the longest rate limit of the accounts."""

handler400 = unwrap(bad_request)
handler403 = unwrap(permission_denied)
handler404 = unwrap(page_not_found)


def csrf_failure(request: HttpRequest, **_why: object) -> HttpResponse:
    """Answer a form whose token is invalid because somebody signed in or out while it was open."""
    return render(request, "403_csrf.html", {"back": referring_page(request)}, status=403)


def handler429(request: HttpRequest) -> HttpResponse:
    """Answer somebody who signed in, or requested a link or a code, too often. The account library calls it."""
    page = render(request, "429.html", status=429)
    page["Retry-After"] = LIMITED
    return page


def handler500(request: HttpRequest) -> HttpResponse:
    """Answer an outage or a bug, without a query."""
    refusal = refusal_for_outage(sys.exc_info()[1])
    if refusal is None:
        return unwrap(server_error)(request)
    headers = {name.lower().encode(): value.encode() for name, value in request.headers.items()}
    is_read = request.method in ("GET", "HEAD")
    kind, content = render_refusal(refusal, headers, _parse_fields(request), is_read=is_read)
    answer = HttpResponse(content, status=refusal.status, content_type=kind, headers={"Cache-Control": "no-store"})
    if refusal.status == 503:
        answer["Retry-After"] = str(refusal.retry_after_s)
    return answer


def _parse_fields(request: HttpRequest) -> Fields:
    """Return the fields of the form, or none if it has a file or is unreadable."""
    try:
        if request.FILES:
            return ()
        return fields_to_keep((name, str(value)) for name, values in request.POST.lists() for value in values)
    except (SuspiciousOperation, UnreadablePostError, MultiPartParserError):
        return ()
