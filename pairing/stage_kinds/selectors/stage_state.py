"""What everybody asks of a stage that was opened, of any kind."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from pairing.draws.knockout.elimination import AnyProgress
from pairing.draws.knockout.keeping import LaterChoice
from pairing.draws.knockout.placing import Placings
from pairing.draws.knockout.progress import State
from pairing.draws.results.credits import MatchOutcome
from pairing.draws.results.win_loss import Meeting
from pairing.draws.stages.correction import Correction
from pairing.draws.stages.kinds import StageKind
from pairing.draws.stages.plan import StagePlan
from pairing.draws.stages.play_off import PlayOff, PlayOffMatch
from pairing.draws.stages.pools import Pool
from pairing.draws.stages.stage_places import place_stages
from pairing.draws.table_rounds.rounds import Rounds
from pairing.models import Stage
from pairing.stage_kinds.selectors.turning import Turning


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


@dataclass(frozen=True, slots=True)
class MatchNow:
    """A match as it stands now: who sits there (None: not known yet), and how it ended.

    `by_itself`: nobody recorded it, somebody is out. `kept`: it stays as it was played, no matter what is corrected
    before.
    """

    sides: tuple[int | None, ...]
    state: State
    outcome: MatchOutcome | None = None
    by_itself: bool = False
    kept: bool = False

    @property
    def entries(self) -> tuple[int, ...]:
        """Those who are known."""
        return tuple(side for side in self.sides if side is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewResult:
    """A result that is to be recorded, with what is chosen for later matches; `outcome` None: one is taken back.

    `in_play` asks which matches are at a table or have a line on their card; `next_stage` is open already.
    """

    match: str
    outcome: MatchOutcome | None
    choices: Mapping[str, LaterChoice] = field(default_factory=dict)
    in_play: Callable[[], frozenset[str]] = frozenset
    next_stage: str = ""


@dataclass(frozen=True, kw_only=True)
class StageState(ABC):
    """A stage that was opened. Each kind answers in a class of its own, in a module of its own.

    `matches` are those whose two were paired: in a pool or play-off. A stage has one of the parts after them: `pool`
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
    """Who had qualified for it and does not come, where the event places them by the round that they had reached."""

    takes_late_entries: ClassVar[bool] = False
    """Whether somebody can still join it."""

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
        """Every match of it as it stands, by its name."""

    @property
    @abstractmethod
    def ready(self) -> tuple[str, ...]:
        """The matches that can be played or are being played now."""

    @property
    def decided(self) -> list[str]:
        """The matches that are over."""
        return [ident for ident, now in self.standing.items() if now.state is State.DECIDED]

    @property
    def entries(self) -> tuple[int, ...]:
        """Everybody who plays in it, with those who joined it later."""
        return tuple(self.row.entries)

    def ident_of(self, match: PlayOffMatch) -> str | None:
        """The match on record between these two, of a play-off; None until it is made."""
        found = ((ident, (row.round, frozenset(row.meeting.sides))) for ident, row in self.matches.items())
        return next((ident for ident, meeting in found if meeting == match.meeting), None)

    @property
    def passed_over(self) -> frozenset[str]:
        """Matches that are made, but that nobody plays any more since a result before was corrected."""
        return frozenset()

    @property
    def lacks_matches(self) -> bool:
        """Whether a round has become known whose matches are not made yet."""
        return False

    def waiting_for(self, ident: str) -> frozenset[int]:
        """Who stands in a match, or waits for what comes of it, as far as the stage knows."""
        return frozenset()

    @property
    def disqualified(self) -> tuple[int, ...]:
        """Who has no place by that."""
        return ()

    def correction(self, new: NewResult) -> Correction:
        """What the result leads to in later matches of this stage."""
        return Correction()

    @abstractmethod
    def groups(self, before: "Sequence[StageState]") -> Iterator[tuple[int, ...]]:
        """Who shares a place, the best first; `before`: the stages before it."""

    def placings(self, before: "Sequence[StageState]") -> Placings | None:
        """Everybody of the event: by this stage first, then by those before it; None while nothing is known."""
        stages = [*before, self]
        without = {entry for stage in stages for entry in stage.disqualified}
        ranked = (stage.groups(stages[:turn]) for turn, stage in reversed(list(enumerate(stages))))
        return place_stages(ranked, without)

    def placings_if_ended(self, before: "Sequence[StageState]") -> Placings | None:
        """As `placings`, where the event is ended before everything is decided."""
        return self.placings(before)
