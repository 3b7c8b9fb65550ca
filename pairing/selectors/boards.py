"""A bracket with what pages show beside it: names, tables, scores; a constant number of queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.db.models import QuerySet

from pairing.draws import MatchView, Progress, State
from pairing.models import Match, MatchResult, TableCall
from pairing.selectors.brackets import load_names, load_progress
from pairing.selectors.seatings import COUNTING
from tournament.lists.numbers import typed_number
from tournament.models import Event


@dataclass(frozen=True)
class Board:
    """`tables` has the matches that are at a table now; `scores` what was written beside a result, by entry number."""

    progress: Progress
    names: Mapping[int, str]
    tables: Mapping[str, int]
    scores: Mapping[str, Mapping[int, int]]

    @cached_property
    def rounds(self) -> Mapping[int, tuple[MatchView, ...]]:
        found: dict[int, list[MatchView]] = {}
        for view in self.progress.views.values():
            found.setdefault(view.match.round, []).append(view)
        return {number: tuple(views) for number, views in found.items()}

    @property
    def live_round(self) -> int:
        """The first round that has a match to be played; the final when all are decided."""
        open_rounds = [view.match.round for view in self.progress.views.values() if view.state is not State.DECIDED]
        return min(open_rounds, default=self.progress.bracket.rounds)

    def name(self, number: int) -> str:
        return self.names.get(number, str(number))

    def entries_called(self, wanted: str) -> tuple[int, ...]:
        """The entries in the draw whose name has the words, or whose number it is."""
        wanted = wanted.strip().casefold()
        entries = sorted(self.progress.bracket.entries)
        number = typed_number(wanted)
        if number is not None:
            return (number,) if number in self.progress.bracket.entries else ()
        return tuple(entry for entry in entries if wanted and wanted in self.name(entry).casefold())


def load_board(event: Event) -> Board | None:
    """None before a draw is posted."""
    progress = load_progress(event)
    if progress is None:
        return None
    return Board(progress, load_names(event), load_tables(event, progress), _scores(event))


def load_tables(event: Event, progress: Progress) -> dict[str, int]:
    """Match → the table it is called to, for matches that are ready."""
    ready = {view.match.id for view in progress.ready}
    calls = TableCall.objects.filter(match__in=counting_matches(event)).order_by("pk")
    last = dict(calls.values_list("match__ident", "table"))
    return {ident: table for ident, table in last.items() if table is not None and ident in ready}


def counting_matches(event: Event) -> QuerySet[Match]:
    """The matches of the draw and of the seatings that count."""
    return event.matches.filter(COUNTING)


def load_match(event: Event, ident: str) -> Match | None:
    return counting_matches(event).select_related("event__tournament").filter(ident=ident).first()


def load_results(match: Match) -> list[MatchResult]:
    """All that was recorded for a match, the newest first."""
    return list(match.results.select_related("match", "winner").order_by("-pk"))


def _scores(event: Event) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    results = MatchResult.objects.filter(match__in=counting_matches(event)).order_by("pk")
    for ident, score in results.values_list("match__ident", "score"):
        found[ident] = {int(number): points for number, points in score.items()}
    return found
