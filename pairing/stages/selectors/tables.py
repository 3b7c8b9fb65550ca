"""The state of rounds at tables, and of rounds in which two sides rotate against each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from django.db.models import Prefetch

from pairing.draws.knockout.places import Placings
from pairing.draws.knockout.progress import State
from pairing.draws.results import Cause, Removal
from pairing.draws.stages.plan import StagePlan
from pairing.draws.table_rounds import (
    Rounds,
    SeatedRound,
    SeatedTable,
    TableOutcome,
    make_standings,
    make_standings_at_end,
    place_standings,
)
from pairing.draws.two_sides import split
from pairing.models import Match, MatchResult, MatchSeat, Stage
from pairing.stages.selectors.kinds import MatchState, StageState, Turning
from pairing.stages.selectors.plans import load_rules_at_tables
from pairing.stages.selectors.records import read_credits
from pairing.stages.selectors.stage_rows import RecordedFacts
from tournament.models import Entrant, Event
from tournament.purse import place_finish
from tournament.registration.selectors.entries import side_names


def load_seated(stage: Stage) -> tuple[SeatedRound, ...]:
    """Return the posted rounds that count, in order."""
    seats = Prefetch("matches__seats", MatchSeat.objects.select_related("entrant"))
    results = Prefetch("matches__results", MatchResult.objects.select_related("winner").order_by("pk"))
    counting = stage.seatings.filter(posted__isnull=False, taken_back__isnull=True).order_by("round")
    return tuple(
        SeatedRound(seating.round, tuple(map(_seated_table, seating.matches.all())), tuple(seating.sits_out))
        for seating in counting.prefetch_related("matches", seats, results)
    )


def _seated_table(match: Match) -> SeatedTable:
    results = list(match.results.all())
    entries = tuple(seat.entrant.number for seat in match.seats.all())
    return SeatedTable(match.ident, entries, outcome_at_table(results[-1]) if results else None)


def outcome_at_table(result: MatchResult) -> TableOutcome:
    """Return the outcome that a row recorded for a table, whether or not it still counts."""
    points = {int(number): total for number, total in result.score.items()}
    causes = {credit.cause for credit in read_credits(result.credits).values()}
    cause = Cause.PLAYED if points else min(causes, default=Cause.PLAYED)
    return TableOutcome(points, result.winner.number if result.winner else None, cause)


@dataclass(frozen=True, kw_only=True)
class _TablesStage(StageState):
    """A stage of rounds at tables, with the standings over all rounds."""

    rounds: Rounds

    @property
    def is_complete(self) -> bool:
        return self.rounds.is_complete

    @cached_property
    def standing(self) -> Mapping[str, MatchState]:
        return {
            table.match: MatchState(table.entries, State.DECIDED if table.is_decided else State.READY)
            for each in self.rounds.rounds
            for table in each.tables
        }

    @cached_property
    def ready(self) -> tuple[str, ...]:
        return tuple(table.match for table in self.rounds.ready)

    @property
    def entries(self) -> tuple[int, ...]:
        return self.rounds.entries

    def groups(self, before: Sequence[StageState]) -> Iterator[tuple[int, ...]]:
        yield from (placing.entries for placing in self.placings(before).finish)

    def placings(self, before: Sequence[StageState]) -> Placings:
        return place_standings(make_standings(self.rounds))

    def placings_if_ended(self, before: Sequence[StageState]) -> Placings:
        return place_standings(make_standings_at_end(self.rounds))


def load_tables_stage(
    facts: RecordedFacts, row: Stage, planned: StagePlan, before: Sequence[StageState]
) -> _TablesStage:
    terms = facts.plan.first.tables  # The director can still change the number of rounds after the draw.
    assert terms is not None
    rules, seated = load_rules_at_tables(facts.event), load_seated(row)
    later = {entry for each in seated for table in each.tables for entry in table.entries} - set(row.entries)
    rounds = Rounds(
        terms=terms,
        entries=(*row.entries, *sorted(later)),
        rounds=seated,
        gone={entry: out.why for entry, out in facts.gone.items()},
        low_wins=rules is not None and rules.low_wins,
    )
    return _TablesStage(row=row, plan=planned, seed=facts.seed(row), rounds=rounds)


# --- Two sides that rotate against each other ------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _SidesStage(StageState):
    """A stage that is a single match. `totals` are the places by its points, or None before they are known."""

    turning: Turning
    totals: Placings | None

    @property
    def is_complete(self) -> bool:
        return self.totals is not None

    @cached_property
    def standing(self) -> Mapping[str, MatchState]:
        return {}

    @property
    def ready(self) -> tuple[str, ...]:
        return ()

    def groups(self, before: Sequence[StageState]) -> Iterator[tuple[int, ...]]:
        yield from (placing.entries for placing in self.totals.finish) if self.totals is not None else ()

    def placings(self, before: Sequence[StageState]) -> Placings | None:
        return self.totals


def load_sides_stage(facts: RecordedFacts, row: Stage, planned: StagePlan, before: Sequence[StageState]) -> _SidesStage:
    turning, totals = _turning(facts.event, row), _load_totals(facts)
    return _SidesStage(row=row, plan=planned, seed=facts.seed(row), turning=turning, totals=totals)


def _turning(event: Event, stage: Stage) -> Turning:
    names = side_names(event)
    assert names is not None
    inside = Entrant.objects.filter(event=event.pk, number__in=stage.entries)
    people = {entrant.number: entrant for entrant in inside}
    return Turning(
        stage=stage,
        match=Match.objects.values_list("pk", flat=True).get(stage=stage),
        names=names,
        sides=split(stage.entries, {number: entrant.side for number, entrant in people.items()}),
        people=people,
        rounds=tuple(stage.seatings.filter(posted__isnull=False, taken_back__isnull=True).order_by("round")),
    )


def _load_totals(facts: RecordedFacts) -> Placings | None:
    """Return the places by the points of the single result, or None without a result. Equal points share a place.

    In a game of two teams everybody has the team's points, so the winners tie for the first place.
    """
    results = MatchResult.objects.filter(match__event=facts.event, match__draw__taken_back__isnull=True)
    last = results.order_by("-pk").first()
    if last is None or not last.score:
        return None
    without = {entry for entry, out in facts.gone.items() if out.why is Removal.DISQUALIFIED}
    points = {int(number): total for number, total in last.score.items() if int(number) not in without}
    order = sorted(points, key=lambda number: (-points[number], number))
    groups = [list(group) for _points, group in groupby(order, key=lambda number: points[number])]
    return Placings(place_finish(groups), (), tuple(sorted(without)))
