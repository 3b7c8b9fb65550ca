"""Error pages for rejected requests and outages.

Django's default pages would read the request body again to find the CSRF token, although the body may be unreadable.
"""

import sys
from inspect import unwrap
from typing import Final

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.defaults import bad_request, page_not_found, permission_denied, server_error

from config.front.guard import FormFields, get_response_to_outage, list_fields_to_resubmit, render_refusal
from tournament.core.middleware import render_refusal as render_refusal_in_page
from tournament.core.pages.access import find_referring_page
from tournament.errors import NotAllowed

RATE_LIMIT_RETRY_S: Final = "300"
"""The Retry-After header, in seconds. It is the longest rate-limit period of the account pages."""

handler400 = unwrap(bad_request)
handler403 = unwrap(permission_denied)
handler404 = unwrap(page_not_found)


def csrf_failure(request: HttpRequest, **_why: object) -> HttpResponse:
    """Respond to a form whose CSRF token became invalid because the user signed in or out in the meantime.

    An htmx request gets only a short notice, because its response replaces just a part of the page.
    """
    if "HX-Request" in request.headers:
        message = _("Somebody signed in or out since this page was opened, so nothing was recorded. Reload the page.")
        return render_refusal_in_page(request, NotAllowed("outdated-form", message))
    return render(request, "403_csrf.html", {"back": find_referring_page(request)}, status=403)


def handler429(request: HttpRequest) -> HttpResponse:
    """Respond to too many sign-in attempts, or too many requests for a link or a code.

    django-allauth calls this view.
    """
    page = render(request, "429.html", status=429)
    page["Retry-After"] = RATE_LIMIT_RETRY_S
    return page


def handler500(request: HttpRequest) -> HttpResponse:
    """Respond to an outage or a bug, without any database query."""
    refusal = get_response_to_outage(sys.exc_info()[1])
    if refusal is None:
        return unwrap(server_error)(request)
    headers = {name.lower().encode(): value.encode() for name, value in request.headers.items()}
    is_read = request.method in ("GET", "HEAD")
    kind, content = render_refusal(refusal, headers, _parse_fields(request), is_read=is_read)
    answer = HttpResponse(content, status=refusal.status, content_type=kind, headers={"Cache-Control": "no-store"})
    if refusal.status == 503:
        answer["Retry-After"] = str(refusal.retry_after_s)
    return answer


def _parse_fields(request: HttpRequest) -> FormFields:
    """Return the form's fields, or no fields if the form has a file or is unreadable."""
    try:
        if request.FILES:
            return ()
        return list_fields_to_resubmit((name, str(value)) for name, values in request.POST.lists() for value in values)
    except (SuspiciousOperation, UnreadablePostError, MultiPartParserError):
        return ()
