"""What a page follows: said by its view before it reads anything, for `config.navigation.frame` and the kept pages.

    @follows("bracket")                   the same for every reader
    follow(request, card_topic(card.pk))  as soon as the view knows what it is about

A page that says nothing follows whatever is written to its event.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from tournament.core.selectors.versions import topics_version
from tournament.models import Event


def follow(request: HttpRequest, event: Event, *topics: str) -> None:
    """The version is read now: what is read later may be newer than it says, and never older.

    Only the event itself was read before. Where something was written since, the page is one of the older version.
    """
    vars(request).update(topics=topics, live_version=min(topics_version(event.pk, topics), event.version))


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
