"""The draw of an event that counts, and its stages, results, removals, names and table calls."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import rfc8785
from django.db.models import Q, QuerySet

from pairing.draws.results import Cause, Credit, MatchOutcome, Removal, Removed, Result
from pairing.models import PLAY, Draw, MatchResult, Stage, TableCall
from tournament.core.cached import cached
from tournament.core.selectors.events import EntryNames, load_entry_names
from tournament.models import EntrantFact, Event
from tournament.models.topic import ENTRANTS

REMOVALS = {
    EntrantFact.Kind.WITHDRAWN: Removal.WITHDRAWN,
    EntrantFact.Kind.NO_SHOW: Removal.NO_SHOW,
    EntrantFact.Kind.ELIMINATED: Removal.ELIMINATED,
    EntrantFact.Kind.DISQUALIFIED: Removal.DISQUALIFIED,
}
REINSTATED = EntrantFact.Kind.REINSTATED
"""A removal that was taken back is left out, as if it had never happened."""


def load_posted_draw(event: Event) -> Draw | None:
    """Return the draw that was posted and not taken back."""
    posted = Draw.objects.filter(commitment__event=event, posted__isnull=False, taken_back__isnull=True)
    return posted.select_related("commitment", "posted").order_by("-pk").first()


def load_open_stages(event: Event) -> QuerySet[Stage]:
    """Return the open stages of the posted draw, in their order. There are none before it is posted."""
    of_event = Stage.objects.filter(draw__commitment__event=event, draw__posted__isnull=False)
    counting = of_event.filter(draw__taken_back__isnull=True, taken_back__isnull=True)
    return counting.select_related("draw__commitment", "draw__posted").order_by("number")


def read_credits(stored: dict[str, list[str]]) -> dict[int, Credit]:
    return {int(number): Credit(Result(result), Cause(cause)) for number, (result, cause) in stored.items()}


def outcome_of(result: MatchResult) -> MatchOutcome:
    """Return the outcome that a row recorded, whether or not it still counts."""
    winner = result.winner.number if result.winner else None
    return MatchOutcome(result.match.ident, winner, read_credits(result.credits))


def counts(result: MatchResult) -> bool:
    """Return whether a row is a result: neither void nor the undoing of an earlier result.

    The undoing of a result has no credits and no points. Points without credits are a result at a table.
    """
    causes = {credit.cause for credit in read_credits(result.credits).values()}
    return bool(result.credits or result.score) and Cause.VOID not in causes


def write_credits(credits: Mapping[int, Credit]) -> dict[str, list[str]]:
    """Return credits by entry number in the form that a result stores: [result, cause]."""
    return {str(number): [credit.result.value, credit.cause.value] for number, credit in credits.items()}


def load_names(event: Event) -> EntryNames:
    """Return the names of all entries, cached until an entry changes. Nobody may change them."""
    return cached(event.pk, (ENTRANTS,), "entry names", lambda: load_entry_names(event))


COUNTING = Q(
    draw__taken_back__isnull=True,
    seating__taken_back__isnull=True,
    stage__taken_back__isnull=True,
    pairing__taken_back__isnull=True,
    late_entry__taken_back__isnull=True,
)
"""Filter for matches that count: nothing that they belong to was taken back."""


@dataclass(frozen=True, slots=True)
class LastCall:
    """The last call of a match (by primary key). `table` is None if the match was taken off its table."""

    match: int
    table: int | None
    at: datetime


def load_last_calls(event: Event) -> Mapping[str, LastCall]:
    """Return the last call of each match that counts, by its name. It is cached, because the desk asks three times."""
    return cached(event.pk, PLAY, "last calls", lambda: _read_last_calls(event))


def _read_last_calls(event: Event) -> dict[str, LastCall]:
    calls = TableCall.objects.filter(match__in=event.matches.filter(COUNTING)).order_by("pk")
    rows = calls.values_list("match__ident", "match_id", "table", "at")
    return {ident: LastCall(match, table, at) for ident, match, table, at in rows}


def load_called(event: Event, idents: Iterable[str]) -> dict[str, int]:
    """Return the table of each of these matches that is called to a table."""
    wanted, calls = set(idents), load_last_calls(event)
    return {ident: call.table for ident, call in calls.items() if call.table is not None and ident in wanted}


def load_removed(event: Event) -> dict[int, Removed]:
    """Return the entries that are out and why, without removals that were taken back."""
    facts = EntrantFact.objects.filter(entrant__event=event, kind__in=[*REMOVALS, REINSTATED]).order_by("pk")
    gone: dict[int, Removed] = {}
    for number, kind, at in facts.values_list("entrant__number", "kind", "at"):
        before = gone.pop(number, None)
        if kind != REINSTATED:
            gone[number] = Removed(number, REMOVALS[EntrantFact.Kind(kind)], before.at if before else at)
    return gone


def open_draw(event: Event) -> Draw | None:
    """Return the draw that staff preview, neither posted nor taken back."""
    made = Draw.objects.filter(commitment__event=event, posted__isnull=True, taken_back__isnull=True)
    return made.select_related("commitment").first()


def result_digest(result: MatchResult) -> str:
    """Return the SHA-256 of the whole row in canonical JSON (RFC 8785).

    The log stores it, so that a later change of the row can be detected. `undoes` is included only where it is set,
    because the digests of older results do not have it.
    """
    content: dict[str, Any] = {
        "match": result.match_id,
        "winner": result.winner_id,
        "credits": result.credits,
        "score": result.score,
        "supersedes": result.supersedes_id,
        "at": result.at.astimezone(UTC).isoformat(timespec="microseconds"),
        "by": result.by_name,
        "reason": result.reason,
    }
    if result.undoes_id is not None:
        content["undoes"] = result.undoes_id
    return hashlib.sha256(rfc8785.dumps(content)).hexdigest()
