"""An event over rounds at tables as it stands: facts in, one pure value out, in a constant number of queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from django.db import connection
from django.db.models import Prefetch, Q

from pairing.draws.results.credits import Cause, Removal
from pairing.draws.table_rounds.rounds import (
    Rounds,
    SeatedRound,
    SeatedTable,
    TableOutcome,
    TableStanding,
    make_standings,
    make_standings_at_end,
)
from pairing.models import Match, MatchResult, MatchSeat, Seating, Stage, TableCall
from pairing.selectors.brackets import BACK, REMOVALS, load_names, load_opened, read_credits
from pairing.selectors.formats import TABLES, load_rules_at_tables, plays_at_tables, table_terms
from tournament.models import Entrant, EntrantFact, Event
from tournament.selectors.kept import until_written
from tournament.selectors.ledger import load_ended_early
from tournament.spreadsheets.numbers import typed_number

COUNTING = Q(
    draw__taken_back__isnull=True,
    seating__taken_back__isnull=True,
    stage__taken_back__isnull=True,
    pairing__taken_back__isnull=True,
    late_entry__taken_back__isnull=True,
)
"""For matches: those of the draw that counts; of a seating, stage, pairing or late entry that was not taken back."""


@dataclass(frozen=True)
class SeatedRounds:
    """The rounds with what pages show beside them; `tables`: match → the table it is at now.

    `ended`: the event was ended early, by the standings as they are.
    """

    rounds: Rounds
    names: Mapping[int, str]
    tables: Mapping[str, int]
    ended: bool = False

    def name(self, number: int) -> str:
        return self.names.get(number, str(number))

    @cached_property
    def standings(self) -> tuple[TableStanding, ...]:
        return make_standings_at_end(self.rounds) if self.ended else make_standings(self.rounds)

    @property
    def winners(self) -> tuple[str, ...]:
        """Who has won, once everything is decided; several where they share the first place."""
        if not (self.rounds.is_complete or self.ended):
            return ()
        return tuple(self.name(one.entry) for one in self.standings if one.place == 1)

    def entries_called(self, wanted: str) -> tuple[int, ...]:
        """The entries whose name has the words, or whose number it is."""
        wanted = wanted.strip().casefold()
        number = typed_number(wanted)
        if number is not None:
            return (number,) if number in self.rounds.entries else ()
        return tuple(entry for entry in self.rounds.entries if wanted and wanted in self.name(entry).casefold())


def load_hall(event: Event) -> SeatedRounds | None:
    """None before a draw is posted, and for an event of another format."""
    rounds = load_rounds(event)
    if rounds is None:
        return None
    called = load_called(event, (table.match for table in rounds.ready))
    return SeatedRounds(rounds, load_names(event), called, load_ended_early(event) is not None)


def load_called(event: Event, idents: Iterable[str]) -> dict[str, int]:
    """Match → the table it was called to last, for these matches."""
    wanted = set(idents)
    calls = TableCall.objects.filter(match__in=event.matches.filter(COUNTING)).order_by("pk")
    last = dict(calls.values_list("match__ident", "table"))
    return {ident: table for ident, table in last.items() if table is not None and ident in wanted}


def load_rounds(event: Event, version: int | None = None) -> Rounds | None:
    """Every table as it stands; None before a draw is posted, and for an event of another format.

    Kept by the event's version (asked, where it is not given); inside a transaction until the next write: what is
    written there may be taken back.
    """
    if not plays_at_tables(event):
        return None
    if connection.in_atomic_block:
        return until_written(("rounds", event.pk), lambda: _make(event))
    if version is None:
        version = Event.objects.values_list("version", flat=True).get(pk=event.pk)
    return _kept(event.pk, version)


@lru_cache(maxsize=64)
def _kept(event_id: int, version: int) -> Rounds | None:
    return _make(Event.objects.get(pk=event_id))


def _make(event: Event) -> Rounds | None:
    stage = load_opened(event).first()
    if stage is None:
        return None
    rules = load_rules_at_tables(event)
    seated = load_seated(stage)
    later = {entry for each in seated for table in each.tables for entry in table.entries} - set(stage.entries)
    return Rounds(
        terms=table_terms(event),
        entries=(*stage.entries, *sorted(later)),
        rounds=seated,
        gone=load_gone(event),
        low_wins=rules is not None and rules.low_wins,
    )


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
    size = table_terms(event).size
    return [_record(seating, size) for seating in posted.order_by("round")]


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
