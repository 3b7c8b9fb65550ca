"""Load an opened ladder, and its table holders, games and line for the stages page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pairing.desk.selectors.clock import load_endings, load_since
from pairing.draws.ladder import Ladder, in_turn, is_game, make_ladder, run_now
from pairing.draws.stages.plan import PoolTerms, StageKind, StagePlan
from pairing.draws.stages.pools import Played, Pool
from pairing.draws.stages.standings import TieBreak
from pairing.models import Stage
from pairing.stage_kinds.selectors.kind_rooms import Named
from pairing.stage_kinds.selectors.pool_stage import PoolStage, load_pool_stage
from pairing.stage_kinds.selectors.stage_rows import RecordedFacts
from pairing.stage_kinds.selectors.stage_state import StageState


def load_ladder_stage(facts: RecordedFacts, row: Stage, planned: StagePlan, before: Sequence[StageState]) -> PoolStage:
    """Load a ladder stage.

    A void game changes nobody's turn. Runs follow the order in which games were sent.
    """
    sent = {match.ident: match.pk for match in facts.matches.get(row.pk, [])}

    def made(kind: StageKind, terms: PoolTerms, played: Played, tie_breaks: Sequence[TieBreak]) -> Pool:
        in_order = sorted(played.meetings, key=lambda meeting: sent[meeting.match])
        return make_ladder(kind, terms, replace(played, meetings=tuple(in_order)), tie_breaks)

    stage = load_pool_stage(facts, row, planned, before, made)
    games = {ident for ident, match in stage.matches.items() if is_game(match.meeting)}
    ended = {ident: at for ident, at in load_endings(stage).items() if ident in games}
    return replace(stage, pool=in_turn(ladder_of(stage.pool), load_since(facts.event, stage, ended)))


@dataclass(frozen=True, slots=True)
class InRow:
    """A player at a table, with their present number of wins in a row."""

    name: str
    run: int


def show_ladder(board: Named, stage: StageState) -> Mapping[str, Any]:
    """Return the template variables of a ladder for the stages page."""
    ladder = ladder_of(stage.pool)

    def in_row(entry: int) -> InRow:
        return InRow(board.name(entry), run_now(ladder.qualifying[entry].record))

    open_games = (meeting for meeting in ladder.meetings if is_game(meeting) and meeting.outcome is None)
    return {
        "ladder": ladder,
        "at_table": [[in_row(side) for side in meeting.sides] for meeting in open_games],
        "holders": [in_row(entry) for entry in ladder.holders],
        "line": [board.name(entry) for entry in ladder.line if entry not in ladder.holders],
    }


def ladder_of(pool: Pool | None) -> Ladder:
    assert isinstance(pool, Ladder)
    return pool
