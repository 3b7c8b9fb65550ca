"""What can be played now and at which table, whatever the format."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from pairing.above import score_cards
from pairing.matches.selectors.records import COUNTING
from pairing.models import TableCall
from pairing.stage_kinds.selectors.stages import load_course
from tournament.models import Entrant, Event


def load_ready(event: Event) -> list[str]:
    """The matches that can be played now, in the order of the draw."""
    course = load_course(event)
    return list(course.current.ready) if course.stages else []


def load_decided(event: Event) -> list[str]:
    """The matches that are over."""
    course = load_course(event)
    return course.decided


def has_played_all(entrant: Entrant) -> bool:
    """Whether it has score cards, and every one of them is over."""
    return score_cards().has_only_closed_cards(entrant)


def drawn_entries(event: Event) -> Collection[int] | None:
    """Who plays in the posted draw; None before it is posted."""
    course = load_course(event)
    return course.entries if course.stages else None


def busy_tables(event: Event) -> dict[int, int]:
    """Table → the match (its primary key) that is called there and not decided yet."""
    ready = set(load_ready(event))
    if not ready:
        return {}
    last: dict[int, tuple[str, int | None]] = {}
    calls = TableCall.objects.filter(match__in=event.matches.filter(COUNTING)).order_by("pk")
    for match, ident, table in calls.values_list("match_id", "match__ident", "table"):
        last[match] = (ident, table)
    return {table: match for match, (ident, table) in last.items() if table is not None and ident in ready}


def load_calls(event: Event) -> dict[str, datetime]:
    """Match → since when it is at the table that it was last called to; matches that were taken off are left out."""
    since: dict[str, tuple[int | None, datetime]] = {}
    calls = TableCall.objects.filter(match__in=event.matches.filter(COUNTING)).order_by("pk")
    for ident, table, at in calls.values_list("match__ident", "table", "at"):
        since[ident] = (table, at)
    return {ident: at for ident, (table, at) in since.items() if table is not None}
