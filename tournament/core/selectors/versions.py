"""Versions of events and of their topics: the number that says whether a page is still true."""

from collections.abc import Collection, Mapping

from django.db.models import Max, Q

from tournament.core.topics import EVERYBODY
from tournament.models import Event, TopicVersion

Topics = Collection[str] | None
"""What a page follows, besides what concerns everybody; None: everything that is written to its event."""


def version_of(tournament_slug: str, event_slug: str) -> tuple[int, int] | None:
    """The event's id and version, or None where there is no such event, or nobody but its staff may see it yet."""
    found = Event.objects.filter(tournament__slug=tournament_slug, slug=event_slug).exclude(state=Event.State.DRAFT)
    return found.values_list("pk", "version").first()


def topics_version(event_id: int, topics: Collection[str]) -> int:
    """The event's version when any of these was last written."""
    named = TopicVersion.objects.filter(event=event_id, name__in=[EVERYBODY, *topics])
    return named.aggregate(last=Max("version"))["last"] or 0


def event_versions(event_ids: Collection[int]) -> dict[int, int]:
    """Versions by event id, one query for all; events that are gone are missing."""
    return dict(Event.objects.filter(pk__in=event_ids).values_list("pk", "version"))


def topics_since(known: Mapping[int, int]) -> dict[int, dict[str, int]]:
    """Versions of the topics that were written after these versions of their events, one query for all."""
    later = Q()
    for event_id, version in known.items():
        later |= Q(event=event_id, version__gt=version)
    found: dict[int, dict[str, int]] = {event_id: {} for event_id in known}
    rows = TopicVersion.objects.filter(later) if known else TopicVersion.objects.none()
    for event_id, name, version in rows.values_list("event", "name", "version"):
        found[event_id][name] = version
    return found
