"""The state of a bracket, with single or double elimination."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pairing.draws.knockout.corrections import propagate_correction
from pairing.draws.knockout.elimination import (
    AnyProgress,
    Placings,
    PossiblePlaces,
    make_any_placings,
    make_any_progress,
    possible_places,
)
from pairing.draws.knockout.progress import MatchView, changes
from pairing.draws.results import BracketFact, Removed
from pairing.draws.stages.corrections import Correction
from pairing.draws.stages.plan import StagePlan
from pairing.draws.stages.pools import with_absent
from pairing.models import Stage
from pairing.stage_kinds.selectors.brackets import bracket_of, load_facts
from pairing.stage_kinds.selectors.stage_rows import RecordedFacts
from pairing.stage_kinds.selectors.stage_state import MatchNow, NewResult, StageState


@dataclass(frozen=True, kw_only=True)
class BracketStage(StageState):
    progress: AnyProgress
    facts: tuple[BracketFact, ...] = ()

    @property
    def is_complete(self) -> bool:
        return self.progress.is_complete

    @cached_property
    def standing(self) -> Mapping[str, MatchNow]:
        return {ident: _now(view) for ident, view in self.progress.views.items()}

    @cached_property
    def ready(self) -> tuple[str, ...]:
        return tuple(view.match.id for view in self.progress.ready)

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys([*self.row.entries, *self.progress.bracket.entries]))

    @cached_property
    def made(self) -> Placings:
        return make_any_placings(self.progress)

    @property
    def disqualified(self) -> tuple[int, ...]:
        return self.made.disqualified

    def waiting_for(self, ident: str) -> frozenset[int]:
        return self.progress.beyond(ident)

    def correction(self, new: NewResult) -> Correction:
        if new.outcome is None:
            return Correction()
        before = self.progress
        found = propagate_correction(before.bracket, self.facts, new.outcome, new.choices, new.in_play(), before=before)
        return Correction(
            touched=found.touched,
            added=tuple(fact for fact in found.added if not isinstance(fact, Removed)),
            goes_on=True,
            moved=tuple(changes(found.before, found.after).sides),
            double_booked=found.torn,
        )

    def groups(self, before: Sequence[StageState]) -> Iterator[tuple[int, ...]]:
        """Yield the groups that share a place. Entrants still in come first, for an event that ends early."""
        yield from [self.made.still_in] if self.made.still_in else []
        yield from with_absent((placing.entries for placing in self.made.finish), self.absent)

    def possible_places(self, before: Sequence[StageState]) -> PossiblePlaces:
        """Return the places that every entry can still get. The bracket is the event's last stage."""

        def rank(progress: AnyProgress) -> Placings:
            return replace(self, progress=progress).placings(before) or make_any_placings(progress)

        finishes = possible_places(self.progress.bracket, self.facts, rank)
        without = {entry for stage in (*before, self) for entry in stage.disqualified}
        still_in = tuple(entry for entry in self.made.still_in if entry not in without)
        return PossiblePlaces(finishes, still_in, tuple(sorted(without)))


def _now(view: MatchView) -> MatchNow:
    sides, kept = tuple(side.entry for side in view.sides), any(side.kept for side in view.sides)
    return MatchNow(sides, view.state, view.outcome, view.by_itself, kept)


def load_bracket_stage(
    facts: RecordedFacts, row: Stage, planned: StagePlan, before: Sequence[StageState]
) -> BracketStage:
    recorded = tuple(load_facts(row))
    progress = make_any_progress(bracket_of(row), recorded)
    return BracketStage(row=row, plan=planned, seed=facts.seed(row), progress=progress, facts=recorded)
