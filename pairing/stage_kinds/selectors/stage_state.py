"""The interface of a stage of any kind, and the values that it returns."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from pairing.draws.knockout.corrections import LaterChoice
from pairing.draws.knockout.elimination import AnyProgress, Placings
from pairing.draws.knockout.progress import State
from pairing.draws.results import MatchOutcome, Meeting
from pairing.draws.stages.corrections import Correction
from pairing.draws.stages.plan import StageKind, StagePlan
from pairing.draws.stages.play_off import PlayOff, PlayOffMatch
from pairing.draws.stages.pools import Pool, place_stages
from pairing.draws.table_rounds.rounds import Rounds
from pairing.models import Stage
from pairing.stage_kinds.selectors.turning import Turning


@dataclass(frozen=True)
class StageMatch:
    """A recorded match of a pool or play-off: its sides and its outcome. `row` is the match's primary key."""

    row: int
    meeting: Meeting
    round: int
    by_itself: bool = False

    @property
    def is_decided(self) -> bool:
        return self.meeting.outcome is not None and not self.meeting.outcome.is_void


@dataclass(frozen=True, slots=True)
class MatchNow:
    """The present state of a match. A side is None as long as it is not known.

    `by_itself`: nobody recorded the outcome, because a side has left. `kept`: the match stays as it was played, even if
    an earlier result is corrected.
    """

    sides: tuple[int | None, ...]
    state: State
    outcome: MatchOutcome | None = None
    by_itself: bool = False
    kept: bool = False

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(side for side in self.sides if side is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewResult:
    """A result to be recorded, with the choices for later matches. `outcome` None takes a result back.

    `in_play` returns the matches that are at a table or have a line on their card. `next_stage` is the name of the next
    stage if that is open.
    """

    match: str
    outcome: MatchOutcome | None
    choices: Mapping[str, LaterChoice] = field(default_factory=dict)
    in_play: Callable[[], frozenset[str]] = frozenset
    next_stage: str = ""


@dataclass(frozen=True, kw_only=True)
class StageState(ABC):
    """The state of a stage that was opened. Each kind has a subclass in its own module.

    `matches` are the matches between two paired entrants, in a pool or play-off. A stage has one of these parts: `pool`
    with its standings, `play_off`, the `progress` of a bracket, `rounds` at tables, or two sides and their `turning`.
    """

    row: Stage
    plan: StagePlan
    seed: str = ""
    matches: Mapping[str, StageMatch] = field(default_factory=dict)
    pool: Pool | None = None
    play_off: PlayOff | None = None
    progress: AnyProgress | None = None
    rounds: Rounds | None = None
    turning: Turning | None = None
    absent: tuple[int, ...] = ()
    """Entrants who qualified but do not come. An event can place them by the round that they reached."""

    takes_late_entries: ClassVar[bool] = False
    """Whether an entrant can still join a stage of this kind."""

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
    @abstractmethod
    def is_complete(self) -> bool: ...

    @property
    @abstractmethod
    def standing(self) -> Mapping[str, MatchNow]:
        """The state of every match by its name."""

    @property
    @abstractmethod
    def ready(self) -> tuple[str, ...]:
        """The matches that can be played or are being played."""

    @property
    def decided(self) -> list[str]:
        return [ident for ident, now in self.standing.items() if now.state is State.DECIDED]

    @property
    def entries(self) -> tuple[int, ...]:
        """Everybody who plays in the stage, including late entries."""
        return tuple(self.row.entries)

    def ident_of(self, match: PlayOffMatch) -> str | None:
        """Return the name of a play-off match, or None until the match is created."""
        found = ((ident, (row.round, frozenset(row.meeting.sides))) for ident, row in self.matches.items())
        return next((ident for ident, meeting in found if meeting == match.meeting), None)

    @property
    def passed_over(self) -> frozenset[str]:
        """The names of matches that nobody plays any more, because an earlier result was corrected."""
        return frozenset()

    @property
    def lacks_matches(self) -> bool:
        """Whether the sides of a round are known whose matches are not created yet."""
        return False

    def waiting_for(self, ident: str) -> frozenset[int]:
        """Return the entries that are in a match or wait for its result, as far as the stage knows."""
        return frozenset()

    @property
    def disqualified(self) -> tuple[int, ...]:
        """The entries that have no place because they were disqualified."""
        return ()

    def correction(self, new: NewResult) -> Correction:
        """Return what a new result changes in later matches of this stage."""
        return Correction()

    @abstractmethod
    def groups(self, before: "Sequence[StageState]") -> Iterator[tuple[int, ...]]:
        """Yield the groups of entries that share a place, the best first. `before` are the earlier stages."""

    def placings(self, before: "Sequence[StageState]") -> Placings | None:
        """Return the places of the whole event: by this stage, then by earlier ones.

        Return None if there are none yet.
        """
        stages = [*before, self]
        without = {entry for stage in stages for entry in stage.disqualified}
        ranked = (stage.groups(stages[:turn]) for turn, stage in reversed(list(enumerate(stages))))
        return place_stages(ranked, without)

    def placings_if_ended(self, before: "Sequence[StageState]") -> Placings | None:
        """Return the places if the event ended at this moment, before everything is decided."""
        return self.placings(before)
