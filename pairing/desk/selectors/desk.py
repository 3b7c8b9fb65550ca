"""Load the current stage's desk: waiting entrants, free tables, suggested pairs, and settings."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone

from pairing.draws.desk.desk import DeskTerms, PairingInput, PairingSuggestion, SuggestedPair, WaitingEntry
from pairing.draws.forecast.forecast import TimedGame
from pairing.draws.pairs.record import EntryWithRecord
from pairing.draws.results import CAUSES_PROVING_ATTENDANCE
from pairing.draws.stages.plan import EventPlan, StagePlan
from pairing.models import PAIRING_AND_RESULT_TOPICS, Hold
from pairing.stages.selectors.apart import load_pairing_rules
from pairing.stages.selectors.course import (
    EventStages,
    load_event_stages,
    load_holds,
    load_persons_by_entry,
    load_tables_used_elsewhere,
)
from pairing.stages.selectors.kinds import StageState, find_stage_kind_hooks
from pairing.stages.selectors.plans import load_desk_terms, load_event_plan
from pairing.stages.selectors.pools import load_match_end_times, load_wait_start_times
from pairing.stages.selectors.records import LastTableCall, load_last_table_calls
from tournament.core.cached import cached
from tournament.core.selectors.events import load_current_event
from tournament.models import Entrant, Event
from tournament.models.topic import ENTRANTS_TOPIC


@dataclass(frozen=True, slots=True)
class _BusyTable:
    table: int
    ident: str
    sides: tuple[int, ...]
    since: datetime


@dataclass(frozen=True, slots=True)
class _WaitingGame:
    """A game that is ready but has no table yet.

    `fixed` games come from a schedule and have not been sent by anyone.
    """

    ident: str
    sides: tuple[int, ...]
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class _NextPair:
    """A suggested pair. `table` is None if no table is free."""

    suggestion: SuggestedPair
    table: int | None

    @property
    def pair_and_table(self) -> tuple[int, int, int]:
        """The pair's two entry numbers and its table, which is 0 if no table is free."""
        return (*self.suggestion.pair, self.table or 0)


@dataclass(frozen=True)
class PairingGroup:
    """A group of entrants who play only each other: the entrants of one site, or everybody if the sites play together.

    `name` is the name of the site, or empty if everybody is in the group.
    """

    name: str
    pairing_input: PairingInput
    suggestion: PairingSuggestion


@dataclass(frozen=True, eq=False)
class PairingDesk:
    """A snapshot of the desk in the current stage of an event.

    `now` is the time of the snapshot, without seconds, in the venue's time zone. `waiting_since` maps each waiting
    entry to the time when it began to wait. `tables_used_elsewhere` lists the tables used by other events.
    """

    event: Event
    course: EventStages
    stage: StageState
    terms: DeskTerms
    now: datetime
    names: Mapping[int, str]
    sites: Mapping[int, str]
    absent: frozenset[int]
    held: Mapping[int, Hold]
    groups: tuple[PairingGroup, ...]
    busy_tables: tuple[_BusyTable, ...]
    waiting_games: tuple[_WaitingGame, ...]
    games: tuple[TimedGame, ...]
    waiting_since: Mapping[int, datetime]
    last_tables: Mapping[int, int]
    tables_used_elsewhere: frozenset[int] = frozenset()

    @property
    def pairs_in_rounds(self) -> bool:
        return self.stage.kind.traits.pairs_in_rounds

    @property
    def makes_pairs(self) -> bool:
        """Whether the desk decides who plays whom in the current stage.

        If pairs are fixed in advance, the desk only calls games to tables.
        """
        return self.stage.pool is not None and not self.stage.kind.traits.all_meet

    @property
    def next_round_number(self) -> int:
        """The number of the next round, if the stage is played in rounds."""
        return 1 + (self.stage.pool.max_started_games if self.stage.pool is not None else 0)

    @property
    def is_last_round(self) -> bool:
        pool = self.course.pool
        return pool is not None and self.next_round_number > pool.terms.qualifier.games

    @property
    def is_round_open(self) -> bool:
        """Whether the latest round is still in progress."""
        return self.stage.pool is not None and bool(self.stage.pool.qualifying.playing_entries)

    @cached_property
    def free_tables(self) -> tuple[int, ...]:
        return tuple(sorted({table for tables in self.free_tables_by_site.values() for table in tables}))

    @cached_property
    def free_tables_by_site(self) -> Mapping[str, tuple[int, ...]]:
        """The free tables of each site. Sites that have no tables of their own share the key `""`."""
        busy = self.tables_used_elsewhere.union(one.table for one in self.busy_tables)
        needed = len(busy) + len(self.waiting_games) + sum(len(part.suggestion.pairs) for part in self.groups)
        pool = self.course.pool
        everybody = len(pool.qualifying.entrants) if pool is not None else 0
        enough = max(1, needed, everybody // 2 + len(self.tables_used_elsewhere))
        sites = {self._get_site(entry) for entry in pool.qualifying.entrants} if pool is not None else {""}
        return {
            site: tuple(table for table in self.terms.list_tables(enough, site) if table not in busy)
            for site in sorted(sites)
        }

    def list_free_tables(self, entry: int) -> tuple[int, ...]:
        return self.free_tables_by_site.get(self._get_site(entry), ())

    def _get_site(self, entry: int) -> str:
        """Return the entrant's site, or an empty string if that site has no tables of its own."""
        pool, site = self.stage.plan.pool, self.sites.get(entry, "")
        has_own = pool is not None and pool.by_site and any(one.site == site for one in self.terms.at_sites)
        return site if has_own else ""

    @cached_property
    def next_calls(self) -> tuple[tuple[_WaitingGame, int], ...]:
        """The games to call to the free tables next, each with its table. No entrant is in more than one of them."""
        found: list[tuple[_WaitingGame, int]] = []
        seated = {side for one in self.busy_tables for side in one.sides}
        free = {site: iter(tables) for site, tables in self.free_tables_by_site.items()}
        for game in self.waiting_games:
            if seated.isdisjoint(game.sides):
                table = next(free[self._get_site(game.sides[0])], None)
                if table is not None:
                    found.append((game, table))
                    seated |= set(game.sides)
        return tuple(found)

    @property
    def has_games_without_table(self) -> bool:
        """Whether games of the posted round are still waiting for tables.

        No new round is suggested until each of these games has a table.
        """
        return self.pairs_in_rounds and bool(self.waiting_games)

    @cached_property
    def next_pairs(self) -> tuple[_NextPair, ...]:
        """The pairs that the desk suggests to send next, with their tables.

        If new pairs are made whenever players finish, the pair that has waited longest comes first. Otherwise, the
        pairs keep the suggested order.
        """
        pairs = [pair for part in self.groups for pair in part.suggestion.pairs]
        if self.stage.kind.traits.at_desk:
            pairs.sort(key=lambda found: (found.waiting_since, found.pair))
        taken = {table for _game, table in self.next_calls}
        kept: dict[tuple[int, int], int] = {}
        for found in pairs:
            # One of the pair stays at their table, if it is free.
            table = self.last_tables.get(found.keeps_table) if found.keeps_table is not None else None
            if table is not None and table not in taken and table in self.list_free_tables(found.pair[0]):
                kept[found.pair] = table
                taken.add(table)
        left = {
            site: iter([table for table in tables if table not in taken])
            for site, tables in self.free_tables_by_site.items()
        }
        return tuple(
            _NextPair(found, kept.get(found.pair) or next(left[self._get_site(found.pair[0])], None)) for found in pairs
        )

    @property
    def bye(self) -> int | None:
        """The entry that gets the bye if the desk pairs a whole round, or None if nobody gets one."""
        bye = self.groups[0].suggestion.bye if self.groups and not self.has_games_without_table else None
        return bye.entry if bye is not None else None

    @property
    def next_change_at(self) -> datetime | None:
        return min((part.suggestion.until for part in self.groups if part.suggestion.until is not None), default=None)

    def find_group(self, entry: int) -> PairingGroup | None:
        return next((part for part in self.groups if entry in part.pairing_input.wait_start_times), None)

    @property
    def entry_without_opponent(self) -> int | None:
        """The entry that should get a bye because it has a game left to play but no possible opponent.

        The value is None if there is no such entry.
        """
        if self.pairs_in_rounds or not self.makes_pairs:
            return None
        playing = self.stage.pool.qualifying.playing_entries if self.stage.pool is not None else ()
        for part in self.groups:
            free = part.pairing_input.free_entries
            is_playing = any(not part.name or self.sites.get(entry, "") == part.name for entry in playing)
            if len(part.pairing_input.waiting) == 1 and len(free) == 1 and not is_playing:
                return free[0].entry.number
        return None


def load_pairing_desk(event: Event, now: datetime | None = None) -> PairingDesk | None:
    """Return the desk for the event's current stage.

    Return None if no draw is posted, or if the games of this stage are not between two entrants.
    """
    at = (now or timezone.now()).astimezone(UTC).replace(second=0, microsecond=0)
    desk = cached(
        event.pk,
        (*PAIRING_AND_RESULT_TOPICS, ENTRANTS_TOPIC),
        "desk",
        lambda: _make_desk(load_current_event(event), at),
        at=at,
    )
    # The cached value depends on this event alone, so tables of other events are added after it.
    elsewhere = load_tables_used_elsewhere(event) if desk is not None else frozenset()
    return replace(desk, tables_used_elsewhere=elsewhere) if desk is not None and elsewhere else desk


def _make_desk(event: Event, at: datetime) -> PairingDesk | None:
    course = load_event_stages(event)
    if not course.stages or not course.current_stage.kind.traits.two_meet:
        return None
    stage, zone = course.current_stage, ZoneInfo(event.tournament.time_zone)
    now = at.astimezone(zone)
    entrants = list(event.entrants.values_list("number", "name", "club", "site", "arrived"))
    calls, ended = load_last_table_calls(event), load_match_end_times(stage)
    since = {
        entry: moment.astimezone(zone).replace(second=0, microsecond=0)
        for entry, moment in load_wait_start_times(event, stage, ended).items()
    }
    held, terms = load_holds(stage.row), load_desk_terms(event, stage.number)
    absent = _find_absent_entries(course, {number for number, *_rest, arrived in entrants if arrived})
    clubs = {number: club for number, _name, club, _site, _arrived in entrants}
    parts: tuple[PairingGroup, ...] = ()
    if stage.pool is not None and not stage.kind.traits.all_meet:
        parts = _make_groups(
            _PairingInputBuilder(event, course, terms, since=since, held=held, absent=absent, clubs=clubs), now
        )
    called = ((match, calls[ident].table) for ident, match in stage.matches.items() if ident in calls)
    last_tables = {side: table for match, table in called if table is not None for side in match.meeting.sides}
    return PairingDesk(
        event=event,
        course=course,
        stage=stage,
        terms=terms,
        now=now,
        names={number: name for number, name, _club, _site, _arrived in entrants},
        sites={number: site for number, _name, _club, site, _arrived in entrants},
        absent=absent,
        held=held,
        groups=parts,
        busy_tables=_list_busy_tables(stage, calls),
        waiting_games=_list_waiting_games(stage, calls),
        games=tuple(_list_timed_games(stage, calls, ended, now)),
        waiting_since=since,
        last_tables=last_tables,
    )


def _find_absent_entries(course: EventStages, arrived: Collection[int]) -> frozenset[int]:
    """Return the stage's entries that are not checked in and have not played yet.

    If nobody at all is checked in, nobody counts as absent.
    """
    pool = course.pool
    inside = pool.qualifying.entrants if pool is not None else ()
    if not any(entry in arrived for entry in inside):
        return frozenset()
    return frozenset(entry for entry in inside if entry not in arrived and not _has_played(course, entry))


def _has_played(course: EventStages, entry: int) -> bool:
    """Return whether an entrant has played in any stage, which proves that they are present."""
    pools = (stage.pool for stage in course.pools)
    records = (pool.qualifying[entry].record for pool in pools if entry in pool.qualifying.entrants)
    return any(
        own.credit.cause in CAUSES_PROVING_ATTENDANCE and own.opponent for record in records for own in record.credits
    )


def _make_groups(inputs: "_PairingInputBuilder", now: datetime) -> tuple[PairingGroup, ...]:
    """Return one `PairingGroup` for each site if the sites play separately, or else a single one for all entrants.

    A site is left out if nobody there is waiting, and nobody who is playing there may have another game.
    """
    stage = inputs.stage
    by_site = stage.plan.pool is not None and stage.plan.pool.by_site
    sites = inputs.pool.parts if by_site else ()
    by_part = [(site.name, inputs.make_input(site.entries)) for site in sites]
    by_part = by_part or [("", inputs.make_input(tuple(inputs.pool.qualifying.entrants)))]
    suggest = find_stage_kind_hooks(stage.kind).suggest_pairs
    assert suggest is not None
    return tuple(
        PairingGroup(name, own, suggest(inputs.pool, own, now))
        for name, own in by_part
        if own.waiting or own.still_playing or not sites
    )


class _PairingInputBuilder:
    """Builds the pairing input from waiting entrants, and from entrants at tables who may have another game."""

    def __init__(
        self,
        event: Event,
        course: EventStages,
        terms: DeskTerms,
        *,
        since: Mapping[int, datetime],
        held: Collection[int],
        absent: frozenset[int],
        clubs: Mapping[int, str],
    ) -> None:
        assert course.current_stage.pool is not None
        self.stage, self.pool, self.terms = course.current_stage, course.current_stage.pool, terms
        self.since, self.held, self.absent = since, held, frozenset[int]() if terms.pair_absent else absent
        qualifying = self.pool.qualifying
        self.persons = load_persons_by_entry(event, [*qualifying.ready_entries, *qualifying.playing_entries])
        self.rules = load_pairing_rules(event, clubs, terms.apart_in, is_first_stage=self.stage.number == 1)
        # The secret is published with the draw. Nobody can work out the first round's pairs before that.
        self.seed = f"{course.draw.commitment.secret[:16]} {self.stage.seed}"
        if self.stage.kind.traits.pairs_in_rounds:
            self.seed += f" round {self.pool.max_started_games + 1}"

    def make_input(self, entries: tuple[int, ...]) -> PairingInput:
        qualifying, terms, inside = self.pool.qualifying, self.pool.terms.qualifier, set(entries)
        waiting = [entry for entry in qualifying.ready_entries if entry in inside]
        coming = []
        for entry in (entry for entry in qualifying.playing_entries if entry in inside):
            wins, losses = qualifying[entry].record.wins, qualifying[entry].record.losses
            plays_on = terms.has_next_game(wins + 1, losses) or terms.has_next_game(wins, losses + 1)
            if plays_on and qualifying[entry].removal is None:
                coming.append(entry)
        return PairingInput(
            waiting=tuple(
                WaitingEntry(self._make_entry(entry), self.since[entry], entry in self.held, entry in self.absent)
                for entry in waiting
            ),
            still_playing=tuple(self._make_entry(entry) for entry in coming),
            terms=replace(self.terms, difference=None) if self.stage.kind.traits.in_line else self.terms,
            constraints=self.rules.make_constraints(
                {entry: self._compute_next_game_number(entry) for entry in (*waiting, *coming)}
            ),
            seed=self.seed,
        )

    def _make_entry(self, entry: int) -> EntryWithRecord:
        found = self.pool.qualifying[entry].make_entry_with_record(self.persons.get(entry, frozenset()))
        return replace(found, met=frozenset()) if self.stage.kind.traits.in_line else found

    def _compute_next_game_number(self, entry: int) -> int:
        if self.stage.kind.traits.pairs_in_rounds:
            return self.pool.max_started_games + 1
        record = self.pool.qualifying[entry].record
        return record.games + len(record.playing) + 1


def _list_busy_tables(stage: StageState, calls: Mapping[str, LastTableCall]) -> tuple[_BusyTable, ...]:
    found = [
        _BusyTable(call.table, ident, stage.match_states[ident].entries, call.at)
        for ident in stage.ready_matches
        if (call := calls.get(ident)) is not None and call.table is not None
    ]
    return tuple(sorted(found, key=lambda one: one.table))


def _list_waiting_games(stage: StageState, calls: Mapping[str, LastTableCall]) -> tuple[_WaitingGame, ...]:
    planned = {meeting.match for meeting in stage.pool.scheduled} if stage.pool is not None else set()
    found = []
    for ident in stage.ready_matches:
        call, sides = calls.get(ident), stage.match_states[ident].entries
        if (call is None or call.table is None) and len(sides) == 2:
            found.append(_WaitingGame(ident, sides, ident in planned))
    return tuple(found)


def compute_minutes_since(moment: datetime, now: datetime) -> int:
    return max(0, int((now - moment) / timedelta(minutes=1)))


def _list_timed_games(
    stage: StageState, calls: Mapping[str, LastTableCall], ended: Mapping[str, datetime], now: datetime
) -> list[TimedGame]:
    found = []
    for match in stage.matches.values():
        meeting, call = match.meeting, calls.get(match.meeting.match)
        if call is None or len(meeting.sides) < 2 or match.is_decided_without_result:
            continue
        if meeting.outcome is None:
            if call.table is not None:
                found.append(TimedGame(meeting.sides, min(call.at, now)))
        elif any(credit.cause in CAUSES_PROVING_ATTENDANCE for credit in meeting.outcome.credits.values()):
            end = ended.get(meeting.match, call.at)
            found.append(TimedGame(meeting.sides, min(call.at, end), end))
    return found


# --- The settings of the desk ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StageDeskSettings:
    """The settings that control how the desk pairs a stage.

    `separate_sites` lists the sites if each site plays separately, and is empty otherwise. `rounds` is the planned
    number of rounds, or None if the stage has no rounds. `rounds_made` is the number of rounds that have already been
    paired.
    """

    number: int
    name: str
    plan: StagePlan
    terms: DeskTerms
    separate_sites: tuple[str, ...] = ()
    is_over: bool = False
    rounds: int | None = None
    rounds_made: int = 0

    @property
    def min_rounds(self) -> int:
        return max(self.rounds_made, self.plan.min_rounds)


def load_stage_desk_settings(event: Event, number: int | None = None) -> StageDeskSettings | None:
    """Return the desk settings of a stage. The default is the current stage, or the first stage before the draw.

    Return None if no stage of the event is played at the desk, or if the event has no stage with this number.
    """
    course, planned_stages = load_event_stages(event), load_event_plan(event).desk_stages
    current = course.current_stage.number if course.stages else 1
    number = current if number is None else number
    if not 1 <= number <= len(planned_stages):
        return None
    opened = course.stages[number - 1] if course.stages and number <= current else None
    planned = opened.plan if opened is not None else planned_stages[number - 1]
    traits, pool = planned_stages[number - 1].kind.traits, planned_stages[number - 1].pool
    own_sites: tuple[str, ...] = ()
    if planned.pool is not None and planned.pool.by_site:
        sites = event.entrants.filter(state__in=[Entrant.State.IN, Entrant.State.REMOVED]).order_by("site")
        own_sites = tuple(sites.values_list("site", flat=True).distinct())
    return StageDeskSettings(
        number=number,
        name=opened.name if opened is not None else planned.name,
        plan=planned,
        terms=load_desk_terms(event, number),
        separate_sites=own_sites,
        is_over=number < current,
        rounds=None if pool is None or traits.all_meet or traits.in_line else pool.qualifier.games,
        rounds_made=_count_rounds_made(opened),
    )


def _count_rounds_made(stage: StageState | None) -> int:
    """Return the number of rounds paired so far: the most games that any entrant has started in this stage."""
    if stage is None or stage.pool is None:
        return 0
    entrants = stage.pool.qualifying.entrants.values()
    return max((one.record.games + one.is_playing for one in entrants), default=0)


def load_remaining_stages(event: Event) -> list[tuple[int, str]]:
    """Return the number and name of the current stage and all later ones."""
    course = load_event_stages(event)
    current = course.current_stage.number if course.stages else 1
    stages = enumerate(load_event_plan(event).desk_stages, start=1)
    return [(number, stage.name) for number, stage in stages if number >= current]


# --- Stages with more rounds than their field can play without a rematch ---------------------------------------------


def load_rematch_warnings(event: Event) -> list[dict[str, Any]]:
    """Return warnings for stages that have more rounds than their entrants can play without a rematch.

    Only current and later stages with a known number of entrants are checked. The keys are `number`, `stage`, `site`,
    `rounds`, `field` (the number of entrants), and `most` (the rounds possible without a rematch).
    """
    if not load_event_plan(event).desk_stages:
        return []
    plan, course = load_event_plan(event), load_event_stages(event)
    if course.stages:
        return [
            *find_rematch_warnings(course.current_stage),
            *_iter_warnings_for_later_stages(event, plan, course.current_stage.number + 1),
        ]
    first = plan.stages[0].with_rounds(load_desk_terms(event, 1).rounds)
    sites = list(event.entrants.filter(state=Entrant.State.IN).values_list("site", flat=True))
    fields = Counter(sites) if first.pool and first.pool.by_site else Counter({"": len(sites)})
    return [*_iter_warnings(1, first, sorted(fields.items())), *_iter_warnings_for_later_stages(event, plan, 2)]


def find_rematch_warnings(stage: StageState) -> list[dict[str, Any]]:
    """Return a warning for each site of an open stage that can't play all its rounds without a rematch.

    If sites do not play separately, the whole stage is checked.

    Only entrants who are still in the stage are counted. The keys are those of `load_rematch_warnings`.
    """
    if stage.pool is None:
        return []
    inside = {entry for entry, one in stage.pool.qualifying.entrants.items() if one.removal is None}
    own = stage.pool.parts if stage.pool.terms.by_site else ()
    fields = [(part.name, len(inside.intersection(part.entries))) for part in own] or [("", len(inside))]
    return list(_iter_warnings(stage.number, stage.plan, fields))


def _iter_warnings_for_later_stages(event: Event, plan: EventPlan, first: int) -> Iterator[dict[str, Any]]:
    """Yield warnings about later stages that have more rounds than their entrants can play without a rematch."""
    for number in range(first, len(plan.stages) + 1):
        before = plan.stages[number - 2].pool
        if before is not None and before.best is not None and not before.by_site:
            stage = plan.stages[number - 1].with_rounds(load_desk_terms(event, number).rounds)
            yield from _iter_warnings(number, stage, [("", before.best * before.groups)])


def _iter_warnings(number: int, stage: StagePlan, fields: Iterable[tuple[str, int]]) -> Iterator[dict[str, Any]]:
    for site, field in fields:
        most = stage.find_rematch_limit(field)
        if most is not None and stage.pool is not None:
            rounds = stage.pool.qualifier.games
            yield {"number": number, "stage": stage.name, "site": site, "rounds": rounds, "field": field, "most": most}
