"""A bracket with the facts it was folded from: with one more result it is folded again, and nothing is read again."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property

from pairing.draws.knockout.elimination import AnyBracket, AnyProgress, make_any_progress
from pairing.draws.knockout.progress import State
from pairing.draws.results.credits import MatchOutcome
from pairing.draws.stages.kinds import StageKind
from pairing.matches.selectors.records import load_opened, outcome_of
from pairing.models import Match, MatchResult, Stage
from pairing.stage_kinds.selectors.brackets import DatedFact, bracket_of, load_dated_facts
from tournament.models import Entrant


@dataclass(frozen=True)
class GrowingBracket:
    """Read inside an open write; it holds as long as nothing but results is recorded there."""

    stage: Stage
    bracket: AnyBracket
    facts: tuple[DatedFact, ...]
    known: dict[int, Entrant] = field(default_factory=dict, compare=False)
    """Entrants that were read in this write, by number."""

    @cached_property
    def progress(self) -> AnyProgress:
        return make_any_progress(self.bracket, [fact for _at, _pk, fact in self.facts])

    def has_result(self, match: Match) -> bool:
        """Whether anything was ever recorded for it, though it may hold no more."""
        outcomes = (fact for _at, _pk, fact in self.facts if isinstance(fact, MatchOutcome))
        return any(outcome.match == match.ident for outcome in outcomes)

    def waiting_for(self, match: Match) -> frozenset[int]:
        return self.progress.beyond(match.ident)

    def entrants(self, numbers: Collection[int]) -> dict[int, Entrant]:
        """Those of these numbers. Anyone who still plays or waits is read with the first of them."""
        if not self.known.keys() >= set(numbers):
            open_views = (view for view in self.progress.views.values() if view.state is not State.DECIDED)
            wanted = {*numbers, *(entry for view in open_views for entry in view.entries)}
            found = Entrant.objects.filter(event=self.stage.draw.commitment.event_id, number__in=wanted).order_by(
                "number"
            )
            self.known.update((entrant.number, entrant) for entrant in found)
        return {number: self.known[number] for number in numbers}

    def with_result(self, result: MatchResult) -> "GrowingBracket":
        """The same bracket after a result that was just recorded."""
        facts = [*self.facts, (result.at, result.pk, outcome_of(result))]
        return replace(self, facts=tuple(sorted(facts, key=lambda fact: fact[:2])))


def load_growing_bracket(match: Match) -> GrowingBracket | None:
    """That of this match; None: it belongs to none."""
    stage = load_opened(match.event).filter(pk=match.stage_id).first()
    if stage is None or not StageKind(stage.kind).traits.goes_on:
        return None
    return GrowingBracket(stage, bracket_of(stage), tuple(load_dated_facts(stage)))
