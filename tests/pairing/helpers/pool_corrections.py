"""Corrections in a pool of games."""

from __future__ import annotations

from pairing.desk.services.pairings import PairsToSend
from pairing.draws.knockout.corrections import LaterChoice
from pairing.draws.results import Cause
from pairing.models import MatchResult
from pairing.results.services.corrections import EventPreview
from pairing.results.services.results import MatchDecision, decide_match
from tests.kit import entrant_of
from tests.pairing.helpers.events import send_pairs, the_match
from tests.pairing.helpers.stages import FINALS, QUALIFIER, pool_of, staged, won
from tournament.core.permissions import SYSTEM
from tournament.models import Event


def send(event: Event, *pairs: tuple[int, int], tables: tuple[int, ...] = ()) -> None:
    send_pairs(event, PairsToSend(pairs=pairs, tables=tables), by=SYSTEM)


def two_rounds(*stages: dict[str, object]) -> Event:
    """1 and 3 have won, and meet; 2 and 4 have lost, and meet: 1 and 2 win."""
    event = staged(4, *(stages or (QUALIFIER, FINALS)))
    send(event, (1, 2), (3, 4), tables=(1, 2))
    won(event, "G1", 1, 2)
    won(event, "G2", 3, 4)
    send(event, (1, 3), (2, 4), tables=(1, 2))
    won(event, "G3", 1, 3)
    won(event, "G4", 2, 4)
    return event


def corrected(event: Event, ident: str = "G1", winner: int | None = 2, **choices: LaterChoice) -> MatchDecision:
    return MatchDecision(
        match=the_match(event, ident),
        winner=entrant_of(event, winner) if winner is not None else None,
        cause=Cause.PLAYED if winner is not None else Cause.VOID,
        reason="misread",
        choices=choices,
        override=True,
    )


def do(event: Event, decision: MatchDecision) -> MatchResult:
    shown = EventPreview(event).preview(lambda: decide_match(decision, by=SYSTEM)).digest
    return EventPreview(event).apply(lambda: decide_match(decision, by=SYSTEM), shown=shown)


def record(event: Event, entry: int) -> str:
    return str(pool_of(event).qualifying[entry].record)
