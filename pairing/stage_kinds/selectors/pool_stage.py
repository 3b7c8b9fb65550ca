"""The state of a pool: qualifying by record, Swiss rounds, a fixed number of games, or groups."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import ClassVar

from pairing.draws.knockout.progress import State
from pairing.draws.results import MatchOutcome, Meeting
from pairing.draws.stages.corrections import Correction, SentGame, correction_in_pool, follow_in_pool
from pairing.draws.stages.plan import PoolTerms, StageKind, StagePlan
from pairing.draws.stages.pools import (
    Advancement,
    Played,
    Pool,
    PoolPart,
    advancing_from,
    groups_of_pool,
    make_pool,
    with_late,
)
from pairing.draws.stages.standings import TieBreak
from pairing.matches.selectors.records import COUNTING, read_credits
from pairing.models import Match, MatchResult, Stage
from pairing.stage_kinds.selectors.stage_rows import RecordedFacts, StageRow
from pairing.stage_kinds.selectors.stage_state import MatchNow, NewResult, StageMatch, StageState
from tournament.said import worded

MakePool = Callable[[StageKind, PoolTerms, Played, Sequence[TieBreak]], Pool]


@dataclass(frozen=True, kw_only=True)
class PoolStage(StageState):
    pool: Pool

    takes_late_entries: ClassVar[bool] = True

    @property
    def is_complete(self) -> bool:
        return self.pool.is_complete

    @cached_property
    def standing(self) -> Mapping[str, MatchNow]:
        """Return every match of the pool. A void game is over, and both entrants are paired again."""
        return {ident: _now(match) for ident, match in self.matches.items()}

    @cached_property
    def ready(self) -> tuple[str, ...]:
        fixed = {meeting.match for meeting in self.pool.ready_scheduled}
        at_table = {meeting.match for meeting in self.pool.meetings if meeting.outcome is None}
        return tuple(ident for ident in self.matches if ident in fixed or ident in at_table)

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(self.pool.qualifying.entrants)

    @property
    def disqualified(self) -> tuple[int, ...]:
        return tuple(entry for entry, why in self.pool.gone.items() if not why.keeps_place)

    def correction(self, new: NewResult) -> Correction:
        choices = None if new.next_stage else new.choices
        found = follow_in_pool(_load_sent_games(self), new.match, new.outcome, choices)
        return correction_in_pool(found, new.next_stage)

    def groups(self, before: Sequence[StageState]) -> Iterator[tuple[int, ...]]:
        yield from groups_of_pool(self.pool)

    def going_on(self, play_off_places: int | None, places: int | None = None) -> Advancement:
        return advancing_from(self.pool, play_off_places=play_off_places, seed=f"{self.seed} cut", places=places)


def _now(match: StageMatch) -> MatchNow:
    outcome = match.meeting.outcome
    state = State.READY if outcome is None else State.DECIDED if match.is_decided else State.NOT_NEEDED
    return MatchNow(match.meeting.sides, state, outcome, match.by_itself)


def _load_sent_games(stage: PoolStage) -> list[SentGame]:
    """Return every game with its history, in two queries."""
    counting = Match.objects.filter(COUNTING, stage=stage.row)
    paired = dict(counting.values_list("ident", "pairing__at"))
    results: dict[str, list[tuple[datetime, MatchOutcome | None]]] = {}
    rows = MatchResult.objects.filter(match__in=counting).order_by("pk")
    for ident, at, winner, credits in rows.values_list("match__ident", "at", "winner__number", "credits"):
        outcome = MatchOutcome(ident, winner, read_credits(credits)) if credits else None
        results.setdefault(ident, []).append((at, outcome))
    games = []
    for ident, played in stage.matches.items():
        sent = paired.get(ident)
        ended = tuple(results.get(ident, ()))
        if not ended and sent is not None and played.meeting.outcome is not None:
            ended = ((sent, played.meeting.outcome),)
        game = SentGame(ident, played.meeting.sides, sent, ended)
        games.append(replace(game, sent=ended[0][0]) if sent is None and game.is_bye else game)
    return games


def load_pool_stage(
    facts: RecordedFacts, row: Stage, planned: StagePlan, before: Sequence[StageState], made: MakePool = make_pool
) -> PoolStage:
    """Return the state of a pool. `made` computes the pool from its games."""
    pool = _pool(facts, row, planned, made)
    ended = {meeting.match: meeting for meeting in (*pool.meetings, *pool.scheduled)}
    matches = {match.ident: stage_match(match, ended[match.ident]) for match in facts.matches.get(row.pk, [])}
    return PoolStage(row=row, plan=planned, seed=facts.seed(row), matches=matches, pool=pool)


def stage_match(match: StageRow, meeting: Meeting) -> StageMatch:
    by_itself = meeting.outcome is not None and match.outcome is None
    return StageMatch(match.pk, meeting, match.round, by_itself)


def _pool(facts: RecordedFacts, row: Stage, planned: StagePlan, made: MakePool) -> Pool:
    assert planned.pool is not None
    entries = tuple(dict.fromkeys([*row.entries, *facts.late.get(row.pk, ())]))
    meetings: list[Meeting] = []
    scheduled: list[Meeting] = []
    for match in facts.matches.get(row.pk, []):
        meeting = facts.meeting(match)
        if not planned.kind.traits.all_meet:
            meetings.append(meeting)
            continue
        if meeting.outcome is not None and meeting.outcome.is_void:
            meeting = Meeting(meeting.match, meeting.sides)
        is_fixed = meeting.outcome is None and facts.called.get(match.pk) is None
        (scheduled if is_fixed else meetings).append(meeting)
    parts = _parts(row, planned, entries, facts.sites)
    played = Played(
        entries=entries,
        meetings=tuple(meetings),
        scheduled=tuple(scheduled),
        gone={entry: out for entry, out in facts.gone.items() if entry in entries},
        parts=parts,
        draws=tuple(facts.lots.get(row.pk, ())),
        cut_across=_is_cut_across(planned, facts.plan.after(row.number), len(parts)),
    )
    return made(planned.kind, planned.pool, played, facts.plan.tie_breaks)


def _is_cut_across(planned: StagePlan, after: StagePlan | None, parts: int) -> bool:
    """Return whether those who advance to the stage `after` are chosen across all groups or sites."""
    assert planned.pool is not None
    if parts < 2 or after is None or planned.pool.qualifier.wins is not None:
        return False
    if after.kind.traits.for_places:
        return True
    places, best = after.knockout.places if after.knockout is not None else None, planned.pool.best
    return places is not None and (best is None or places < best * parts)


def _parts(row: Stage, planned: StagePlan, entries: tuple[int, ...], sites: Mapping[int, str]) -> tuple[PoolPart, ...]:
    drawn = row.record.get("groups")
    if drawn:
        inside = {entry for group in drawn for entry in group}
        groups = with_late(drawn, (entry for entry in entries if entry not in inside))
        return tuple(
            PoolPart(worded("Group %(number)s", number=turn), tuple(group))
            for turn, group in enumerate(groups, start=1)
        )
    if planned.pool is not None and planned.pool.by_site:
        names = sorted({sites.get(entry, "") for entry in entries})
        return tuple(
            PoolPart(name, tuple(entry for entry in entries if sites.get(entry, "") == name)) for name in names
        )
    return (PoolPart("", entries),)
