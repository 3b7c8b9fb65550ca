"""A bracket with its facts. A new result can be applied without reading the facts again."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property

from pairing.draws.knockout.elimination import AnyBracket, AnyProgress, make_any_progress
from pairing.draws.knockout.progress import State
from pairing.draws.results import MatchOutcome
from pairing.draws.stages.plan import StageKind
from pairing.matches.selectors.records import load_opened, outcome_of
from pairing.models import Match, MatchResult, Stage
from pairing.stage_kinds.selectors.brackets import DatedFact, bracket_of, load_dated_facts
from tournament.models import Entrant


@dataclass(frozen=True)
class GrowingBracket:
    """A bracket that was read inside an open write. It is valid while only results are recorded there."""

    stage: Stage
    bracket: AnyBracket
    facts: tuple[DatedFact, ...]
    known: dict[int, Entrant] = field(default_factory=dict, compare=False)
    """Entrants that were read in this write, by entry number."""

    @cached_property
    def progress(self) -> AnyProgress:
        return make_any_progress(self.bracket, [fact for _at, _pk, fact in self.facts])

    def has_result(self, match: Match) -> bool:
        """Return whether anything was ever recorded for the match, even if it no longer counts."""
        outcomes = (fact for _at, _pk, fact in self.facts if isinstance(fact, MatchOutcome))
        return any(outcome.match == match.ident for outcome in outcomes)

    def waiting_for(self, match: Match) -> frozenset[int]:
        return self.progress.beyond(match.ident)

    def entrants(self, numbers: Collection[int]) -> dict[int, Entrant]:
        """Return the entrants with these numbers.

        The first call also reads everybody who still plays or waits, to save later queries.
        """
        if not self.known.keys() >= set(numbers):
            open_views = (view for view in self.progress.views.values() if view.state is not State.DECIDED)
            wanted = {*numbers, *(entry for view in open_views for entry in view.entries)}
            found = Entrant.objects.filter(event=self.stage.draw.commitment.event_id, number__in=wanted).order_by(
                "number"
            )
            self.known.update((entrant.number, entrant) for entrant in found)
        return {number: self.known[number] for number in numbers}

    def with_result(self, result: MatchResult) -> "GrowingBracket":
        facts = [*self.facts, (result.at, result.pk, outcome_of(result))]
        return replace(self, facts=tuple(sorted(facts, key=lambda fact: fact[:2])))


def load_growing_bracket(match: Match) -> GrowingBracket | None:
    """Return the bracket of a match, or None if the match belongs to no bracket."""
    stage = load_opened(match.event).filter(pk=match.stage_id).first()
    if stage is None or not StageKind(stage.kind).traits.goes_on:
        return None
    return GrowingBracket(stage, bracket_of(stage), tuple(load_dated_facts(stage)))
