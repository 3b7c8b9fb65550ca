"""Public pages are kept by the event's version: a page is rendered once for every change, for everybody."""

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.translation import get_language

from tournament.models import Event

KEPT_FOR_SECONDS = 600


def kept_by_version(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """For a view under `public_event` whose page is the same for everybody who is not signed in.

    A visitor who is still to be told something gets a page of their own: what they are told is not kept for others.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, event: Event, **kwargs: Any) -> HttpResponse:
        told = "messages" in request.COOKIES
        if request.user.is_authenticated or told or request.method not in ("GET", "HEAD"):
            return view(request, event, **kwargs)
        spoken = f"{request.get_host()}|{request.get_full_path()}|{event.pk}|{event.version}|{get_language()}"
        name = hashlib.sha256(f"{spoken}|{request.headers.get('HX-Request', '')}".encode()).hexdigest()
        etag = f'"{name[:32]}"'
        unchanged = get_conditional_response(request, etag=etag)
        if unchanged is not None:
            return unchanged
        response = cache.get(f"page:{name}")
        if response is None:
            response = view(request, event, **kwargs)
            if response.status_code == 200:
                cache.set(f"page:{name}", response, KEPT_FOR_SECONDS)
        response["ETag"] = etag
        patch_cache_control(response, no_cache=True)
        return response

    return wrapped
