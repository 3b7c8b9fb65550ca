"""Corrections through the services the pages use."""

from __future__ import annotations

from pairing.draws.knockout.corrections import LaterChoice
from pairing.draws.results import Cause
from pairing.models import MatchKept, MatchResult, TableCall
from pairing.results.selectors.effects import Effects
from pairing.results.services.corrections import EventPreview
from pairing.results.services.results import MatchDecision, decide_match
from tests.kit import entrant_of, fresh
from tests.pairing.helpers.events import the_match
from tests.pairing.helpers.stages import progress_of
from tournament.core.permissions import SYSTEM
from tournament.models import AuditEntry, EntrantFact, Event, IdempotencyKey


def other_way(event: Event, ident: str, **choices: LaterChoice) -> MatchDecision:
    """The loser of the match has won it."""
    loser = progress_of(event)[ident].losers[0]
    return MatchDecision(
        match=the_match(event, ident),
        winner=entrant_of(event, loser),
        cause=Cause.PLAYED,
        reason="the names were changed",
        choices=choices,
        override=True,
    )


def look(event: Event, decision: MatchDecision) -> Effects:
    return EventPreview(event).preview(lambda: decide_match(decision, by=SYSTEM))


def do(event: Event, decision: MatchDecision, *, key: str = "") -> MatchResult:
    shown = look(event, decision).digest
    return EventPreview(event).apply(lambda: decide_match(decision, by=SYSTEM, key=key), shown=shown)


def rows(event: Event) -> tuple[int, ...]:
    counts = (MatchResult, MatchKept, EntrantFact, AuditEntry, IdempotencyKey, TableCall)
    return (*(model.objects.count() for model in counts), fresh(event).version)
