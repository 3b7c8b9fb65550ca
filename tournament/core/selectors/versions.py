"""Versions of events and of their topics, which show whether a page is still current."""

from collections.abc import Collection, Mapping

from django.db.models import Max, Q

from tournament.core.topics import EVERYBODY
from tournament.models import Event, TopicVersion

Topics = Collection[str] | None
"""The topics that a page follows besides `EVERYBODY`, or None if it follows every write to its event."""


def load_public_version(tournament_slug: str, event_slug: str) -> tuple[int, int] | None:
    """Return the event's primary key and version, or None if there is no such event or it is a draft."""
    found = Event.objects.filter(tournament__slug=tournament_slug, slug=event_slug).exclude(state=Event.State.DRAFT)
    return found.values_list("pk", "version").first()


def load_topics_version(event_id: int, topics: Collection[str]) -> int:
    """Return the event's version at the last write to any of these topics or to `EVERYBODY`."""
    named = TopicVersion.objects.filter(event=event_id, name__in=[EVERYBODY, *topics])
    return named.aggregate(last=Max("version"))["last"] or 0


def load_event_versions(event_ids: Collection[int]) -> dict[int, int]:
    """Return versions by event id with one query. Deleted events are missing."""
    return dict(Event.objects.filter(pk__in=event_ids).values_list("pk", "version"))


def load_topics_since(known: Mapping[int, int]) -> dict[int, dict[str, int]]:
    """Return the versions of topics that were written after the known version of their event, with one query."""
    later = Q()
    for event_id, version in known.items():
        later |= Q(event=event_id, version__gt=version)
    found: dict[int, dict[str, int]] = {event_id: {} for event_id in known}
    rows = TopicVersion.objects.filter(later) if known else TopicVersion.objects.none()
    for event_id, name, version in rows.values_list("event", "name", "version"):
        found[event_id][name] = version
    return found
