"""The course of an event: its stages, who advances, everybody's place, and the sides of a match.

Everything is computed from the recorded facts in a constant number of queries.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from itertools import count, islice, zip_longest
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.translation import gettext as _

from pairing.draws.knockout.places import Placings, PossiblePlaces
from pairing.draws.knockout.progress import BracketProgress
from pairing.draws.stages.plan import EventPlan, StageKind, StagePlan, read_stage_plan
from pairing.draws.stages.play_off import PlayOff
from pairing.draws.stages.pools import Advancement, Pool, find_absent_qualifiers
from pairing.draws.table_rounds import TableRounds
from pairing.models import PAIRING_AND_RESULT_TOPICS, Draw, Hold, Match, Stage
from pairing.stages.selectors.brackets import BracketStage
from pairing.stages.selectors.kinds import RotatingSides, StageMatch, StageState, find_stage_kind_hooks
from pairing.stages.selectors.plans import load_event_plan
from pairing.stages.selectors.pools import PlayOffStage, PoolStage
from pairing.stages.selectors.records import EventStageFacts, load_last_table_calls, load_open_stages
from tournament.core.cached import cached
from tournament.core.selectors.events import load_current_event
from tournament.errors import Conflict
from tournament.models import Event, Member
from tournament.models.topic import ENTRANTS_TOPIC
from tournament.money.selectors.ledger import load_early_finish


@dataclass(frozen=True)
class EventStages:
    """The opened stages of an event. No stage is open before a draw is posted."""

    plan: EventPlan
    stages: tuple[StageState, ...] = ()

    @property
    def draw(self) -> Draw:
        return self.stages[0].row.draw

    @property
    def current_stage(self) -> StageState:
        return self.stages[-1]

    @property
    def next_plan(self) -> StagePlan | None:
        """The plan of the stage that follows the current one, or None if the current stage is the last one."""
        return self.plan.get_stage_after(len(self.stages))

    @property
    def is_complete(self) -> bool:
        return bool(self.stages) and self.next_plan is None and self.current_stage.is_complete

    @cached_property
    def entries(self) -> tuple[int, ...]:
        """All entries of the event that were drawn or joined later."""
        return tuple(dict.fromkeys(entry for stage in self.stages for entry in stage.entries))

    def find_match(self, ident: str) -> tuple[StageState, StageMatch] | None:
        """Return a match of a pool or play-off along with its stage, or None if it is not found."""
        for stage in self.stages:
            if ident in stage.matches:
                return stage, stage.matches[ident]
        return None

    @property
    def decided_matches(self) -> list[str]:
        return [ident for stage in self.stages for ident in stage.decided_matches]

    @cached_property
    def pools(self) -> tuple[PoolStage, ...]:
        return tuple(stage for stage in self.stages if isinstance(stage, PoolStage))

    @property
    def last_pool(self) -> PoolStage:
        return self.pools[-1]

    @property
    def pool(self) -> Pool | None:
        """The current stage's pool, or None if the stage is not a pool."""
        return self.current_stage.pool if self.stages else None

    @property
    def play_off(self) -> PlayOffStage | None:
        """The current stage if it is a play-off, or else None."""
        return self.current_stage if self.stages and isinstance(self.current_stage, PlayOffStage) else None

    @property
    def bracket(self) -> BracketStage | None:
        """The current stage if it is a bracket, or else None. An event has at most one bracket, as its last stage."""
        return self.current_stage if self.stages and isinstance(self.current_stage, BracketStage) else None

    @property
    def progress(self) -> BracketProgress | None:
        """The progress of the bracket, or None if no bracket is open."""
        return self.current_stage.progress if self.stages else None

    @property
    def rounds(self) -> TableRounds | None:
        """The rounds of an event that is played in groups at tables, or None if the event has another format."""
        return self.current_stage.rounds if self.stages else None

    @property
    def rotating_sides(self) -> RotatingSides | None:
        """The two rotating sides, or None for other formats."""
        return self.current_stage.rotating_sides if self.stages else None


def load_event_stages(event: Event) -> EventStages:
    """Return an event's stages.

    They are cached until pairings, results, or entries change, or until the day ends at the venue.
    """
    today = get_venue_date(event)
    return cached(
        event.pk,
        (*PAIRING_AND_RESULT_TOPICS, ENTRANTS_TOPIC),
        "course",
        lambda: _make_event_stages(load_current_event(event), today),
        at=today,
    )


def get_venue_date(event: Event) -> date:
    """Return today's date in the venue's time zone."""
    return timezone.now().astimezone(ZoneInfo(event.tournament.time_zone)).date()


def _make_event_stages(event: Event, today: date) -> EventStages:
    rows = list(load_open_stages(event))
    plan = load_event_plan(event)
    if not rows:
        return EventStages(plan)
    facts = EventStageFacts(event, rows, today)
    stages: list[StageState] = []
    for row in rows:
        planned = read_stage_plan({"kind": row.kind, "name": row.name, **row.terms})
        if planned.pool is not None:
            planned = planned.with_rounds(facts.find_round_count(row.number))
        stages.append(find_stage_kind_hooks(planned.kind).load(facts, row, planned, stages))
    ranked = _apply_play_off_results(stages)
    return EventStages(plan, tuple(_iter_stages_with_absent_entries(ranked)) if event.absent_by_round else ranked)


def _apply_play_off_results(stages: list[StageState]) -> tuple[StageState, ...]:
    """Return the stages with play-off results applied to their pools. These results break ties in earlier pools."""
    finishes = tuple(
        stage.play_off.final_places for stage in stages if isinstance(stage, PlayOffStage) and stage.is_complete
    )
    if not finishes:
        return tuple(stages)
    return tuple(
        replace(stage, pool=replace(stage.pool, play_offs=finishes)) if isinstance(stage, PoolStage) else stage
        for stage in stages
    )


def _iter_stages_with_absent_entries(stages: Sequence[StageState]) -> Iterator[StageState]:
    """Yield the stages, each with its absent entrants.

    An absent entrant qualified for a play-off or bracket but left before that stage was opened.
    """
    for turn, stage in enumerate(stages):
        before = stages[turn - 1] if turn else None
        absent = (
            _find_absent_entries(stage, before, stages[:turn]) if before is not None and stage.plan.knockout else ()
        )
        yield replace(stage, absent=absent) if absent else stage


def _find_absent_entries(stage: StageState, before: StageState, earlier: Sequence[StageState]) -> tuple[int, ...]:
    pool = next(one for one in reversed(earlier) if isinstance(one, PoolStage))
    places = stage.plan.knockout.places if stage.plan.knockout is not None else None
    seed = f"{pool.seed} cut"
    if isinstance(before, PlayOffStage):
        line = before.plan.knockout.places if before.plan.knockout is not None else None
        known = find_absent_qualifiers(pool.pool, play_off_places=line, seed=seed).advancing_entries
        qualified = (*before.row.record["through"], *before.play_off.advancing_entries)
        gone = {entry for entry, why in pool.pool.removal_reasons.items() if why.keeps_place}
        missing = (*known, *(entry for entry in qualified if entry in gone))
    elif stage.kind.traits.for_places:
        missing = find_absent_qualifiers(pool.pool, play_off_places=places, seed=seed).play_off
    else:
        missing = find_absent_qualifiers(pool.pool, play_off_places=None, seed=seed, places=places).advancing_entries
    return tuple(entry for entry in dict.fromkeys(missing) if entry not in stage.entries)


def load_persons_by_entry(event: Event, entries: Iterable[int]) -> dict[int, frozenset[str]]:
    """Return the persons who play for each entry.

    Callers use the result to find entries that share a person. Such entries never play against each other.
    """
    rows = Member.objects.filter(entrant__event=event, entrant__number__in=list(entries), replaced_by__isnull=True)
    persons: dict[int, set[str]] = {}
    for number, player, merged in rows.values_list("entrant__number", "player_id", "player__merged_into_id"):
        persons.setdefault(number, set()).add(str(merged or player))
    return {number: frozenset(players) for number, players in persons.items()}


def load_holds(stage: Stage) -> dict[int, Hold]:
    """Return the holds in a stage by entry number. Entrants on hold are not paired at the desk."""
    holds = Hold.objects.filter(stage=stage, ended__isnull=True).select_related("entrant")
    return {hold.entrant.number: hold for hold in holds}


def load_busy_tables(event: Event) -> dict[int, int]:
    """Map each table in use to the primary key of the undecided match that is called to it."""
    course = load_event_stages(event)
    ready = set(course.current_stage.ready_matches) if course.stages else set()
    calls = load_last_table_calls(event) if ready else {}
    return {call.table: call.match for ident, call in calls.items() if call.table is not None and ident in ready}


def load_tables_used_elsewhere(event: Event) -> frozenset[int]:
    """Return the tables used by other events of the tournament.

    An event held at several sites does not share its tables with other events.
    """
    if event.sites:
        return frozenset()
    playing = event.tournament.events.filter(state=Event.State.IN_PLAY).exclude(pk=event.pk)
    others = [other for other in playing.select_related("tournament") if not other.sites]
    return frozenset(table for other in others for table in load_busy_tables(other))


def suggest_tables(needed: int, busy: Collection[int], elsewhere: Collection[int]) -> tuple[int, int]:
    """Suggest the first and last table for an event that needs this number of tables.

    Tables in `elsewhere` are used by other events, so they are skipped. The last table is at least the highest one in
    `busy`, which has the tables that the event already uses.

    In the second example, the event gets the four tables 3, 4, 6 and 7.

    >>> suggest_tables(4, (), ()), suggest_tables(4, (), {1, 2, 5}), suggest_tables(0, {9}, ())
    ((1, 4), (3, 7), (1, 9))
    """
    free = list(islice((table for table in count(1) if table not in elsewhere), max(needed, 1)))
    return free[0], max([free[-1], *busy])


def is_play_over(course: EventStages) -> bool:
    """Return whether play is over: the last stage is complete, or fewer than two entries would advance."""
    if not course.current_stage.is_complete:
        return False
    return course.next_plan is None or len(find_qualifiers(course, course.next_plan).entries) < 2


def list_advancing_entries(course: EventStages) -> frozenset[int]:
    """Return the entries that advance from the current stage to the next one, or play off for it."""
    return frozenset(find_qualifiers(course, course.next_plan).entries) if course.next_plan is not None else frozenset()


def list_ranked_qualifiers(course: EventStages) -> tuple[tuple[int, int], ...]:
    """Return the entries that would advance from the latest stage, best first, each with its number of wins."""
    if course.next_plan is None:
        return ()
    qualifiers = find_qualifiers(course, course.next_plan)
    return tuple((entry, qualifiers.wins.get(entry, 0)) for entry in qualifiers.entries)


@dataclass(frozen=True, slots=True)
class Qualifiers:
    """The entries that qualified for the next stage, best first, with their wins in the pool before that stage.

    If a play-off decided who qualifies, `promoted_alternates` are entries that lost the play-off but replace qualified
    entries that have left.

    If the pool had several groups, each item of `same_place_groups` has the entries with the same place in different
    groups, and each item of `former_groups` has the entries from one group. `group_members_have_met` is true if all
    members of a group have played each other.
    """

    entries: tuple[int, ...]
    advancement: Advancement | None = None
    promoted_alternates: tuple[int, ...] = ()
    wins: Mapping[int, int] = field(default_factory=dict)
    same_place_groups: tuple[tuple[int, ...], ...] = ()
    former_groups: tuple[tuple[int, ...], ...] = ()
    group_members_have_met: bool = False


def find_qualifiers(course: EventStages, plan: StagePlan) -> Qualifiers:
    pool = course.last_pool.pool
    if course.play_off:
        qualifiers = _find_play_off_qualifiers(course, course.play_off.play_off)
    else:
        places = plan.knockout.places if plan.knockout else None
        for_places = plan.kind.traits.for_places
        advancement = (
            course.last_pool.compute_advancement(places, None)
            if for_places
            else course.last_pool.compute_advancement(None, places)
        )
        qualifiers = Qualifiers((*advancement.advancing_entries, *advancement.play_off), advancement)
    wins = {entry: pool.qualifying[entry].record.wins for entry in qualifiers.entries}
    qualifiers = replace(qualifiers, wins=wins)
    if len(pool.parts) < 2:
        return qualifiers
    groups = [[row.entry for row in ranked if row.entry in qualifiers.entries] for _part, ranked in pool.standings]
    levels = (tuple(entry for entry in row if entry is not None) for row in zip_longest(*groups))
    mates = tuple(tuple(group) for group in groups if len(group) > 1)
    return replace(
        qualifiers,
        same_place_groups=tuple(levels),
        former_groups=mates,
        group_members_have_met=pool.kind.traits.all_meet,
    )


def _find_play_off_qualifiers(course: EventStages, play_off: PlayOff) -> Qualifiers:
    """Return the entries that qualified before or in the play-off, and replacements for those who have left."""
    gone, before = course.last_pool.pool.removal_reasons, course.current_stage.row.record
    entries = tuple(entry for entry in (*before["through"], *play_off.advancing_entries) if entry not in gone)
    vacant = len(before["through"]) + before["open_places"] - len(entries)
    came_up = tuple(entry for entry in play_off.alternates if entry not in gone)[: max(vacant, 0)]
    return Qualifiers((*entries, *came_up), promoted_alternates=came_up)


def is_stage_without_result(stage: StageState) -> bool:
    """Return whether nothing has been recorded in the stage, so that it can be undone."""
    no_results = all(match.outcome is None or match.is_decided_without_result for match in stage.match_states.values())
    return no_results and all(
        match.meeting.outcome is None or match.is_decided_without_result for match in stage.matches.values()
    )


# --- Places ----------------------------------------------------------------------------------------------------------


def load_final_placings(event: Event) -> Placings | None:
    """Return the final places, or None if something is still undecided and the event did not end early."""
    course = load_event_stages(event)
    final = (
        course.current_stage.compute_placings(course.stages[:-1]) if course.stages and is_play_over(course) else None
    )
    if final is not None and final.finish:
        return final
    return load_placings_so_far(event) if load_early_finish(event) is not None else final


def load_possible_places(event: Event) -> PossiblePlaces | None:
    """Return the places that each entry can still get. Once everything is decided, these are the final places.

    Until then, return None if no bracket is open.
    """
    final = load_final_placings(event)
    if final is not None:
        return PossiblePlaces.from_placings(final)
    course = load_event_stages(event)
    return course.bracket.compute_possible_places(course.stages[:-1]) if course.bracket is not None else None


def load_placings_so_far(event: Event) -> Placings | None:
    """Return the places according to the games played so far, for an event that ends early.

    Entries that are still in a bracket or play-off share first place. Before any game, all entries are tied. Return
    None before a draw is posted. Also return None for stages with two sides, because their places come from closed
    score cards.
    """
    stages = load_event_stages(event).stages
    return stages[-1].compute_placings_if_ended(stages[:-1]) if stages else None


# --- Matches that are ready, called or decided -----------------------------------------------------------------------


def load_ready_matches(event: Event) -> list[str]:
    """Return the matches of the current stage that can be played, in the order of the draw."""
    course = load_event_stages(event)
    return list(course.current_stage.ready_matches) if course.stages else []


def load_decided_matches(event: Event) -> list[str]:
    return load_event_stages(event).decided_matches


def load_drawn_entries(event: Event) -> Collection[int] | None:
    """Return the entries in the posted draw, or None before it is posted."""
    course = load_event_stages(event)
    return course.entries if course.stages else None


def load_table_calls(event: Event) -> dict[str, datetime]:
    """Return when each match was called to its table. Matches that were taken off their table are left out."""
    return {ident: call.at for ident, call in load_last_table_calls(event).items() if call.table is not None}


# --- The two sides of a match ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MatchSides:
    """A match's two sides.

    `winner_advances` is true in a bracket or play-off, because one side has to advance. `kind` is the kind of stage, or
    None in a bracket.
    """

    numbers: tuple[int, int]
    winner_advances: bool
    is_decided: bool
    kind: StageKind | None = None


def load_match_sides_if_in_play(event: Event, match: Match) -> MatchSides:
    """Return a match's sides, so that its result can be recorded.

    Raises:
        Conflict: `not-in-play`, or any error of `load_match_sides`.
    """
    if event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play", _("Results can be recorded only while the event is in play. Open the event again first.")
        )
    return load_match_sides(event, match)


def load_match_sides(event: Event, match: Match) -> MatchSides:
    """Return the sides of a match in a bracket, play-off or pool.

    Raises:
        Conflict: `no-opponent`, `passed-over`.
    """
    course = load_event_stages(event)
    progress = course.progress
    stage_and_match = course.find_match(match.ident)
    if stage_and_match is not None:
        stage, stage_match = stage_and_match
        if match.ident in stage.obsolete_matches:
            raise Conflict(
                "passed-over",
                _("This match is no longer played, because an earlier result was corrected. Look at the bracket."),
            )
        return _make_match_sides(stage_match.meeting.sides, stage.pool is None, stage_match.is_decided, stage.kind)
    if progress is None or match.ident not in progress.views:
        raise Conflict("no-opponent", _("This match is not being played now. Look at the results."))
    view = progress[match.ident]
    return _make_match_sides(view.entries, True, view.outcome is not None, None)


def _make_match_sides(
    numbers: tuple[int, ...], winner_advances: bool, is_decided: bool, kind: StageKind | None
) -> MatchSides:
    if len(numbers) != 2:
        raise Conflict("no-opponent", _("Both players of this match are not known yet. Look at the bracket."))
    return MatchSides((numbers[0], numbers[1]), winner_advances, is_decided, kind)
