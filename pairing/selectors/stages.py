"""An event in stages as it stands: facts in, pure values out, in a constant number of queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, lru_cache
from zoneinfo import ZoneInfo

from django.db import connection
from django.utils import timezone

from pairing.draws.knockout.elimination import AnyProgress
from pairing.draws.knockout.placing import Placings
from pairing.draws.knockout.progress import State
from pairing.draws.results.win_loss import Meeting
from pairing.draws.stages.plan import Plan, StageKind, StagePlan, read_stage
from pairing.draws.stages.play_off import ByeRule, Contender, PlayOff, PlayOffCase, PlayOffMatch, play_off_of
from pairing.draws.stages.pools import (
    Advancement,
    Played,
    Pool,
    PoolPart,
    advancing_from,
    apply_walkovers,
    make_pool,
    with_late,
)
from pairing.draws.table_rounds.rounds import Rounds
from pairing.models import Draw, Hold, MatchKept, Stage
from pairing.selectors.brackets import load_opened, load_progress
from pairing.selectors.formats import load_plan
from pairing.selectors.seatings import load_rounds
from pairing.selectors.stage_rows import RecordedFacts, StageRow
from pairing.selectors.turning import load_turning_placings
from tournament.models import Event, Member
from tournament.selectors.kept import until_written


@dataclass(frozen=True)
class StageMatch:
    """A recorded match of a pool or play-off: who sits there, and how it ended. `row` is its primary key."""

    row: int
    meeting: Meeting
    round: int
    by_itself: bool = False

    @property
    def is_decided(self) -> bool:
        return self.meeting.outcome is not None and not self.meeting.outcome.is_void


@dataclass(frozen=True)
class StageState:
    """A stage that was opened; one of `pool`, `play_off`, `progress` and `rounds` is there.

    Where two sides turn there is none of them: `totals` are the places by the points, once they are known.
    """

    row: Stage
    plan: StagePlan
    matches: Mapping[str, StageMatch]
    pool: Pool | None = None
    play_off: PlayOff | None = None
    progress: AnyProgress | None = None
    rounds: Rounds | None = None
    totals: Placings | None = None
    seed: str = ""

    @property
    def number(self) -> int:
        return self.row.number

    @property
    def kind(self) -> StageKind:
        return self.plan.kind

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def is_complete(self) -> bool:
        found = self.pool or self.play_off or self.progress or self.rounds
        return self.totals is not None if found is None else found.is_complete

    @property
    def takes_late_entries(self) -> bool:
        """Whether somebody can still join it: a pool takes them into its rounds, its pairs or one of its groups."""
        return self.pool is not None

    @cached_property
    def ready(self) -> tuple[str, ...]:
        """The matches that can be played or are being played now."""
        if self.progress is not None:
            return tuple(view.match.id for view in self.progress.ready)
        if self.rounds is not None:
            return tuple(table.match for table in self.rounds.ready)
        if self.play_off is not None:
            last = self.play_off.rounds[-1:]
            open_now = (match for each in last for match in each.matches if not match.is_decided)
            return tuple(ident for match in open_now if (ident := self.ident_of(match)) is not None)
        if self.pool is None:
            return ()
        fixed = {meeting.match for meeting in self.pool.ready_scheduled}
        at_table = {meeting.match for meeting in self.pool.meetings if meeting.outcome is None}
        return tuple(ident for ident in self.matches if ident in fixed or ident in at_table)

    @property
    def decided(self) -> list[str]:
        """The matches that are over."""
        found = [ident for ident, match in self.matches.items() if match.is_decided]
        if self.progress is not None:
            found += [ident for ident, view in self.progress.views.items() if view.state is State.DECIDED]
        if self.rounds is not None:
            found += [table.match for each in self.rounds.rounds for table in each.tables if table.is_decided]
        return found

    @property
    def entries(self) -> tuple[int, ...]:
        """Everybody who plays in it, with those who joined it later."""
        if self.pool is not None:
            return tuple(self.pool.qualifying.entrants)
        if self.rounds is not None:
            return self.rounds.entries
        later = self.progress.bracket.entries if self.progress is not None else ()
        return tuple(dict.fromkeys([*self.row.entries, *later]))

    def ident_of(self, match: PlayOffMatch) -> str | None:
        """Of a match of the play-off the one on record between these two; None until it is made."""
        rows = (
            ident for ident, row in self.matches.items() if (row.round, frozenset(row.meeting.sides)) == match.meeting
        )
        return next(rows, None)

    @cached_property
    def kept(self) -> frozenset[str]:
        """Matches of a play-off that stay as they were played."""
        rounds = self.play_off.rounds if self.play_off is not None else ()
        found = (self.ident_of(match) for each in rounds for match in each.matches if match.kept)
        return frozenset(ident for ident in found if ident is not None)

    @cached_property
    def passed_over(self) -> frozenset[str]:
        """Matches of a play-off that are made, but that nobody plays any more since a result before was corrected."""
        if self.play_off is None:
            return frozenset()
        stand = {self.ident_of(match) for each in self.play_off.rounds for match in each.matches}
        return frozenset(ident for ident in self.matches if ident not in stand)

    @property
    def lacks_matches(self) -> bool:
        """Whether a round of the play-off has become known whose matches are not made yet."""
        if self.play_off is None:
            return False
        return any(self.ident_of(match) is None for each in self.play_off.rounds for match in each.matches)

    def going_on(self, play_off_places: int | None, places: int | None = None) -> Advancement:
        """Who goes on from this pool, as far as it was played."""
        if self.pool is None:
            raise LookupError("only a pool says who goes on")
        seed = f"{self.seed} cut"
        return advancing_from(self.pool, play_off_places=play_off_places, seed=seed, places=places)


@dataclass(frozen=True)
class Course:
    """The stages of an event, as far as they are opened."""

    draw: Draw
    plan: Plan
    stages: tuple[StageState, ...]

    @property
    def current(self) -> StageState:
        return self.stages[-1]

    @property
    def to_come(self) -> StagePlan | None:
        """The stage that can be opened after the current one."""
        return self.plan.after(len(self.stages))

    @property
    def is_complete(self) -> bool:
        return self.to_come is None and self.current.is_complete

    @cached_property
    def entries(self) -> tuple[int, ...]:
        """Everybody who was in the draw or joined later."""
        return tuple(dict.fromkeys(entry for stage in self.stages for entry in stage.entries))

    def find(self, ident: str) -> tuple[StageState, StageMatch] | None:
        """A match of a pool or play-off."""
        for stage in self.stages:
            if ident in stage.matches:
                return stage, stage.matches[ident]
        return None

    @property
    def decided(self) -> list[str]:
        """The matches of all stages that are over."""
        return [ident for stage in self.stages for ident in stage.decided]

    @property
    def last_pool(self) -> StageState:
        return next(stage for stage in reversed(self.stages) if stage.pool is not None)


def load_course(event: Event) -> Course | None:
    """None before a draw is posted.

    Kept by the event's version and the day; inside a transaction until the next write.
    """
    today = timezone.now().astimezone(ZoneInfo(event.tournament.time_zone)).date()
    if connection.in_atomic_block:
        return until_written(("course", event.pk, today), lambda: _make(event, today, None))
    version = Event.objects.values_list("version", flat=True).get(pk=event.pk)
    return _kept(event.pk, version, today)


@lru_cache(maxsize=32)
def _kept(event_id: int, version: int, today: date) -> Course | None:
    return _make(Event.objects.select_related("tournament").get(pk=event_id), today, version)


def _make(event: Event, today: date, version: int | None) -> Course | None:
    rows = list(load_opened(event))
    if not rows:
        return None
    facts = RecordedFacts(event, rows, today, version)
    plan = load_plan(event)
    stages: list[StageState] = []
    for row in rows:
        stages.append(_stage(facts, row, plan, stages))
    return Course(facts.draw, plan, _with_play_offs(stages))


def _stage(facts: RecordedFacts, row: Stage, plan: Plan, before: list[StageState]) -> StageState:
    planned = read_stage({"kind": row.kind, "name": row.name, **row.terms})
    seed = f"{facts.draw.commitment.draw_id} stage {row.number} {row.record.get('cut', '')}".strip()
    if planned.kind is StageKind.TABLES:
        return StageState(row, planned, {}, rounds=load_rounds(facts.event, facts.version), seed=seed)
    if planned.kind.turns:
        return StageState(row, planned, {}, totals=load_turning_placings(facts.event), seed=seed)
    if planned.kind.is_elimination:
        return StageState(row, planned, {}, progress=load_progress(facts.event, facts.version, row), seed=seed)
    rows = facts.matches.get(row.pk, [])
    if planned.pool is not None:
        pool = _pool(facts, row, planned, plan)
        ended = {meeting.match: meeting for meeting in (*pool.meetings, *pool.scheduled)}
        matches = {match.ident: _stage_match(match, ended[match.ident]) for match in rows}
        return StageState(row, planned, matches, pool=pool, seed=seed)
    meetings = {match.ident: apply_walkovers(facts.meeting(match), facts.gone) for match in rows}
    play_off = _play_off(facts, row, planned, meetings, before)
    matches = {match.ident: _stage_match(match, meetings[match.ident]) for match in rows}
    return StageState(row, planned, matches, play_off=play_off, seed=seed)


def _stage_match(match: StageRow, meeting: Meeting) -> StageMatch:
    by_itself = meeting.outcome is not None and match.outcome is None
    return StageMatch(match.pk, meeting, match.round, by_itself)


def _pool(facts: RecordedFacts, row: Stage, planned: StagePlan, plan: Plan) -> Pool:
    assert planned.pool is not None
    entries = tuple(dict.fromkeys([*row.entries, *facts.late.get(row.pk, ())]))
    meetings: list[Meeting] = []
    scheduled: list[Meeting] = []
    for match in facts.matches.get(row.pk, []):
        meeting = facts.meeting(match)
        if planned.kind is not StageKind.ROUND_ROBIN:
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
        gone={entry: why for entry, why in facts.gone.items() if entry in entries},
        parts=parts,
        draws=tuple(facts.lots.get(row.pk, ())),
        cut_across=_is_cut_across(planned, plan.after(row.number), len(parts)),
    )
    return make_pool(planned.kind, planned.pool, played, plan.tie_breaks)


def _is_cut_across(planned: StagePlan, after: StagePlan | None, parts: int) -> bool:
    """Whether those who go on to the stage `after` are chosen through all these groups or sites together."""
    assert planned.pool is not None
    if parts < 2 or after is None or (planned.kind is StageKind.RECORD and planned.pool.qualifier.wins is not None):
        return False
    if after.kind is StageKind.PLAY_OFF:
        return True
    places, best = after.knockout.places if after.knockout is not None else None, planned.pool.best
    return places is not None and (best is None or places < best * parts)


def _parts(row: Stage, planned: StagePlan, entries: tuple[int, ...], sites: Mapping[int, str]) -> tuple[PoolPart, ...]:
    drawn = row.record.get("groups")
    if drawn:
        inside = {entry for group in drawn for entry in group}
        groups = with_late(drawn, (entry for entry in entries if entry not in inside))
        return tuple(PoolPart(f"Group {turn}", tuple(group)) for turn, group in enumerate(groups, start=1))
    if planned.pool is not None and planned.pool.by_site:
        names = sorted({sites.get(entry, "") for entry in entries})
        return tuple(
            PoolPart(name, tuple(entry for entry in entries if sites.get(entry, "") == name)) for name in names
        )
    return (PoolPart("", entries),)


def _play_off(
    facts: RecordedFacts, row: Stage, planned: StagePlan, meetings: Mapping[str, Meeting], before: list[StageState]
) -> PlayOff:
    """An entrant who withdraws or does not come after it was opened loses the match they have or would have."""
    pool = next(stage.pool for stage in reversed(before) if stage.pool is not None)
    contenders = [
        Contender(
            entry,
            wins=pool.qualifying[entry].record.wins,
            met=pool.qualifying[entry].record.met,
            persons=frozenset(row.record.get("persons", {}).get(str(entry), ())),
        )
        for entry in row.record["play_off"]
    ]
    if not contenders or row.record["open_places"] < 1:
        return PlayOff(0, (), is_complete=True)
    outcomes = {ident: meeting.outcome for ident, meeting in meetings.items() if meeting.outcome is not None}
    places, rule = row.record["open_places"], bye_rule(row, planned)
    return play_off_of(PlayOffCase(tuple(contenders), places, outcomes, rule, _load_kept(row)))


def _load_kept(row: Stage) -> tuple[PlayOffMatch, ...]:
    """Matches of the play-off that stay as they were played; the last word on each counts."""
    facts = MatchKept.objects.filter(match__stage=row).order_by("pk").values_list("match__ident", "sides")
    last = {ident: tuple(sides) for ident, sides in facts}
    return tuple(
        PlayOffMatch(ident.partition("-")[0], (sides[0], sides[1]), kept=True)
        for ident, sides in last.items()
        if all(sides)
    )


def bye_rule(row: Stage, planned: StagePlan) -> ByeRule:
    """Who has the byes of a play-off or bracket, by its terms; the seed is the stage's own."""
    assert planned.knockout is not None
    return ByeRule(
        listed=planned.knockout.byes_to,
        fallback=planned.knockout.fallback,
        seed=str(row.record.get("seed", "")),
        named=tuple(row.record.get("named", ())),
    )


def _with_play_offs(stages: list[StageState]) -> tuple[StageState, ...]:
    """The pools ranked with what the play-off after them decided."""
    finishes = tuple(stage.play_off.finish for stage in stages if stage.play_off is not None and stage.is_complete)
    if not finishes:
        return tuple(stages)
    return tuple(
        stage if stage.pool is None else replace(stage, pool=replace(stage.pool, play_offs=finishes))
        for stage in stages
    )


def load_persons(event: Event, entries: Iterable[int]) -> dict[int, frozenset[str]]:
    """Who plays for each entry, so that two entries of one person never meet."""
    rows = Member.objects.filter(entrant__event=event, entrant__number__in=list(entries), replaced_by__isnull=True)
    found: dict[int, set[str]] = {}
    for number, player, merged in rows.values_list("entrant__number", "player_id", "player__merged_into_id"):
        found.setdefault(number, set()).add(str(merged or player))
    return {number: frozenset(players) for number, players in found.items()}


def load_held(stage: Stage) -> dict[int, Hold]:
    """Entrants whom the desk does not pair now."""
    holds = Hold.objects.filter(stage=stage, ended__isnull=True).select_related("entrant")
    return {hold.entrant.number: hold for hold in holds}
