"""What the room of each kind of stage does for the rest of the program; `pairing/kinds.py` lists them all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, Protocol

from django.http import HttpRequest, HttpResponse

from pairing.draws.desk.desk import PairingInput, Suggestion
from pairing.draws.stages.kinds import StageKind
from pairing.draws.stages.plan import StagePlan
from pairing.draws.stages.pools import Pool
from pairing.draws.table_rounds.rounds import RoundTables
from pairing.models import Draw, Stage
from pairing.plans.selectors import load_plan
from pairing.plans.words import PlannedKind
from pairing.stage_kinds.selectors.stage_rows import RecordedFacts
from pairing.stage_kinds.selectors.stage_state import StageState
from tournament.above import Above
from tournament.core.services.record import Write
from tournament.models import Event

LoadStage = Callable[[RecordedFacts, Stage, StagePlan, Sequence[StageState]], StageState]


class Named(Protocol):
    """Everything that knows how entries are called."""

    def name(self, number: int) -> str: ...


@dataclass(frozen=True, slots=True)
class FirstRound:
    """How the tables follow from the draw, and what is refused before it is posted."""

    seat: Callable[[Event, Draw], RoundTables]
    refuse: Callable[[Event, Draw], None]


@dataclass(frozen=True, slots=True)
class StagePart:
    """What a kind shows of its own on the page of the stages: a template, and what it needs beside `stage`."""

    template: str
    context: Callable[[Named, StageState], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class OwnColumn:
    """What a kind tells of each entry in its standings, beside what all of them do."""

    label: Any
    value: Callable[[Pool, int], int | str]


@dataclass(frozen=True, slots=True)
class Paper:
    """What can be printed of a stage of this kind. Raises Conflict where there is nothing to print yet.

    `type_size` where all is made to fit one page: how large the names would then be on this paper, in points.
    `larger` is the print in which they always are as large as they should be.
    """

    title: str
    write: Callable[[IO[bytes], Event, str], None]
    type_size: Callable[[Event, str], float | None] | None = None
    larger: str = ""


EventPage = Callable[[HttpRequest, Event], HttpResponse]
MatchPage = Callable[[HttpRequest, Event, str], HttpResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindPages:
    """What stands under the addresses that every event has: five for everybody, and the desk's list of results.

    `menu` and `desk_menu` replace entries of the usual menus, by the name of their page, with others or with none.
    """

    bracket: EventPage
    match: MatchPage
    wall: EventPage
    pairings: EventPage
    standings: EventPage
    results: Callable[[Any, Event], HttpResponse]
    decide: Callable[[Any, Event, str], HttpResponse]
    menu: Mapping[str, Sequence[tuple[Any, ...]]] = field(default_factory=dict)
    desk_menu: Mapping[str, Sequence[tuple[Any, ...]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRoom:
    """`planned`: it can be a stage of a plan. `load` reads a stage of it as it stands.

    `begin` makes what is there at once when it is opened; `advance` what a result leads to; `first_round` where tables
    are seated with the draw. `suggest` is whom its desk would send now, `waves` how many games it has to come, one wave
    after another. `part`, `column` and `papers` are what it shows, `pages` those of an event that is one stage of it.
    """

    load: LoadStage
    planned: PlannedKind | None = None
    begin: Callable[[Write, Stage], object] | None = None
    advance: Callable[[Write], object] | None = None
    first_round: FirstRound | None = None
    suggest: Callable[[Pool, PairingInput, datetime], Suggestion] | None = None
    waves: Callable[[Pool], list[int]] | None = None
    part: StagePart | None = None
    column: OwnColumn | None = None
    papers: Mapping[str, Paper] = field(default_factory=dict)
    pages: KindPages | None = None


kind_rooms: Above[Mapping[StageKind, KindRoom]] = Above("the rooms of the kinds of stage")


pages_of_stages: Above[KindPages] = Above("the pages of an event in stages")


def pages_of(event: Event) -> KindPages:
    """By the stages that its desk follows, or by the one stage it is."""
    plan = load_plan(event)
    alone = None if plan.desk_stages else room_of(plan.first.kind).pages
    return alone or pages_of_stages()


def room_of(kind: StageKind) -> KindRoom:
    return kind_rooms()[kind]
