"""Play rounds at tables with the services that the pages use."""

from __future__ import annotations

from typing import Any

from pairing.models import MatchResult
from pairing.results.services.results import record_table_result
from pairing.stages.selectors.tables import SeatingBoard, load_seating_board
from tests.kit import fresh
from tests.pairing.helpers.events import an_event_in_play, the_match
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event


def in_play(entrants: int = 8, **options: Any) -> Event:
    return an_event_in_play(entrants, format="tables", format_options={"size": 4, "rounds": 2, **options})


def the_hall(event: Event) -> SeatingBoard:
    hall = load_seating_board(fresh(event))
    assert hall is not None
    return hall


@prebuilt
def play(event: Event, ident: str, *points: int) -> MatchResult:
    """Record a table's totals, given in the order of its seats."""
    found = the_hall(event).rounds.find_table(ident)
    assert found is not None
    totals = dict(zip(found[1].entries, points, strict=True))
    return record_table_result(the_match(event, ident), totals, by=SYSTEM_ACTOR, reason="on paper")


@prebuilt
def play_round(event: Event) -> None:
    for table in the_hall(event).rounds.ready_tables:
        play(event, table.match, *range(0, 10 * len(table.entries), 10))
