"""A bracket with the facts it was folded from: with one more result it is folded again, and nothing is read again."""

from dataclasses import dataclass, replace
from functools import cached_property

from pairing.draws.knockout.elimination import AnyBracket, AnyProgress, make_any_progress
from pairing.draws.results.credits import MatchOutcome
from pairing.draws.stages.kinds import StageKind
from pairing.matches.selectors.records import load_opened, outcome_of
from pairing.models import Match, MatchResult, Stage
from pairing.stage_kinds.selectors.brackets import DatedFact, bracket_of, load_dated_facts


@dataclass(frozen=True)
class GrowingBracket:
    """Read inside an open write; it holds as long as nothing but results is recorded there."""

    stage: Stage
    bracket: AnyBracket
    facts: tuple[DatedFact, ...]

    @cached_property
    def progress(self) -> AnyProgress:
        return make_any_progress(self.bracket, [fact for _at, _pk, fact in self.facts])

    def has_result(self, match: Match) -> bool:
        """Whether anything was ever recorded for it, though it may hold no more."""
        outcomes = (fact for _at, _pk, fact in self.facts if isinstance(fact, MatchOutcome))
        return any(outcome.match == match.ident for outcome in outcomes)

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
