"""Events played at several places: which sites there are, and who plays where. Others have none."""

from collections.abc import Iterable

from tournament.models import Entrant, Event


def sites_of(event: Event) -> list[str]:
    """The names of its sites in the order of the settings; nothing where everybody plays in one place."""
    return [str(name) for name in event.sites]


def load_without_site(event: Event, numbers: Iterable[int]) -> list[Entrant]:
    """Those of these entries that play at none of the event's sites, in order of number."""
    return list(event.entrants.filter(number__in=list(numbers)).exclude(site__in=sites_of(event)).order_by("number"))
