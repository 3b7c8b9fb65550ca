"""What a page follows: said by its view before it reads anything, for `config.navigation.frame` and the kept pages.

    @follows("bracket")                   the same for every reader
    follow(request, event, match_topic(match.pk))   as soon as the view knows what it is about
    follow_own(request, entrant, PRIZES)            the entrant whose page it is, and more

A page that says nothing follows whatever is written to its event.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from tournament.core.selectors.versions import topics_version
from tournament.models import Entrant, Event
from tournament.models.topic import entrant_topic


def follow(request: HttpRequest, event: Event, *topics: str) -> None:
    """The version is read now: what is read later may be newer than it says, and never older.

    Only the event itself was read before. Where something was written since, the page is one of the older version.
    """
    vars(request).update(topics=topics, live_version=min(topics_version(event.pk, topics), event.version))


def follow_own(request: HttpRequest, entrant: Entrant, *topics: str) -> None:
    """For a page of one entrant: what concerns them (and the pair in which they play), and these topics."""
    own = [entrant_topic(pk) for pk in (entrant.pk, entrant.joined_to_id) if pk is not None]
    follow(request, entrant.event, *own, *topics)


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
    topics = getattr(request, "topics", None)
    return topics, event.version if topics is None else request.live_version  # type: ignore[attr-defined]
