"""Declare the topics that a page follows, before its view reads anything.

    @follows("bracket")                             the same topics for every reader
    follow(request, event, match_topic(match.pk))   topics that the view has to look up
    follow_own(request, entrant, PRIZES)            the entrant of the page, and more topics

`config.navigation.frame` and the page cache use them. A page that declares nothing follows every write to its event.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from tournament.core.folded import folded, folded_among, newest, versions_by_topic
from tournament.core.selectors.events import load_entrant, no_such_link, shared_entrants
from tournament.core.selectors.versions import topics_version
from tournament.core.topics import MOST_NAMES, own_topics
from tournament.models import Entrant, Event
from tournament.models.topic import entrant_topic


def follow(request: HttpRequest, event: Event, *topics: str) -> None:
    """Set the topics of the page and read their version before the view reads anything else.

    Rows that are read later may be newer than the version, and never older. The event was read before. If anything was
    written since then, the page counts as one of the older version.
    """
    if len(topics) > MOST_NAMES:
        vars(request).update(topics=None)  # too many for the address of its stream
        return
    seen = vars(request).get("versions")
    version = min(topics_version(event.pk, topics), event.version) if seen is None else newest(seen, topics)
    vars(request).update(topics=topics, live_version=version)


def versions_seen(request: HttpRequest, event_id: int) -> Mapping[str, int]:
    """Return the topic versions of the event, read once per request and before anything else of the event."""
    if "versions" not in vars(request):
        vars(request)["versions"] = versions_by_topic(event_id)
    seen: Mapping[str, int] = vars(request)["versions"]
    return seen


def seen_entrant(request: HttpRequest, token: str) -> Entrant:
    """Return the entrant of a private link for a read-only page. All readers share it, and nobody may change it.

    The event of a link never changes. Whether the link is still valid follows `EVERYBODY`.
    """
    event, entrant = folded(0, (), {}, ("event of", token), lambda: _event_of(token))
    versions = versions_seen(request, event)
    own = [entrant_topic(entrant)]
    name, everybody = ("entrant", token), lambda: shared_entrants(event, versions)
    return folded_among(event, own, versions, name, lambda: load_entrant(token), everybody)


def _event_of(token: str) -> tuple[int, int]:
    """Return the keys of the event and the entrant without their rows.

    In a full hall everybody asks in the same second, and all rows are then read at once.
    """
    found = Entrant.objects.filter(token=token).values_list("event_id", "joined_to_id", "pk").first()
    if found is None:
        raise no_such_link()
    event, joined_to, own = found
    return event, joined_to or own


def follow_own(request: HttpRequest, entrant: Entrant, *topics: str) -> None:
    """Follow the topics of an entrant, those of the pair in which they play, and any others given."""
    follow(request, entrant.event, *own_topics(entrant), *topics)


def follows(*topics: str) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    def decorate(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def wrapped(request: HttpRequest, event: Event, **kwargs: Any) -> HttpResponseBase:
            follow(request, event, *topics)
            return view(request, event, **kwargs)

        return wrapped

    return decorate


def followed(request: HttpRequest, event: Event) -> tuple[tuple[str, ...] | None, int]:
    """Return the topics of the page and their version. The topics are None if the page follows everything."""
    topics, seen = getattr(request, "topics", None), vars(request).get("versions")
    if topics is not None:
        return topics, request.live_version  # type: ignore[attr-defined]
    if seen is None:
        return None, event.version
    newest_seen = max(seen.values(), default=0)
    return None, min(newest_seen, event.version) if request.method == "POST" else newest_seen
