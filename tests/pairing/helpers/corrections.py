"""Correct results with the services that the pages use."""

from __future__ import annotations

from collections.abc import Callable

from pairing.desk.services.pairings import PairsToSend
from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.results import ResultCause
from pairing.models import MatchKept, MatchResult, TableCall
from pairing.results.selectors.effects import ActionEffects
from pairing.results.services.corrections import EventPreview
from pairing.results.services.results import MatchDecision, decide_match
from tests.kit import entrant_of, fresh
from tests.pairing.helpers.events import send_pairs, the_match
from tests.pairing.helpers.stages import FINALS, QUALIFIER, pool_of, progress_of, staged, won
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import AuditEntry, EntrantFact, Event, IdempotencyKey


def a_correction(event: Event, ident: str = "G1", winner: int | None = 2, **choices: LaterMatchChoice) -> MatchDecision:
    """Return a decision that this entry won the match. If `winner` is None, the decision voids the match."""
    return MatchDecision(
        match=the_match(event, ident),
        winner=entrant_of(event, winner) if winner is not None else None,
        cause=ResultCause.PLAYED if winner is not None else ResultCause.VOID,
        reason="misread",
        later_match_choices=choices,
        override=True,
    )


def other_way(event: Event, ident: str, **choices: LaterMatchChoice) -> MatchDecision:
    """Return a decision that the loser of a bracket match won it."""
    return a_correction(event, ident, progress_of(event)[ident].losers[0], **choices)


def preview(event: Event, decision: MatchDecision) -> ActionEffects:
    return EventPreview(event).preview(lambda: decide_match(decision, by=SYSTEM_ACTOR))


def correct_later(event: Event, decision: MatchDecision) -> Callable[[], MatchResult]:
    """Preview a correction, and return a function that records exactly the correction that was previewed."""
    shown = preview(event, decision).digest
    return lambda: EventPreview(event).apply(lambda: decide_match(decision, by=SYSTEM_ACTOR), shown=shown)


def correct(event: Event, decision: MatchDecision) -> MatchResult:
    return correct_later(event, decision)()


def count_rows(event: Event) -> tuple[int, ...]:
    counts = (MatchResult, MatchKept, EntrantFact, AuditEntry, IdempotencyKey, TableCall)
    return (*(model.objects.count() for model in counts), fresh(event).version)


# Pools


@prebuilt
def send(event: Event, *pairs: tuple[int, int], tables: tuple[int, ...] = ()) -> None:
    send_pairs(event, PairsToSend(pairs=pairs, tables=tables), by=SYSTEM_ACTOR)


@prebuilt
def two_rounds(*stages: dict[str, object]) -> Event:
    """Return an event in whose pool two rounds were played.

    In round one, entries 1 and 3 beat 2 and 4. In round two, 1 beat 3, and 2 beat 4.
    """
    event = staged(4, *(stages or (QUALIFIER, FINALS)))
    send(event, (1, 2), (3, 4), tables=(1, 2))
    won(event, "G1", 1, 2)
    won(event, "G2", 3, 4)
    send(event, (1, 3), (2, 4), tables=(1, 2))
    won(event, "G3", 1, 3)
    won(event, "G4", 2, 4)
    return event


def record(event: Event, entry: int) -> str:
    return str(pool_of(event).qualifying[entry].record)
