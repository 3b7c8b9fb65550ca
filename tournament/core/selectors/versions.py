"""Versions of events: the one number that says whether a page is still true."""

from collections.abc import Collection

from tournament.models import Event


def version_of(tournament_slug: str, event_slug: str) -> tuple[int, int] | None:
    """The event's id and version, or None where there is no such event, or nobody but its staff may see it yet."""
    found = Event.objects.filter(tournament__slug=tournament_slug, slug=event_slug).exclude(state=Event.State.DRAFT)
    return found.values_list("pk", "version").first()


def event_versions(event_ids: Collection[int]) -> dict[int, int]:
    """Versions by event id, one query for all; events that are gone are missing."""
    return dict(Event.objects.filter(pk__in=event_ids).values_list("pk", "version"))
