"""The entries of an event as lists and counts need them, asked once while nobody enters, comes or goes."""

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
    """By number."""
    rows = event.entrants.values_list(*ListedEntry._fields)
    return folded_here(event.pk, (ENTRANTS,), "entries", lambda: tuple(map(ListedEntry._make, rows)))
