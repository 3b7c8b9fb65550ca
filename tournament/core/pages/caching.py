"""Cache public pages by the version of what they follow, so that each change is rendered once for everybody."""

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.translation import get_language

from tournament.core.marks import marks_of
from tournament.core.pages.following import followed
from tournament.core.selectors.versions import Topics, event_versions, topics_version
from tournament.core.topics import ANYTHING, EVERYBODY
from tournament.models import Event

KEPT_FOR_SECONDS = 600
KEPT = "X-Kept"
"""The header by which `config.front.memory` asks for the marks of a page, answered with "" for a private page."""
ONLY_NOW = "now"
"""The header's value for a page that is the same for everybody, but valid for an unknown time."""


def marks_while(event_id: int, topics: Topics, version: int) -> str:
    """Return the marks that are valid with this version of the topics, or `ONLY_NOW` if the version is already old."""
    marks = marks_of(event_id, (ANYTHING,) if topics is None else (EVERYBODY, *topics))
    now = event_versions([event_id]).get(event_id) if topics is None else topics_version(event_id, topics)
    return ",".join(f"{place}:{mark}" for place, mark in marks) if marks and now == version else ONLY_NOW


def kept_by_version(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Cache a view under `public_event` whose page is the same for everybody who is not signed in.

    An outer view may set `request.kept_as` to what changes on the page with time alone. A visitor with pending Django
    messages gets an uncached page, so that nobody else sees their messages.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, event: Event, **kwargs: Any) -> HttpResponse:
        told = "messages" in request.COOKIES
        if request.user.is_authenticated or told or request.method not in ("GET", "HEAD"):
            response = view(request, event, **kwargs)
            if KEPT in request.headers:
                response[KEPT] = ""  # a private page at an address that is otherwise cached
            return response
        topics, version = followed(request, event)
        marks = marks_while(event.pk, topics, version) if KEPT in request.headers else None
        address = f"{request.get_host()}|{request.get_full_path()}|{event.pk}|{get_language()}"
        address += f"|{request.headers.get('HX-Request', '')}|{vars(request).get('kept_as', '')}"
        etag = f'"{_digest(f"{address}|{version}")[:32]}"'
        unchanged = get_conditional_response(request, etag=etag)
        if unchanged is not None:
            return unchanged
        kept = _kept(address, etag)
        response = kept or view(request, event, **kwargs)
        if kept is None:
            _keep(address, etag, response)
        response["ETag"] = etag
        if marks is not None:
            response[KEPT] = marks
        patch_cache_control(response, no_cache=True)
        return response

    return wrapped


def _kept(address: str, etag: str) -> HttpResponse | None:
    of, response = cache.get(_place(address)) or ("", None)
    return response if of == etag else None


def _keep(address: str, etag: str, response: HttpResponse) -> None:
    """Store the page under its address. With the version in the key, every write would leave all old pages behind."""
    if response.status_code == 200:
        cache.set(_place(address), (etag, response), KEPT_FOR_SECONDS)


def _place(address: str) -> str:
    return f"page:{_digest(address)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
