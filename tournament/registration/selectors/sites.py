"""The sites of an event that is played at several places."""

from collections.abc import Iterable

from tournament.models import Entrant, Event


def sites_of(event: Event) -> list[str]:
    """Return the event's site names in the order of the settings. An event at one place has none."""
    return [str(name) for name in event.sites]


def load_without_site(event: Event, numbers: Iterable[int]) -> list[Entrant]:
    """Return the entries with these numbers that have none of the event's sites, in order of number."""
    return list(event.entrants.filter(number__in=list(numbers)).exclude(site__in=sites_of(event)).order_by("number"))
