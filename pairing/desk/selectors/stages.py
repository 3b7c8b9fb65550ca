"""Load the desk settings of every stage of an event, including stages that are not open yet."""

from dataclasses import dataclass

from pairing.desk.selectors.waiting import load_desk_terms
from pairing.draws.desk.desk import DeskTerms
from pairing.draws.stages.plan import StagePlan, fewest_rounds
from pairing.plans.selectors import load_plan
from pairing.stage_kinds.selectors.stage_state import StageState
from pairing.stage_kinds.selectors.stages import load_course
from tournament.models import Entrant, Event


@dataclass(frozen=True, slots=True)
class DeskOf:
    """The desk of one stage. `own_sites` are the sites that play separately, with their own tables.

    `rounds` is the planned number of rounds (None: nothing to shorten), and `made` how many are made.
    """

    number: int
    name: str
    plan: StagePlan
    terms: DeskTerms
    own_sites: tuple[str, ...] = ()
    is_over: bool = False
    rounds: int | None = None
    made: int = 0

    @property
    def fewest(self) -> int:
        return max(self.made, fewest_rounds(self.plan))


def load_desk_of(event: Event, number: int | None = None) -> DeskOf | None:
    """Return the desk of a stage, by default the current or first one.

    None for an event of another format, or a number after the last stage.
    """
    course, planned_stages = load_course(event), load_plan(event).desk_stages
    current = course.current.number if course.stages else 1
    number = current if number is None else number
    if not 1 <= number <= len(planned_stages):
        return None
    opened = course.stages[number - 1] if course.stages and number <= current else None
    planned = opened.plan if opened is not None else planned_stages[number - 1]
    return DeskOf(
        number=number,
        name=opened.name if opened is not None else planned.name,
        plan=planned,
        terms=load_desk_terms(event, number),
        own_sites=_own_sites(event, planned),
        is_over=number < current,
        rounds=_rounds_of(planned_stages[number - 1]),
        made=_rounds_made(opened),
    )


def _rounds_of(planned: StagePlan) -> int | None:
    traits = planned.kind.traits
    return None if planned.pool is None or traits.all_meet or traits.in_line else planned.pool.qualifier.games


def _rounds_made(stage: StageState | None) -> int:
    """Return the most games that any entrant has played or is playing in the stage."""
    if stage is None or stage.pool is None:
        return 0
    entrants = stage.pool.qualifying.entrants.values()
    return max((one.record.games + one.is_playing for one in entrants), default=0)


def load_stages_to_set(event: Event) -> list[tuple[int, str]]:
    """Return number and name of the current and all later stages."""
    course = load_course(event)
    current = course.current.number if course.stages else 1
    stages = enumerate(load_plan(event).desk_stages, start=1)
    return [(number, stage.name) for number, stage in stages if number >= current]


def _own_sites(event: Event, planned: StagePlan) -> tuple[str, ...]:
    if planned.pool is None or not planned.pool.by_site:
        return ()
    sites = event.entrants.filter(state__in=[Entrant.State.IN, Entrant.State.REMOVED]).order_by("site")
    return tuple(sites.values_list("site", flat=True).distinct())
