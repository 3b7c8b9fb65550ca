"""The interface for all kinds of stage, and the functions and pages that each kind provides."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, ClassVar, Protocol

from django.http import HttpRequest, HttpResponse

from pairing.draws.desk.desk import PairingInput, PairingSuggestion
from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.knockout.places import Placings
from pairing.draws.knockout.progress import BracketMatchState, BracketProgress
from pairing.draws.results import MatchOutcome, Meeting
from pairing.draws.stages.corrections import ResultCorrection
from pairing.draws.stages.plan import StageKind, StagePlan
from pairing.draws.stages.play_off import PlayOff, PlayOffMatch
from pairing.draws.stages.pools import Pool, combine_stage_places
from pairing.draws.table_rounds import SeatingPlan, TableRounds
from pairing.draws.two_sides import TwoSides
from pairing.models import Draw, Seating, Stage
from pairing.stages.selectors.plans import StageKindFormSpec, load_event_plan
from pairing.stages.selectors.records import EventStageFacts
from tournament.core.services.record import WriteTransaction
from tournament.models import Entrant, Event
from tournament.ports import Port
from tournament.registration.selectors.entries import SideNames


@dataclass(frozen=True)
class RotatingSides:
    """The two sides of a stage, each in drawn order, and the stage's posted rounds.

    The sides include entrants who have left. `match` is the primary key of the event's only match.
    """

    stage: Stage
    match: int
    names: SideNames
    sides: TwoSides
    people: Mapping[int, Entrant]
    rounds: tuple[Seating, ...]

    @property
    def current_round(self) -> Seating:
        return self.rounds[-1]

    @property
    def present_sides(self) -> TwoSides:
        """The two sides without entrants who have left."""
        return TwoSides(*(tuple(filter(self.is_present, side)) for side in (self.sides.left, self.sides.right)))

    @property
    def sit_out_counts(self) -> Counter[int]:
        return Counter(number for seating in self.rounds for number in seating.sits_out)

    def is_present(self, number: int) -> bool:
        """Return whether this entrant was drawn and has not left."""
        return number in self.people and self.people[number].state == Entrant.State.IN

    def name(self, number: int) -> str:
        return self.people[number].name

    def find_round(self, number: int) -> Seating | None:
        return next((seating for seating in self.rounds if seating.round == number), None)

    def get_side_name(self, number: int) -> str:
        return self.names[0] if number in self.sides.left else self.names[1]


# --- The state of a stage --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StageMatch:
    """A recorded match of a pool or play-off. `row` is its primary key.

    `is_decided_without_result` is true if the match was decided without a recorded result, because a side had left.
    """

    row: int
    meeting: Meeting
    round: int
    is_decided_without_result: bool = False

    @property
    def is_decided(self) -> bool:
        return self.meeting.outcome is not None and not self.meeting.outcome.is_void


@dataclass(frozen=True, slots=True)
class MatchState:
    """The current state of a match. A side that is not known yet is None.

    `is_decided_without_result` is true if the outcome was not recorded, because a side had left. `kept` is true if the
    match stays as it was played although an earlier result was corrected.
    """

    sides: tuple[int | None, ...]
    state: BracketMatchState
    outcome: MatchOutcome | None = None
    is_decided_without_result: bool = False
    kept: bool = False

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(side for side in self.sides if side is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewResult:
    """A result to be recorded. If `outcome` is None, the last result is undone.

    `choices` has the director's choices for later matches that the result affects. `in_play` returns the matches that
    are at a table or have a line on their card. `next_stage` is the next stage's name if that stage is open.
    """

    match: str
    outcome: MatchOutcome | None
    choices: Mapping[str, LaterMatchChoice] = field(default_factory=dict)
    in_play: Callable[[], frozenset[str]] = frozenset
    next_stage: str = ""


@dataclass(frozen=True, kw_only=True)
class StageState(ABC):
    """The state of an opened stage. Each kind of stage has a subclass.

    `matches` are the matches between two paired entrants in a pool or play-off. A stage has one of these parts: `pool`
    with its standings, `play_off`, the `progress` of a bracket, `rounds` at tables, or `rotating_sides`.
    """

    row: Stage
    plan: StagePlan
    seed: str = ""
    matches: Mapping[str, StageMatch] = field(default_factory=dict)
    pool: Pool | None = None
    play_off: PlayOff | None = None
    progress: BracketProgress | None = None
    rounds: TableRounds | None = None
    rotating_sides: RotatingSides | None = None
    absent: tuple[int, ...] = ()
    """Entrants who qualified but left before the stage was opened."""

    accepts_late_entries: ClassVar[bool] = False
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
    def match_states(self) -> Mapping[str, MatchState]:
        """The state of each match in the stage, keyed by the match's name."""

    @property
    @abstractmethod
    def ready_matches(self) -> tuple[str, ...]:
        """The matches that can be played or are being played."""

    @property
    def decided_matches(self) -> list[str]:
        return [ident for ident, now in self.match_states.items() if now.state is BracketMatchState.DECIDED]

    @property
    def entries(self) -> tuple[int, ...]:
        """All entries of the stage, including late entries."""
        return tuple(self.row.entries)

    def find_match_name(self, match: PlayOffMatch) -> str | None:
        """Return the name of a play-off match, or None if the match has not been created yet."""
        meetings = ((ident, (row.round, frozenset(row.meeting.sides))) for ident, row in self.matches.items())
        return next((ident for ident, meeting in meetings if meeting == match.round_and_players), None)

    @property
    def obsolete_matches(self) -> frozenset[str]:
        """The names of matches that are no longer played, because an earlier result was corrected."""
        return frozenset()

    @property
    def lacks_matches(self) -> bool:
        """Whether the players of a play-off round are known but its matches have not been created yet."""
        return False

    def find_affected_entries(self, ident: str) -> frozenset[int]:
        """Return the entries that play match `ident`, and those that are known to be waiting for its result."""
        return frozenset()

    @property
    def disqualified(self) -> tuple[int, ...]:
        """The disqualified entries of the stage, which have no place."""
        return ()

    def compute_correction(self, new: NewResult) -> ResultCorrection:
        """Return the effects of a new result on later matches in this stage."""
        return ResultCorrection()

    @abstractmethod
    def iter_tied_groups(self, before: "Sequence[StageState]") -> Iterator[tuple[int, ...]]:
        """Yield the groups of entries that share a place, best first. `before` are the earlier stages."""

    def compute_placings(self, before: "Sequence[StageState]") -> Placings | None:
        """Return the places for the whole event, based on this stage and then on earlier ones.

        Return None if there are none yet.
        """
        stages = [*before, self]
        without = {entry for stage in stages for entry in stage.disqualified}
        ranked = (stage.iter_tied_groups(stages[:turn]) for turn, stage in reversed(list(enumerate(stages))))
        return combine_stage_places(ranked, without)

    def compute_placings_if_ended(self, before: "Sequence[StageState]") -> Placings | None:
        """Return the places as if the event ended now, before everything is decided."""
        return self.compute_placings(before)


# --- The room of a kind ----------------------------------------------------------------------------------------------
# `pairing/kinds.py` lists the rooms of all kinds.

StageLoader = Callable[[EventStageFacts, Stage, StagePlan, Sequence[StageState]], StageState]


class EntryNamer(Protocol):
    def name(self, number: int) -> str: ...


StageSectionTemplate = tuple[str, Callable[[EntryNamer, StageState], Mapping[str, Any]]]
"""A template for a kind's own section of the stages page, and a function that returns its context.

`stage` is added to the context automatically.
"""


@dataclass(frozen=True, slots=True)
class ExtraPoolColumn:
    label: Any
    value: Callable[[Pool, int], int | str]


@dataclass(frozen=True, slots=True)
class StagePrintout:
    """A printout of a stage.

    `write` raises Conflict if there is nothing to print yet. If the printout has to fit on one page, `type_size`
    returns the font size of names on the given paper, in points. `larger` is then the key of another printout that has
    full-size names.
    """

    title: str
    write: Callable[[IO[bytes], Event, str], None]
    type_size: Callable[[Event, str], float | None] | None = None
    larger: str = ""


EventView = Callable[[HttpRequest, Event], HttpResponse]
MatchView = Callable[[HttpRequest, Event, str], HttpResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageKindPages:
    """The views for the URLs that every event has: five public pages, and the staff pages for results and decisions.

    `menu` maps the page name of an entry in the public menu to the entries that replace it. `desk_menu` does the same
    for the staff menu.
    """

    bracket: EventView
    match: MatchView
    wall: EventView
    pairings: EventView
    standings: EventView
    results: Callable[[Any, Event], HttpResponse]
    decide: Callable[[Any, Event, str], HttpResponse]
    menu: Mapping[str, Sequence[tuple[Any, ...]]] = field(default_factory=dict)
    desk_menu: Mapping[str, Sequence[tuple[Any, ...]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StageKindHooks:
    """The functions and pages that a kind of stage provides.

    `form_spec` is set if the kind can be part of a plan. `load` loads a stage. `create_initial_matches` creates the
    matches that exist as soon as a stage is opened, and `create_following_matches` creates those that follow from a
    result. `plan_first_seating` is for kinds whose tables are assigned with the draw. `require_draw_fits` raises an
    error if a draw does not fit. `suggest_pairs` returns the pairs that the desk can call to tables now.
    `count_games_per_wave` returns the number of games in each future wave of games that start together.
    `section_template` adds a section to the stages page, and `standings_column` adds a column to the standings.
    `printouts` are the printouts. `pages` are used if the event's only stage is of this kind.
    """

    load: StageLoader
    form_spec: StageKindFormSpec | None = None
    create_initial_matches: Callable[[WriteTransaction, Stage], object] | None = None
    create_following_matches: Callable[[WriteTransaction], object] | None = None
    plan_first_seating: Callable[[Event, Draw], SeatingPlan] | None = None
    require_draw_fits: Callable[[Event, Draw], None] | None = None
    suggest_pairs: Callable[[Pool, PairingInput, datetime], PairingSuggestion] | None = None
    count_games_per_wave: Callable[[Pool], list[int]] | None = None
    section_template: StageSectionTemplate | None = None
    standings_column: ExtraPoolColumn | None = None
    printouts: Mapping[str, StagePrintout] = field(default_factory=dict)
    pages: StageKindPages | None = None


stage_kind_hooks: Port[Mapping[StageKind, StageKindHooks]] = Port("the rooms of the kinds of stage")
multi_stage_pages: Port[StageKindPages] = Port("the pages of an event in stages")


def load_stage_kind_pages(event: Event) -> StageKindPages:
    """Return the views for an event's pages. If it has just one stage, they can depend on the kind of that stage."""
    plan = load_event_plan(event)
    alone = None if plan.desk_stages else find_stage_kind_hooks(plan.first.kind).pages
    return alone or multi_stage_pages()


def find_stage_kind_hooks(kind: StageKind) -> StageKindHooks:
    return stage_kind_hooks()[kind]
