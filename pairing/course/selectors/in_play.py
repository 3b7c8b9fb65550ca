"""What can be played now and at which table, in any format."""

from collections.abc import Collection
from datetime import datetime

from pairing.above import score_cards
from pairing.matches.selectors.records import load_last_calls
from pairing.stage_kinds.selectors.stages import load_course
from tournament.models import Entrant, Event


def load_ready(event: Event) -> list[str]:
    """The matches that can be played now, in the order of the draw."""
    course = load_course(event)
    return list(course.current.ready) if course.stages else []


def load_decided(event: Event) -> list[str]:
    """The matches that are over."""
    return load_course(event).decided


def has_played_all(entrant: Entrant) -> bool:
    """Whether it has score cards, and every one of them is over."""
    return score_cards().has_only_closed_cards(entrant)


def drawn_entries(event: Event) -> Collection[int] | None:
    """Who plays in the posted draw; None before it is posted."""
    course = load_course(event)
    return course.entries if course.stages else None


def load_calls(event: Event) -> dict[str, datetime]:
    """Match → since when it is at the table that it was last called to; matches that were taken off are left out."""
    return {ident: call.at for ident, call in load_last_calls(event).items() if call.table is not None}
