"""Entries that are in the event and in nothing that is played: a late entry or a re-entry waits for its place."""

from dataclasses import dataclass

from pairing.late_entries.selectors.byes import takes_late_entries
from pairing.stage_kinds.selectors.stages import load_course
from tournament.core.selectors.entries import ListedEntry, load_entries
from tournament.models import Entrant, Event


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Entries that are checked in and in no match; `can_join` while a bye or a place in a pool is open for them."""

    entrants: tuple[ListedEntry, ...]
    can_join: bool


def load_unplaced(event: Event) -> Unplaced:
    entries = load_course(event).entries if event.state == Event.State.IN_PLAY else ()
    if not entries:
        return Unplaced((), False)
    here = (one for one in load_entries(event) if one.state == Entrant.State.IN and one.arrived)
    found = tuple(one for one in here if one.number not in entries)
    return Unplaced(found, bool(found) and takes_late_entries(event))
