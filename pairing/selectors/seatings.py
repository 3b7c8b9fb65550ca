"""The rounds at tables that were seated, as recorded, and who is out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Prefetch, Q

from pairing.draws.results.credits import Cause, Removal
from pairing.draws.table_rounds.rounds import (
    SeatedRound,
    SeatedTable,
    TableOutcome,
)
from pairing.models import Match, MatchResult, MatchSeat, Seating, Stage, TableCall
from pairing.selectors.brackets import BACK, REMOVALS, load_opened, read_credits
from pairing.selectors.formats import TABLES, table_terms
from tournament.models import Entrant, EntrantFact, Event

COUNTING = Q(
    draw__taken_back__isnull=True,
    seating__taken_back__isnull=True,
    stage__taken_back__isnull=True,
    pairing__taken_back__isnull=True,
    late_entry__taken_back__isnull=True,
)
"""For matches: those of the draw that counts; of a seating, stage, pairing or late entry that was not taken back."""


def load_called(event: Event, idents: Iterable[str]) -> dict[str, int]:
    """Match → the table it was called to last, for these matches."""
    wanted = set(idents)
    calls = TableCall.objects.filter(match__in=event.matches.filter(COUNTING)).order_by("pk")
    last = dict(calls.values_list("match__ident", "table"))
    return {ident: table for ident, table in last.items() if table is not None and ident in wanted}


def load_seated(stage: Stage) -> tuple[SeatedRound, ...]:
    """The rounds that were posted and count, the first first."""
    seats = Prefetch("matches__seats", MatchSeat.objects.select_related("entrant"))
    results = Prefetch("matches__results", MatchResult.objects.select_related("winner").order_by("pk"))
    counting = stage.seatings.filter(posted__isnull=False, taken_back__isnull=True).order_by("round")
    return tuple(
        SeatedRound(seating.round, tuple(_table(match) for match in seating.matches.all()), tuple(seating.sits_out))
        for seating in counting.prefetch_related("matches", seats, results)
    )


def _table(match: Match) -> SeatedTable:
    results = list(match.results.all())
    entries = tuple(seat.entrant.number for seat in match.seats.all())
    return SeatedTable(match.ident, entries, outcome_at_table(results[-1]) if results else None)


def outcome_at_table(result: MatchResult) -> TableOutcome:
    """What one row recorded of a table, whether it still counts or not."""
    points = {int(number): total for number, total in result.score.items()}
    causes = {credit.cause for credit in read_credits(result.credits).values()}
    cause = Cause.PLAYED if points else min(causes, default=Cause.PLAYED)
    return TableOutcome(points, result.winner.number if result.winner else None, cause)


def load_gone(event: Event) -> dict[int, Removal]:
    """Who is out now, and why; a removal that was taken back is as if it had never been."""
    facts = EntrantFact.objects.filter(entrant__event=event, kind__in=[*REMOVALS, BACK]).order_by("pk")
    gone: dict[int, Removal] = {}
    for number, kind in facts.values_list("entrant__number", "kind"):
        gone.pop(number, None)
        if kind != BACK:
            gone[number] = REMOVALS[EntrantFact.Kind(kind)]
    return gone


def load_present(event: Event) -> list[int]:
    """Who can be seated: everybody who is in."""
    return list(event.entrants.filter(state=Entrant.State.IN).order_by("number").values_list("number", flat=True))


def open_seating(event: Event) -> Seating | None:
    """The seating that staff look at: made, neither posted nor taken back."""
    waiting = Seating.objects.filter(stage__in=load_opened(event), posted__isnull=True, taken_back__isnull=True)
    return waiting.select_related("stage__draw").first()


def last_posted(event: Event) -> Seating | None:
    """The seating of the round that was posted last and counts."""
    posted = Seating.objects.filter(stage__in=load_opened(event), posted__isnull=False, taken_back__isnull=True)
    return posted.order_by("-round").first()


def load_seatings_taken_back(event: Event) -> list[Seating]:
    """Every seating that was taken back with its reason, the newest first: also those that were never posted."""
    gone = Seating.objects.filter(stage__draw__commitment__event=event, taken_back__isnull=False)
    return list(gone.select_related("taken_back").order_by("-pk"))


def load_seating_records(event: Event) -> list[dict[str, Any]]:
    """Every posted round that counts, and for the later ones the case that `pair` seats again."""
    posted = Seating.objects.filter(stage__in=load_opened(event), posted__isnull=False, taken_back__isnull=True)
    terms = table_terms(event)
    return [_record(seating, terms.size) for seating in posted.order_by("round")] if terms is not None else []


def _record(seating: Seating, size: int) -> dict[str, Any]:
    told = {"round": seating.round, "tables": seating.tables, "sits_out": seating.sits_out}
    if seating.round == 1:
        return told
    playing = sorted(number for table in seating.tables for number in table)
    met, seed = seating.record["met"], seating.record["seed"]
    return {**told, "case": {"format": TABLES, "entries": playing, "size": size, "met": met, "seed": seed}}


def can_take_back(seating: Seating) -> bool:
    """Until the first result at one of its tables."""
    return not MatchResult.objects.filter(match__seating=seating).exists()
