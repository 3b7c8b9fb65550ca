"""The state of a play-off: entrants who are tied in wins play for the remaining places."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pairing.draws.knockout.corrections import LaterChoice
from pairing.draws.knockout.progress import State
from pairing.draws.results import MatchOutcome, Meeting, SidesKept
from pairing.draws.stages.corrections import Correction
from pairing.draws.stages.plan import StagePlan
from pairing.draws.stages.play_off import (
    ByeRule,
    Contender,
    PlayOff,
    PlayOffCase,
    PlayOffMatch,
    follow_play_off,
    make_play_off,
)
from pairing.draws.stages.pools import Pool, apply_walkovers, groups_of_play_off
from pairing.models import MatchKept, Stage
from pairing.stage_kinds.selectors.pool_stage import PoolStage, stage_match
from pairing.stage_kinds.selectors.stage_rows import RecordedFacts
from pairing.stage_kinds.selectors.stage_state import MatchNow, NewResult, StageMatch, StageState


@dataclass(frozen=True, kw_only=True)
class PlayOffStage(StageState):
    play_off: PlayOff

    @property
    def is_complete(self) -> bool:
        return self.play_off.is_complete

    @cached_property
    def standing(self) -> Mapping[str, MatchNow]:
        return {ident: self._now(ident, match) for ident, match in self.matches.items()}

    def _now(self, ident: str, match: StageMatch) -> MatchNow:
        if ident in self.passed_over:
            return MatchNow(match.meeting.sides, State.NOT_NEEDED)
        outcome = match.meeting.outcome if match.is_decided else None
        state = State.READY if outcome is None else State.DECIDED
        return MatchNow(match.meeting.sides, state, outcome, match.by_itself, ident in self.kept)

    @cached_property
    def ready(self) -> tuple[str, ...]:
        last = self.play_off.rounds[-1:]
        open_now = (match for each in last for match in each.matches if not match.is_decided)
        return tuple(ident for match in open_now if (ident := self.ident_of(match)) is not None)

    @property
    def decided(self) -> list[str]:
        return [ident for ident, match in self.matches.items() if match.is_decided]

    @cached_property
    def kept(self) -> frozenset[str]:
        """The names of matches that stay as they were played although an earlier result was corrected."""
        found = (self.ident_of(match) for match in self._made() if match.kept)
        return frozenset(ident for ident in found if ident is not None)

    @cached_property
    def passed_over(self) -> frozenset[str]:
        stand = {self.ident_of(match) for match in self._made()}
        return frozenset(ident for ident in self.matches if ident not in stand)

    @property
    def lacks_matches(self) -> bool:
        return any(self.ident_of(match) is None for match in self._made())

    def correction(self, new: NewResult) -> Correction:
        if new.outcome is None:
            return Correction()
        known = {one.meeting: ident for one in self._made() if (ident := self.ident_of(one))}
        chosen = {meeting: new.choices[ident] for meeting, ident in known.items() if ident in new.choices}
        in_play = new.in_play()
        begun = [meeting for meeting, ident in known.items() if ident in in_play]
        found = follow_play_off(self.play_off, new.outcome, self.matches[new.match].round, chosen, begun)

        def named(matches: Iterable[PlayOffMatch]) -> dict[str, PlayOffMatch]:
            return {known[one.meeting]: one for one in matches if one.meeting in known}

        touched = named(found.touched)
        voided = {ident for ident, choice in new.choices.items() if choice is LaterChoice.VOID}
        played = {ident: one for ident, one in touched.items() if one.is_decided and ident in voided}
        return Correction(
            touched=tuple(touched),
            added=(
                *(SidesKept(ident, (None, None)) for ident in named(found.freed)),
                *(SidesKept(ident, one.sides) for ident, one in named(found.kept).items()),
                *(MatchOutcome.void(ident, one.sides) for ident, one in played.items()),
            ),
            goes_on=True,
            torn=tuple(named(found.torn)),
        )

    def _made(self) -> Iterator[PlayOffMatch]:
        return (match for each in self.play_off.rounds for match in each.matches)

    def groups(self, before: Sequence[StageState]) -> Iterator[tuple[int, ...]]:
        yield from groups_of_play_off(self.play_off, self.row.record["through"], last_pool(before), self.absent)


def last_pool(stages: Sequence[StageState]) -> Pool:
    return next(stage.pool for stage in reversed(stages) if isinstance(stage, PoolStage))


def load_play_off_stage(
    facts: RecordedFacts, row: Stage, planned: StagePlan, before: Sequence[StageState]
) -> PlayOffStage:
    rows = facts.matches.get(row.pk, [])
    meetings = {match.ident: apply_walkovers(facts.meeting(match), facts.gone) for match in rows}
    matches = {match.ident: stage_match(match, meetings[match.ident]) for match in rows}
    play_off = _play_off(row, planned, meetings, last_pool(before))
    return PlayOffStage(row=row, plan=planned, seed=facts.seed(row), matches=matches, play_off=play_off)


def _play_off(row: Stage, planned: StagePlan, meetings: Mapping[str, Meeting], pool: Pool) -> PlayOff:
    """Return the play-off. An entrant who left after it was opened loses the match they have or would have."""
    persons = row.record.get("persons", {})
    records = [pool.qualifying[entry].record for entry in row.record["play_off"]]
    contenders = [
        Contender(own.entry, own.wins, own.met, frozenset(persons.get(str(own.entry), ()))) for own in records
    ]
    if not contenders or row.record["open_places"] < 1:
        return PlayOff(0, (), is_complete=True)
    outcomes = {ident: meeting.outcome for ident, meeting in meetings.items() if meeting.outcome is not None}
    places, rule = row.record["open_places"], bye_rule(row, planned)
    return make_play_off(PlayOffCase(contenders, places, outcomes, rule, _load_kept(row)))


def _load_kept(row: Stage) -> tuple[PlayOffMatch, ...]:
    """Return the matches that stay as they were played. The newest fact about each counts."""
    facts = MatchKept.objects.filter(match__stage=row).order_by("pk").values_list("match__ident", "sides")
    last = ((ident.partition("-")[0], sides) for ident, sides in dict(facts).items() if all(sides))
    return tuple(PlayOffMatch(name, (upper, lower), kept=True) for name, (upper, lower) in last)


def bye_rule(row: Stage, planned: StagePlan) -> ByeRule:
    """Return the rule for the byes of a play-off or bracket, by its terms and with the stage's own seed."""
    assert planned.knockout is not None
    return ByeRule(
        listed=planned.knockout.byes_to,
        fallback=planned.knockout.fallback,
        seed=str(row.record.get("seed", "")),
        named=tuple(row.record.get("named", ())),
    )
