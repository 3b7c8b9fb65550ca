"""Play a ladder evening with the services that the pages use."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pairing.desk.selectors.desk import PairingDesk, load_pairing_desk
from pairing.desk.services.sending import DeskPreview, send_previewed_pairs
from pairing.draws.ladder import Ladder
from pairing.draws.pairs.record import Pair
from pairing.draws.results import Credit, MatchOutcome, Result, ResultCause
from pairing.results.services.results import record_result
from pairing.stages.kind.ladder import require_ladder
from tests.kit import fresh
from tests.pairing.helpers.events import the_match
from tests.pairing.helpers.stages import course_of, staged, won
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Event

BRACKET = {"kind": "single-elimination", "seeded": True}


def a_ladder(entrants: int, games: int, *after: dict[str, object], **terms: Any) -> Event:
    return staged(entrants, {"kind": "ladder", "games": games, **terms}, *after)


def the_ladder(event: Event) -> Ladder:
    return require_ladder(course_of(event).pools[0].pool)


def the_desk(event: Event, now: datetime | None = None) -> PairingDesk:
    desk = load_pairing_desk(fresh(event), now)
    assert desk is not None
    return desk


def the_line(event: Event) -> list[int]:
    return list(the_ladder(event).waiting_line)


def next_pairs(event: Event) -> list[tuple[set[int], int | None]]:
    """Return the pairs that the pairing page currently suggests, with their tables."""
    found = [(set(going.suggestion.pair), going.table) for going in the_desk(event).next_pairs]
    return sorted(found, key=lambda going: going[1] or 0)


def send_next(event: Event, now: datetime | None = None) -> list[Pair]:
    """Send exactly the suggested pairs to tables, and return the pairs."""
    desk = the_desk(event, now)
    shown = DeskPreview(
        at=desk.now, pairs=tuple(going.pair_and_table for going in desk.next_pairs if going.table is not None)
    )
    send_previewed_pairs(event, shown, by=SYSTEM_ACTOR)
    return [pair[:2] for pair in shown.pairs]


def open_games(event: Event) -> dict[str, Pair]:
    stage = course_of(event).current_stage
    return {
        ident: (sides[0], sides[1]) for ident in stage.ready_matches for sides in [stage.matches[ident].meeting.sides]
    }


def end(event: Event, winner: int) -> int:
    """Record that the entry won its current game, and return the loser."""
    ident, sides = next((ident, sides) for ident, sides in open_games(event).items() if winner in sides)
    loser = next(side for side in sides if side != winner)
    won(event, ident, winner, loser)
    return loser


def play(event: Event, *winners: int) -> None:
    """Play games one after another at a single table, with these winners."""
    for winner in winners:
        if not open_games(event):
            send_next(event)
        end(event, winner)


def make_void(event: Event, ident: str) -> None:
    match = the_match(event, ident)
    sides = tuple(match.seats.order_by("position").values_list("entrant__number", flat=True))
    with writing(fresh(event), verb="card.posted", by=SYSTEM_ACTOR) as write:
        record_result(write, match, MatchOutcome.void(ident, sides))


def both_lose(event: Event, one: int) -> None:
    """Record that both entries lost the current game, because of a ruling."""
    ident, sides = next((ident, sides) for ident, sides in open_games(event).items() if one in sides)
    with writing(fresh(event), verb="card.posted", by=SYSTEM_ACTOR) as write:
        credits = dict.fromkeys(sides, Credit(Result.LOSS, ResultCause.PENALTY))
        record_result(write, the_match(event, ident), MatchOutcome(ident, None, credits))
