"""Load the matches that are ready or decided, and the tables they are called to, for any format."""

from collections.abc import Collection
from datetime import datetime

from pairing.above import score_cards
from pairing.matches.selectors.records import load_last_calls
from pairing.stage_kinds.selectors.stages import load_course
from tournament.models import Entrant, Event


def load_ready(event: Event) -> list[str]:
    """Return the matches that can be played, in the order of the draw."""
    course = load_course(event)
    return list(course.current.ready) if course.stages else []


def load_decided(event: Event) -> list[str]:
    return load_course(event).decided


def has_played_all(entrant: Entrant) -> bool:
    """Return whether the entrant has score cards and all of them are closed."""
    return score_cards().has_only_closed_cards(entrant)


def drawn_entries(event: Event) -> Collection[int] | None:
    """Return the entries of the posted draw, or None before it is posted."""
    course = load_course(event)
    return course.entries if course.stages else None


def load_calls(event: Event) -> dict[str, datetime]:
    """Return the time of each match's last call to a table. Matches that were taken off are left out."""
    return {ident: call.at for ident, call in load_last_calls(event).items() if call.table is not None}
