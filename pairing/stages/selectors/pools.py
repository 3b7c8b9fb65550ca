"""The state of a pool or play-off, and when its games ended."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import ClassVar

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.knockout.progress import BracketMatchState
from pairing.draws.pairs.record import EntryWithRecord
from pairing.draws.results import MatchOutcome, Meeting, RetainedMatchSides
from pairing.draws.stages.corrections import PairedGame, ResultCorrection, find_affected_games, make_pool_correction
from pairing.draws.stages.plan import PoolTerms, StageKind, StagePlan
from pairing.draws.stages.play_off import ByeRule, PlayOff, PlayOffInput, PlayOffMatch, correct_play_off, make_play_off
from pairing.draws.stages.pools import (
    Advancement,
    Pool,
    PoolFacts,
    PoolPart,
    add_late_entries_to_groups,
    find_advancing_entries,
    iter_play_off_ties,
    iter_pool_ties,
    make_pool,
)
from pairing.draws.stages.standings import TieBreak
from pairing.models import Match, MatchKept, MatchResult, Stage
from pairing.stages.selectors.kinds import MatchState, NewResult, StageMatch, StageState
from pairing.stages.selectors.records import (
    REMOVAL_REASON_BY_KIND,
    VALID_MATCH_FILTER,
    EventStageFacts,
    MatchRow,
    parse_match_credits,
)
from tournament.lazy_text import lazy_text
from tournament.models import EntrantFact, Event

PoolMaker = Callable[[StageKind, PoolTerms, PoolFacts, Sequence[TieBreak]], Pool]


@dataclass(frozen=True, kw_only=True)
class PoolStage(StageState):
    pool: Pool

    accepts_late_entries: ClassVar[bool] = True

    @property
    def is_complete(self) -> bool:
        return self.pool.is_complete

    @cached_property
    def match_states(self) -> Mapping[str, MatchState]:
        return {ident: _make_match_state(match) for ident, match in self.matches.items()}

    @cached_property
    def ready_matches(self) -> tuple[str, ...]:
        fixed = {meeting.match for meeting in self.pool.ready_scheduled_games}
        at_table = {meeting.match for meeting in self.pool.meetings if meeting.outcome is None}
        return tuple(ident for ident in self.matches if ident in fixed or ident in at_table)

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(self.pool.qualifying.entrants)

    @property
    def disqualified(self) -> tuple[int, ...]:
        return tuple(entry for entry, why in self.pool.removal_reasons.items() if not why.keeps_place)

    def compute_correction(self, new: NewResult) -> ResultCorrection:
        choices = None if new.next_stage else new.choices
        later = find_affected_games(_load_sent_games(self), new.match, new.outcome, choices)
        return make_pool_correction(later, new.next_stage)

    def iter_tied_groups(self, before: Sequence[StageState]) -> Iterator[tuple[int, ...]]:
        yield from iter_pool_ties(self.pool)

    def compute_advancement(self, play_off_places: int | None, places: int | None = None) -> Advancement:
        return find_advancing_entries(
            self.pool, play_off_places=play_off_places, seed=f"{self.seed} cut", places=places
        )


def _make_match_state(match: StageMatch) -> MatchState:
    outcome = match.meeting.outcome
    state = (
        BracketMatchState.READY
        if outcome is None
        else BracketMatchState.DECIDED
        if match.is_decided
        else BracketMatchState.NOT_NEEDED
    )
    return MatchState(match.meeting.sides, state, outcome, match.is_decided_without_result)


def _load_sent_games(stage: PoolStage) -> list[PairedGame]:
    """Return all games with their results and the times when they were paired, using two queries."""
    counting = Match.objects.filter(VALID_MATCH_FILTER, stage=stage.row)
    paired = dict(counting.values_list("ident", "pairing__at"))
    results: dict[str, list[tuple[datetime, MatchOutcome | None]]] = {}
    rows = MatchResult.objects.filter(match__in=counting).order_by("pk")
    for ident, at, winner, credits in rows.values_list("match__ident", "at", "winner__number", "credits"):
        outcome = MatchOutcome(ident, winner, parse_match_credits(credits)) if credits else None
        results.setdefault(ident, []).append((at, outcome))
    games = []
    for ident, played in stage.matches.items():
        sent = paired.get(ident)
        ended = tuple(results.get(ident, ()))
        if not ended and sent is not None and played.meeting.outcome is not None:
            ended = ((sent, played.meeting.outcome),)
        game = PairedGame(ident, played.meeting.sides, sent, ended)
        games.append(replace(game, paired_at=ended[0][0]) if sent is None and game.is_bye else game)
    return games


def load_pool_stage(
    facts: EventStageFacts, row: Stage, planned: StagePlan, before: Sequence[StageState], make: PoolMaker = make_pool
) -> PoolStage:
    """Return the state of a pool. `make` computes the pool from its games."""
    pool = _make_pool_from_facts(facts, row, planned, make)
    ended = {meeting.match: meeting for meeting in (*pool.meetings, *pool.scheduled)}
    matches = {match.ident: _make_stage_match(match, ended[match.ident]) for match in facts.matches.get(row.pk, [])}
    return PoolStage(row=row, plan=planned, seed=facts.make_seed(row), matches=matches, pool=pool)


def _make_stage_match(match: MatchRow, meeting: Meeting) -> StageMatch:
    by_itself = meeting.outcome is not None and match.outcome is None
    return StageMatch(match.pk, meeting, match.round, by_itself)


def _make_pool_from_facts(facts: EventStageFacts, row: Stage, planned: StagePlan, make: PoolMaker) -> Pool:
    assert planned.pool is not None
    entries = tuple(dict.fromkeys([*row.entries, *facts.late_entries.get(row.pk, ())]))
    meetings: list[Meeting] = []
    scheduled: list[Meeting] = []
    for match in facts.matches.get(row.pk, []):
        meeting = facts.make_meeting(match)
        if not planned.kind.traits.all_meet:
            meetings.append(meeting)
            continue
        if meeting.outcome is not None and meeting.outcome.is_void:
            meeting = Meeting(meeting.match, meeting.sides)
        is_fixed = meeting.outcome is None and facts.called_tables.get(match.pk) is None
        (scheduled if is_fixed else meetings).append(meeting)
    parts = _make_parts(row, planned, entries, facts.site_names)
    played = PoolFacts(
        entries=entries,
        meetings=tuple(meetings),
        scheduled=tuple(scheduled),
        removals={entry: out for entry, out in facts.removals.items() if entry in entries},
        parts=parts,
        draws=tuple(facts.drawn_lots.get(row.pk, ())),
        has_single_ranking=_has_single_ranking(planned, facts.plan.get_stage_after(row.number), len(parts)),
    )
    return make(planned.kind, planned.pool, played, facts.plan.tie_breaks)


def _has_single_ranking(planned: StagePlan, after: StagePlan | None, parts: int) -> bool:
    """Return whether a single ranking of all groups or sites decides who advances.

    `after` is the stage that follows, and `parts` is the number of groups or sites.
    """
    assert planned.pool is not None
    if parts < 2 or after is None or planned.pool.qualifier.wins is not None:
        return False
    if after.kind.traits.for_places:
        return True
    places, best = after.knockout.places if after.knockout is not None else None, planned.pool.best
    return places is not None and (best is None or places < best * parts)


def _make_parts(
    row: Stage, planned: StagePlan, entries: tuple[int, ...], sites: Mapping[int, str]
) -> tuple[PoolPart, ...]:
    drawn = row.record.get("groups")
    if drawn:
        inside = {entry for group in drawn for entry in group}
        groups = add_late_entries_to_groups(drawn, (entry for entry in entries if entry not in inside))
        return tuple(
            PoolPart(lazy_text("Group %(number)s", number=turn), tuple(group))
            for turn, group in enumerate(groups, start=1)
        )
    if planned.pool is not None and planned.pool.by_site:
        names = sorted({sites.get(entry, "") for entry in entries})
        return tuple(
            PoolPart(name, tuple(entry for entry in entries if sites.get(entry, "") == name)) for name in names
        )
    return (PoolPart("", entries),)


# --- Play-offs -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class PlayOffStage(StageState):
    """A play-off, in which entrants who are tied in wins play for the remaining places in the next stage."""

    play_off: PlayOff

    @property
    def is_complete(self) -> bool:
        return self.play_off.is_complete

    @cached_property
    def match_states(self) -> Mapping[str, MatchState]:
        return {ident: self._make_match_state(ident, match) for ident, match in self.matches.items()}

    def _make_match_state(self, ident: str, match: StageMatch) -> MatchState:
        if ident in self.obsolete_matches:
            return MatchState(match.meeting.sides, BracketMatchState.NOT_NEEDED)
        outcome = match.meeting.outcome if match.is_decided else None
        state = BracketMatchState.READY if outcome is None else BracketMatchState.DECIDED
        return MatchState(
            match.meeting.sides, state, outcome, match.is_decided_without_result, ident in self.kept_matches
        )

    @cached_property
    def ready_matches(self) -> tuple[str, ...]:
        last = self.play_off.rounds[-1:]
        undecided = (match for each in last for match in each.matches if not match.is_decided)
        return tuple(ident for match in undecided if (ident := self.find_match_name(match)) is not None)

    @property
    def decided_matches(self) -> list[str]:
        return [ident for ident, match in self.matches.items() if match.is_decided]

    @cached_property
    def kept_matches(self) -> frozenset[str]:
        """The names of matches that stay as they were played although an earlier result was corrected."""
        idents = (self.find_match_name(match) for match in self._iter_play_off_matches() if match.kept)
        return frozenset(ident for ident in idents if ident is not None)

    @cached_property
    def obsolete_matches(self) -> frozenset[str]:
        valid = {self.find_match_name(match) for match in self._iter_play_off_matches()}
        return frozenset(ident for ident in self.matches if ident not in valid)

    @property
    def lacks_matches(self) -> bool:
        return any(self.find_match_name(match) is None for match in self._iter_play_off_matches())

    def compute_correction(self, new: NewResult) -> ResultCorrection:
        if new.outcome is None:
            return ResultCorrection()
        known = {
            match.round_and_players: ident
            for match in self._iter_play_off_matches()
            if (ident := self.find_match_name(match))
        }
        chosen = {meeting: new.choices[ident] for meeting, ident in known.items() if ident in new.choices}
        in_play = new.in_play()
        started = [meeting for meeting, ident in known.items() if ident in in_play]
        later = correct_play_off(self.play_off, new.outcome, self.matches[new.match].round, chosen, started)

        def by_ident(matches: Iterable[PlayOffMatch]) -> dict[str, PlayOffMatch]:
            return {known[match.round_and_players]: match for match in matches if match.round_and_players in known}

        touched = by_ident(later.touched)
        voided = {ident for ident, choice in new.choices.items() if choice is LaterMatchChoice.VOID}
        played = {ident: match for ident, match in touched.items() if match.is_decided and ident in voided}
        return ResultCorrection(
            affected_matches=tuple(touched),
            facts_to_record=(
                *(RetainedMatchSides(ident, (None, None)) for ident in by_ident(later.freed)),
                *(RetainedMatchSides(ident, match.sides) for ident, match in by_ident(later.kept).items()),
                *(MatchOutcome.void(ident, match.sides) for ident, match in played.items()),
            ),
            winner_advances=True,
            impossible_keeps=tuple(by_ident(later.impossible_keeps)),
        )

    def _iter_play_off_matches(self) -> Iterator[PlayOffMatch]:
        return (match for each in self.play_off.rounds for match in each.matches)

    def iter_tied_groups(self, before: Sequence[StageState]) -> Iterator[tuple[int, ...]]:
        yield from iter_play_off_ties(self.play_off, self.row.record["through"], _find_last_pool(before), self.absent)


def _find_last_pool(stages: Sequence[StageState]) -> Pool:
    return next(stage.pool for stage in reversed(stages) if isinstance(stage, PoolStage))


def load_play_off_stage(
    facts: EventStageFacts, row: Stage, planned: StagePlan, before: Sequence[StageState]
) -> PlayOffStage:
    rows = facts.matches.get(row.pk, [])
    meetings = {match.ident: facts.make_meeting(match).with_walkovers(facts.removals) for match in rows}
    matches = {match.ident: _make_stage_match(match, meetings[match.ident]) for match in rows}
    play_off = _make_play_off_from_facts(row, planned, meetings, _find_last_pool(before))
    return PlayOffStage(row=row, plan=planned, seed=facts.make_seed(row), matches=matches, play_off=play_off)


def _make_play_off_from_facts(row: Stage, planned: StagePlan, meetings: Mapping[str, Meeting], pool: Pool) -> PlayOff:
    persons = row.record.get("persons", {})
    records = [pool.qualifying[entry].record for entry in row.record["play_off"]]
    contenders = [
        EntryWithRecord(own.entry, own.wins, met=own.met, persons=frozenset(persons.get(str(own.entry), ())))
        for own in records
    ]
    if not contenders or row.record["open_places"] < 1:
        return PlayOff(0, (), is_complete=True)
    outcomes = {ident: meeting.outcome for ident, meeting in meetings.items() if meeting.outcome is not None}
    places, rule = row.record["open_places"], _make_bye_rule(row, planned)
    return make_play_off(PlayOffInput(contenders, places, outcomes, rule, _load_kept_matches(row)))


def _load_kept_matches(row: Stage) -> tuple[PlayOffMatch, ...]:
    """Return the matches that stay as they were played. The newest fact about each match counts."""
    facts = MatchKept.objects.filter(match__stage=row).order_by("pk").values_list("match__ident", "sides")
    last = ((ident.partition("-")[0], sides) for ident, sides in dict(facts).items() if all(sides))
    return tuple(PlayOffMatch(name, (upper, lower), kept=True) for name, (upper, lower) in last)


def _make_bye_rule(row: Stage, planned: StagePlan) -> ByeRule:
    assert planned.knockout is not None
    return ByeRule(
        preferred_win_counts=planned.knockout.byes_to,
        fallback=planned.knockout.fallback,
        seed=str(row.record.get("seed", "")),
        director_choices=tuple(row.record.get("named", ())),
    )


# --- When games ended, and since when players have been waiting ------------------------------------------------------


def load_match_end_times(stage: StageState) -> dict[str, datetime]:
    """Return when each match ended.

    A match ends with its first result or, if its results were undone, with the first one recorded after that. A void
    match ends with its last result.
    """
    meetings = {match.row: match.meeting for match in stage.matches.values()}
    ended: dict[str, datetime] = {}
    if not meetings:
        return ended
    results = MatchResult.objects.filter(match__stage=stage.row).order_by("pk")
    for row, at, credits in results.values_list("match_id", "at", "credits"):
        met = meetings.get(row)
        if met is None:
            continue
        if not credits:
            ended.pop(met.match, None)
        elif met.match not in ended or (met.outcome is not None and met.outcome.is_void):
            ended[met.match] = at
    return ended


def load_wait_start_times(event: Event, stage: StageState, ended: Mapping[str, datetime]) -> dict[int, datetime]:
    """Return when each entry began to wait: when the stage opened, when it joined late, or when its last game ended."""
    if stage.pool is None:
        return {}
    steps = event.steps.filter(went_to=Event.State.IN_PLAY).order_by("pk").values_list("at", flat=True)
    began = max([stage.row.at, *steps[:1]])
    joined = {late.entrant.number: late.at for late in stage.row.late_entries.all()}
    since = {entry: max(began, joined.get(entry, began)) for entry in stage.pool.qualifying.entrants}
    facts = EntrantFact.objects.filter(entrant__event=event, kind__in=list(REMOVAL_REASON_BY_KIND)).order_by("pk")
    gone = dict(facts.values_list("entrant__number", "at"))
    for match in stage.matches.values():
        sides = match.meeting.sides
        at = ended.get(match.meeting.match)
        if at is None and match.is_decided_without_result:
            at = max((gone[side] for side in sides if side in gone), default=None)
        if at is not None and len(sides) > 1:
            since.update((side, max(since[side], at)) for side in sides if side in since)
    return since
