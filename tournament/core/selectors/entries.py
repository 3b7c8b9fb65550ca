"""The entries of an event as plain values for lists and counts, cached until an entry changes."""

from typing import NamedTuple

from tournament.core.folded import folded_here
from tournament.models import Event
from tournament.models.topic import ENTRANTS


class ListedEntry(NamedTuple):
    pk: int
    number: int
    name: str
    state: str
    arrived: bool


def load_entries(event: Event) -> tuple[ListedEntry, ...]:
    """Return the entries in the order of their numbers."""
    rows = event.entrants.values_list(*ListedEntry._fields)
    return folded_here(event.pk, (ENTRANTS,), "entries", lambda: tuple(map(ListedEntry._make, rows)))
