"""What a page follows: said by its view before it reads anything, for `config.navigation.frame` and the kept pages.

    @follows("bracket")                   the same for every reader
    follow(request, event, match_topic(match.pk))   as soon as the view knows what it is about
    follow_own(request, entrant, PRIZES)            the entrant whose page it is, and more

A page that says nothing follows everything that is written to its event.
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
    """The version is read now: what is read later may be newer than it says, and never older.

    Only the event itself was read before. Where something was written since, the page is one of the older version.
    """
    if len(topics) > MOST_NAMES:
        vars(request).update(topics=None)  # its stream could not be asked for by name
        return
    seen = vars(request).get("versions")
    version = min(topics_version(event.pk, topics), event.version) if seen is None else newest(seen, topics)
    vars(request).update(topics=topics, live_version=version)


def versions_seen(request: HttpRequest, event_id: int) -> Mapping[str, int]:
    """All topics of the event of a request, read once, before anything else of the event."""
    if "versions" not in vars(request):
        vars(request)["versions"] = versions_by_topic(event_id)
    seen: Mapping[str, int] = vars(request)["versions"]
    return seen


def seen_entrant(request: HttpRequest, token: str) -> Entrant:
    """Whose private link this is, for a page that is only looked at: shared by all who look, and nobody changes it.

    To which event a link belongs stays; whether it is still good, and everything else, follows what concerns everybody.
    """
    event, entrant = folded(0, (), {}, ("event of", token), lambda: _event_of(token))
    versions = versions_seen(request, event)
    own = [entrant_topic(entrant)]
    name, everybody = ("entrant", token), lambda: shared_entrants(event, versions)
    return folded_among(event, own, versions, name, lambda: load_entrant(token), everybody)


def _event_of(token: str) -> tuple[int, int]:
    """Without the rows themselves: in a full hall everybody asks in the same second, and all rows are read at once."""
    found = Entrant.objects.filter(token=token).values_list("event_id", "joined_to_id", "pk").first()
    if found is None:
        raise no_such_link()
    event, joined_to, own = found
    return event, joined_to or own


def follow_own(request: HttpRequest, entrant: Entrant, *topics: str) -> None:
    """For a page of one entrant: what concerns them (and the pair in which they play), and these topics."""
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
    """The topics (None: everything) and the version they had."""
    topics, seen = getattr(request, "topics", None), vars(request).get("versions")
    if topics is not None:
        return topics, request.live_version  # type: ignore[attr-defined]
    if seen is None:
        return None, event.version
    newest_seen = max(seen.values(), default=0)
    return None, min(newest_seen, event.version) if request.method == "POST" else newest_seen
