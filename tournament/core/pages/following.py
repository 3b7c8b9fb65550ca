"""Declare a page's topics, which name the data on the page, and cache pages by the version of their topics.

The view declares the topics before it reads any data:

    @follows_topics("bracket")                             the same topics for every reader
    follow_topics(request, event, get_match_topic(match.pk))   topics that the view has to look up
    follow_entrant_topics(request, entrant, PRIZES)        the page's entrant, and additional topics

`config.navigation` and the page cache use these topics. A page that declares nothing follows every write to its event.
"""

import hashlib
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.translation import get_language

from tournament.core.cached import (
    FollowedTopics,
    cached,
    cached_bulk,
    find_newest_version,
    load_event_versions,
    load_topics_version,
    load_versions_by_topic,
)
from tournament.core.marks import load_topic_marks
from tournament.core.selectors.events import load_entrant, load_entrants_by_link, make_unknown_link_error
from tournament.core.topics import ANY_WRITE_TOPIC, EVERYBODY_TOPIC, MAX_FOLLOWED_TOPICS, list_entrant_topics
from tournament.models import Entrant, Event
from tournament.models.topic import get_entrant_topic


def follow_topics(request: HttpRequest, event: Event, *topics: str) -> None:
    """Set the page's topics, and remember their version before the view reads other data.

    The data on the page can therefore be newer than the version, but never older.
    """
    if len(topics) > MAX_FOLLOWED_TOPICS:
        vars(request).update(topics=None)  # too many for the address of its stream
        return
    seen = vars(request).get("versions")
    version = (
        min(load_topics_version(event.pk, topics), event.version) if seen is None else find_newest_version(seen, topics)
    )
    vars(request).update(topics=topics, live_version=version)


def load_request_topic_versions(request: HttpRequest, event_id: int) -> Mapping[str, int]:
    """Return the event's topic versions, read once per request. Call this before reading other data."""
    if "versions" not in vars(request):
        vars(request)["versions"] = load_versions_by_topic(event_id)
    seen: Mapping[str, int] = vars(request)["versions"]
    return seen


def load_cached_entrant(request: HttpRequest, token: str) -> Entrant:
    """Return the entrant with this private link, for use on a read-only page.

    The object is cached until the next write that concerns this entrant or everybody. It is shared: do not change it.
    """
    event, entrant = cached(0, (), ("event of", token), lambda: _load_keys_by_link(token), versions={})
    versions = load_request_topic_versions(request, event)
    own = [get_entrant_topic(entrant)]
    name, everybody = ("entrant", token), lambda: load_entrants_by_link(event, versions)
    return cached_bulk(event, own, versions, name, lambda: load_entrant(token), everybody)


def _load_keys_by_link(token: str) -> tuple[int, int]:
    """Return the primary keys of the event and the entrant to which a link leads.

    A partner's link leads to the pair's entry.
    """
    keys = Entrant.objects.filter(token=token).values_list("event_id", "joined_to_id", "pk").first()
    if keys is None:
        raise make_unknown_link_error()
    event, joined_to, own = keys
    return event, joined_to or own


def follow_entrant_topics(request: HttpRequest, entrant: Entrant, *topics: str) -> None:
    """Make the page follow the given topics, and the topics of the entrant and of the entrant's pair."""
    follow_topics(request, entrant.event, *list_entrant_topics(entrant), *topics)


def follows_topics(*topics: str) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    def decorate(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def wrapped(request: HttpRequest, event: Event, **kwargs: Any) -> HttpResponseBase:
            follow_topics(request, event, *topics)
            return view(request, event, **kwargs)

        return wrapped

    return decorate


def load_followed_topics(request: HttpRequest, event: Event) -> tuple[tuple[str, ...] | None, int]:
    """Return the page's topics and their version. The topics are None if the page follows every write."""
    topics, seen = getattr(request, "topics", None), vars(request).get("versions")
    if topics is not None:
        return topics, request.live_version  # type: ignore[attr-defined]
    if seen is None:
        return None, event.version
    newest_seen = max(seen.values(), default=0)
    return None, min(newest_seen, event.version) if request.method == "POST" else newest_seen


# --- Cached pages ----------------------------------------------------------------------------------------------------
# Public pages are cached by the version of their topics, so that each change is rendered once for everybody.

PAGE_CACHE_TIMEOUT_S = 600
PAGE_MARKS_HEADER = "X-Kept"
"""The header in which `config.front.memory` requests and gets a page's version marks. A private page has none ("")."""
POSSIBLY_OUTDATED_MARKER = "now"
"""The value of `PAGE_MARKS_HEADER` for a page that is the same for everyone but may already be outdated."""


def load_topic_marks_if_current(event_id: int, topics: FollowedTopics, version: int) -> str:
    """Return the version marks of the page's topics as a header value.

    If the version is no longer current, or there are no marks because Redis does not answer, return
    `POSSIBLY_OUTDATED_MARKER`.
    """
    marks = load_topic_marks(event_id, (ANY_WRITE_TOPIC,) if topics is None else (EVERYBODY_TOPIC, *topics))
    current = load_event_versions([event_id]).get(event_id) if topics is None else load_topics_version(event_id, topics)
    return (
        ",".join(f"{slot}:{mark}" for slot, mark in marks) if marks and current == version else POSSIBLY_OUTDATED_MARKER
    )


def cached_by_version(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Cache a `public_event_view` view whose page is the same for everyone who is not signed in.

    If the page also depends on the time, an outer decorator sets `request.cache_variant`. A visitor with pending Django
    messages gets an uncached page, so that nobody else sees these messages.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, event: Event, **kwargs: Any) -> HttpResponse:
        has_messages = "messages" in request.COOKIES
        if request.user.is_authenticated or has_messages or request.method not in ("GET", "HEAD"):
            response = view(request, event, **kwargs)
            if PAGE_MARKS_HEADER in request.headers:
                response[PAGE_MARKS_HEADER] = ""  # a private page at an address that is otherwise cached
            return response
        topics, version = load_followed_topics(request, event)
        marks = load_topic_marks_if_current(event.pk, topics, version) if PAGE_MARKS_HEADER in request.headers else None
        address = f"{request.get_host()}|{request.get_full_path()}|{event.pk}|{get_language()}"
        address += f"|{request.headers.get('HX-Request', '')}|{vars(request).get('cache_variant', '')}"
        etag, key = f'"{_compute_digest(f"{address}|{version}")[:32]}"', f"page:{_compute_digest(address)}"
        unchanged = get_conditional_response(request, etag=etag)
        if unchanged is not None:
            return unchanged
        stored: tuple[str, Any] = cache.get(key) or ("", None)
        cached_etag, page = stored  # a version in the key would leave all old pages behind
        if cached_etag != etag:
            page = view(request, event, **kwargs)
            if page.status_code == 200:
                cache.set(key, (etag, page), PAGE_CACHE_TIMEOUT_S)
        page["ETag"] = etag
        if marks is not None:
            page[PAGE_MARKS_HEADER] = marks
        patch_cache_control(page, no_cache=True)
        return page

    return wrapped


def _compute_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
