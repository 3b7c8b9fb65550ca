"""The stages of an event, computed from the recorded facts in a constant number of queries."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import count, islice
from zoneinfo import ZoneInfo

from django.utils import timezone

from pairing.draws.knockout.progress import Progress
from pairing.draws.stages.plan import Plan, StagePlan, read_stage
from pairing.draws.stages.pools import Pool, absent_from
from pairing.draws.table_rounds import Rounds
from pairing.models import PLAY, Draw, Hold, Stage
from pairing.stages.selectors.brackets import BracketStage
from pairing.stages.selectors.kinds import StageMatch, StageState, Turning, room_of
from pairing.stages.selectors.plans import load_plan
from pairing.stages.selectors.pools import PlayOffStage, PoolStage
from pairing.stages.selectors.records import load_last_calls, load_open_stages
from pairing.stages.selectors.stage_rows import RecordedFacts
from tournament.core.cached import cached
from tournament.core.selectors.events import current_event
from tournament.models import Event, Member
from tournament.models.topic import ENTRANTS


@dataclass(frozen=True)
class Course:
    """The opened stages of an event. There are none before a draw is posted."""

    plan: Plan
    stages: tuple[StageState, ...] = ()

    @property
    def draw(self) -> Draw:
        return self.stages[0].row.draw

    @property
    def current(self) -> StageState:
        return self.stages[-1]

    @property
    def to_come(self) -> StagePlan | None:
        """The stage that can be opened after the current one, or None."""
        return self.plan.after(len(self.stages))

    @property
    def is_complete(self) -> bool:
        return bool(self.stages) and self.to_come is None and self.current.is_complete

    @cached_property
    def entries(self) -> tuple[int, ...]:
        """Everybody who was in the draw or joined later."""
        return tuple(dict.fromkeys(entry for stage in self.stages for entry in stage.entries))

    def find(self, ident: str) -> tuple[StageState, StageMatch] | None:
        """Return a match of a pool or play-off with its stage, or None."""
        for stage in self.stages:
            if ident in stage.matches:
                return stage, stage.matches[ident]
        return None

    @property
    def decided(self) -> list[str]:
        return [ident for stage in self.stages for ident in stage.decided]

    @cached_property
    def pools(self) -> tuple[PoolStage, ...]:
        return tuple(stage for stage in self.stages if isinstance(stage, PoolStage))

    @property
    def last_pool(self) -> PoolStage:
        return self.pools[-1]

    @property
    def pool(self) -> Pool | None:
        """The pool of the current stage, or None."""
        return self.current.pool if self.stages else None

    @property
    def play_off(self) -> PlayOffStage | None:
        """The current stage if it is a play-off."""
        return self.current if self.stages and isinstance(self.current, PlayOffStage) else None

    @property
    def bracket(self) -> BracketStage | None:
        """The current stage if it is a bracket. An event has at most one bracket, as its last stage."""
        return self.current if self.stages and isinstance(self.current, BracketStage) else None

    @property
    def progress(self) -> Progress | None:
        """The progress of the bracket, or None if no bracket is open."""
        return self.current.progress if self.stages else None

    @property
    def rounds(self) -> Rounds | None:
        """The rounds of an event at tables, or None for other formats."""
        return self.current.rounds if self.stages else None

    @property
    def turning(self) -> Turning | None:
        """The two sides of an event in which sides rotate, or None for other formats."""
        return self.current.turning if self.stages else None


def load_course(event: Event) -> Course:
    """Return the stages of an event.

    This is their only loader. The value is cached until the day ends or somebody plays or enters.
    """
    today = today_at(event)
    return cached(event.pk, (*PLAY, ENTRANTS), "course", lambda: _make(current_event(event), today), at=today)


def today_at(event: Event) -> date:
    """Return today's date at the venue."""
    return timezone.now().astimezone(ZoneInfo(event.tournament.time_zone)).date()


def _make(event: Event, today: date) -> Course:
    rows = list(load_open_stages(event))
    plan = load_plan(event)
    if not rows:
        return Course(plan)
    facts = RecordedFacts(event, rows, today)
    stages: list[StageState] = []
    for row in rows:
        planned = read_stage({"kind": row.kind, "name": row.name, **row.terms})
        if planned.pool is not None:
            planned = planned.with_rounds(facts.rounds(row.number))
        stages.append(room_of(planned.kind).load(facts, row, planned, stages))
    ranked = _with_play_offs(stages)
    return Course(plan, tuple(_add_absent(ranked)) if event.absent_by_round else ranked)


def _with_play_offs(stages: list[StageState]) -> tuple[StageState, ...]:
    """Return the stages, with the pools ranked by what the play-off after them decided."""
    finishes = tuple(stage.play_off.finish for stage in stages if isinstance(stage, PlayOffStage) and stage.is_complete)
    if not finishes:
        return tuple(stages)
    return tuple(
        replace(stage, pool=replace(stage.pool, play_offs=finishes)) if isinstance(stage, PoolStage) else stage
        for stage in stages
    )


def _add_absent(stages: Sequence[StageState]) -> Iterator[StageState]:
    """Yield the stages. Play-offs and brackets get the entrants who qualified but left before they were opened."""
    for turn, stage in enumerate(stages):
        before = stages[turn - 1] if turn else None
        missing = _missed(stage, before, stages[:turn]) if before is not None and stage.plan.knockout else ()
        yield replace(stage, absent=missing) if missing else stage


def _missed(stage: StageState, before: StageState, earlier: Sequence[StageState]) -> tuple[int, ...]:
    pool = next(one for one in reversed(earlier) if isinstance(one, PoolStage))
    places = stage.plan.knockout.places if stage.plan.knockout is not None else None
    seed = f"{pool.seed} cut"
    if isinstance(before, PlayOffStage):
        line = before.plan.knockout.places if before.plan.knockout is not None else None
        known = absent_from(pool.pool, play_off_places=line, seed=seed).through
        came_so_far = (*before.row.record["through"], *before.play_off.through)
        gone = {entry for entry, why in pool.pool.gone.items() if why.keeps_place}
        missing = (*known, *(entry for entry in came_so_far if entry in gone))
    elif stage.kind.traits.for_places:
        missing = absent_from(pool.pool, play_off_places=places, seed=seed).play_off
    else:
        missing = absent_from(pool.pool, play_off_places=None, seed=seed, places=places).through
    return tuple(entry for entry in dict.fromkeys(missing) if entry not in stage.entries)


def load_persons(event: Event, entries: Iterable[int]) -> dict[int, frozenset[str]]:
    """Return the players of each entry, so that two entries of one player never meet."""
    rows = Member.objects.filter(entrant__event=event, entrant__number__in=list(entries), replaced_by__isnull=True)
    found: dict[int, set[str]] = {}
    for number, player, merged in rows.values_list("entrant__number", "player_id", "player__merged_into_id"):
        found.setdefault(number, set()).add(str(merged or player))
    return {number: frozenset(players) for number, players in found.items()}


def load_held(stage: Stage) -> dict[int, Hold]:
    """Return the holds of entrants whom the desk does not pair, by entry number."""
    holds = Hold.objects.filter(stage=stage, ended__isnull=True).select_related("entrant")
    return {hold.entrant.number: hold for hold in holds}


def busy_tables(event: Event) -> dict[int, int]:
    """Return, by table, the primary key of the undecided match that is called there."""
    course = load_course(event)
    ready = set(course.current.ready) if course.stages else set()
    calls = load_last_calls(event) if ready else {}
    return {call.table: call.match for ident, call in calls.items() if call.table is not None and ident in ready}


def load_tables_elsewhere(event: Event) -> frozenset[int]:
    """Return the tables that other events of the tournament use. An event at several sites has tables of its own."""
    if event.sites:
        return frozenset()
    playing = event.tournament.events.filter(state=Event.State.IN_PLAY).exclude(pk=event.pk)
    others = [other for other in playing.select_related("tournament") if not other.sites]
    return frozenset(table for other in others for table in busy_tables(other))


def suggest_tables(needed: int, busy: Collection[int], elsewhere: Collection[int]) -> tuple[int, int]:
    """Return the first and the last table of an event that needs so many, where others play `elsewhere`.

    >>> suggest_tables(4, (), ()), suggest_tables(4, (), {1, 2, 5}), suggest_tables(0, {9}, ())
    ((1, 4), (3, 7), (1, 9))
    """
    free = list(islice((table for table in count(1) if table not in elsewhere), max(needed, 1)))
    return free[0], max([free[-1], *busy])
