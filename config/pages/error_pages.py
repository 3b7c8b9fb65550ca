"""The pages of refusals, also for a body that nobody can read: Django's own read it once more, to look for a token."""

from inspect import unwrap
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.defaults import bad_request, page_not_found, permission_denied

from tournament.core.pages.access import form_page

LIMITED: Final = "300"
"""Seconds: the longest of the limits of accounts."""

handler400 = unwrap(bad_request)
handler403 = unwrap(permission_denied)
handler404 = unwrap(page_not_found)


def csrf_failure(request: HttpRequest, **_why: object) -> HttpResponse:
    """A form of a page that was open while somebody signed in or out: its token is no longer good."""
    return render(request, "403_csrf.html", {"back": form_page(request)}, status=403)


def handler429(request: HttpRequest) -> HttpResponse:
    """Somebody tried to sign in, or asked for a link or a code, too often: asked for by the account library."""
    page = render(request, "429.html", status=429)
    page["Retry-After"] = LIMITED
    return page
