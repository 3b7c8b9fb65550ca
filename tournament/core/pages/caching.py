"""Public pages are kept by the version of what they follow: rendered once for every change, for everybody."""

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
"""Asked by `config.front.memory`, and answered: the marks while which a page is true; empty where it is one's own."""
ONLY_NOW = "now"
"""Answered instead: the page is the same for everybody who has asked, and nobody knows how long it is true."""


def marks_while(event_id: int, topics: Topics, version: int) -> str:
    """The marks that stand while this is the version of these topics; ONLY_NOW where it no longer is."""
    marks = marks_of(event_id, (ANYTHING,) if topics is None else (EVERYBODY, *topics))
    now = event_versions([event_id]).get(event_id) if topics is None else topics_version(event_id, topics)
    return ",".join(f"{place}:{mark}" for place, mark in marks) if marks and now == version else ONLY_NOW


def kept_by_version(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """For a view under `public_event` whose page is the same for everybody who is not signed in.

    `request.kept_as`, where a view outside says it, is what of the page the time alone changes.

    A visitor who is still to be told something gets a page of their own: what they are told is not kept for others.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, event: Event, **kwargs: Any) -> HttpResponse:
        told = "messages" in request.COOKIES
        if request.user.is_authenticated or told or request.method not in ("GET", "HEAD"):
            response = view(request, event, **kwargs)
            if KEPT in request.headers:
                response[KEPT] = ""  # their own; the address is one of those that are kept
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
    """Under its address alone: with the version in the name each write would leave all its pages behind."""
    if response.status_code == 200:
        cache.set(_place(address), (etag, response), KEPT_FOR_SECONDS)


def _place(address: str) -> str:
    return f"page:{_digest(address)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
