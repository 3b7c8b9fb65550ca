"""The functions and pages that the room of each kind of stage provides. `pairing/kinds.py` lists them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, Protocol

from django.http import HttpRequest, HttpResponse

from pairing.draws.desk.desk import PairingInput, Suggestion
from pairing.draws.stages.plan import StageKind, StagePlan
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
    """An object that knows the names of entries."""

    def name(self, number: int) -> str: ...


@dataclass(frozen=True, slots=True)
class FirstRound:
    """The functions that compute the tables of round 1 from a draw and that refuse a draw before it is posted."""

    seat: Callable[[Event, Draw], RoundTables]
    refuse: Callable[[Event, Draw], None]


@dataclass(frozen=True, slots=True)
class StagePart:
    """A template for a kind's own part of the stages page, and its context besides `stage`."""

    template: str
    context: Callable[[Named, StageState], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class OwnColumn:
    """A column that a kind adds to the standings."""

    label: Any
    value: Callable[[Pool, int], int | str]


@dataclass(frozen=True, slots=True)
class Paper:
    """A print of a stage.

    `write` raises Conflict if there is nothing to print yet. `type_size` is for a print that is fitted to one page: it
    returns the size of the names in points on the given paper. `larger` names the print in which names always have the
    full size.
    """

    title: str
    write: Callable[[IO[bytes], Event, str], None]
    type_size: Callable[[Event, str], float | None] | None = None
    larger: str = ""


EventPage = Callable[[HttpRequest, Event], HttpResponse]
MatchPage = Callable[[HttpRequest, Event, str], HttpResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindPages:
    """The pages at the addresses that every event has: five public ones, and the results and decisions of the desk.

    `menu` and `desk_menu` replace entries of the usual menus, by the name of their page, with other entries or with
    none.
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
    """The functions and pages of a kind of stage.

    `planned` is set if the kind can be a stage of a plan. `load` reads a stage. `begin` creates what exists as soon as
    a stage is opened, and `advance` creates what follows from a result. `first_round` is for kinds whose tables are
    assigned with the draw. `suggest` returns the pairings that the desk would send now. `waves` returns the numbers of
    games still to come, wave by wave. `part`, `column` and `papers` are shown for such a stage. `pages` are the pages
    of an event that consists of one stage of this kind.
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
    """Return the pages of an event in stages, or those of its only stage's kind."""
    plan = load_plan(event)
    alone = None if plan.desk_stages else room_of(plan.first.kind).pages
    return alone or pages_of_stages()


def room_of(kind: StageKind) -> KindRoom:
    return kind_rooms()[kind]
