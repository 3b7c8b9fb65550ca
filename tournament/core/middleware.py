"""Middleware for errors, private pages, the size of request bodies, and the cookie of signed-in browsers."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.core.cached import use_topic_version_snapshot
from tournament.errors import DomainError
from tournament.intake import get_max_body_bytes
from tournament.models import Event

SIGNED_IN_COOKIE = "signed_in"
"""The cookie that identifies signed-in browsers. They do not get shared pages."""
SIGN_IN_LINK_CREATOR_SESSION_KEY: Final = "made_link"
"""The session key for the person who created the sign-in link on somebody else's behalf."""
RETRY_AFTER_S: Final = "60"
"""The Retry-After header of a 503, in seconds. The error page mentions the same time."""
MAX_CONTENT_LENGTH_DIGITS: Final = 12
"""The maximum number of digits in Content-Length. A longer value is rejected without being parsed."""


@receiver(user_logged_in, dispatch_uid="signed_in")
def _remember_sign_in(*, request: HttpRequest, **_more: Any) -> None:
    vars(request)["has_signed_in"] = True
    request.session.pop(
        SIGN_IN_LINK_CREATOR_SESSION_KEY, None
    )  # `remember_sign_in_link_creator` sets it again if this sign-in is by link


@receiver(user_logged_out, dispatch_uid="signed_out")
def _forget_sign_in(*, request: HttpRequest, **_more: Any) -> None:
    vars(request)["has_signed_in"] = False


class SignedInCookieMiddleware:
    """Set a cookie in signed-in browsers, because `config.front.memory` cannot read sessions."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        has_signed_in = vars(request).get("has_signed_in")  # None if the request did neither
        if has_signed_in:
            age, secure = settings.SESSION_COOKIE_AGE, settings.SESSION_COOKIE_SECURE
            response.set_cookie(SIGNED_IN_COOKIE, "1", max_age=age, secure=secure, httponly=True, samesite="Lax")
        elif has_signed_in is not None:
            response.delete_cookie(SIGNED_IN_COOKIE)
        return response


PRIVATE_PATH_PREFIXES: Final = frozenset(
    {"my", "c", "desk", "files", "accounts", "sign-in", "api", "this-computer", "first-start"}
)
"""The first path segment of each private URL: pages for players and staff, files, accounts, and the API."""


class PrivatePagesMiddleware:
    """Keep private pages out of all caches, so that no copy remains in a proxy or browser after signing out.

    This includes public pages viewed while signed in. A view that sets Cache-Control itself is not affected. The
    response to a submitted form may stay in the browser's history, so that going back to it does not lose the input.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.path.split("/")[1] in PRIVATE_PATH_PREFIXES or SIGNED_IN_COOKIE in request.COOKIES:
            answers_form = request.method == "POST" and response.get("Content-Type", "").startswith("text/html")
            response.setdefault("Cache-Control", "private, no-cache" if answers_form else "private, no-store")
        return response


class ReadOnlyRequestMiddleware:
    """Use one snapshot of an event's topic versions throughout a GET or HEAD request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with use_topic_version_snapshot() if request.method in ("GET", "HEAD") else nullcontext():
            return self.get_response(request)


class CalledOffHeaderMiddleware:
    """Add a header to each panel's response. The header states whether the event has been called off.

    The page shows the notice outside its panels, so it has to reload completely if the state changes
    (static/js/live.js).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        event = getattr(request, "event", None)
        if event is not None and "HX-Request" in request.headers:
            response.headers["X-Called-Off"] = "1" if event.state == Event.State.CALLED_OFF else "0"
        return response


class DomainErrorMiddleware:
    """Render domain errors as HTML or JSON.

    A response with status 503 also gets a Retry-After header. An empty response with status 405 (wrong method) becomes
    an error page with a link back.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == 503:
            response.setdefault("Retry-After", RETRY_AFTER_S)
        if isinstance(response, HttpResponseNotAllowed) and not response.content:
            return _render_wrong_method(request, response)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return render_refusal(request, error) if isinstance(error, DomainError) else None


class BodyTooLarge(DomainError):
    http_status = 413


class BodySizeLimitMiddleware:
    """Reject a request whose declared body is too large, before the CSRF check reads the form."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, *_arguments: Any) -> HttpResponse | None:
        most, sent = get_max_body_bytes(view), request.headers.get("Content-Length", "")
        if not sent.isdecimal() or (len(sent) <= MAX_CONTENT_LENGTH_DIGITS and int(sent) <= most):
            return None
        message = _("This page takes at most %(mb)s MB. Choose a smaller file, or send less at once.")
        return render_refusal(request, BodyTooLarge("too-large", message % {"mb": most // 1_000_000}))


class _WrongMethod(DomainError):
    http_status = 405


def _render_wrong_method(request: HttpRequest, response: HttpResponseNotAllowed) -> HttpResponse:
    """Render an error page for a request with the wrong HTTP method.

    Such a request is usually a GET for a URL that accepts only submitted forms, for example after signing in.
    """
    message = _("Only a form can use this address, and nothing was recorded. Go back to the form and send it again.")
    page = render_refusal(request, _WrongMethod("wrong-method", message), back=_find_main_page_url(request))
    page["Allow"] = response["Allow"]
    return page


def _find_main_page_url(request: HttpRequest) -> str:
    """Return the URL of the main page for the request's event, tournament or player."""
    arguments = request.resolver_match.kwargs if request.resolver_match else {}
    prefix = request.path.split("/")[1]
    slugs = [arguments[name] for name in ("tournament", "event", "token") if name in arguments]
    return f"/{'/'.join([prefix, *slugs])}/" if slugs and prefix in ("desk", "t", "my") else "/"


def render_refusal(request: HttpRequest, error: DomainError, *, back: str = "") -> HttpResponse:
    """Render an error page, or JSON for a program that asks for it."""
    if "application/json" in request.headers.get("Accept", ""):
        body = {"ok": False, "errors": [{"code": error.code, "path": "", "message": error.message}]}
        return JsonResponse(body, status=error.http_status)
    if getattr(request, "htmx", False):
        messages.error(request, error.message)
    context = {"error": error, "back": back or request.headers.get("Referer", "/")}
    return render(request, "errors/refused.html", context, status=error.http_status)
