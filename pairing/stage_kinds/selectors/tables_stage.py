"""The state of rounds at tables, with the standings over all rounds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pairing.draws.knockout.elimination import Placings
from pairing.draws.knockout.progress import State
from pairing.draws.stages.plan import StagePlan
from pairing.draws.table_rounds.rounds import Rounds, make_standings, make_standings_at_end, place_standings
from pairing.models import Stage
from pairing.plans.selectors import load_rules_at_tables
from pairing.stage_kinds.selectors.seated import load_seated
from pairing.stage_kinds.selectors.stage_rows import RecordedFacts
from pairing.stage_kinds.selectors.stage_state import MatchNow, StageState


@dataclass(frozen=True, kw_only=True)
class TablesStage(StageState):
    rounds: Rounds

    @property
    def is_complete(self) -> bool:
        return self.rounds.is_complete

    @cached_property
    def standing(self) -> Mapping[str, MatchNow]:
        return {
            table.match: MatchNow(table.entries, State.DECIDED if table.is_decided else State.READY)
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
) -> TablesStage:
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
    return TablesStage(row=row, plan=planned, seed=facts.seed(row), rounds=rounds)
